// One file: the record of an incident, whose parts are read together.

import type { Actuators } from '../account/actuator.ts'
import type { Settings } from '../account/settings.ts'
import type { Alert } from '../ingest/alert.ts'
import type { EventTime } from '../ingest/event-time.ts'
import type { FieldProblem } from '../ingest/fields.ts'
import type { Payload } from '../ingest/payload.ts'
import { type Delivery, type FoldedDeliveries, type IntegrationChannel, integrationChannels } from './delivery.ts'
import type { Downlinks } from './downlink.ts'
import type { OwnHttpRules } from './http-rules.ts'

/** rules.md#states. */
export const incidentStatuses = ['active', 'acknowledged', 'cancelled', 'resolved'] as const
export type IncidentStatus = (typeof incidentStatuses)[number]

/**
 * The status with its moments, in epoch milliseconds. A closed incident keeps its acknowledgement. rules.md#states:
 * `acknowledged` may still become `cancelled` or `resolved`.
 */
export type IncidentState =
  | { readonly status: 'active'; readonly acknowledgedAt: null; readonly closedAt: null }
  | { readonly status: 'acknowledged'; readonly acknowledgedAt: number; readonly closedAt: null }
  | { readonly status: 'cancelled' | 'resolved'; readonly acknowledgedAt: number | null; readonly closedAt: number }

/**
 * A contact as the plan took it over. Corrections reach it; it stays when the contact is removed. rules.md#corrections.
 */
export type IncidentContact = {
  readonly contactId: string
  readonly name: string
  readonly phone: string
  readonly email: string | null
  readonly language: string
  readonly priority: number
  /** The secret part of this contact's tracking link. */
  readonly token: string
  readonly acknowledgedAt: number | null
  /** The round that was answered then: a clock that is set makes no other one of it. Absent in older records. */
  readonly answeredRound?: number
  /** The newest answer that said more than that somebody helps. */
  readonly response?: ContactResponse
  /** When an operator last had the alarm sent to this contact once more. Epoch ms. */
  readonly resentAt?: number
  /** The news of help that this contact got. Absent: none. rules.md#telling-others. */
  readonly toldOfHelp?: ToldOfHelp
  /** Removed before the last re-alarm: keeps the link and the entry, but gets no more notifications. */
  readonly gone?: true
  /**
   * Says that they do not know the user: alarmed last, without position or link. rules.md#verification.
   */
  readonly isStranger?: true
  /** Stopped messages in an earlier incident, with the same consequences until they take it back. */
  readonly isStopped?: true
  /** Gets nothing more of this incident but one closing text. rules.md#wrong-number. */
  readonly stopped?: Stop
  /** Has said in this incident that they do not know the user, and then that they help. */
  readonly knowsAfterAll?: true
  /** Has taken a stop back once, and was alarmed anew for it. */
  readonly restarted?: true
  /** How they came into an incident that was open already. Absent: a contact of the opening. */
  readonly joined?: Joined
  /** The contact of the user whose corrected number this is. Another entry keeps the number that was alarmed before. */
  readonly correctionOf?: string
  /** When the user's own session removed the contact during the alarm. Epoch ms. */
  readonly removedAt?: number
}

/** `stranger`: does not know the person; `stop`: wants no messages, and keeps the position. `at`: epoch ms. */
export type Stop = { readonly how: 'stranger' | 'stop'; readonly at: number }

/**
 * By whom a contact was added while the incident was open, or their number corrected. `shown`: who let such a contact
 * see the position, and when; an operator if `contactId` is null. rules.md#position-access.
 */
export type Joined = {
  readonly by: 'session' | 'operator'
  readonly shown?: { readonly at: number; readonly contactId: string | null; readonly name: string | null }
}

/** `times`: in the whole incident. `round`: of the alarm that the newest was about; `isComing`: and what it said. */
export type ToldOfHelp = { readonly times: number; readonly round: number; readonly isComing: boolean }

/** What a helper promises. `etaMinutes`: in about how many minutes they will be with the person. */
export type HelpPromise = { readonly kind: 'coming'; readonly etaMinutes: number } | { readonly kind: 'calling' }

/** What a contact answered, at `at`, to the alarm of round `round`. rules.md#responses. */
export type ContactResponse = (HelpPromise | { readonly kind: 'unable' }) & {
  readonly at: number
  readonly round: number
}

/**
 * How few an alarm tells that most likely nobody has pressed, until somebody does. `board`: the board alone.
 * `fallback`: board, chat, webhook and fallback contact. `first`: the same and, without a fallback contact, the first
 * contact. rules.md#flags, rules.md#lorawan.
 */
export type Few = 'board' | 'fallback' | 'first'

/**
 * A press came that no hand makes, after an operator had ended the alarm: until `until` (epoch ms) those that follow
 * without a gap alarm nobody. `alert`: the first of them. `byDevice`: it came through a tracker. rules.md#put-off.
 */
export type PutOff = {
  readonly until: number
  readonly alert: Omit<Alert, 'formerFingerprint'>
  readonly byDevice: boolean
}

/** Why a timer raised the alarm: the user did not report back by `dueAt` (epoch ms). rules.md#timers. */
export type Overdue = { readonly dueAt: number; readonly note: string | null }

/**
 * A further press of SOS on an open incident: when it was pressed and when it arrived, in epoch milliseconds.
 * `overdue`: nobody pressed, a timer ran out.
 */
export type Press = { readonly pressedAt: number; readonly receivedAt: number; readonly overdue?: Overdue }

/**
 * What triggered an alarm: the first press, a further press (the owner's or relayed), a helper who fell silent, or the
 * last helper who withdrew.
 */
export type AlarmCause =
  | { readonly by: 'owner' | 'relay'; readonly again: Press | null }
  /** `alone`: the only helper has only ever said that they still help. rules.md#watched-answers. */
  | { readonly by: 'watch'; readonly again: null; readonly alone?: true }
  /**
   * `contactId`: who withdrew; null: the operator. Absent: an earlier version began it. `nth`: how many withdrawals of
   * theirs in turn have alarmed, with this one. Absent for the first.
   */
  | { readonly by: 'withdrawal'; readonly again: null; readonly contactId?: string | null; readonly nth?: number }

/**
 * The cascade to the contacts. `round` counts from 1. `roundsLeft`: rounds that may still follow without a pause.
 * `pauses`: longer waits between rounds since those ran out. `startedAt`: when the round's first message was due.
 */
export type Cascade = {
  readonly round: number
  readonly roundsLeft: number
  readonly pauses: number
  readonly startedAt: number
  readonly cause: AlarmCause
  readonly phase: CascadePhase
}

/**
 * `running`: steps of this round are still ahead. `ending`: everything of this round went out; without an answer the
 * next round begins at `endsAt`. `pausing`: nobody answered, and another round begins at `nextAt`. `answered`: someone
 * has acknowledged since the last alarm. `exhausted`: no round is left and nobody answered.
 */
export type CascadePhase =
  | { readonly name: 'running' }
  | { readonly name: 'ending'; readonly endsAt: number }
  | { readonly name: 'pausing'; readonly nextAt: number }
  | { readonly name: 'answered' }
  | { readonly name: 'exhausted' }

/**
 * When presses of one kind may alarm again. `since`: when the last round began or got its first answer; null while
 * neither counts for this kind. `realarms`: re-alarms since the first acknowledgement. `kept`: a press that came too
 * early. rules.md#re-alarm.
 */
export type RealarmTrack = { readonly since: number | null; readonly realarms: number; readonly kept: Press | null }

/**
 * The owner's presses and relayed ones have separate tracks, so that a relay cannot move a deadline that the owner
 * depends on.
 */
export type Realarms = { readonly owner: RealarmTrack; readonly relay: RealarmTrack }

/** Who answered last: a contact, or the operator if `contactId` is null. */
type LastAnswer = { readonly at: number; readonly contactId: string | null; readonly name: string | null }

/**
 * `name`: if known. `operatorId`: of the account or token; absent for the command line. `before`: the watch over those
 * who helped already, which an undo brings back. Absent if nobody did.
 */
export type TakenBy = {
  readonly at: number
  readonly name: string | null
  readonly operatorId?: string
  /** As `answeredRound` of a contact. */
  readonly round?: number
  readonly before?: { readonly watch: Watch; readonly lastAnswer: LastAnswer | null }
  /** Whom it was taken over from. `agreed`: both wanted it. rules.md#shifts. */
  readonly from?: { readonly operatorId: string | null; readonly name: string | null; readonly agreed?: true }
}

/**
 * The operator who had it as their last session ended. `alarmed`: the contacts have been alarmed for that, or a helper
 * was there. rules.md#shifts.
 */
export type Left = {
  readonly at: number
  readonly operatorId: string
  readonly name: string | null
  readonly alarmed?: true
}

/**
 * The watch over the helpers: at `at` they get a check-in or, if `asked` is already set, the others are alarmed.
 * `since`: from when on promises are limited. `withdrawn`: nobody is asked, because the last helper withdrew.
 * `prolonged`: how many check-ins in turn the only helper has answered. `alone`: that is no longer enough.
 */
type Watch = {
  readonly at: number
  readonly asked: boolean
  readonly since?: number
  readonly withdrawn?: true
  readonly prolonged?: number
  readonly alone?: true
}

/** How an alarm turned out, as the operator who ended it says. rules.md#closing. */
export const endOutcomes = ['found_safe', 'hospital', 'false_alarm', 'test', 'handed_over'] as const
export type EndOutcome = (typeof endOutcomes)[number]

/** What an operator says at the end. Nothing of it leaves for the person, contacts or integrations. */
export type EndRemark = { readonly outcome?: EndOutcome; readonly note?: string }

/** Who ended an incident. `hours`: after how many hours the system closed it. */
export type Closing = EndRemark & {
  readonly by: 'user' | 'operator' | 'contact' | 'system'
  readonly name: string | null
  readonly hours: number | null
}

/**
 * One SOS incident with everything that decisions need: the aggregate that the write door loads, `decide` changes and
 * the store keeps. Plain data. Times are epoch milliseconds, except `occurredAt` (the event time as sent).
 */
export type Incident = {
  readonly id: string
  readonly appId: string
  readonly userId: string
  /** Where the events go: the owner's external id, and whether the application uses legacy topics. */
  readonly externalUserId: string
  readonly legacy: boolean
  readonly state: IncidentState
  readonly occurredAt: EventTime
  readonly openedAt: number
  readonly updatedAt: number
  readonly lastAlertAt: number
  /** Nothing may ring or light up at the person. Set by an alert, never cleared. rules.md#silent-emergency. */
  readonly silent?: true
  /** Devices that its alerts have named and nobody has paired, the newest last. rules.md#unknown-devices. */
  readonly unknownDevices?: readonly string[]
  /** Set if a timer opened it, not a press. */
  readonly overdue?: Overdue
  /** Timers that ran out while it was open, the newest few. `at`: when. */
  readonly laterTimers?: readonly (Overdue & { readonly at: number })[]
  /** When the system closes it, unless something is heard before then. */
  readonly autoResolveAt: number
  /** Whether the contacts have been warned that it will be closed at `autoResolveAt`. */
  readonly isLastCallMade: boolean
  readonly snapshotVersion: number
  /** The user whose gateway first relayed an alert of this incident; null if none did. */
  readonly relayUserId: string | null
  /** That user is no listed relay, and is named nowhere. rules.md#relays. */
  readonly isRelayUnlisted?: true
  /** Only other users, no listed relay among them, have raised it so far. rules.md#relays. */
  readonly raisedByOthers?: RaisedByOthers
  /** The tracker, by its key, that the press came through: by itself, or by a relay. rules.md#positions. */
  readonly throughDevice?: string
  readonly creation: {
    readonly payload: Payload
    readonly receivedAt: number
    readonly warnings: readonly FieldProblem[]
  }
  /** The rules in force when the incident opened. */
  readonly settings: Settings
  /** What chat and webhook had set for themselves then. */
  readonly http?: OwnHttpRules
  /**
   * How contacts are notified; null if the application has no such actuator. `httpChannel`: also through its contact
   * gateway.
   */
  readonly contactActuator: ContactActuator | null
  /** Which of chat and webhook are notified. */
  readonly integrations: readonly IntegrationChannel[]
  /** Random text from which each contact's token is derived. Never leaves the store. */
  readonly linkSecret: string
  readonly contacts: readonly IncidentContact[]
  /** Nobody at all was to be alarmed when it opened. Set once somebody has joined. */
  readonly openedAlone?: true
  /** Contacts whom an operator added after an answer, with this number: they join with the next re-alarm. */
  readonly admitted?: readonly AdmittedContact[]
  /** When the user's own session first changed its contacts. Epoch ms. */
  readonly contactsChangedAt?: number
  /** When there was first no contact left to count on. Epoch ms. rules.md#wrong-number. */
  readonly nobodyLeftAt?: number
  readonly cascade: Cascade
  readonly realarms: Realarms
  readonly lastAnswer: LastAnswer | null
  /** Which operator helps. Absent if none ever did, null after the answer was taken back. */
  readonly takenBy?: TakenBy | null
  /** The newest of the operators who have left with it. Counts while nobody has taken it. */
  readonly left?: Left
  readonly watch: Watch | null
  /** Null while it is open, and for incidents that an earlier version closed. */
  readonly closing: Closing | null
  /** The number of the newest attempt. A restore leaves a gap: no number is given out twice. */
  readonly planned: number
  /** Attempts that are ahead, in flight or of the current round. */
  readonly deliveries: readonly Delivery[]
  /** Summary of the folded attempts, one entry per contact and channel. The timeline has the attempts themselves. */
  readonly folded: readonly FoldedDeliveries[]
  /** How few it tells, until somebody presses. Absent: everyone. */
  readonly few?: Few
  /** Set while presses are put off. The incident has ended, and counts as open for boards. */
  readonly putOff?: PutOff
  /** How often the presses of one run have been put off, this incident's included. Absent: never. */
  readonly putOffs?: number
  /** Presses that came before (epoch ms) are of no run: the person has ended an alarm since. */
  readonly runSince?: number
  /** Which operator opened it first on a screen. Absent: none has, or an earlier version opened it. */
  readonly seen?: { readonly at: number; readonly name: string }
  /** Set by a restore until the operator resumes: nothing is sent. rules.md#restore. */
  readonly held: boolean
  /** What the LoRaWAN tracker that pressed is told. Absent if none is. rules.md#downlinks. */
  readonly downlinks?: Downlinks
  /** Set for an exercise, which is never the user's open incident. rules.md#drills. */
  readonly drill?: Drill
}

/**
 * `toContacts`: texts and calls go to the contacts' phones; otherwise they stay in the outbox. `isOvertaken`: a press
 * or a restore ended it, so its end is not announced.
 */
export type Drill = { readonly toContacts: boolean; readonly isOvertaken?: true }

/** `deviceId`: the tracker as they named it. `at`: event time of the position in the alert that opened the incident. */
export type RaisedByOthers = { readonly deviceId: string; readonly at: string | null }

type AdmittedContact = { readonly contactId: string; readonly phone: string }

/** The configured ones of chat and webhook. */
export const integrationsOf = ({ actuators }: AlarmPlan): readonly IntegrationChannel[] =>
  integrationChannels.filter((type) => actuators[type] !== undefined)

export type ContactActuator = { readonly httpChannel: boolean }

/** The fields of a contact that a plan needs. */
export type PlannedContact = Omit<
  IncidentContact,
  | 'token'
  | 'acknowledgedAt'
  | 'answeredRound'
  | 'response'
  | 'resentAt'
  | 'toldOfHelp'
  | 'gone'
  | 'joined'
  | 'correctionOf'
  | 'removedAt'
  | 'stopped'
  | 'knowsAfterAll'
  | 'restarted'
>

/** Everything that decides whom an alarm of this owner reaches, and how. The store reads it again for every alert. */
export type AlarmPlan = {
  readonly appId: string
  readonly userId: string
  readonly externalUserId: string
  readonly legacy: boolean
  readonly settings: Settings
  readonly actuators: Actuators
  /** Every new incident is silent. */
  readonly silentByDefault?: true
  /** In priority order. */
  readonly contacts: readonly PlannedContact[]
}

/** The `contactActuator` of an incident that alarms by `plan`. */
export const contactActuatorOf = (plan: AlarmPlan): ContactActuator | null => {
  const configured = plan.actuators.emergency_contacts
  return configured === undefined ? null : { httpChannel: configured.httpUrl !== undefined }
}

/** An earlier receipt of the same alert: same owner, `deviceId` and event time. */
export type EarlierAlert = {
  readonly incidentId: string
  /** Epoch milliseconds of the first receipt. */
  readonly receivedAt: number
  readonly fingerprint: string | null
  /** Set if a user other than the owner sent it. */
  readonly isRelayed?: boolean
}

/** Whether it is the one that a press of its user feeds. An exercise never is. rules.md#drills. */
export const isUsersOpen = (incident: Incident): boolean => isOpen(incident) && incident.drill === undefined

/** Whether an operator has taken it and not taken that back, though they may have left since. */
export const wasTaken = ({ takenBy, left }: Incident): boolean => takenBy != null || left !== undefined

/** rules.md#states: "open" means active or acknowledged. */
export const isOpen = (incident: Incident): boolean => incident.state.closedAt === null
