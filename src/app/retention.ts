import { DAY, HOUR } from '../core/ingest/event-time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { ExpiringKind, RetentionStore } from '../ports/store.ts'

/** For how many days each kind is kept; 0 is for ever. */
export type DaysKept = Readonly<Record<ExpiringKind, number>>

/** A batch is over in a few milliseconds, and whatever came in meanwhile is committed before the next one. */
const BATCH_ROWS = 500
const PAUSE_MS = 25

type Parts = {
  readonly store: RetentionStore
  readonly clock: Clock
  readonly log: Log
  readonly days: DaysKept
  /** Whether the date can be believed; while it cannot, nothing is deleted. rules.md#clock. */
  readonly isDateBelieved: () => boolean
}

/**
 * Deletes what is older than it may be, in small batches: at once and then every hour. Returns what stops it, between
 * two batches; it resolves when nothing is being deleted any more.
 */
export function keepRetention({ store, clock, log, days, isDateBelieved }: Parts): () => Promise<void> {
  let stopped = false
  let endWait = () => {}
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(ms, resolve)
      endWait = () => {
        cancel()
        resolve()
      }
    })

  const deleteKind = async (kind: ExpiringKind, before: number): Promise<number> => {
    let total = 0
    let from: string | null = ''
    while (from !== null && !stopped && isDateBelieved()) {
      const batch = await store.deleteExpired(kind, { before, max: BATCH_ROWS, from })
      total += batch.deleted
      from = batch.next
      if (from !== null && !stopped) await wait(PAUSE_MS)
    }
    return total
  }

  const look = async (): Promise<void> => {
    for (const [kind, kept] of Object.entries(days) as [ExpiringKind, number][]) {
      if (kept === 0 || stopped || !isDateBelieved()) continue
      try {
        const deleted = await deleteKind(kind, clock.now() - kept * DAY)
        if (deleted > 0) log.info({ kind, deleted, days: kept }, 'deleted expired data')
      } catch (error) {
        if (!stopped) log.error({ kind, err: error }, 'could not delete expired data; trying again in an hour')
      }
    }
  }

  const run = (async () => {
    while (!stopped) {
      await look()
      if (!stopped) await wait(HOUR)
    }
  })()
  return () => {
    stopped = true
    endWait()
    return run
  }
}
