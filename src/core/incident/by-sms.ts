import { isFallback } from '../account/fallback-contact.ts'
import { type Delivery, isWaiting } from './delivery.ts'
import { type Draft, isContactsOrMail, planCascade } from './escalation.ts'
import type { ContactActuator, Incident } from './incident.ts'
import { toldContacts } from './rounds.ts'

/**
 * The first round. `laterAt`: when the contacts follow the fallback contact; null: everyone in the usual order.
 * sms.md#sms-sos.
 */
export function firstRound(
  incident: Incident,
  { startAt, laterAt }: { readonly startAt: number; readonly laterAt: number | null },
  actuator: ContactActuator,
): readonly Draft[] {
  const { settings } = incident
  const told = toldContacts(incident)
  const round = { round: 1, ...actuator }
  if (laterAt === null) return planCascade(settings, told, { ...round, startAt })
  const [first, others] = [told.filter(isFallback), told.filter((contact) => !isFallback(contact))]
  const drafts = first.length === 0 ? [] : planCascade(settings, first, { ...round, startAt })
  if (others.length === 0 && drafts.length > 0) return drafts
  return [...drafts, ...planCascade(settings, others, { ...round, startAt: Math.max(startAt, laterAt) })]
}

/** The contacts who were to wait are due from now on: an own source has pressed. sms.md#sms-sos. */
export function withoutWaiting(incident: Incident, now: number): Incident {
  const waits = (row: Delivery): boolean =>
    isWaiting(row) && row.tries === 0 && isContactsOrMail(row) && !isFallback({ contactId: row.contactId ?? '' })
  const ahead = Math.min(...incident.deliveries.filter(waits).map(({ dueAt }) => dueAt)) - now
  if (!(ahead > 0 && Number.isFinite(ahead))) return incident
  const deliveries = incident.deliveries.map((row) => (waits(row) ? { ...row, dueAt: row.dueAt - ahead } : row))
  return { ...incident, deliveries }
}
