import { isSecondTap } from './answer.ts'
import type { Command } from './command.ts'
import { decline } from './decline.ts'
import { isAwaited, planCascade, withPlanned, withSkipped } from './escalation.ts'
import { type Incident, type IncidentContact, isOpen } from './incident.ts'

/**
 * Stops all messages of this incident to a contact. The next contact is alarmed at once, as when this one can't help.
 * Only this contact is affected, because a text may be forged. sms.md#wrong-number.
 */
export function stop(
  incident: Incident,
  { contactId, how, now }: Omit<Extract<Command, { type: 'stop' }>, 'type'>,
): Incident {
  const contact = incident.contacts.find((known) => known.contactId === contactId)
  if (!isOpen(incident) || contact === undefined || isSecondTap(contact, now)) return incident
  // A contact who does not know the person stays a stranger until they take that back.
  if (contact.stopped?.how === 'stranger' || contact.stopped?.how === how) return incident
  return marked(decline(incident, { contactId, now }), contactId, (known) => ({ ...known, stopped: { how, at: now } }))
}

/**
 * Lifts a contact's stop, of this incident or an earlier one. The first time, the contact is alarmed again if the
 * others are being alarmed: stopping and starting in turns must not send without end.
 */
export function start(
  incident: Incident,
  { contactId, now }: Omit<Extract<Command, { type: 'start' }>, 'type'>,
): Incident {
  const contact = incident.contacts.find((known) => known.contactId === contactId)
  if (!isOpen(incident) || contact === undefined || !isStoppedAtAll(contact)) return incident
  const back = marked(
    incident,
    contactId,
    ({ stopped: _, isStopped: __, isStranger: ___, knowsAfterAll: ____, response, ...known }) => ({
      ...known,
      restarted: true,
      ...(response !== undefined && response.kind !== 'unable' && { response }),
    }),
  )
  const { settings, cascade, contactActuator } = back
  if (contact.stopped === undefined || contact.restarted || contactActuator === null || !isAwaited(back)) return back
  const startAt = Math.max(now, cascade.startedAt)
  return withPlanned(back, planCascade(settings, [contact], { round: cascade.round, startAt, ...contactActuator }), now)
}

const isStoppedAtAll = ({ stopped, isStopped, isStranger }: IncidentContact): boolean =>
  stopped !== undefined || isStopped === true || isStranger === true

const marked = (
  incident: Incident,
  contactId: string,
  change: (known: IncidentContact) => IncidentContact,
): Incident => ({
  ...incident,
  contacts: incident.contacts.map((known) => (known.contactId === contactId ? change(known) : known)),
})

/** Skips everything planned for stopped contacts since, except the closing text. */
export function withoutStopped(incident: Incident, now: number): Incident {
  const stopped = new Set(incident.contacts.flatMap((contact) => (contact.stopped ? contact.contactId : [])))
  if (stopped.size === 0 || !isOpen(incident)) return incident
  return withSkipped(incident, now, (row) => row.contactId !== null && stopped.has(row.contactId))
}
