import type { Contact } from '../../core/account/contact.ts'
import type { ContactUpdate } from '../../core/account/contact-schema.ts'
import type { Session } from '../../core/account/session.ts'
import { type AuditEntry, entry, OWN_APP } from '../../core/operator/audit.ts'
import { HourlyQuota } from '../../core/pacing/hourly-quota.ts'

/** Rows of one user's changes an hour: enough for any person, too few to fill a disk. */
const MAX_AN_HOUR = 30
/** Users whose rows are counted at a time. The one counted first is forgotten first. */
const MAX_USERS = 5_000

/** What a user's own session did with the contacts. `fields`: those that changed, never their contents. */
type ContactChange = {
  readonly change: 'added' | 'changed' | 'removed' | 'reordered'
  readonly contactId: string | null
  readonly fields?: readonly string[]
}

/** Rows of the audit log about contacts that a user's own session changed. rules.md#contacts. */
export class ContactChanges {
  readonly #quotas = new Map<string, HourlyQuota>()

  /** The row of a change at `now` (epoch ms), or null where the user has had all rows of this hour. */
  row({ appId, userId }: Session, { contactId, ...details }: ContactChange, now: number): AuditEntry | null {
    if (!this.#quotaOf(userId).takes(now)) return null
    return entry({ at: now, actor: OWN_APP, action: 'contacts.changed', appId, userId, subject: contactId, details })
  }

  #quotaOf(userId: string): HourlyQuota {
    const known = this.#quotas.get(userId)
    if (known !== undefined) return known
    const [oldest] = this.#quotas.keys()
    if (this.#quotas.size >= MAX_USERS && oldest !== undefined) this.#quotas.delete(oldest)
    const quota = new HourlyQuota(MAX_AN_HOUR)
    this.#quotas.set(userId, quota)
    return quota
  }
}

/** The fields that `update` changes. A language of null, which stands for the application's, counts as a change. */
export function changedFields(before: Contact | undefined, update: ContactUpdate): readonly string[] {
  const names = ['name', 'phone', 'email', 'language', 'priority'] as const
  return names.filter((name) => update[name] !== undefined && update[name] !== before?.[name])
}
