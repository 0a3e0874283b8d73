// One file: these types name one another, and an adapter has to answer for all of them.
import type { Actuators, ActuatorType } from '../core/account/actuator.ts'
import type { Application, ApplicationSecret, ApplicationUpdate } from '../core/account/application.ts'
import type { Contact, ContactCreate, ContactUpdate } from '../core/account/contact.ts'
import type { ProfileUpdate, User } from '../core/account/profile.ts'
import type { Command } from '../core/incident/command.ts'
import type { Decision } from '../core/incident/decision.ts'
import type { Delivery } from '../core/incident/delivery.ts'
import type { IncidentEvent } from '../core/incident/event.ts'
import type { Incident } from '../core/incident/incident.ts'
import type { Settings } from '../core/incident/settings.ts'
import type { EventTime } from '../core/ingest/event-time.ts'
import type { Payload, Position } from '../core/ingest/payload.ts'
import type { TextKey } from '../core/text/own-texts.ts'
import type { Language } from '../core/text/phrases.ts'
import type { DeviceStore, Feedback, FeedbackStore } from './device-store.ts'

/**
 * Everything the service keeps. Asynchronous, so that the adapter may gather writes into one commit. A promise of a write
 * settles after the commit is on disk; it rejects with a `StoreError` when nothing of it was stored.
 */
export type Store = IncidentStore &
  TelemetryStore &
  AccountStore &
  DeviceStore &
  FeedbackStore &
  OperatorStore &
  MailStore &
  ClockStore &
  StoreUpkeep

/** The store could not do what was asked: a fault, never a refusal. `kind` is what an operator has to know. */
export class StoreError extends Error {
  readonly kind: 'disk_full' | 'disk_reserve' | 'overloaded' | 'busy' | 'closed' | 'fault'
  constructor(message: string, kind: StoreError['kind'], options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.kind = kind
  }
}

/** Which incident a command is for. `openOf`: the user's open one. `reporter`: the open one of whoever owns the device (LoRa relay). */
export type IncidentKey =
  | { readonly incidentId: string }
  | { readonly openOf: string }
  | { readonly reporter: Reporter }

/** Who published a payload, and the device that it names. Spec, What the service does, 6. */
export type Reporter = { readonly appId: string; readonly userId: string; readonly deviceId: string | null }

/** What the write door committed. */
export type Committed = Decision & {
  readonly lastPosition: Position | null
  /** When the dispatcher has to look at the incident next, epoch ms. */
  readonly nextActionAt: number | null
  /** The payload named a device that nobody in the application has paired: it counts as the reporter's own. */
  readonly unknownDevice: boolean
  /** What an outcome or a receipt was about, as it stands afterwards; null for other commands and unknown attempts. */
  readonly attempt: Delivery | null
}

export type IncidentRecord = { readonly incident: Incident; readonly lastPosition: Position | null }
export type HistoryRecord = IncidentRecord & { readonly trail: readonly Position[] }

/** A page, newest first. `after` is the opaque place behind the last item, or null at the end. */
export type Page<T> = { readonly items: readonly T[]; readonly after: string | null }
export type PageQuery = { readonly after: string | null; readonly limit: number }

export type IncidentStore = {
  /** The one write door: loads the incident, runs `decide` inside the transaction, writes what came of it. */
  changeIncident(key: IncidentKey, command: Command): Promise<Committed>
  /**
   * Runs one command on every incident with something pending, in one commit, in which the command's time also becomes the newest moment: that is
   * always reckoned in the clock that the stored deadlines are. For changes of the clock. Returns how many changed.
   */
  changePending(command: Extract<Command, { type: 'shiftDeadlines' | 'reckonAnew' }>): Promise<number>
  incident(incidentId: string): Promise<IncidentRecord | null>
  /** One attempt, wherever it is kept. */
  attempt(attemptId: string): Promise<Delivery | null>
  /** Every attempt of an incident, oldest first: those of its record, before them the newest 10,000 that were folded out of it. */
  attempts(incidentId: string): Promise<readonly Delivery[]>
  openIncident(userId: string): Promise<IncidentRecord | null>
  /** The user's open incident, else the last one if it was closed after `since` (epoch ms). */
  latestIncident(userId: string, since: number): Promise<Incident | null>
  history(userId: string, page: PageQuery): Promise<Page<HistoryRecord> | { readonly refused: 'bad_cursor' }>
  /** Ids that begin with `prefix` (lower-case), in order, at most `max`. */
  incidentIds(prefix: string, max: number): Promise<readonly string[]>
  /** Where the person was while the incident was open: oldest first, the newest 1,000. Empty for an unknown incident. */
  positionTrail(incidentId: string): Promise<readonly Position[]>
  /** For the operator: every incident, newest first, at most 1,000. */
  incidents(filter: { readonly openOnly: boolean }): Promise<readonly IncidentRecord[]>
  /** The incident and contact that a tracking link names. */
  trackingLink(token: string): Promise<(IncidentRecord & { readonly contactId: string }) | null>
  /** Ids of incidents with something to do at `now`, the most overdue first, `except` those. */
  due(now: number, limit: number, except?: readonly string[]): Promise<readonly string[]>
  /** The earliest moment (epoch ms) at which any incident, `except` those, has something to do, or null. */
  nextActionAt(except?: readonly string[]): Promise<number | null>
  /** Ids that providers gave to calls to this number (E.164), of incidents that are open or were closed after `since` (epoch ms). */
  callRefs(phone: string, since: number): Promise<readonly string[]>
  /** The newest moment (epoch ms) that the service stored anything at, in its clock: one that says less cannot be right. 0 for an empty store. */
  newestMoment(): Promise<number>
}

/** That the clock is not believed. Decisions 8, A clock ahead at the start. */
export type ClockDoubt = {
  /** The last moment (epoch ms) at which it was believed: what it says is measured by that. */
  readonly believedMoment: number
  /** What the system says of its time is no proof: it said so already when the clock jumped. */
  readonly needsOperator: boolean
}

export type ClockStore = {
  /** `newestMoment` as above; `doubt`: null while the clock is believed. */
  clockRecord(): Promise<{ readonly newestMoment: number; readonly doubt: ClockDoubt | null }>
  /** The service's clock says `now` (epoch ms), which becomes the newest moment whatever it was before. */
  keepClock(now: number, doubt: ClockDoubt | null): Promise<void>
  /** The operator says that the clock is right at `now` (epoch ms). Leaves a notice. */
  acceptClock(now: number): Promise<void>
}

export type TelemetryRow = {
  readonly payload: Payload
  readonly at: EventTime
  /** Arrival, epoch ms. */
  readonly receivedAt: number
}

/** `incidentId`: the open incident that the row fed. */
export type TelemetryStored = {
  readonly duplicate: boolean
  readonly incidentId: string | null
  readonly unknownDevice: boolean
}

export type TelemetryQuery = PageQuery & {
  /** Event times, inclusive. */
  readonly from: EventTime | null
  readonly to: EventTime | null
}

export type TelemetryStore = {
  /**
   * Appends one row to the history of whoever owns the device, and to the trail of that user's open incident. Waits for no alert, alerts do
   * not wait for it. `isHeldBack` (the default): the sender is not read on while `isCongested`; the row of any other is refused then, as
   * `overloaded`.
   */
  appendTelemetry(
    reporter: Omit<Reporter, 'deviceId'>,
    row: TelemetryRow,
    sender?: { readonly isHeldBack: boolean },
  ): Promise<TelemetryStored>
  /** Whether this user's telemetry had better wait where it is: too much waits for the disk. */
  isCongested(userId: string): boolean
  /** Newest event time first. */
  telemetryHistory(
    userId: string,
    query: TelemetryQuery,
  ): Promise<Page<TelemetryRow> | { readonly refused: 'bad_cursor' }>
}

/** An application with what is needed to admit its users. */
export type AdmittingApplication = { readonly application: Application; readonly secrets: readonly ApplicationSecret[] }

export type AccountStore = {
  admittingApplication(appId: string): Promise<AdmittingApplication | null>
  /** Whether a session that was admitted earlier would still be: application and user enabled, the secret not retired. */
  stillAdmits(session: { readonly appId: string; readonly userId: string; readonly secretId: number }): Promise<boolean>
  userByExternalId(appId: string, externalUserId: string): Promise<User | null>
  user(userId: string): Promise<User | null>
  /** The user with that external id, made with `id` if there is none. */
  ensureUser(user: { appId: string; externalUserId: string; id: string; now: number }): Promise<User>
  updateProfile(
    userId: string,
    update: ProfileUpdate,
    now: number,
  ): Promise<User | { readonly refused: 'user_not_found' }>
  contacts(userId: string): Promise<readonly Contact[]>
  /** Adds the contact, and joins it to the cascade of the user's active incident in the same commit (`joined`). */
  addContact(
    userId: string,
    contact: { readonly id: string; readonly fields: ContactCreate; readonly now: number; readonly limit: number },
  ): Promise<
    | { readonly contact: Contact; readonly joined: Committed | null }
    | { readonly refused: 'contact_limit' | 'phone_not_allowed' }
  >
  /** Corrects the contact, and its entry in the cascade of the user's open incident in the same commit (`corrected`). */
  updateContact(
    userId: string,
    contactId: string,
    fields: ContactUpdate,
    now: number,
  ): Promise<
    | { readonly contact: Contact; readonly corrected: Committed | null }
    | { readonly refused: 'contact_not_found' | 'phone_not_allowed' }
  >
  removeContact(
    userId: string,
    contactId: string,
    now: number,
  ): Promise<{ readonly removed: true } | { readonly refused: 'contact_not_found' }>
  reorderContacts(
    userId: string,
    contactIds: readonly string[],
    now: number,
  ): Promise<{ readonly reordered: true } | { readonly refused: 'not_a_reorder' }>
}

/** What only the operator changes. Every change that could end a session leaves a notice for the running service. */
export type OperatorStore = {
  createApplication(application: Application, secret: string): Promise<void>
  applications(): Promise<readonly Application[]>
  application(appId: string): Promise<Application | null>
  updateApplication(
    appId: string,
    update: ApplicationUpdate,
  ): Promise<Application | { readonly refused: 'application_not_found' }>
  /** Sets one text in place of the built-in one, or takes it away with null. */
  setText(
    appId: string,
    language: Language,
    key: TextKey,
    text: string | null,
  ): Promise<Application | { readonly refused: 'application_not_found' }>
  /** Replaces one actuator's target, or removes it with null, and merges `settings` over what the application has set. */
  setActuator<T extends ActuatorType>(
    appId: string,
    type: T,
    target: Actuators[T] | null,
    settings: Partial<Settings>,
  ): Promise<Application | { readonly refused: 'application_not_found' }>
  addSecret(
    appId: string,
    secret: string,
    now: number,
  ): Promise<{ readonly added: true } | { readonly refused: 'application_not_found' | 'two_secrets_already' }>
  /** Ends the older of two secrets. */
  retireSecret(
    appId: string,
  ): Promise<{ readonly retired: true } | { readonly refused: 'application_not_found' | 'only_one_secret' }>
  users(appId: string): Promise<readonly User[]>
  setUserDisabled(
    appId: string,
    externalUserId: string,
    disabled: boolean,
  ): Promise<User | { readonly refused: 'user_not_found' }>
  /** Takes a tracker from whoever has paired it; its registration stays. */
  unpairHardware(
    appId: string,
    hardwareId: string,
  ): Promise<{ readonly removed: true } | { readonly refused: 'not_paired' }>
  /** All feedback, oldest first. */
  feedback(): Promise<readonly (Feedback & { readonly appId: string; readonly externalUserId: string })[]>
  /** Erases a bounded part of what is kept of a user, `max` rows or little more, in one transaction; to be repeated until it is done. */
  eraseUser(appId: string, externalUserId: string, max: number): Promise<ErasedBatch>
  /** Erases what a session of the user, or a message on its way, has left behind since (epoch ms). */
  sweepAfterErasure(userId: string, since: number): Promise<void>
}

/** `done`: the user is gone with everything. */
export type ErasedBatch =
  | { readonly userId: string; readonly done: boolean }
  | { readonly refused: 'user_not_found' | 'incident_open' | 'all_clear_pending' }

export type OutboxMessage = {
  readonly id: number
  /** The attempt that the message belongs to. */
  readonly attemptId: string
  readonly incidentId: string
  readonly contactId: string
  readonly channel: 'sms' | 'voice'
  readonly to: string
  readonly text: string
  /** Epoch ms. */
  readonly createdAt: number
}

export type DeadLetter = {
  readonly id: number
  readonly userId: string
  readonly topic: string
  readonly reason: string
  readonly payload: Uint8Array
  /** Epoch ms. */
  readonly receivedAt: number
}

export type MailStore = {
  /** Writes a message to the outbox once per attempt id: a second one of the same attempt changes nothing. */
  addToOutbox(message: Omit<OutboxMessage, 'id'>): Promise<void>
  outboxMessage(attemptId: string): Promise<OutboxMessage | null>
  /** Oldest first. */
  outbox(filter: { readonly incidentId: string | null }): Promise<readonly OutboxMessage[]>
  addDeadLetter(letter: Omit<DeadLetter, 'id'>): Promise<void>
  /** Oldest first. */
  deadLetters(): Promise<readonly DeadLetter[]>
}

/** What another process (the command line) did through the same door, for the running service to announce. */
export type Notice =
  | { readonly kind: 'committed'; readonly events: readonly IncidentEvent[]; readonly nextActionAt: number | null }
  /** Somebody of this application may no longer be admitted. */
  | { readonly kind: 'admission'; readonly appId: string }
  /** The operator says that the clock is right. */
  | { readonly kind: 'clock_accepted' }

/** What is kept for a number of days. `incidents`: closed ones, with trail, alerts, tracking tokens and outbox texts. */
export type ExpiringKind = 'telemetry' | 'incidents' | 'outbox' | 'deadLetters' | 'feedback'

/** One batch: of what came in (or was closed) before `before` (epoch ms), at most `max` rows, from where the batch before left off; '' at first. */
export type Expired = { readonly before: number; readonly max: number; readonly from: string }
/** `next`: where the next batch goes on; null when nothing is left. */
export type DeletedBatch = { readonly deleted: number; readonly next: string | null }

/**
 * Why the log, in which commits stand until they are copied into the database, has grown far beyond its normal size. `in_use`: another
 * process goes on reading what only the log has.
 */
export type LogTrouble = { readonly kind: 'disk_full' | 'busy' | 'fault' | 'in_use'; readonly bytes: number }

/** What an operator watches of the store. */
export type StoreFigures = {
  readonly databaseBytes: number
  /** Of the log in which commits stand until they are in the database. */
  readonly logBytes: number
  /** What is left on the disk that it is on. */
  readonly freeBytes: number
  /** What is set aside on that disk for alarms. */
  readonly reserveBytes: number
  readonly deadLetters: number
  readonly openIncidents: Readonly<Record<'active' | 'acknowledged', number>>
  /** Those of them that wait for the operator after a restore. */
  readonly heldIncidents: number
}

export type StoreUpkeep = {
  /** Deletes a batch of what has been kept long enough, behind every other write. Touches nothing of an open incident. */
  deleteExpired(kind: ExpiringKind, expired: Expired): Promise<DeletedBatch>
  /** Calls `listener` with every notice that another process leaves from now on, within a second. Returns how to stop. */
  onNotice(listener: (notice: Notice) => void): () => void
  /**
   * Makes sure that `text` (the id of something that was deleted) is nowhere in the files. `log_in_use`: another process went on reading
   * what was deleted. `traces_left`: the file is too large to be rebuilt while the service waits.
   */
  leaveNoTrace(text: string): Promise<'clean' | 'log_in_use' | 'traces_left'>
  /** Found out aside: neither reads nor writes wait for it, however large the store. May take as long as the disk does. */
  figures(): Promise<StoreFigures>
  /** Resolves if a write has reached the disk; rejects with the StoreError that it met. */
  checkWritable(): Promise<void>
  /** Null while the log is about as long as it should be. */
  logTrouble(): LogTrouble | null
  /** Commits what was handed in, then closes. */
  close(): Promise<void>
}
