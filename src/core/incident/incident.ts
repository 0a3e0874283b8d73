// One file: the record of an incident, whose parts are read together.

import type { Settings } from '../account/settings.ts'
import type { Alert } from '../ingest/alert.ts'
import type { EventTime } from '../ingest/event-time.ts'
import type { FieldProblem } from '../ingest/fields.ts'
import type { Payload } from '../ingest/payload.ts'
import type { Delivery, FoldedDeliveries, IntegrationChannel } from './delivery.ts'
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
 * A contact as the plan copied it. Corrections are applied to it, and it stays when the contact is removed.
 * rules.md#corrections.
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
  /** The round that this answer was given in, which a clock change cannot alter. Absent in older records. */
  readonly answeredRound?: number
  /** The newest answer with details, beyond the fact that somebody helps. */
  readonly response?: ContactResponse
  /** When an operator last resent the alarm to this contact. Epoch ms. */
  readonly resentAt?: number
  /** The news of help sent to this contact. Absent: none. rules.md#telling-others. */
  readonly toldOfHelp?: ToldOfHelp
  /** Removed before the last re-alarm: keeps the link and the entry, but gets no more notifications. */
  readonly gone?: true
  /** Says that they do not know the user: alarmed last, without position or link. preparing.md#verification. */
  readonly isStranger?: true
  /** Had confirmed this number when it was copied. rules.md#calls-abroad. */
  readonly isConfirmed?: true
  /** Stopped messages in an earlier incident, with the same effects until they lift the stop. */
  readonly isStopped?: true
  /** Gets nothing more of this incident but one closing text. sms.md#wrong-number. */
  readonly stopped?: Stop
  /** Said in this incident that they do not know the user, and later that they help. */
  readonly knowsAfterAll?: true
  /** Lifted a stop once and was alarmed again for it. */
  readonly restarted?: true
  /** How they joined an incident that was already open. Absent: a contact of the opening. */
  readonly joined?: Joined
  /** The contact whose corrected number this entry has. Another entry keeps the number alarmed before. */
  readonly correctionOf?: string
  /** Was on duty when nobody took the alarm. rules.md#on-call. */
  readonly onCall?: true
  /** When the contact was removed during the alarm (epoch ms), and whether an operator did it. */
  readonly removedAt?: number
  readonly removedByOperator?: true
}

/** `stranger`: does not know the person; `stop`: wants no messages, and keeps seeing the position. `at`: epoch ms. */
export type Stop = { readonly how: 'stranger' | 'stop'; readonly at: number }

/**
 * The source of a contact who was added, or whose number was corrected, while the incident was open. `shown`: when the
 * position was shown to them and by whom; `contactId` null: an operator. rules.md#position-access.
 */
export type Joined = {
  readonly by: 'session' | 'operator'
  readonly shown?: { readonly at: number; readonly contactId: string | null; readonly name: string | null }
}

/**
 * `times`: in the whole incident. `round`: of the alarm that the newest news was about. `isComing`: what that news
 * said.
 */
export type ToldOfHelp = { readonly times: number; readonly round: number; readonly isComing: boolean }

/** A helper's promise. `etaMinutes`: about how many minutes until they reach the person. */
export type HelpPromise = { readonly kind: 'coming'; readonly etaMinutes: number } | { readonly kind: 'calling' }

/** A contact's response, at `at`, to the alarm of round `round`. rules.md#responses. */
export type ContactResponse = (HelpPromise | { readonly kind: 'unable' }) & {
  readonly at: number
  readonly round: number
}

/**
 * How far an alarm reaches that most likely nobody pressed, until somebody presses. `board`: the board alone.
 * `fallback`: board, chat, webhook and fallback contact. `first`: the same and, without a fallback contact, the first
 * contact. devices.md#flags, devices.md#lorawan.
 */
export type Few = 'board' | 'fallback' | 'first'

/**
 * Presses that no hand makes are put off after an operator has ended the alarm: until `until` (epoch ms), those that
 * follow without a gap alarm nobody. `alert`: the first of them. `byDevice`: it came through a tracker.
 * rules.md#put-off.
 */
export type PutOff = {
  readonly until: number
  readonly alert: Omit<Alert, 'formerFingerprint'>
  readonly byDevice: boolean
}

/** The timer that raised the alarm: the user did not report back by `dueAt` (epoch ms). rules.md#timers. */
export type Overdue = { readonly dueAt: number; readonly note: string | null }

/**
 * A further SOS press on an open incident, with the times of press and arrival in epoch milliseconds. `overdue`: nobody
 * pressed, a timer ran out.
 */
export type Press = { readonly pressedAt: number; readonly receivedAt: number; readonly overdue?: Overdue }

/**
 * The trigger of an alarm: the first press, a further press (the owner's or relayed), a helper who fell silent, or the
 * withdrawal of the last helper.
 */
export type AlarmCause =
  | { readonly by: 'owner' | 'relay'; readonly again: Press | null }
  /** `alone`: the only helper keeps saying that they still help, and nothing else. rules.md#watched-answers. */
  | { readonly by: 'watch'; readonly again: null; readonly alone?: true }
  /**
   * `contactId`: who withdrew; null: the operator; absent: an earlier version began it. `nth`: consecutive withdrawals
   * of theirs that have alarmed, including this one; absent for the first.
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
 * When presses of one kind may alarm again. `since`: start of the last round or its first answer; null while neither
 * counts for this kind. `realarms`: re-alarms since the first acknowledgement. `kept`: a press that came too early.
 * rules.md#re-alarm.
 */
export type RealarmTrack = { readonly since: number | null; readonly realarms: number; readonly kept: Press | null }

/**
 * The tracks of the owner's presses and of relayed ones are separate, so that a relay cannot move a deadline that the
 * owner depends on.
 */
export type Realarms = { readonly owner: RealarmTrack; readonly relay: RealarmTrack }

/** The last answer, by a contact or, if `contactId` is null, by the operator. */
type LastAnswer = { readonly at: number; readonly contactId: string | null; readonly name: string | null }

/**
 * The operator who has the incident. `name`: if known. `operatorId`: of the account or token; absent for the command
 * line. `before`: the watch over earlier helpers, which an undo restores; absent if there were none.
 */
export type TakenBy = {
  readonly at: number
  readonly name: string | null
  readonly operatorId?: string
  /** The round that was answered, like a contact's `answeredRound`. */
  readonly round?: number
  readonly before?: { readonly watch: Watch; readonly lastAnswer: LastAnswer | null }
  /** The operator it was taken over from. `agreed`: both wanted it. access.md#shifts. */
  readonly from?: { readonly operatorId: string | null; readonly name: string | null; readonly agreed?: true }
}

/**
 * The operator who had the incident when their last session ended. `alarmed`: the contacts have been alarmed for that,
 * or a helper was there. access.md#shifts.
 */
export type Left = {
  readonly at: number
  readonly operatorId: string
  readonly name: string | null
  readonly alarmed?: true
}

/**
 * The watch over the helpers: at `at` they get a check-in or, if `asked` is already set, the others are alarmed.
 * `since`: start of the period that limits promises. `withdrawn`: nobody is asked, because the last helper withdrew.
 * `prolonged`: consecutive check-ins that the only helper has answered. `alone`: those answers no longer count.
 */
type Watch = {
  readonly at: number
  readonly asked: boolean
  readonly since?: number
  readonly withdrawn?: true
  readonly prolonged?: number
  readonly alone?: true
}

/** The outcome of an alarm, as reported by the operator who ended it. rules.md#closing. */
export const endOutcomes = ['found_safe', 'hospital', 'false_alarm', 'test', 'handed_over'] as const
export type EndOutcome = (typeof endOutcomes)[number]

/** An operator's remark at the end. It is never sent to the person, contacts or integrations. */
export type EndRemark = { readonly outcome?: EndOutcome; readonly note?: string }

/** The head count's entry for a person who is out of danger. */
export const headStates = ['safe', 'handed_over'] as const
export type HeadState = (typeof headStates)[number]

/**
 * Its part in a major incident. `id`: of the incident that the major incident is named after. `startedAt`: when that
 * was pressed. `assignedTo`: who looks after it, as an operator wrote it. `head`: the head count, with the newest alert
 * then (`alertAt`). Epoch ms.
 */
export type Major = {
  readonly id: string
  readonly startedAt: number
  readonly assignedTo?: string
  readonly head?: { readonly state: HeadState; readonly at: number; readonly name: string; readonly alertAt: number }
}

/** The party that ended an incident. `hours`: the hours after which the system closed it. */
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
  /** The recipient of its events: the owner's external id, and whether the application uses legacy topics. */
  readonly externalUserId: string
  readonly legacy: boolean
  readonly state: IncidentState
  readonly occurredAt: EventTime
  readonly openedAt: number
  readonly updatedAt: number
  readonly lastAlertAt: number
  /** Nothing may ring or light up where the person is. Set by an alert, never cleared. rules.md#silent-emergency. */
  readonly silent?: true
  /** Devices that its alerts named and nobody has paired, the newest last. devices.md#unknown-devices. */
  readonly unknownDevices?: readonly string[]
  /** Set if a timer opened it, not a press. */
  readonly overdue?: Overdue
  /** The newest few timers that ran out while it was open. `at`: when each did. */
  readonly laterTimers?: readonly (Overdue & { readonly at: number })[]
  /** When the system closes it, unless there is a sign of life before then. */
  readonly autoResolveAt: number
  /** Whether the contacts have been warned that it will be closed at `autoResolveAt`. */
  readonly isLastCallMade: boolean
  readonly snapshotVersion: number
  /** The user whose gateway first relayed an alert of this incident; null if none did. */
  readonly relayUserId: string | null
  /** That user is not a listed relay, and is never named. rules.md#relays. */
  readonly isRelayUnlisted?: true
  /** Set while only other users, none of them a listed relay, have raised it. rules.md#relays. */
  readonly raisedByOthers?: RaisedByOthers
  /** Event times of positions in texts that may be forged: the newest ones. sms.md#sms-sos. */
  readonly textedAt?: readonly string[]
  /** The key of the tracker that the press came through: sent by itself, or by a relay. rules.md#positions. */
  readonly throughDevice?: string
  readonly creation: {
    readonly payload: Payload
    readonly receivedAt: number
    readonly warnings: readonly FieldProblem[]
  }
  /** The rules in force when the incident opened. */
  readonly settings: Settings
  /** The HTTP settings that chat and webhook overrode then. */
  readonly http?: OwnHttpRules
  /**
   * How contacts are notified; null if the application has no such actuator. `httpChannel`: also through its contact
   * gateway. `email`: also by mail.
   */
  readonly contactActuator: ContactActuator | null
  /** Whether chat, webhook or both are notified. */
  readonly integrations: readonly IntegrationChannel[]
  /** Random text from which each contact's token is derived. Never leaves the store. */
  readonly linkSecret: string
  readonly contacts: readonly IncidentContact[]
  /** There was nobody to alarm when it opened. Set once somebody has joined. */
  readonly openedAlone?: true
  /** Contacts whom an operator added after an answer, with their numbers then: they join at the next re-alarm. */
  readonly admitted?: readonly AdmittedContact[]
  /** When the user's own session first changed its contacts. Epoch ms. */
  readonly contactsChangedAt?: number
  /** When it first changed name, number or devices. `who`: the person's name before. */
  readonly accountChanged?: { readonly at: number; readonly who: string }
  /** The operator on call gets the alarm as well. Absent: never. rules.md#on-call. */
  readonly onCall?: AwaitingOnCall
  /** When there was first no contact left to rely on. Epoch ms. sms.md#wrong-number. */
  readonly nobodyLeftAt?: number
  readonly cascade: Cascade
  readonly realarms: Realarms
  readonly lastAnswer: LastAnswer | null
  /** The operator who has it. Absent if none ever did, null after the answer was taken back. */
  readonly takenBy?: TakenBy | null
  /** The newest operator who left while in charge of it. Counts while nobody else has it. */
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
  /** The restricted reach of the alarm, until somebody presses. Absent: everyone. */
  readonly few?: Few
  /** Set while presses are put off. The incident has ended, and counts as open for boards. */
  readonly putOff?: PutOff
  /** How often presses of one run have been put off, including this incident. Absent: never. */
  readonly putOffs?: number
  /** Presses before this moment (epoch ms) belong to no run: the person has ended an alarm since. */
  readonly runSince?: number
  /**
   * The operator who opened it on a screen: the first or, after news, the newest. `alertAt`: the newest alert then;
   * absent in older records. Absent: nobody, or an earlier version opened it.
   */
  readonly seen?: { readonly at: number; readonly name: string; readonly alertAt?: number }
  /** Its part in a major incident. Absent: none. rules.md#major. */
  readonly major?: Major
  /** Set by a restore until the operator resumes: nothing is sent. keeping.md#restore. */
  readonly held: boolean
  /** The messages to the LoRaWAN tracker that pressed. Absent if there are none. devices.md#downlinks. */
  readonly downlinks?: Downlinks
  /** Set for a drill, which is never the user's open incident. preparing.md#drills. */
  readonly drill?: Drill
}

/**
 * `toContacts`: texts and calls go to the contacts' phones; otherwise they stay in the outbox. `isOvertaken`: a press
 * or a restore ended it, so its end is not announced. `isOwn`: the user started it, and nobody hears of it.
 */
export type Drill = { readonly toContacts: boolean; readonly isOwn?: true; readonly isOvertaken?: true }

/**
 * `deviceId`: the tracker as those users named it. `at`: event time of the position in the alert that opened the
 * incident. Of a text, the first is its sender behind `SMS_SENDER`. `later`: contacts wait, until an own source
 * presses.
 */
export type RaisedByOthers = { readonly deviceId: string; readonly at: string | null; readonly later?: true }

/**
 * `since`: the first message of the alarm. `nextAt`: when to look who is on duty, unless somebody has taken it; null:
 * never again. Epoch ms. `looked`: the person on duty has been looked for, so the next one may be alerted.
 */
type AwaitingOnCall = { readonly since: number; readonly nextAt: number | null; readonly looked?: true }

type AdmittedContact = { readonly contactId: string; readonly phone: string }

export type ContactActuator = { readonly httpChannel: boolean; readonly email?: true }

/** An earlier receipt of the same alert: same owner, `deviceId` and event time. */
export type EarlierAlert = {
  readonly incidentId: string
  /** Epoch milliseconds of the first receipt. */
  readonly receivedAt: number
  readonly fingerprint: string | null
  /** Set if a user other than the owner sent it. */
  readonly isRelayed?: boolean
}

/** Whether it is the incident that its user's presses join. A drill never is. preparing.md#drills. */
export const isUsersOpen = (incident: Incident): boolean => isOpen(incident) && incident.drill === undefined

/** Whether an operator took it and has not taken that back, even if they have left since. */
export const wasTaken = ({ takenBy, left }: Incident): boolean => takenBy != null || left !== undefined

/** rules.md#states: "open" means active or acknowledged. */
export const isOpen = (incident: Incident): boolean => incident.state.closedAt === null
