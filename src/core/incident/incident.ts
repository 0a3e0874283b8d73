import type { Actuators } from '../account/actuator.ts'
import type { EventTime } from '../ingest/event-time.ts'
import type { FieldProblem } from '../ingest/field-problem.ts'
import type { Payload } from '../ingest/payload.ts'
import { type Delivery, type FoldedDeliveries, type IntegrationChannel, integrationChannels } from './delivery.ts'
import type { Settings } from './settings.ts'

/** rules.md#states. */
export const incidentStatuses = ['active', 'acknowledged', 'cancelled', 'resolved'] as const
export type IncidentStatus = (typeof incidentStatuses)[number]

/**
 * The status with the moments that belong to it; epoch milliseconds. A closed incident keeps its acknowledgement.
 * rules.md#states: `acknowledged` may still become `cancelled` or `resolved`.
 */
export type IncidentState =
  | { readonly status: 'active'; readonly acknowledgedAt: null; readonly closedAt: null }
  | { readonly status: 'acknowledged'; readonly acknowledgedAt: number; readonly closedAt: null }
  | { readonly status: 'cancelled' | 'resolved'; readonly acknowledgedAt: number | null; readonly closedAt: number }

/**
 * A contact as the plan took it over. Corrections of the contact reach it; a contact that is removed stays.
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
  /** Removed before the last re-alarm: keeps the link and the entry, and is told no more. */
  readonly gone?: true
}

/** A press of SOS on an open incident, epoch milliseconds: when it was pressed and when it arrived. */
export type Press = { readonly pressedAt: number; readonly receivedAt: number }

/**
 * What began an alarm: the first press, a further one (of the owner or through a relay), or a helper who fell silent.
 */
export type AlarmCause =
  | { readonly by: 'owner' | 'relay'; readonly again: Press | null }
  | { readonly by: 'watch'; readonly again: null }

/**
 * The cascade to the contacts. `round` counts from 1, `roundsLeft` may still follow this one at once, `pauses` counts
 * the longer waits between rounds since then, `startedAt` is when the round's first message was due.
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
 * `running`: something is still ahead. `ending`: everything of this round went out; without an answer the next one
 * begins at `endsAt`. `pausing`: nobody answered, and another round follows at `nextAt`. `answered`: somebody
 * acknowledged since the last alarm. `exhausted`: no round is left and nobody answered.
 */
export type CascadePhase =
  | { readonly name: 'running' }
  | { readonly name: 'ending'; readonly endsAt: number }
  | { readonly name: 'pausing'; readonly nextAt: number }
  | { readonly name: 'answered' }
  | { readonly name: 'exhausted' }

/**
 * When presses of one kind may alarm again. `since`: the last round began, or its first answer came; null while neither
 * counts for this kind. `realarms`: how many there were since somebody acknowledged. `kept`: a press that came too
 * early. rules.md#re-alarm.
 */
export type RealarmTrack = { readonly since: number | null; readonly realarms: number; readonly kept: Press | null }

/**
 * Presses of the owner and relayed ones are kept apart, so that a relay moves no deadline that the owner depends on.
 */
export type Realarms = { readonly owner: RealarmTrack; readonly relay: RealarmTrack }

/** Who answered last: a contact, or the operator where `contactId` is null. */
export type LastAnswer = { readonly at: number; readonly contactId: string | null; readonly name: string | null }

/** An answer is watched: at `at` whoever answered is asked again or, once `asked`, the others are alarmed. */
export type Watch = { readonly at: number; readonly asked: boolean }

/** Who ended an incident. `hours`: after how many the system did. */
export type Closing = {
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
  /** External id of the owner and whether the application has legacy topics: where the events go. */
  readonly externalUserId: string
  readonly legacy: boolean
  readonly state: IncidentState
  readonly occurredAt: EventTime
  readonly openedAt: number
  readonly updatedAt: number
  readonly lastAlertAt: number
  /** When the system closes it, unless something is heard until then. */
  readonly autoResolveAt: number
  /** The contacts have been told that it is about to be closed at `autoResolveAt`. */
  readonly isLastCallMade: boolean
  readonly snapshotVersion: number
  /** The user whose gateway relayed the alert, where it was not the owner. */
  readonly relayUserId: string | null
  readonly creation: {
    readonly payload: Payload
    readonly receivedAt: number
    readonly warnings: readonly FieldProblem[]
  }
  /** The rules and targets in force when the incident opened. */
  readonly settings: Settings
  /**
   * How contacts are told, or null where the application has no such actuator. `httpChannel`: also by
   * a gateway of its own.
   */
  readonly contactActuator: ContactActuator | null
  /** Which of chat and webhook hear of it. */
  readonly integrations: readonly IntegrationChannel[]
  /** Random text from which each contact's token is derived. Never leaves the store. */
  readonly linkSecret: string
  readonly contacts: readonly IncidentContact[]
  readonly cascade: Cascade
  readonly realarms: Realarms
  readonly lastAnswer: LastAnswer | null
  readonly watch: Watch | null
  /** Null while it is open, and for incidents that an earlier version closed. */
  readonly closing: Closing | null
  /** How many attempts were ever planned: the number of the newest one. */
  readonly planned: number
  /** Attempts that are ahead, under way or of the current round. */
  readonly deliveries: readonly Delivery[]
  /**
   * What was folded of earlier rounds, one entry a contact and channel; attempt by attempt it stands in the timeline.
   */
  readonly folded: readonly FoldedDeliveries[]
  /** After a restore, until the operator resumes: nothing is sent. rules.md#restore. */
  readonly held: boolean
}

/** Chat and webhook, as far as they are configured. */
export const integrationsOf = ({ actuators }: Site): readonly IntegrationChannel[] =>
  integrationChannels.filter((type) => actuators[type] !== undefined)

export type ContactActuator = { readonly httpChannel: boolean }

/** A contact, as far as a plan needs one. */
export type PlannedContact = Omit<IncidentContact, 'token' | 'acknowledgedAt' | 'gone'>

/** What the store knows of the owner when an alert comes in: everything a plan is made of. */
export type Site = {
  readonly appId: string
  readonly userId: string
  readonly externalUserId: string
  readonly legacy: boolean
  readonly settings: Settings
  readonly actuators: Actuators
  /** In priority order. */
  readonly contacts: readonly PlannedContact[]
}

/** The `contactActuator` of an incident that is alarmed with `site`. */
export const contactActuatorOf = (site: Site): ContactActuator | null => {
  const configured = site.actuators.emergency_contacts
  return configured === undefined ? null : { httpChannel: configured.httpUrl !== undefined }
}

/** An earlier receipt of the same alert: same owner, `deviceId` and event time. */
export type EarlierAlert = {
  readonly incidentId: string
  /** Epoch milliseconds of the first receipt. */
  readonly receivedAt: number
  readonly fingerprint: string | null
  /** Another user than the owner sent it. */
  readonly isRelayed?: boolean
}

/** rules.md#states: "open" means active or acknowledged. */
export const isOpen = (incident: Incident): boolean => incident.state.closedAt === null
