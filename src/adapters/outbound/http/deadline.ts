import { SECOND } from '../../../lib/durations.ts'

/** How soon after a suspension a machine notices that the time is over. */
const LOOK_MS = SECOND

/** Ends a request at its time-out, or as soon as nothing is left of `leftMs` (see `Notification`). */
export function deadlineOf(timeoutMs: number, leftMs?: () => number): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs)
  if (leftMs === undefined) return timeout
  const ends = new AbortController()
  const look = (): void => {
    if (ends.signal.aborted) return
    const waitMs = Math.min(LOOK_MS, leftMs())
    if (timeout.aborted) ends.abort(timeout.reason)
    else if (waitMs === 0) ends.abort(tooLate())
    else setTimeout(look, waitMs).unref()
  }
  timeout.addEventListener('abort', look, { once: true })
  look()
  return ends.signal
}

/** Throws if the request about to be written may no longer leave. */
export function refuseIfOver(leftMs?: () => number): void {
  if (leftMs?.() === 0) throw tooLate()
}

const tooLate = (): DOMException => new DOMException('it may not leave any more', 'AbortError')
