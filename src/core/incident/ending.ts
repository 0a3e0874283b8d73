import { DAY, HOUR } from '../ingest/event-time.ts'
import type { Step } from './decision.ts'
import { isAhead, isWaiting } from './delivery.ts'
import { type Draft, withPlanned, withSkipped } from './escalation.ts'
import { type Closing, type Incident, type IncidentState, isOpen } from './incident.ts'
import { toldContacts } from './rounds.ts'
import { autoResolveMs } from './settings.ts'

/**
 * A link must not follow somebody for ever: no incident lasts longer than this after the last alert.
 * rules.md#automatic-close.
 */
const MAX_OPEN_MS = 7 * DAY
/**
 * How long before the end the contacts are told; a tenth of the time, where that is shorter. rules.md#automatic-close.
 */
const LAST_CALL_MS = HOUR

/**
 * Cancel and resolve skip every alarm that is pending. rules.md#states. `closing`: who ended it, for
 * those who were told.
 */
export function close(incident: Incident, status: 'cancelled' | 'resolved', closing: Closing, now: number): Step {
  if (!isOpen(incident)) return { incident }
  const state: IncidentState = { status, acknowledgedAt: incident.state.acknowledgedAt, closedAt: now }
  const closed: Incident = { ...incident, state, closing, watch: null }
  return { incident: withSkipped(closed, now, (row) => row.purpose !== 'all_clear'), events: [status] }
}

/** When the system closes an incident of which something was last heard at `heardAt` (epoch ms). */
export const endAfter = ({ settings, lastAlertAt }: Incident, heardAt: number): number =>
  Math.min(Math.max(heardAt, lastAlertAt) + autoResolveMs(settings), lastAlertAt + MAX_OPEN_MS)

const lastCallLeadMs = ({ settings }: Incident): number => Math.min(LAST_CALL_MS, autoResolveMs(settings) / 10)

/**
 * When the end of an open incident wants attention (epoch ms): while nobody has answered the
 * contacts are told before it.
 */
export function endingMoment(incident: Incident): number {
  const isCallAhead = incident.state.status === 'active' && !incident.isLastCallMade
  return incident.autoResolveAt - (isCallAhead ? lastCallLeadMs(incident) : 0)
}

/** Whether the decision has to know when the user was last heard of: only where an end is near. */
export const isEndNear = (incident: Incident, now: number): boolean =>
  isOpen(incident) && !incident.held && endingMoment(incident) <= now

/**
 * What the end of its hours means for an incident: it goes on where a position came in and nobody has acknowledged; its
 * contacts are told that it is about to be closed; then the system closes it. rules.md#automatic-close. `lastSeenAt`:
 * event time of the newest position.
 */
export function withEnding(incident: Incident, lastSeenAt: number | null, now: number): Step {
  if (!isEndNear(incident, now)) return { incident }
  const isAnswered = incident.state.status === 'acknowledged'
  const end = isAnswered || lastSeenAt === null ? 0 : endAfter(incident, Math.min(lastSeenAt, now))
  if (end > incident.autoResolveAt) return { incident: { ...incident, autoResolveAt: end, isLastCallMade: false } }
  if (owesAlarms(incident)) {
    return { incident: { ...incident, autoResolveAt: now + autoResolveMs(incident.settings), isLastCallMade: false } }
  }
  if (!isAnswered && !incident.isLastCallMade) return { incident: withLastCall(incident, now) }
  if (incident.autoResolveAt > now) return { incident }
  return close(incident, 'resolved', { by: 'system', name: null, hours: incident.settings.autoResolveHours }, now)
}

/** Where the machine was off at that moment, the end moves: nobody is closed unannounced. */
function withLastCall(incident: Incident, now: number): Incident {
  const { round } = incident.cascade
  const drafts = toldContacts(incident).map(({ contactId }): Draft => {
    return { purpose: 'last_call', actuator: 'emergency_contacts', channel: 'sms', contactId, round, dueAt: now }
  })
  const announced: Incident = {
    ...incident,
    isLastCallMade: true,
    autoResolveAt: Math.max(incident.autoResolveAt, now + lastCallLeadMs(incident)),
  }
  return incident.contactActuator === null ? announced : withPlanned(announced, drafts, now)
}

/**
 * Whether something that was due before the end never began: the machine was off. Resolving now would silence an SOS
 * that nobody has heard of, so it goes out first and the incident gets its full hours again.
 */
const owesAlarms = (incident: Incident): boolean =>
  incident.deliveries.some((row) => isAhead(row) && isWaiting(row) && row.dueAt < endingMoment(incident))
