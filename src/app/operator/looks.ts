import { type AuditEntry, entry } from '../../core/operator/audit.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'

/** A screen that shows an incident all night leaves a row an hour. */
const OF_ONE_LOOK = { times: 1, perMs: HOUR }
const MAX_REMEMBERED = 10_000
/** Rows of one operator or token. No person views that much; a script that does must not fill the disk. */
const ROWS = { times: 599, perMs: HOUR }
/** The last row, which says that there were more. */
const MORE = { times: 1, perMs: HOUR }

/** A view of a list (`subject` and `userId` null), an incident, or a user. */
type Look = Pick<AuditEntry, 'actor' | 'address' | 'action' | 'appId' | 'userId' | 'subject'> &
  Partial<Pick<AuditEntry, 'details'>>

export type NoteLook = (look: Look) => void

/**
 * Records views of positions and people in the audit log: the first one, then one an hour, at most 600 rows an hour for
 * each operator or token; a last row says that there were more. The view does not wait for it, and a failing store
 * hides nothing from a rescuer: the failure is logged, and the next view tries again.
 */
export function lookNotes({
  store,
  clock,
  log,
}: {
  readonly store: Pick<OperatorStore, 'addAuditRow'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}): NoteLook {
  const looks = new RateLimiter(OF_ONE_LOOK, MAX_REMEMBERED)
  const rows = new RateLimiter(ROWS, MAX_REMEMBERED)
  const more = new RateLimiter(MORE, MAX_REMEMBERED)

  return (look) => {
    const { actor, address, action, appId, userId, subject, details } = look
    const now = clock.now()
    // Per address, so that a stolen session or token leaves a row even if its owner views the same.
    const key = JSON.stringify([actor.kind, actor.id, address, action, appId, userId, subject, details])
    if (!looks.take(key, now)) return
    const by = `${actor.kind} ${actor.id}`
    const isLast = !rows.take(by, now)
    if (isLast && !more.take(by, now)) return
    const many = { appId: null, userId: null, subject: null, details: { more: true } }
    store.addAuditRow(entry({ at: now, ...look, ...(isLast && many) })).catch((error) => {
      looks.giveBack(key)
      log.error({ err: error, action, subject }, 'a look could not be noted in the audit log')
    })
  }
}
