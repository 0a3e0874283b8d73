import type { Contact } from '../../core/account/contact.ts'
import type { ContactCreate } from '../../core/account/contact-schema.ts'
import type { IsPossible, NumberWarning } from '../../core/account/number-findings.ts'
import type { User } from '../../core/account/profile.ts'
import type { Ids } from '../../ports/ids.ts'
import type {
  AccountStore,
  ApplicationStore,
  AuditStore,
  Committed,
  ContactStore,
  VerificationStore,
} from '../../ports/store.ts'
import { numberWarnings } from '../user/number-warnings.ts'
import { type AskingLimits, askNewContact } from '../user/verify-contacts.ts'
import { type By, rowBy } from './by.ts'

type AddContactNeeds = {
  readonly store: AuditStore &
    Pick<AccountStore, 'ensureUser' | 'user'> &
    Pick<ApplicationStore, 'application'> &
    Pick<ContactStore, 'contacts'> &
    Pick<VerificationStore, 'requestVerification'>
  readonly ids: Ids
  readonly contactsPerUser: number
  readonly asking: AskingLimits
  readonly isPossible: IsPossible
  /** Announces the incident that the contact has joined. The command line omits it: its commits leave notices. */
  readonly announce?: (joined: Committed) => void
}

type Added = {
  readonly user: User
  readonly contact: Contact
  /** Doubts about the number, which is stored all the same. */
  readonly warnings: readonly NumberWarning[]
}

/**
 * Adds an emergency contact of a user by the rules that apply to apps (rules.md#contacts); a missing user is created as
 * by a first connection. From now on the contact gets the user's alarms, with the position, so there is an audit row.
 */
export async function addContactBy(
  { store, ids, contactsPerUser, asking, isPossible, announce }: AddContactNeeds,
  { appId, externalUserId }: { readonly appId: string; readonly externalUserId: string },
  fields: ContactCreate,
  by: By,
): Promise<Added | { readonly refused: 'contact_limit' | 'phone_not_allowed' }> {
  const { now } = by
  const user = await store.ensureUser({ appId, externalUserId, id: ids.uuid(), now })
  const row = rowBy(by, { action: 'user.change', appId, userId: user.id, details: { change: 'contact_added' } })
  const added = await store.audited(row).addContact(user.id, { id: ids.uuid(), fields, now, limit: contactsPerUser })
  if ('refused' in added) return added
  if (added.joined !== null) announce?.(added.joined)
  await askNewContact({ store, ids, now, ...asking }, { appId, userId: user.id, contactId: added.contact.id })
  const warnings = await numberWarnings({ store, isPossible }, user.id, added.contact)
  return { user, contact: added.contact, warnings }
}
