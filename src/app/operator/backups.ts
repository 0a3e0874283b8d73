import { isoAt } from '../../core/ingest/event-time.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'
import type { BackupState } from '../upkeep/nightly-backup.ts'

/** Backups are made every night; a missed one is worth reporting. */
const OLD_AFTER_MS = 48 * HOUR

/** The backups that the service makes itself, as configured. */
type Nightly = {
  readonly at: string
  readonly to: string
  readonly keep: number
  readonly state: () => BackupState
}

/**
 * The state of the backups. `isOwn`: `tocsin backup` makes them; PostgreSQL is backed up with its own tools, which the
 * service does not see. `nightly`: null if the service makes none.
 */
export const knownBackups =
  ({
    store,
    clock,
    isOwn,
    nightly = null,
  }: {
    readonly store: Pick<OperatorStore, 'lastAudited'>
    readonly clock: Pick<Clock, 'now'>
    readonly isOwn: boolean
    readonly nightly?: Nightly | null
  }) =>
  async () => {
    const row = isOwn ? await store.lastAudited('backup.made') : null
    const last = row && { at: isoAt(row.at), bytes: Number(row.details.bytes ?? 0), verified: true }
    const isOld = isOwn && (row === null || clock.now() - row.at > OLD_AFTER_MS)
    return { isOwn, last, isOld, nightly: nightly && nightlyView(nightly) }
  }

function nightlyView({ at, to, keep, state }: Nightly) {
  const { failure, nextAt } = state()
  return {
    at,
    to,
    keep,
    nextAt: isoAt(nextAt),
    failure: failure && { at: isoAt(failure.at), reason: failure.reason, isMade: failure.isMade },
  }
}
