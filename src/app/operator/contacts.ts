import type { Contact } from '../../core/account/contact.ts'
import type { ContactCreate, ContactUpdate } from '../../core/account/contact-schema.ts'
import type { IsPossible, NumberWarning } from '../../core/account/number-findings.ts'
import type { User } from '../../core/account/profile.ts'
import type { AuditEntry } from '../../core/operator/audit.ts'
import type { Ids } from '../../ports/ids.ts'
import type {
  AccountStore,
  ApplicationStore,
  AuditStore,
  Committed,
  ContactStore,
  IncidentStore,
  VerificationStore,
} from '../../ports/store.ts'
import { numberWarnings } from '../user/number-warnings.ts'
import { changedFields } from '../user/own-changes.ts'
import { type AskingLimits, askNewContact } from '../user/verify-contacts.ts'
import { type By, rowBy } from './by.ts'
import { alarmOf } from './people.ts'

export type ContactNeeds = {
  readonly store: AuditStore &
    Pick<AccountStore, 'ensureUser' | 'user'> &
    Pick<ApplicationStore, 'application'> &
    Pick<ContactStore, 'contacts'> &
    Pick<IncidentStore, 'openIncident'> &
    Pick<VerificationStore, 'requestVerification'>
  readonly ids: Ids
  readonly contactsPerUser: number
  readonly asking: AskingLimits
  readonly isPossible: IsPossible
  /** Announces the incident that has changed with it. The command line omits it: its commits leave notices. */
  readonly announce?: (changed: Committed) => void
}

/** A contact as stored. `warnings`: doubts about the number, which is stored all the same. */
type Written = { readonly contact: Contact; readonly warnings: readonly NumberWarning[] }
type Person = Pick<User, 'id' | 'appId'>

/**
 * Adds an emergency contact of a user by the rules that apply to apps (rules.md#contacts); a missing user is created as
 * by a first connection. From now on the contact gets the user's alarms, with the position, so there is an audit row.
 */
export async function addContactBy(
  needs: ContactNeeds,
  { appId, externalUserId }: { readonly appId: string; readonly externalUserId: string },
  fields: ContactCreate,
  by: By,
): Promise<(Written & { readonly user: User }) | { readonly refused: 'contact_limit' | 'phone_not_allowed' }> {
  const { store, ids } = needs
  const user = await store.ensureUser({ appId, externalUserId, id: ids.uuid(), now: by.now })
  const added = await addContactOf(needs, user, fields, by)
  return 'refused' in added ? added : { user, ...added }
}

/** The same for a user who exists. */
export async function addContactOf(
  { store, ids, contactsPerUser, asking, isPossible, announce }: ContactNeeds,
  { id: userId, appId }: Person,
  fields: ContactCreate,
  by: By,
): Promise<Written | { readonly refused: 'contact_limit' | 'phone_not_allowed' }> {
  const { now } = by
  const contactId = ids.uuid()
  const row = await rowOf(store, { id: userId, appId }, { change: 'contact_added', contactId }, by)
  const added = await store.audited(row).addContact(userId, { id: contactId, fields, now, limit: contactsPerUser })
  if ('refused' in added) return added
  if (added.joined !== null) announce?.(added.joined)
  await askNewContact({ store, ids, now, ...asking }, { appId, userId, contactId })
  return { contact: added.contact, warnings: await numberWarnings({ store, isPossible }, userId, added.contact) }
}

/**
 * Corrects a contact, in an open incident as well, where the new number sees the position (rules.md#position-access).
 * Without a difference nothing is written. A new number is asked to confirm as that of a new contact is.
 */
export async function updateContactOf(
  { store, ids, asking, isPossible, announce }: ContactNeeds,
  person: Person,
  contactId: string,
  sent: ContactUpdate,
  by: By,
): Promise<Written | { readonly refused: 'contact_not_found' | 'phone_not_allowed' }> {
  const { now } = by
  const before = (await store.contacts(person.id)).find(({ id }) => id === contactId)
  if (before === undefined) return { refused: 'contact_not_found' }
  const fields = changedFields(before, sent)
  if (fields.length === 0) return { contact: before, warnings: [] }
  const row = await rowOf(store, person, { change: 'contact_changed', contactId, fields }, by)
  const updated = await store.audited(row).updateContact(person.id, contactId, sent, now, 'operator')
  if ('refused' in updated) return updated
  if (updated.corrected !== null) announce?.(updated.corrected)
  if (!fields.includes('phone')) return { contact: updated.contact, warnings: [] }
  await askNewContact({ store, ids, now, ...asking }, { appId: person.appId, userId: person.id, contactId })
  return { contact: updated.contact, warnings: await numberWarnings({ store, isPossible }, person.id, updated.contact) }
}

/** Removes a contact. In an open incident they see the position no longer, at once (rules.md#position-access). */
export async function removeContactOf(
  { store, announce }: Pick<ContactNeeds, 'store' | 'announce'>,
  person: Person,
  contactId: string,
  by: By,
): Promise<{ readonly removed: true } | { readonly refused: 'contact_not_found' }> {
  const row = await rowOf(store, person, { change: 'contact_removed', contactId }, by)
  const removed = await store.audited(row).removeContact(person.id, contactId, by.now, 'operator')
  if ('refused' in removed) return removed
  if (removed.noted !== null) announce?.(removed.noted)
  return { removed: true }
}

/** Puts a user's contacts in this order, which names each of them once. An open incident keeps its own. */
export async function orderContactsOf(
  { store }: Pick<ContactNeeds, 'store'>,
  person: Person,
  contactIds: readonly string[],
  by: By,
): Promise<{ readonly reordered: true } | { readonly refused: 'not_a_reorder' }> {
  const row = await rowOf(store, person, { change: 'contacts_reordered' }, by)
  return store.audited(row).reorderContacts(person.id, contactIds, by.now)
}

/** The row of a change. While an incident is open it is about that incident: it stands in its timeline. */
const rowOf = async (
  store: Pick<IncidentStore, 'openIncident'>,
  { id, appId }: Person,
  details: AuditEntry['details'],
  by: By,
): Promise<AuditEntry> =>
  rowBy(by, { action: 'user.change', appId, userId: id, subject: await alarmOf(store, id), details })
