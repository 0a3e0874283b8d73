import type { HttpCaller } from '../../../ports/http-caller.ts'
import type { HttpCallerParts } from './http-call.ts'
import { failureText } from './http-failure.ts'

/**
 * An HTTP caller whose code is loaded with its first call, if not before (service/warm-up.ts): a start does not wait
 * for it.
 */
export function callerOnDemand(parts: HttpCallerParts): HttpCaller {
  let made: HttpCaller | null = null
  let closed = false
  const caller = async (): Promise<HttpCaller> => {
    const { createHttpCaller } = await import('./http-call.ts')
    made ??= createHttpCaller(parts)
    if (closed) await made.close()
    return made
  }
  return {
    async post(call) {
      if (closed) return { kind: 'stopped' }
      try {
        return await (made ?? (await caller())).post(call)
      } catch (error) {
        // The code could not be loaded, perhaps for want of a file descriptor.
        return { kind: 'unreached', error: failureText(error), written: false }
      }
    },
    async close() {
      closed = true
      await made?.close()
    },
  }
}
