import { type AuditEntry, entry } from '../../core/operator/audit.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'

/** A screen that shows an incident all night leaves a row an hour. */
const NOTED_EVERY_MS = HOUR
const MAX_REMEMBERED = 10_000
/** Rows of one operator or token in that time. No person views that much; a script that does must not fill the disk. */
const MAX_ROWS = 600

/** Who looks at what: a list (`subject` and `userId` null), an incident, a user. */
type Look = Pick<AuditEntry, 'actor' | 'address' | 'action' | 'appId' | 'userId' | 'subject'>

/**
 * Notes views of positions and people in the audit log: the first, and then one an hour, at most 600 rows an hour for
 * each operator or token; a last row says that there were more. The view does not wait for it, and a store that cannot
 * note it hides nothing from a rescuer: it is logged, and tried again with the next view.
 */
export function lookNotes({
  store,
  clock,
  log,
}: {
  readonly store: Pick<OperatorStore, 'addAuditRow'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}): (look: Look) => void {
  const notedAt = new Map<string, number>()
  /** By actor: operators and tokens, which only an administrator makes. */
  const spent = new Map<string, { since: number; rows: number }>()

  /** How many rows this actor has, with this one, in the hour that runs. */
  const countRow = (id: string, now: number): number => {
    const before = spent.get(id)
    const current =
      before !== undefined && Math.abs(now - before.since) < NOTED_EVERY_MS ? before : { since: now, rows: 0 }
    current.rows += 1
    spent.set(id, current)
    return current.rows
  }

  return (look) => {
    const { actor, address, action, appId, userId, subject } = look
    const now = clock.now()
    // By address, too: a stolen session or token leaves a row even if its owner views the same.
    const key = JSON.stringify([actor.kind, actor.id, address, action, appId, userId, subject])
    const last = notedAt.get(key)
    // Also after the clock was set back: a row too many rather than none until then.
    if (last !== undefined && Math.abs(now - last) < NOTED_EVERY_MS) return
    notedAt.delete(key)
    notedAt.set(key, now)
    // A Map keeps insertion order: the first entry was noted longest ago.
    if (notedAt.size > MAX_REMEMBERED) notedAt.delete(notedAt.keys().next().value!)
    const rows = countRow(`${actor.kind} ${actor.id}`, now)
    if (rows > MAX_ROWS) return
    const more = { appId: null, userId: null, subject: null, details: { more: true } }
    store.addAuditRow(entry({ at: now, ...look, ...(rows === MAX_ROWS && more) })).catch((error) => {
      if (notedAt.get(key) === now) notedAt.delete(key)
      log.error({ err: error, action, subject }, 'a look could not be noted in the audit log')
    })
  }
}
