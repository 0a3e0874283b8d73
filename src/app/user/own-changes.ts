import type { Contact } from '../../core/account/contact.ts'
import type { ContactUpdate } from '../../core/account/contact-schema.ts'
import { displayName, type User } from '../../core/account/profile.ts'
import type { ProfileUpdate } from '../../core/account/profile-schema.ts'
import type { Session } from '../../core/account/session.ts'
import { type AuditEntry, entry, OWN_APP } from '../../core/operator/audit.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { HOUR } from '../../lib/durations.ts'
import type { AccountStore, AuditedChanges, AuditStore, IncidentStore } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'

/** Audit rows an hour for one user's changes: enough for any person, too few to fill a disk. */
const ROWS = { times: 30, perMs: HOUR }
/** The most users whose rows are counted at a time. */
const MAX_USERS = 5_000

/** `details`: the change and the names of the changed fields, never their contents. */
type OwnChange = Pick<AuditEntry, 'action'> & Partial<Pick<AuditEntry, 'subject' | 'details'>>

/** The audit rows about what a user's own session changed. rules.md#contacts, rules.md#profile. */
export class OwnChanges {
  readonly #rows = new RateLimiter(ROWS, MAX_USERS)

  /** The row of a change at `now` (epoch ms), or null if the user has had all rows of this hour. */
  row({ appId, userId }: Session, change: OwnChange, now: number): AuditEntry | null {
    return this.#rows.take(userId, now) ? entry({ at: now, actor: OWN_APP, appId, userId, ...change }) : null
  }
}

/**
 * The store for something that takes away from its user, who may not be the one who holds the phone: an open alarm
 * tells of it, readiness names it for a week, and the audit log has it, as long as the user may have more rows.
 */
export async function takingAway<
  S extends AuditStore & Pick<AccountStore, 'user'> & Pick<IncidentStore, 'openIncident'>,
>(
  { store, door, changes, now }: { store: S; door: Pick<IncidentDoor, 'change'>; changes: OwnChanges; now: number },
  session: Session,
  { change, subject = null }: { readonly change: string; readonly subject?: string | null },
): Promise<S | AuditedChanges> {
  const user = await store.user(session.userId)
  if (user !== null) await noteInAlarm({ store, door, now }, user)
  const row = changes.row(session, { action: 'account.changed', subject, details: { change } }, now)
  return row === null ? store : store.audited(row)
}

/** The fields that `update` changes. A language of null, which stands for the application's, counts as a change. */
export function changedFields(before: Contact | undefined, update: ContactUpdate): readonly string[] {
  const names = ['name', 'phone', 'email', 'language', 'priority'] as const
  return names.filter((name) => update[name] !== undefined && update[name] !== before?.[name])
}

/** The fields among name and number that `update` changes. `isReplaced`: a former value gives way to another one. */
export function identityChange(before: User, update: ProfileUpdate) {
  const fields = (['name', 'phone'] as const).filter((key) => update[key] !== undefined && update[key] !== before[key])
  return { fields, isReplaced: fields.some((key) => before[key] !== null) }
}

/**
 * Tells board, chat and the contacts of the opening of an open alarm that name, number or devices are changed from the
 * person's phone, which may be in other hands. Before the change: if this fails, nothing has changed, and the app tries
 * again. Returns whether an alarm is open. rules.md#position-access.
 */
export async function noteInAlarm(
  { store, door, now }: { store: Pick<IncidentStore, 'openIncident'>; door: Pick<IncidentDoor, 'change'>; now: number },
  user: User,
): Promise<boolean> {
  const open = await store.openIncident(user.id)
  if (open === null) return false
  if (open.incident.accountChanged === undefined)
    await door.change({ openOf: user.id }, { type: 'changeAccount', now, who: displayName(user) })
  return true
}
