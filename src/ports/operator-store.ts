import type { AuditEntry, AuditRow, Milestone } from '../core/operator/audit.ts'
import type { AuditFilter } from '../core/operator/audit-query.ts'
import type { SessionProof, SignInProof } from '../core/operator/decide-operator.ts'
import type { Operator, OperatorCredentials } from '../core/operator/operator.ts'
import type { Grant } from '../core/operator/role.ts'
import type { ApiToken, NewSession, OperatorSession } from '../core/operator/session.ts'
import type { AccountStore, ContactStore, UserAdministration } from './account-store.ts'
import type { ApplicationStore } from './application-store.ts'
import type { CardStore } from './card-store.ts'
import type { DeviceStore, HardwareRegistry } from './device-store.ts'
import type { EnrolmentStore } from './enrolment-store.ts'
import type { FieldStore } from './field-store.ts'
import type { Page, PageQuery } from './page.ts'
import type { SilenceStore } from './silence-store.ts'
import type { TimerStore } from './timer-store.ts'
import type { VerificationStore } from './verification-store.ts'

/** The changes of applications, users and trackers that leave a row in the audit log. */
export type AuditedName =
  | 'createApplication'
  | 'updateApplication'
  | 'setText'
  | 'setActuator'
  | 'addSecret'
  | 'retireSecret'
  | 'setUserDisabled'
  | 'setUserRelay'
  | 'registerHardware'
  | 'pair'
  | 'unpair'
  | 'unpairHardware'
  | 'setDeviceToken'
  | 'inviteToApp'
  | 'endAppInvitation'
  | 'setInvitedDisabled'
  | 'removeAppDevice'
  | 'setErasesAt'
  | 'updateProfile'
  | 'addPerson'
  | 'updatePerson'
  | 'watchHardware'
  | 'setTimer'
  | 'extendTimer'
  | 'endTimer'
  | 'requestVerification'
  | 'addContact'
  | 'updateContact'
  | 'removeContact'
  | 'reorderContacts'
  | 'keepCard'
  | 'removeCard'
export type AuditedChanges = Pick<
  ApplicationStore &
    AccountStore &
    UserAdministration &
    CardStore &
    EnrolmentStore &
    ContactStore &
    DeviceStore &
    HardwareRegistry &
    FieldStore &
    SilenceStore &
    TimerStore &
    VerificationStore,
  AuditedName
>

export type AuditStore = {
  /** The same changes, each with this row in its transaction. A refused one leaves no row. */
  audited(audit: AuditEntry): AuditedChanges
}

type NoOperator = { readonly refused: 'operator_not_found' }

/** A one-time link for the first sign-in, or for a new password and a new code. Only its hash is kept. */
export type Invitation = {
  readonly hash: string
  readonly operatorId: string
  /** The secret for the authenticator app that the link offers, in hexadecimal. */
  readonly totpSecret: string
  readonly createdAt: number
  readonly expiresAt: number
}

/**
 * The operators of the console, and their actions. Each change stores its audit row in the same transaction: there is
 * no change without a row, and no row of a refused change. Hashes are of random secrets (`lib`: SHA-256, hexadecimal)
 * unless they are called a password's.
 */
export type OperatorStore = {
  addOperator(
    operator: Operator,
    audit: AuditEntry,
  ): Promise<{ readonly added: true } | { readonly refused: 'login_taken' }>
  /** By login. */
  operators(): Promise<readonly Operator[]>
  /** With the credentials. */
  operatorByLogin(login: string): Promise<(Operator & OperatorCredentials) | null>
  /**
   * Changes the fields that are given. Disabling ends all sessions and the invitation. `keepAdmin`: refuse a change
   * that would leave no one who can sign in and manage operators.
   */
  updateOperator(
    operatorId: string,
    update: Partial<Grant & Pick<Operator, 'name' | 'disabled'>>,
    options: { readonly keepAdmin: boolean },
    audit: AuditEntry,
  ): Promise<Operator | NoOperator | { readonly refused: 'last_admin' }>

  /** Replaces an earlier invitation. Password, code and sessions stay until it is accepted. */
  invite(invitation: Invitation, audit: AuditEntry): Promise<{ readonly invited: true } | NoOperator>
  /** With its operator, unless disabled. The caller checks its expiry. */
  operatorInvitation(hash: string): Promise<(Invitation & { readonly operator: Operator }) | null>
  /** Uses the link up, sets the credentials, ends all earlier sessions and passkeys, and opens one session. */
  acceptInvitation(
    hash: string,
    credentials: OperatorCredentials,
    session: NewSession,
    audit: AuditEntry,
  ): Promise<{ readonly accepted: true } | { readonly refused: 'invitation_not_found' }>

  /**
   * Opens a session unless, since the proof was verified, the password has changed, the passkey was removed, the
   * operator was disabled, or the code or challenge was used. Removes ended sessions of the operator, and those beyond
   * `maxSessions`, used longest ago first.
   */
  openSession(
    session: NewSession,
    proof: SignInProof,
    maxSessions: number,
    audit: AuditEntry,
  ): Promise<{ readonly opened: true } | { readonly refused: 'credentials_changed' | 'code_used' }>
  /** Sets a password unless it has changed since `from` was read, and ends all sessions but `keptSession`. */
  changePassword(
    operatorId: string,
    change: { readonly from: string; readonly to: string; readonly keptSession: string },
    audit: AuditEntry,
  ): Promise<{ readonly changed: true } | { readonly refused: 'credentials_changed' }>
  /**
   * Notes `audit.at` as the moment when the operator of a session proved who they are, unless the password has changed
   * since `passwordHash` was read, or the code of this step or the challenge of a passkey was used.
   */
  proveSession(
    session: Pick<OperatorSession, 'id' | 'operatorId'>,
    proof: SessionProof,
    audit: AuditEntry,
  ): Promise<
    { readonly proved: true } | { readonly refused: 'credentials_changed' | 'code_used' | 'session_not_found' }
  >
  /** The recovery codes with these hashes instead of those that are left. */
  replaceRecoveryCodes(
    operatorId: string,
    recoveryHashes: readonly string[],
    audit: AuditEntry,
  ): Promise<{ readonly replaced: true } | NoOperator>
  /** With its operator, unless disabled. The caller checks its limits. */
  operatorSession(hash: string): Promise<{ readonly session: OperatorSession; readonly operator: Operator } | null>
  /** Used last first. */
  operatorSessions(operatorId: string): Promise<readonly OperatorSession[]>
  /**
   * The enabled operators with a session that has begun by `now` and had not ended at `since` (epoch ms), by login: who
   * is signed in, with `since` as `now`.
   */
  operatorsSignedIn(now: number, since: number): Promise<readonly Operator[]>
  /** The session was used at `now`. */
  sessionSeen(sessionId: string, now: number): Promise<void>
  endSession(
    operatorId: string,
    sessionId: string,
    audit: AuditEntry,
  ): Promise<{ readonly ended: true } | { readonly refused: 'session_not_found' }>

  addToken(
    token: ApiToken & { readonly hash: string },
    limit: number,
    audit: AuditEntry,
  ): Promise<{ readonly added: true } | { readonly refused: 'token_limit' }>
  /** Made last first. */
  apiTokens(): Promise<readonly ApiToken[]>
  /** The caller looks at its end. */
  apiToken(hash: string): Promise<ApiToken | null>
  apiTokenUsed(tokenId: string, now: number): Promise<void>
  revokeToken(
    tokenId: string,
    audit: AuditEntry,
  ): Promise<{ readonly revoked: true } | { readonly refused: 'token_not_found' }>

  /** For actions that change nothing: a view of a position, a refused sign-in. */
  addAuditRow(audit: AuditEntry): Promise<void>
  /**
   * Newest first. With a filter, a page may hold fewer than `limit` although more follow: a request reads at most
   * 20,000 rows.
   */
  auditRows(query: PageQuery, filter?: AuditFilter): Promise<Page<AuditRow>>
  /** The newest row of this action. */
  lastAudited(action: Milestone): Promise<AuditRow | null>
  /** When the user's own session last changed the contacts (epoch ms), as far as the log goes back. Null: never. */
  contactsChangedAt(userId: string): Promise<number | null>
  /** The same of name, number and phones. */
  accountChangedAt(userId: string): Promise<number | null>
}

/** A note that an operator wrote on an incident. Goes with the incident. */
export type IncidentNote = {
  readonly id: string
  /** The name of the operator or token. */
  readonly by: string
  readonly at: number
  readonly text: string
}

/** A call back after an incident that its user ended. `contactId`: null for the user. */
export type CalledBack = { readonly contactId: string | null; readonly by: string; readonly at: number }

type NoIncident = { readonly refused: 'incident_not_found' }

/** Operators' notes on incidents. Kept as long as the incident. */
export type CaseStore = {
  /** With the id of one that it has, nothing is added: it was sent again. */
  addIncidentNote(
    incidentId: string,
    note: IncidentNote,
    limit: number,
    audit: AuditEntry,
  ): Promise<{ readonly added: true } | NoIncident | { readonly refused: 'note_limit' }>
  /** Oldest first. */
  incidentNotes(incidentId: string): Promise<readonly IncidentNote[]>
  /** The first tick stays. */
  tickCalledBack(
    incidentId: string,
    tick: CalledBack,
    audit: AuditEntry,
  ): Promise<{ readonly ticked: true } | NoIncident>
  calledBackTicks(incidentId: string): Promise<readonly CalledBack[]>
}
