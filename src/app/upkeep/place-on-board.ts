import { MINUTE } from '../../lib/durations.ts'
import { interruptibleWait } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { UrgencyStore } from '../../ports/store.ts'

/**
 * A slice takes some milliseconds of the writer at worst. Writes that arrive meanwhile are committed before the next
 * one.
 */
const SLICE = 20
const PAUSE_MS = 25
const RETRY_MS = MINUTE

/**
 * At start-up, gives open incidents of an earlier version their place on the board: without one they would precede more
 * urgent ones until their next change. Every start checks the first ones, which are few. Returns a function that stops
 * it between two slices, and resolves once it has.
 */
export function placeOnBoard({
  store,
  clock,
  log,
}: {
  readonly store: UrgencyStore
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
}): () => Promise<void> {
  let stopped = false
  const { wait, interrupt } = interruptibleWait(clock)

  const run = (async () => {
    let from: string | null = ''
    let total = 0
    while (from !== null && !stopped) {
      try {
        const slice = await store.placeOnBoard({ from, max: SLICE })
        total += slice.placed
        from = slice.next
        if (from !== null && !stopped) await wait(PAUSE_MS)
      } catch (error) {
        if (stopped) return
        log.warn({ err: error }, 'could not put incidents of an earlier version in order; trying again in a minute')
        await wait(RETRY_MS)
      }
    }
    if (total > 0) log.info({ incidents: total }, 'put open incidents of an earlier version in order on the board')
  })()
  return () => {
    stopped = true
    interrupt()
    return run
  }
}
