import type { Application, ApplicationSecret } from '../core/account/application.ts'
import type { Contact } from '../core/account/contact.ts'
import type { ContactUpdate } from '../core/account/contact-schema.ts'
import type { PersonUpdate } from '../core/account/person-schema.ts'
import type { User } from '../core/account/profile.ts'
import type { ProfileUpdate } from '../core/account/profile-schema.ts'
import type { ContactChanger, ContactSaying, NewContact } from '../core/incident/decide-contact.ts'
import type { AuditEntry } from '../core/operator/audit.ts'
import type { Committed } from './incident-store.ts'
import type { Page, ScopedQuery } from './page.ts'

/** An application with the secrets that admit its users. */
export type AdmittingApplication = { readonly application: Application; readonly secrets: readonly ApplicationSecret[] }

/** Users whom an enabled application would admit again. */
export type Readmission = {
  readonly legacy: boolean
  /** The secrets that have not been retired. */
  readonly secretIds: ReadonlySet<number>
  /** Of the users asked about, those that exist and are not disabled. */
  readonly userIds: ReadonlySet<string>
  /** The devices of these users whose credentials count. */
  readonly appDeviceIds: ReadonlySet<string>
}

/** Decides who may log in. */
export type AdmissionStore = {
  admittingApplication(appId: string): Promise<AdmittingApplication | null>
  /**
   * Those of these users, at most a few thousand, whom the application would admit again. Null: none, it is disabled
   * or unknown. Neither delays logins nor waits for them.
   */
  readmission(appId: string, userIds: readonly string[]): Promise<Readmission | null>
}

export type AccountStore = {
  userByExternalId(appId: string, externalUserId: string): Promise<User | null>
  user(userId: string): Promise<User | null>
  /** The user with that external id, created with `id` if missing. */
  ensureUser(user: { appId: string; externalUserId: string; id: string; now: number }): Promise<User>
  updateProfile(
    userId: string,
    update: ProfileUpdate,
    now: number,
  ): Promise<User | { readonly refused: 'user_not_found' }>
}

export type ContactStore = {
  contacts(userId: string): Promise<readonly Contact[]>
  /** Any contact of a user of one of these applications, and whose it is. */
  anyContact(appIds: readonly string[]): Promise<{ readonly name: string; readonly externalUserId: string } | null>
  /**
   * Adds the contact and, in the same commit, joins it to the cascade of the user's active incident (`joined`).
   * `bySession`: the user's own session does it, not an operator. rules.md#position-access.
   */
  addContact(
    userId: string,
    contact: NewContact,
  ): Promise<
    | { readonly contact: Contact; readonly joined: Committed | null }
    | { readonly refused: 'contact_limit' | 'phone_not_allowed' }
  >
  /**
   * Corrects the contact and, in the same commit, its entry in the cascade of the user's open incident (`corrected`).
   * `by`: the user's own session, unless it says otherwise.
   */
  updateContact(
    userId: string,
    contactId: string,
    fields: ContactUpdate,
    now: number,
    by?: ContactChanger,
  ): Promise<
    | { readonly contact: Contact; readonly corrected: Committed | null }
    | { readonly refused: 'contact_not_found' | 'phone_not_allowed' }
  >
  /** Removes the contact, which the user's open incident notes in the same commit (`noted`). `by` as above. */
  removeContact(
    userId: string,
    contactId: string,
    now: number,
    by?: ContactChanger,
  ): Promise<{ readonly removed: true; readonly noted: Committed | null } | { readonly refused: 'contact_not_found' }>
  /**
   * The wish of the contact with that number: `stop` and `stranger` put them last in later incidents, `start`
   * takes both back. Changes nothing where the number is no longer theirs. sms.md#wrong-number.
   */
  markContact(userId: string, contactId: string, said: ContactSaying): Promise<void>
  reorderContacts(
    userId: string,
    contactIds: readonly string[],
    now: number,
  ): Promise<{ readonly reordered: true } | { readonly refused: 'not_a_reorder' }>
}

type NewPerson = {
  readonly id: string
  readonly appId: string
  readonly externalUserId: string
  readonly fields: PersonUpdate
  readonly now: number
}

/** The users of an application, for the operator. */
export type UserAdministration = {
  users(appId: string): Promise<readonly User[]>
  /** Creates the user with what an operator knows of them. The application has to exist. */
  addPerson(person: NewPerson): Promise<User | { readonly refused: 'user_exists' }>
  /** Changes only the fields sent. */
  updatePerson(
    userId: string,
    update: PersonUpdate,
    now: number,
  ): Promise<User | { readonly refused: 'user_not_found' }>
  /**
   * By application and external id. `text`: in the external id, the name, the phone number, the e-mail address or a
   * group.
   */
  userPage(query: ScopedQuery): Promise<Page<User>>
  setUserDisabled(
    appId: string,
    externalUserId: string,
    disabled: boolean,
  ): Promise<User | { readonly refused: 'user_not_found' }>
  /** Lists a user as a relay, or no longer. rules.md#relays. */
  setUserRelay(
    appId: string,
    externalUserId: string,
    relay: boolean,
  ): Promise<User | { readonly refused: 'user_not_found' }>
}

/** Erases users without a trace: nothing of an erased user stays readable, wherever the store keeps its data. */
export type ErasureStore = {
  /**
   * Erases a bounded part of a user's data, about `max` rows, in one transaction. Call it again until it is `done`.
   * `audit`: goes into the audit log with this batch, unless it is refused.
   */
  eraseUser(appId: string, externalUserId: string, max: number, audit?: AuditEntry | null): Promise<ErasedBatch>
  /**
   * Ends an erasure: erases what a session or a message in flight has left since `since` (epoch ms), and makes sure
   * that no trace of the deleted data is left. Works while the service runs, and may take a minute.
   */
  finishErasure(userId: string, since: number): Promise<Traces>
}

/** `done`: the user and all of their data are gone. */
type ErasedBatch =
  | { readonly userId: string; readonly done: boolean }
  | { readonly refused: 'user_not_found' | 'incident_open' | 'all_clear_pending' }

/**
 * The remains of an erased user. `in_use`: another process still reads the deleted data. `left`: copies remain in
 * unused space that is too large to clean while the service waits.
 */
export type Traces = 'none' | 'in_use' | 'left'
