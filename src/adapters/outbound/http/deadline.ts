import { SECOND } from '../../../lib/durations.ts'

/** A machine that was suspended notices within this time that its lease has ended meanwhile. */
const LOOK_MS = SECOND

/**
 * Ends a request at its time-out, or before that with the lease under which it may leave. `leaseLeftMs`: as in
 * `Notification`.
 */
export function deadlineOf(timeoutMs: number, leaseLeftMs?: () => number): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs)
  if (leaseLeftMs === undefined) return timeout
  const ends = new AbortController()
  const look = (): void => {
    if (ends.signal.aborted) return
    const leftMs = leaseLeftMs()
    if (timeout.aborted) ends.abort(timeout.reason)
    else if (leftMs === 0) ends.abort(leaseEnded())
    else setTimeout(look, Math.min(LOOK_MS, leftMs)).unref()
  }
  timeout.addEventListener('abort', look, { once: true })
  look()
  return ends.signal
}

/** Throws if what is about to be written may not leave any more. */
export function refuseWithoutLease(leaseLeftMs?: () => number): void {
  if (leaseLeftMs?.() === 0) throw leaseEnded()
}

const leaseEnded = (): DOMException => new DOMException('the lease of this node has ended', 'AbortError')
