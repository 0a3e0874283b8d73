/** Makes one call of `work` at a time: those who ask meanwhile get the same answer. */
export function joinedCalls<R>(work: () => Promise<R>): () => Promise<R> {
  let underWay: Promise<R> | null = null
  return () => {
    underWay ??= work().finally(() => {
      underWay = null
    })
    return underWay
  }
}
