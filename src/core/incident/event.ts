import { isoAt, isoOrNull } from '../ingest/event-time.ts'
import type { Position } from '../ingest/position.ts'
import { eventTopics } from '../ingest/topic.ts'
import { type AcknowledgedBy, shownAnswer } from './acknowledged-by.ts'
import type { Incident, Overdue } from './incident.ts'
import { relayedPositionOf, type Whereabouts } from './places.ts'
import { type Snapshot, type SnapshotItem, snapshotOf } from './snapshot.ts'
import { type TalkLine, type TalkLineView, talkLineView } from './talk.ts'

/** protocol.md#events. */
export type EventType = 'processed' | 'sos.actuator_update' | 'acknowledged' | 'cancelled' | 'resolved'

/** The envelope fields that REST and MQTT share. protocol.md#events; unset timestamps are null. */
export type Envelope = {
  readonly appId: string
  readonly userId: string
  readonly incidentId: string
  readonly status: Incident['state']['status']
  readonly occurredAt: string
  readonly openedAt: string
  readonly updatedAt: string
  readonly acknowledgedAt: string | null
  readonly cancelledAt: string | null
  readonly resolvedAt: string | null
  /** Only for a drill. */
  readonly drill?: true
  /** Only in a silent emergency. rules.md#silent-emergency. */
  readonly silent?: true
  /** Only if a timer opened it. rules.md#timers. */
  readonly reason?: 'overdue'
  readonly overdue?: { readonly dueAt: string; readonly note: string | null }
}

/**
 * A message for `sos/events/…`: the envelope with its type, and with the snapshot where rules.md#events requires it.
 */
export type IncidentEvent = {
  readonly topics: readonly string[]
  readonly message: { readonly type: EventType } & Envelope & Partial<WithAnswer & WithSnapshot>
}

/** The answer that stands; null if there is none. */
type WithAnswer = { readonly acknowledgedBy: AcknowledgedBy | null }

type WithSnapshot = { readonly snapshotVersion: number; readonly actuators: Snapshot }

/** The REST `incident` object of protocol.md#incident. */
export type IncidentView = Envelope &
  WithAnswer &
  WithSnapshot & {
    readonly lastPosition: Position | null
    readonly relayedPosition?: Position
    readonly relay: { readonly userId: string } | null
  }

function envelopeOf(incident: Incident): Envelope {
  const { status, closedAt } = incident.state
  return {
    appId: incident.appId,
    userId: incident.userId,
    incidentId: incident.id,
    status,
    occurredAt: incident.occurredAt.text,
    openedAt: isoAt(incident.openedAt),
    updatedAt: isoAt(incident.updatedAt),
    acknowledgedAt: isoOrNull(incident.state.acknowledgedAt),
    cancelledAt: isoOrNull(status === 'cancelled' ? closedAt : null),
    resolvedAt: isoOrNull(status === 'resolved' ? closedAt : null),
    ...(incident.drill !== undefined && { drill: true as const }),
    ...(incident.silent && { silent: true }),
    ...timerBehind(incident),
  }
}

/** The envelope's fields about the timer that opened the incident; none if a press opened it. */
export const timerBehind = ({ overdue }: Pick<Incident, 'overdue'>): Pick<Envelope, 'reason' | 'overdue'> =>
  overdue === undefined ? {} : { reason: 'overdue', overdue: overdueView(overdue) }

export const overdueView = ({ dueAt, note }: Overdue): NonNullable<Envelope['overdue']> => ({
  dueAt: isoAt(dueAt),
  note,
})

const withSnapshot = (incident: Incident, items?: readonly SnapshotItem[]): WithSnapshot => ({
  snapshotVersion: incident.snapshotVersion,
  actuators: snapshotOf(incident, items),
})

/** rules.md#events, last column. */
export const carriesActuators = {
  processed: true,
  'sos.actuator_update': true,
  acknowledged: false,
  cancelled: false,
  resolved: false,
} as const satisfies Record<EventType, boolean>

/** rules.md#events: the events that name who answered. */
export const carriesAnswer = {
  processed: false,
  'sos.actuator_update': true,
  acknowledged: true,
  cancelled: false,
  resolved: false,
} as const satisfies Record<EventType, boolean>

const withAnswer = (incident: Incident): WithAnswer => ({ acknowledgedBy: shownAnswer(incident) })

/**
 * The event that describes `incident` in its current state. `items`: its snapshot items, if the caller has them
 * already.
 */
export const incidentEvent = (type: EventType, incident: Incident, items?: readonly SnapshotItem[]): IncidentEvent => ({
  // An app that does not know drills would show an SOS.
  topics: incident.drill === undefined ? eventTopics(incident) : [],
  message: {
    type,
    ...envelopeOf(incident),
    ...(carriesAnswer[type] && withAnswer(incident)),
    ...(carriesActuators[type] && withSnapshot(incident, items)),
  },
})

/**
 * The REST `incident` object. `lastPosition` is stored apart from the incident because every tracker message changes
 * it. `relayedPosition`: a newer one received through another user.
 */
export const incidentView = (
  incident: Incident,
  lastPosition: Position | null,
  relayedPosition: Position | null = null,
): IncidentView => ({
  ...envelopeOf(incident),
  ...withAnswer(incident),
  ...withSnapshot(incident),
  lastPosition,
  ...(relayedPosition !== null && { relayedPosition }),
  relay: incident.relayUserId === null ? null : { userId: incident.relayUserId },
})

/**
 * The view of another user's incident for a relay: no contacts, nobody who answered, no timer note, its own name, and
 * only the position that it sent itself (`sent`), so that nobody can track a person by repeating one alert.
 * rules.md#relays.
 */
export const relayView = (
  { reason: _reason, overdue: _overdue, relayedPosition: _relayed, ...view }: IncidentView,
  { sent, relayUserId }: { readonly sent: Position | null; readonly relayUserId: string },
): IncidentView => ({
  ...view,
  acknowledgedBy: null,
  lastPosition: sent,
  relay: { userId: relayUserId },
  actuators: {
    ...view.actuators,
    items: view.actuators.items.map((item) => ({
      ...item,
      ...(item.contacts && { contacts: [] }),
      // A delivery names a contact.
      ...(item.type === 'email' && { deliveries: [] }),
    })),
  },
})

/**
 * Without positions: for a phone with the app in the box, which may be one that somebody has added who had the person's
 * for a minute. app.md#removing.
 */
export const withoutPlaces = ({ relayedPosition: _, ...view }: IncidentView): IncidentView => ({
  ...view,
  lastPosition: null,
})

/** The same of a history item. */
export const itemWithoutPlaces = <Item extends ReturnType<typeof historyItem>>({
  relayedPosition: _,
  ...item
}: Item) => {
  const { latitude: _n, longitude: _e, altitude: _h, accuracy: _a, ...creationTelemetry } = item.creationTelemetry
  return { ...item, creationTelemetry, lastPosition: null, positionTrail: [] }
}

/**
 * A history item: the REST `incident` object with its first telemetry, its position trail and what was said. `lines`:
 * oldest first. rules.md#history.
 */
export const historyItem = (
  incident: Incident,
  trail: readonly Position[],
  whereabouts: Whereabouts,
  lines: readonly TalkLine[] = [],
) => ({
  ...incidentView(incident, whereabouts.lastPosition, relayedPositionOf(whereabouts)),
  creationTelemetry: {
    ...incident.creation.payload,
    receivedAt: isoAt(incident.creation.receivedAt),
    ...(incident.creation.warnings.length > 0 && { warnings: incident.creation.warnings }),
  },
  positionTrail: trail,
  ...messagesIn(incident, lines),
})

/**
 * Anyone who picks up the phone later may read it: nothing that was for the rescue desk alone, and nothing of a silent
 * emergency.
 */
function messagesIn({ silent }: Incident, lines: readonly TalkLine[]): { readonly messages?: readonly TalkLineView[] } {
  const shown = silent === true ? [] : lines.filter(({ toDesk }) => !toDesk)
  return shown.length === 0 ? {} : { messages: shown.map(talkLineView) }
}
