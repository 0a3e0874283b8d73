import { MINUTE } from '../../lib/durations.ts'
import { isSecondTap } from './answer.ts'
import type { Command } from './command.ts'
import { type Delivery, isWaiting } from './delivery.ts'
import { isAwaited, isContactsOrMail, isContactsRow, withSkipped } from './escalation.ts'
import { type Incident, isOpen, type TakenBy } from './incident.ts'
import { doubledMs, withdrawalsOf } from './realarm.ts'
import { isHelped, isUnable } from './rounds.ts'

/** How long the operator may take an answer back. rules.md#responses. */
const UNDO_MS = MINUTE

/** Until when the operator may take the answer back, epoch ms; 0 after a take-over, which only another one undoes. */
export const undoUntil = ({ at, from }: TakenBy): number => (from === undefined ? at + UNDO_MS : 0)

/**
 * Records that a contact can't help. While nobody helps, the next contact is notified at once; the last helper's
 * withdrawal alarms the others. If `contactId` is null, the operator takes back an answer given less than a minute ago.
 * rules.md#responses.
 */
export function decline(
  incident: Incident,
  { contactId, operatorId, now }: Omit<Extract<Command, { type: 'decline' }>, 'type'>,
): Incident {
  if (!isOpen(incident)) return incident
  if (contactId === null) {
    const { takenBy } = incident
    if (!takenBy || takenBy.operatorId !== operatorId || now > undoUntil(takenBy)) return incident
    const untaken: Incident = { ...incident, takenBy: null }
    // The current alarm began later and continues: nobody is notified of it twice.
    if (isAwaited(untaken)) return untaken
    return isHelped(untaken) ? asBefore(untaken, takenBy) : withdrawn(untaken, { contactId, name: takenBy.name }, now)
  }
  const contact = incident.contacts.find((known) => known.contactId === contactId)
  if (contact === undefined || isUnable(contact, incident) || isSecondTap(contact, now)) return incident
  const isHelper = contact.acknowledgedAt !== null && !contact.gone
  const response = { kind: 'unable', at: now, round: incident.cascade.round } as const
  const declined: Incident = {
    ...incident,
    contacts: incident.contacts.map((known) =>
      known === contact ? { ...known, acknowledgedAt: null, response } : known,
    ),
  }
  if (isAwaited(declined)) return contact.gone ? declined : movedOn(declined, contactId, now)
  return isHelper ? withdrawn(declined, contact, now) : declined
}

/** The watch over earlier helpers as if the operator had never answered, unless someone has answered since. */
export function asBefore(incident: Incident, { at, before }: TakenBy): Incident {
  const { watch, lastAnswer } = incident
  if (before === undefined || watch === null || lastAnswer?.contactId !== null || lastAnswer.at !== at) return incident
  // Never later than it is now: a clock change in between moves only the current watch.
  return {
    ...incident,
    lastAnswer: before.lastAnswer,
    watch: { ...before.watch, at: Math.min(before.watch.at, watch.at) },
  }
}

/**
 * Alarms the others at once if no helper is left. After an alarm that a withdrawal began, the next one keeps the
 * distance of a re-alarm, and the distance doubles for a contact who withdrew before: nobody can alarm the others
 * without end by answering and withdrawing in turns, nor delay the news of another helper's withdrawal. Any other alarm
 * resets the distance.
 */
export function withdrawn(
  incident: Incident,
  { contactId, name }: { readonly contactId: string | null; readonly name: string | null },
  now: number,
): Incident {
  const quiet = withSkipped(incident, now, (row) => row.purpose === 'check_in' && row.contactId === contactId)
  if (isHelped(quiet)) return quiet
  const { cause, startedAt } = quiet.cascade
  const doublings = Math.max(0, withdrawalsOf(contactId, cause) - 1)
  const at = cause.by === 'withdrawal' ? Math.max(now, startedAt + doubledMs(quiet.settings, doublings)) : now
  return { ...quiet, lastAnswer: { at: now, contactId, name }, watch: { at, asked: true, withdrawn: true } }
}

/** Skips this contact's waiting messages, and brings the contacts whose first message is still ahead forward to now. */
function movedOn(incident: Incident, contactId: string, now: number): Incident {
  const settled = withSkipped(incident, now, (row) => isContactsOrMail(row) && row.contactId === contactId)
  const rows = settled.deliveries.filter((row) => isContactsOrMail(row) && row.round === settled.cascade.round)
  const isBegun = (row: Delivery): boolean => isContactsRow(row) && (!isWaiting(row) || row.tries > 0)
  const begun = new Set(rows.filter(isBegun).map((row) => row.contactId))
  const ahead = new Set(rows.filter((row) => !begun.has(row.contactId)))
  const first = Math.min(...[...ahead].map(({ dueAt }) => dueAt))
  const byMs = first - Math.max(now, settled.cascade.startedAt)
  if (ahead.size === 0 || byMs <= 0) return settled
  return {
    ...settled,
    deliveries: settled.deliveries.map((row) => (ahead.has(row) ? { ...row, dueAt: row.dueAt - byMs } : row)),
  }
}
