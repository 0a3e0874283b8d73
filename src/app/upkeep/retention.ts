import { DAY, HOUR } from '../../lib/durations.ts'
import { interruptibleWait } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { ExpiringKind, RetentionStore } from '../../ports/store.ts'

/** Days for which each kind is kept; 0 means for ever. */
type DaysKept = Readonly<Record<ExpiringKind, number>>

/** A batch takes a few milliseconds. Writes that arrive meanwhile are committed before the next one. */
const BATCH_ROWS = 500
const PAUSE_MS = 25

type RetentionNeeds = {
  readonly store: RetentionStore
  readonly clock: Clock
  readonly log: Log
  readonly days: DaysKept
  /** Whether the date can be trusted (keeping.md#clock) and this is the node that deletes. */
  readonly mayDelete: () => boolean
}

/**
 * Deletes expired data in small batches, at start-up and then every hour. Returns a function that stops it between two
 * batches and resolves once nothing is being deleted.
 */
export function keepRetention({ store, clock, log, days, mayDelete }: RetentionNeeds): () => Promise<void> {
  let stopped = false
  const { wait, interrupt } = interruptibleWait(clock)

  const deleteKind = async (kind: ExpiringKind, before: number): Promise<number> => {
    let total = 0
    let from: string | null = ''
    while (from !== null && !stopped && mayDelete()) {
      const batch = await store.deleteExpired(kind, { before, max: BATCH_ROWS, from })
      total += batch.deleted
      from = batch.next
      if (from !== null && !stopped) await wait(PAUSE_MS)
    }
    return total
  }

  const look = async (): Promise<void> => {
    for (const [kind, kept] of Object.entries(days) as [ExpiringKind, number][]) {
      if (kept === 0 || stopped || !mayDelete()) continue
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
    interrupt()
    return run
  }
}
