import type { Actuators } from './actuator.ts'
import type { Delivery } from './delivery.ts'
import type { EventTime } from './event-time.ts'
import type { FieldProblem } from './field-problem.ts'
import type { Payload } from './payload.ts'
import type { Settings } from './settings.ts'

/** Spec, Incident status. */
export const incidentStatuses = ['active', 'acknowledged', 'cancelled', 'resolved'] as const
export type IncidentStatus = (typeof incidentStatuses)[number]

/**
 * The status with the moments that belong to it; epoch milliseconds. A closed incident keeps its acknowledgement.
 * Decisions 3: `acknowledged` may still become `cancelled` or `resolved`.
 */
export type IncidentState =
  | { readonly status: 'active'; readonly acknowledgedAt: null; readonly closedAt: null }
  | { readonly status: 'acknowledged'; readonly acknowledgedAt: number; readonly closedAt: null }
  | { readonly status: 'cancelled' | 'resolved'; readonly acknowledgedAt: number | null; readonly closedAt: number }

/** A contact as the plan took it over: later changes of the contact do not change an incident that is under way. */
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
}

/**
 * The cascade to the contacts. `round` counts from 1, `roundsLeft` may still follow this one, `startedAt` is when its first message
 * was due.
 */
export type Cascade = {
  readonly round: number
  readonly roundsLeft: number
  readonly startedAt: number
  readonly phase: CascadePhase
}

/**
 * `running`: something is still ahead. `ending`: everything of this round went out; without an answer the next one begins at
 * `endsAt`. `answered`: a contact acknowledged since the last alarm. `exhausted`: no round is left and nobody answered.
 */
export type CascadePhase =
  | { readonly name: 'running' }
  | { readonly name: 'ending'; readonly endsAt: number }
  | { readonly name: 'answered' }
  | { readonly name: 'exhausted' }

/**
 * One SOS incident with everything that decisions need: the aggregate that the write door loads, `decide` changes and the store
 * keeps. Plain data. Times are epoch milliseconds, except `occurredAt` (the event time as sent).
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
  readonly autoResolveAt: number
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
  /** How contacts are told, or null where the application has no such actuator. `httpChannel`: also by a gateway of its own. */
  readonly contactActuator: ContactActuator | null
  /** Random text from which each contact's token is derived. Never leaves the store. */
  readonly linkSecret: string
  readonly contacts: readonly IncidentContact[]
  readonly cascade: Cascade
  readonly deliveries: readonly Delivery[]
  /** After a restore, until the operator resumes: nothing is sent. Decisions 7. */
  readonly held: boolean
}

export type ContactActuator = { readonly httpChannel: boolean }

/** A contact, as far as a plan needs one. */
export type PlannedContact = Omit<IncidentContact, 'token' | 'acknowledgedAt'>

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
}

/** Decisions 3: "open" means active or acknowledged. */
export const isOpen = (incident: Incident): boolean => incident.state.closedAt === null
