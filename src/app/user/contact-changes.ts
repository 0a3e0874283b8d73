import type { Contact } from '../../core/account/contact.ts'
import type { ContactUpdate } from '../../core/account/contact-schema.ts'
import type { Session } from '../../core/account/session.ts'
import { type AuditEntry, entry, OWN_APP } from '../../core/operator/audit.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { HOUR } from '../../lib/durations.ts'

/** Audit rows an hour for one user's changes: enough for any person, too few to fill a disk. */
const ROWS = { times: 30, perMs: HOUR }
/** The most users whose rows are counted at a time. */
const MAX_USERS = 5_000

/** A change of contacts by the user's own session. `fields`: the changed ones, never their contents. */
type ContactChange = {
  readonly change: 'added' | 'changed' | 'removed' | 'reordered'
  readonly contactId: string | null
  readonly fields?: readonly string[]
}

/** The audit rows about contacts that a user's own session changed. rules.md#contacts. */
export class ContactChanges {
  readonly #rows = new RateLimiter(ROWS, MAX_USERS)

  /** The row of a change at `now` (epoch ms), or null if the user has had all rows of this hour. */
  row({ appId, userId }: Session, { contactId, ...details }: ContactChange, now: number): AuditEntry | null {
    if (!this.#rows.take(userId, now)) return null
    return entry({ at: now, actor: OWN_APP, action: 'contacts.changed', appId, userId, subject: contactId, details })
  }
}

/** The fields that `update` changes. A language of null, which stands for the application's, counts as a change. */
export function changedFields(before: Contact | undefined, update: ContactUpdate): readonly string[] {
  const names = ['name', 'phone', 'email', 'language', 'priority'] as const
  return names.filter((name) => update[name] !== undefined && update[name] !== before?.[name])
}
