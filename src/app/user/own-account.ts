import { isVouchedFor, NAMED_NUMBERS } from '../../core/account/app-invitation.ts'
import { countryOfCalls, getsNoCall, type IsOfCountry } from '../../core/account/calls-abroad.ts'
import type { Contact } from '../../core/account/contact.ts'
import type { ContactCreate, ContactUpdate } from '../../core/account/contact-schema.ts'
import type { IsPossible, IsPremium, NumberWarning } from '../../core/account/number-findings.ts'
import type { User } from '../../core/account/profile.ts'
import type { ProfileUpdate } from '../../core/account/profile-schema.ts'
import type { Session } from '../../core/account/session.ts'
import type { AuditEntry } from '../../core/operator/audit.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import {
  type AccountStore,
  type ApplicationStore,
  type AuditStore,
  type ContactStore,
  type IncidentStore,
  StoreError,
  type VerificationStore,
} from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { numberWarnings } from './number-warnings.ts'
import { changedFields, identityChange, noteInAlarm, OwnChanges } from './own-changes.ts'
import { type AskingLimits, askNewContact } from './verify-contacts.ts'

/** The most users whose new numbers are counted at a time. */
const MAX_USERS = 10_000

type Premium = { readonly refused: 'premium_number' }
type TooManyNumbers = { readonly refused: 'too_many_numbers'; readonly retryAfterMs: number }

/** A user's profile and emergency contacts. Refusals are those of the store port. */
export const ownAccount = ({
  store,
  door,
  clock,
  ids,
  contactsPerUser,
  asking,
  isPossible,
  isOfCountry,
  isPremium,
}: {
  readonly store: AccountStore &
    AuditStore &
    ContactStore &
    Pick<ApplicationStore, 'application'> &
    Pick<IncidentStore, 'openIncident'> &
    Pick<VerificationStore, 'requestVerification'>
  readonly door: IncidentDoor
  readonly clock: Clock
  readonly ids: Ids
  readonly contactsPerUser: number
  readonly asking: AskingLimits
  readonly isPossible: IsPossible
  readonly isOfCountry: IsOfCountry
  readonly isPremium: IsPremium
}) => {
  const changes = new OwnChanges()
  const numbers = new RateLimiter(NAMED_NUMBERS, MAX_USERS)
  /** The store for a change, which adds an audit row as long as the user may have more of them. */
  const noted = (session: Session, change: Parameters<OwnChanges['row']>[1]) => {
    const row = changes.row(session, change, clock.now())
    return row === null ? store : store.audited(row)
  }
  const ofContact = (session: Session, contactId: string | null, details: AuditEntry['details']) =>
    noted(session, { action: 'contacts.changed', subject: contactId, details })
  /** Stores a new number of a contact, and counts it if nobody vouches for the user. */
  async function withNumber<Stored extends object>(
    { userId }: Session,
    phone: string,
    write: () => Promise<Stored>,
  ): Promise<Stored | Premium | TooManyNumbers> {
    const user = await store.user(userId)
    if (user === null || isVouchedFor(user.enrolledBy)) return write()
    // An alarm calls it, again and again, and its owner only has to press.
    if (await isPremium(phone)) return { refused: 'premium_number' }
    const now = clock.now()
    if (!numbers.take(userId, now)) return { refused: 'too_many_numbers', retryAfterMs: numbers.waitMs(userId, now) }
    let isStored = false
    try {
      const stored = await write()
      isStored = !('refused' in stored)
      return stored
    } finally {
      if (!isStored) numbers.giveBack(userId)
    }
  }
  return {
    async profile({ userId }: Session): Promise<User> {
      const user = await store.user(userId)
      // The session was admitted a moment ago, so only an erasure in between can cause this.
      if (user === null) throw new StoreError('the user of this session no longer exists', 'fault')
      return user
    },

    /** Contacts are asked to call the number, and know the person by the name. rules.md#profile. */
    async updateProfile(session: Session, update: ProfileUpdate) {
      const { userId } = session
      const { phone = null } = update
      const user = await store.user(userId)
      const isStranger = user !== null && !isVouchedFor(user.enrolledBy)
      if (phone !== null && isStranger && (await isPremium(phone))) return { refused: 'premium_number' } as const
      const now = clock.now()
      if (user === null) return store.updateProfile(userId, update, now)
      const { fields, isReplaced } = identityChange(user, update)
      const isTold = fields.length > 0 && (await noteInAlarm({ store, door, now }, user))
      // During set-up, the app asks for a first name and number.
      const row = { action: 'account.changed', details: { change: 'profile', fields } } as const
      return (isTold || isReplaced ? noted(session, row) : store).updateProfile(userId, update, now)
    },

    contacts: ({ userId }: Session) => store.contacts(userId),

    /** The doubts about the number of a contact, or of the profile; none if that cannot be read. */
    warningsOf: ({ userId }: Session, contact: Contact | null): Promise<readonly NumberWarning[]> =>
      numberWarnings({ store, isPossible }, userId, contact),

    /** The ids of those who get no call before they confirm; none if that cannot be read. rules.md#calls-abroad. */
    async textedOnly({ appId, userId }: Session, contacts: readonly Contact[]): Promise<ReadonlySet<string>> {
      if (contacts.every(({ verifiedAt }) => verifiedAt !== null)) return new Set()
      const read = Promise.all([store.user(userId), store.application(appId)])
      const [user, application] = await read.catch(() => [null, null])
      const country = user === null || application === null ? null : countryOfCalls(user, application)
      return new Set(contacts.filter((one) => getsNoCall(one, country, isOfCountry)).map(({ id }) => id))
    },

    /**
     * Adds a contact, who joins an active incident's cascade at the end (rules.md#corrections), and may be asked to
     * confirm.
     */
    async addContact(
      session: Session,
      fields: ContactCreate,
    ): Promise<Contact | { readonly refused: 'contact_limit' | 'phone_not_allowed' } | Premium | TooManyNumbers> {
      const { appId, userId } = session
      const contactId = ids.uuid()
      const by = ofContact(session, contactId, { change: 'added' })
      const contact = { id: contactId, fields, now: clock.now(), limit: contactsPerUser, bySession: true } as const
      const added = await withNumber(session, fields.phone, () => by.addContact(userId, contact))
      if ('refused' in added) return added
      if (added.joined !== null) door.announce(added.joined)
      await askNewContact({ store, ids, now: clock.now(), ...asking }, { appId, userId, contactId })
      return added.contact
    },

    /** Corrects a contact, including in the cascade of an open incident. rules.md#corrections. */
    async updateContact(
      session: Session,
      contactId: string,
      fields: ContactUpdate,
    ): Promise<Contact | { readonly refused: 'contact_not_found' | 'phone_not_allowed' } | Premium | TooManyNumbers> {
      const { userId } = session
      const before = (await store.contacts(userId)).find(({ id }) => id === contactId)
      const changed = changedFields(before, fields)
      const by = changed.length === 0 ? store : ofContact(session, contactId, { change: 'changed', fields: changed })
      const update = () => by.updateContact(userId, contactId, fields, clock.now())
      const number = changed.includes('phone') ? fields.phone : undefined
      const updated = await (number === undefined ? update() : withNumber(session, number, update))
      if ('refused' in updated) return updated
      if (updated.corrected !== null) door.announce(updated.corrected)
      return updated.contact
    },

    async removeContact(session: Session, contactId: string) {
      const by = ofContact(session, contactId, { change: 'removed' })
      const removed = await by.removeContact(session.userId, contactId, clock.now())
      if ('refused' in removed) return removed
      if (removed.noted !== null) door.announce(removed.noted)
      return { removed: true } as const
    },

    async reorderContacts(session: Session, contactIds: readonly string[]) {
      const before = await store.contacts(session.userId)
      const isSame = before.every(({ id }, place) => contactIds[place] === id)
      const by = isSame ? store : ofContact(session, null, { change: 'reordered' })
      return by.reorderContacts(session.userId, contactIds, clock.now())
    },
  }
}
