/**
 * Does the work, such as loading code that few sites use, when somebody first needs it: once for all callers, and again
 * after a failure.
 */
export function onDemand<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  return () => {
    result ??= work().catch((error) => {
      result = null
      throw error
    })
    return result
  }
}
