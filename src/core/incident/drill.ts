import { HOUR, MINUTE } from '../../lib/durations.ts'
import type { Command } from './command.ts'
import type { Situation, Step } from './decision.ts'
import { close } from './ending.ts'
import { type Incident, isOpen } from './incident.ts'
import { openIncident } from './raise.ts'
import type { Settings } from './settings.ts'

/** How long a drill lasts, and its links with it. rules.md#drills. */
export const DRILL_MS = 30 * MINUTE

/** One round, nothing that goes on by itself, and an end. rules.md#drills. */
const settingsOf = (settings: Settings): Settings => ({
  ...settings,
  rounds: 1,
  persistHours: 0,
  watchMinutes: 0,
  autoResolveHours: DRILL_MS / HOUR,
})

/**
 * Opens a drill, unless an incident of the user is open: an exercise never stands beside an emergency. It shares
 * nothing with real incidents but the way that it goes. rules.md#drills.
 */
export function openDrill(
  { incident, plan = null }: Situation,
  command: Extract<Command, { type: 'drill' }>,
): Step | { readonly repeatOf: Incident } {
  if (plan === null) throw new TypeError('a drill needs the plan of the user')
  if (incident !== null && isOpen(incident)) return { repeatOf: incident }
  const { alert, incidentId, linkSecret, now, toContacts } = command
  const settings = settingsOf(plan.settings)
  const raise = { type: 'raise', now, alert, reporterId: plan.userId, incidentId, linkSecret } as const
  const opened = openIncident({ ...plan, settings }, raise)
  // Nobody is warned that an exercise ends.
  const drill: Incident = { ...opened.incident, drill: { toContacts }, isLastCallMade: true }
  return { ...opened, incident: drill }
}

/** A real press ends the drill of its user. Everything pending is skipped; those who were told hear that it is over. */
export const endDrill = (drill: Incident, now: number): Step =>
  close(drill, 'resolved', { by: 'system', name: null, hours: DRILL_MS / HOUR }, now)
