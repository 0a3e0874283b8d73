import { MINUTE } from '../../lib/durations.ts'
import type { Command } from './command.ts'
import { type Delivery, isWaiting } from './delivery.ts'
import { type Draft, isContactsOrMail, isSameTarget, MAX_UNSETTLED, planCascade, withPlanned } from './escalation.ts'
import { type Incident, type IncidentContact, isOpen } from './incident.ts'

/** The shortest time between two resends to one contact. rules.md#resend. */
export const RESEND_MS = MINUTE

/** Outside any round, so that it neither delays the end of the current one nor begins another. */
const NO_ROUND = 0

/** The reason why an alarm is not resent to a contact. */
export type NoResend = 'incident_closed' | 'incident_held' | 'contact_not_found' | 'contact_stopped' | 'too_soon'

/** The reason why the alarm cannot be resent to the contact at `now`; null if it can. rules.md#resend. */
export function noResend(incident: Incident, contactId: string, now: number): NoResend | null {
  if (!isOpen(incident)) return 'incident_closed'
  if (incident.held) return 'incident_held'
  const contact = incident.contacts.find((known) => known.contactId === contactId)
  if (contact === undefined || contact.gone || incident.contactActuator === null) return 'contact_not_found'
  if (contact.stopped) return 'contact_stopped'
  return isJustResent(contact, now) ? 'too_soon' : null
}

function isJustResent({ resentAt }: IncidentContact, now: number): boolean {
  return resentAt !== undefined && now >= resentAt && now - resentAt < RESEND_MS
}

/**
 * Resends the alarm to one contact over every channel that a round would use: attempts that still wait are brought
 * forward, missing ones are planned. Never within the grace window. rules.md#resend.
 */
export function resend(
  incident: Incident,
  { contactId, now }: Omit<Extract<Command, { type: 'resend' }>, 'type'>,
): Incident {
  const { settings, cascade, contactActuator } = incident
  const told = incident.contacts.filter((known) => known.contactId === contactId)
  if (contactActuator === null || noResend(incident, contactId, now) !== null) return incident
  const startAt = Math.max(now, cascade.startedAt)
  const drafts = planCascade(settings, told, { round: NO_ROUND, startAt, ...contactActuator })
  const open = incident.deliveries.filter((row) => isContactsOrMail(row) && row.status === 'scheduled')
  const sooner = new Map<Delivery, Delivery>()
  const missing: Draft[] = []
  for (const draft of drafts) {
    const rows = open.filter((row) => isSameTarget(row, draft))
    const waiting = rows.filter(isWaiting)
    // A retry keeps the wait that its provider asked for.
    for (const row of waiting.filter(({ tries }) => tries === 0)) {
      sooner.set(row, { ...row, dueAt: Math.min(row.dueAt, draft.dueAt) })
    }
    if (waiting.length === 0 && rows.length < MAX_UNSETTLED) missing.push(draft)
  }
  const contacts = incident.contacts.map((known) =>
    known.contactId === contactId ? { ...known, resentAt: now } : known,
  )
  const deliveries = incident.deliveries.map((row) => sooner.get(row) ?? row)
  return withPlanned({ ...incident, contacts, deliveries }, missing, now)
}
