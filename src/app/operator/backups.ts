import { isoAt } from '../../core/ingest/event-time.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'

/** Backups are made every night; a missed one is worth reporting. */
const OLD_AFTER_MS = 48 * HOUR

/**
 * The state of the backups. `isOwn`: `tocsin backup` makes them; PostgreSQL is backed up with its own tools, which the
 * service does not see.
 */
export const knownBackups =
  ({
    store,
    clock,
    isOwn,
  }: {
    readonly store: Pick<OperatorStore, 'lastAudited'>
    readonly clock: Pick<Clock, 'now'>
    readonly isOwn: boolean
  }) =>
  async () => {
    const row = isOwn ? await store.lastAudited('backup.made') : null
    const last = row && { at: isoAt(row.at), bytes: Number(row.details.bytes ?? 0), verified: true }
    return { isOwn, last, isOld: isOwn && (row === null || clock.now() - row.at > OLD_AFTER_MS) }
  }
