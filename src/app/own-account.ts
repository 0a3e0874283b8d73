import type { Contact } from '../core/account/contact.ts'
import type { ContactCreate, ContactUpdate } from '../core/account/contact-schema.ts'
import type { User } from '../core/account/profile.ts'
import type { ProfileUpdate } from '../core/account/profile-schema.ts'
import type { Session } from '../core/account/session.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import {
  type AccountStore,
  type ApplicationStore,
  type ContactStore,
  StoreError,
  type VerificationStore,
} from '../ports/store.ts'
import type { IncidentDoor } from './incident-door.ts'
import { type AskingLimits, askNewContact } from './verify-contacts.ts'

/** A user's profile and emergency contacts. Refusals are those of the store port. */
export const ownAccount = ({
  store,
  door,
  clock,
  ids,
  contactsPerUser,
  asking,
}: {
  readonly store: AccountStore &
    ContactStore &
    Pick<ApplicationStore, 'application'> &
    Pick<VerificationStore, 'requestVerification'>
  readonly door: IncidentDoor
  readonly clock: Clock
  readonly ids: Ids
  readonly contactsPerUser: number
  readonly asking: AskingLimits
}) => ({
  async profile({ userId }: Session): Promise<User> {
    const user = await store.user(userId)
    // The session was admitted a moment ago, so only an erasure in between can cause this.
    if (user === null) throw new StoreError('the user of this session no longer exists', 'fault')
    return user
  },

  updateProfile: ({ userId }: Session, update: ProfileUpdate) => store.updateProfile(userId, update, clock.now()),

  contacts: ({ userId }: Session) => store.contacts(userId),

  /** Adds a contact, who joins an active incident's cascade at the end (rules.md#corrections), and may be asked. */
  async addContact(
    { appId, userId }: Session,
    fields: ContactCreate,
  ): Promise<Contact | { readonly refused: 'contact_limit' | 'phone_not_allowed' }> {
    const added = await store.addContact(userId, { id: ids.uuid(), fields, now: clock.now(), limit: contactsPerUser })
    if ('refused' in added) return added
    if (added.joined !== null) door.announce(added.joined)
    await askNewContact({ store, ids, now: clock.now(), ...asking }, { appId, userId, contactId: added.contact.id })
    return added.contact
  },

  /** Corrects a contact, including in the cascade of an open incident. rules.md#corrections. */
  async updateContact(
    { userId }: Session,
    contactId: string,
    fields: ContactUpdate,
  ): Promise<Contact | { readonly refused: 'contact_not_found' | 'phone_not_allowed' }> {
    const updated = await store.updateContact(userId, contactId, fields, clock.now())
    if ('refused' in updated) return updated
    if (updated.corrected !== null) door.announce(updated.corrected)
    return updated.contact
  },

  removeContact: ({ userId }: Session, contactId: string) => store.removeContact(userId, contactId, clock.now()),

  reorderContacts: ({ userId }: Session, contactIds: readonly string[]) =>
    store.reorderContacts(userId, contactIds, clock.now()),
})
