import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import type { Actuators } from '../account/actuator.ts'
import { isFallback } from '../account/fallback-contact.ts'
import type { AlarmPlan } from './alarm-plan.ts'
import { isAlarmedLast } from './alarm-plan.ts'
import type { Command } from './command.ts'
import type { DrillRefusal, Situation, Step } from './decision.ts'
import { close } from './ending.ts'
import { type Incident, isOpen } from './incident.ts'
import { openIncident } from './raise.ts'

/** How long a drill lasts, and its links with it. preparing.md#drills. */
export const DRILL_MS = 30 * MINUTE
/**
 * The number of drills of an application that may begin within `DRILLS_WITHIN_MS`: each takes space and sends.
 * preparing.md#drills.
 */
export const MAX_DRILLS_A_DAY = 200
export const DRILLS_WITHIN_MS = DAY
/** Drills that a user starts, in the same time. */
export const MAX_OWN_DRILLS_A_DAY = 3
/** With so many of an application, users start no more: the rest is the operators'. */
const MAX_WITH_OWN = MAX_DRILLS_A_DAY / 2
/** Of these, those of users whom a poster or another person invited: strangers use up nobody else's. */
export const MAX_OF_STRANGERS = MAX_WITH_OWN / 2

type DrillReach = Pick<Extract<Command, { type: 'drill' }>, 'sparesFallback' | 'toContacts' | 'isOwn'>

/**
 * The plan of a drill: one round, no automatic continuation, a fixed end. Contacts who do not know the user or stopped
 * messages are left out. preparing.md#drills.
 */
const drilled = (
  { email, onCall: _, ...plan }: AlarmPlan,
  { sparesFallback, toContacts, isOwn }: DrillReach,
): AlarmPlan => ({
  ...plan,
  ...(isOwn && { actuators: contactsOf(plan.actuators) }),
  ...(email && toContacts && { email }),
  settings: { ...plan.settings, rounds: 1, persistHours: 0, watchMinutes: 0, autoResolveHours: DRILL_MS / HOUR },
  contacts: plan.contacts.filter((one) => !isAlarmedLast(one) && !(sparesFallback && isFallback(one))),
})

const contactsOf = ({ emergency_contacts }: Actuators): Actuators =>
  emergency_contacts === undefined ? {} : { emergency_contacts }

/**
 * Opens a drill, unless an incident or another drill of the user is open: a drill never runs beside an emergency. It
 * shares the path of real incidents and nothing else. preparing.md#drills.
 */
export function openDrill(
  { incident, plan = null, drillsBefore = 0, strangersDrills = null }: Situation,
  command: Extract<Command, { type: 'drill' }>,
): Step | { readonly refused: DrillRefusal } {
  if (incident !== null && isOpen(incident)) {
    return { refused: incident.drill === undefined ? 'incident_open' : 'drill_open' }
  }
  if (plan === null) throw new TypeError('a drill needs the plan of the user')
  const { alert, incidentId, linkSecret, now, toContacts, isOwn } = command
  if (drillsBefore >= (isOwn ? MAX_WITH_OWN : MAX_DRILLS_A_DAY)) return { refused: 'too_many_drills' }
  if (isOwn && strangersDrills !== null && strangersDrills >= MAX_OF_STRANGERS) return { refused: 'too_many_drills' }
  const raise = { type: 'raise', now, alert, reporterId: plan.userId, incidentId, linkSecret } as const
  const opened = openIncident(drilled(plan, command), raise)
  return { ...opened, incident: { ...opened.incident, drill: { toContacts, ...(isOwn && { isOwn }) } } }
}

/**
 * Ends a drill without a closing text: next to a real alarm, *it is over* could be read as the end of that one.
 * preparing.md#drills.
 */
export function overtaken(drill: Incident, now: number): Step {
  if (drill.drill === undefined || !isOpen(drill)) return { incident: drill }
  const unannounced: Incident = { ...drill, drill: { ...drill.drill, isOvertaken: true }, held: false }
  return close(unannounced, 'resolved', { by: 'system', name: null, hours: null }, now)
}

/** The incident without a watch if it is a drill: helpers of a drill get no check-in. */
export const withoutWatch = (incident: Incident): Incident =>
  incident.drill === undefined || incident.watch === null ? incident : { ...incident, watch: null }
