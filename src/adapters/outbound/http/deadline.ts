import { SECOND } from '../../../lib/durations.ts'

/** A machine that was suspended notices within this time that its time is over. */
const LOOK_MS = SECOND

/**
 * Ends a request at its time-out, or before that when nothing is left of `leftMs`, as in `Notification`.
 */
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
