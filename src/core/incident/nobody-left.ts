import { isFallback } from '../account/fallback-contact.ts'
import { isAlarmedLast } from './alarm-plan.ts'
import { type Draft, withPlanned } from './escalation.ts'
import { type Incident, isOpen } from './incident.ts'

/**
 * Whether no contact is left to rely on: every contact of the person has stopped messages or does not know the person,
 * in this incident or an earlier one. The round continues all the same. sms.md#wrong-number.
 */
export function isNobodyLeft(incident: Incident): boolean {
  const own = incident.contacts.filter((contact) => !isFallback(contact) && !contact.gone && !contact.removedAt)
  return isOpen(incident) && own.length > 0 && own.every((contact) => contact.stopped || isAlarmedLast(contact))
}

/** Tells chat once an incident; boards and pages show it for as long as it lasts. */
export function withNobodyLeft(incident: Incident, now: number): Incident {
  if (incident.nobodyLeftAt !== undefined || !isNobodyLeft(incident)) return incident
  const { round, startedAt } = incident.cascade
  const chat = incident.integrations.filter((channel) => channel === 'chat')
  const drafts = chat.map((channel): Draft => {
    const to = { actuator: channel, channel, contactId: null } as const
    return { ...to, purpose: 'nobody_left', round, dueAt: Math.max(now, startedAt) }
  })
  return withPlanned({ ...incident, nobodyLeftAt: now }, drafts, now)
}
