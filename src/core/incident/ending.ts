import { DAY, HOUR } from '../../lib/durations.ts'
import { autoResolveMs } from '../account/settings.ts'
import type { Step } from './decision.ts'
import { isAhead, isWaiting } from './delivery.ts'
import { type Draft, withPlanned, withSkipped } from './escalation.ts'
import { type Closing, type Incident, type IncidentState, isOpen } from './incident.ts'
import { toldContacts } from './rounds.ts'

/**
 * A link must not track a person for ever: no incident stays open longer than this after its last alert.
 * rules.md#automatic-close.
 */
const MAX_OPEN_MS = 7 * DAY
/**
 * How long before the automatic close the contacts are warned; for short incidents a tenth of the open time.
 * rules.md#automatic-close.
 */
const LAST_CALL_MS = HOUR

/**
 * Closes an incident: cancel and resolve skip every pending alarm. rules.md#states. `closing`: names who ended it in
 * the closing texts. Those leave even if the incident was held: the emergency in a restored file may be over, but this
 * end is news.
 */
export function close(incident: Incident, status: 'cancelled' | 'resolved', closing: Closing, now: number): Step {
  if (!isOpen(incident)) return { incident }
  const state: IncidentState = { status, acknowledgedAt: incident.state.acknowledgedAt, closedAt: now }
  const closed: Incident = { ...incident, state, closing, watch: null, held: false }
  return { incident: withSkipped(closed, now, (row) => row.purpose !== 'all_clear'), events: [status] }
}

/** When the system closes an incident whose last sign of life was at `heardAt` (epoch ms). Nothing prolongs a drill. */
export const endAfter = ({ settings, lastAlertAt, drill }: Incident, heardAt: number): number =>
  drill === undefined
    ? Math.min(Math.max(heardAt, lastAlertAt) + autoResolveMs(settings), lastAlertAt + MAX_OPEN_MS)
    : lastAlertAt + autoResolveMs(settings)

const lastCallLeadMs = ({ settings }: Incident): number => Math.min(LAST_CALL_MS, autoResolveMs(settings) / 10)

/**
 * When the end of an open incident needs attention (epoch ms). Until anyone answers, that is the warning to the
 * contacts, ahead of the end itself. A drill ends without a warning.
 */
export function endingMoment(incident: Incident): number {
  const isCallAhead = incident.state.status === 'active' && !incident.isLastCallMade && incident.drill === undefined
  return incident.autoResolveAt - (isCallAhead ? lastCallLeadMs(incident) : 0)
}

/** Whether the end is near, so that the decision needs the time of the user's last sign of life. */
export const isEndNear = (incident: Incident, now: number): boolean =>
  isOpen(incident) && !incident.held && endingMoment(incident) <= now

/**
 * Handles an incident whose hours are up. It stays open if a position came in and nobody has acknowledged; otherwise
 * its contacts are warned, and later the system closes it. rules.md#automatic-close. `lastSeenAt`: event time of the
 * newest position.
 */
export function withEnding(incident: Incident, lastSeenAt: number | null, now: number): Step {
  if (!isEndNear(incident, now)) return { incident }
  if (incident.drill !== undefined) return close(incident, 'resolved', { by: 'system', name: null, hours: null }, now)
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

/**
 * Warns the contacts. If the machine was off when the warning was due, the end moves: no incident is closed without
 * one.
 */
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
 * Whether an attempt that was due before the end never began because the machine was off. Closing now would silence an
 * SOS that was never announced, so the attempt goes out first and the incident gets its full hours again.
 */
const owesAlarms = (incident: Incident): boolean =>
  incident.deliveries.some((row) => isAhead(row) && isWaiting(row) && row.dueAt < endingMoment(incident))
