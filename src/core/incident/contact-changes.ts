import { createHash } from 'node:crypto'
import { isFallback } from '../account/fallback-contact.ts'
import { msOf } from '../account/settings.ts'
import type { PlannedContact } from './alarm-plan.ts'
import type { Command } from './command.ts'
import { type Delivery, isReached, isWaiting, mayBeReached } from './delivery.ts'
import {
  type Draft,
  isAwaited,
  isContactsOrMail,
  isContactsRow,
  joinCascade,
  planCascade,
  withPlanned,
  withSkipped,
} from './escalation.ts'
import { type Incident, type IncidentContact, isOpen, type Joined } from './incident.ts'
import { awaitsPosition, isOfOpening, isRemoved, isTold, positionAccess, strangerMark } from './position-access.ts'

type Adding = Omit<Extract<Command, { type: 'addContact' | 'updateContact' }>, 'type'>
type Changer = Pick<Adding, 'bySession' | 'byOperator' | 'now'>
type Removing = Omit<Extract<Command, { type: 'removeContact' }>, 'type'>
type Showing = Omit<Extract<Command, { type: 'showPosition' }>, 'type'>

/**
 * Bounds an incident's contacts, so that adding and removing them endlessly cannot grow it. The next re-alarm takes the
 * contacts of that time.
 */
const MAX_CONTACTS = 20
/** Bounds the contacts recorded in `admitted`: an operator added them while nobody was being alarmed. */
const MAX_ADMITTED = 20

/**
 * A contact added while the incident is active joins at the end, before the fallback contact and removed contacts. If
 * the cascade has already passed that place, the contact is notified immediately. rules.md#corrections,
 * rules.md#fallback-contact.
 */
export function addContact(incident: Incident, { contact, bySession, now }: Adding): Incident {
  const { contacts, contactActuator } = incident
  if (!isOpen(incident) || contacts.some((known) => known.contactId === contact.contactId)) return incident
  const noted = bySession ? withChangeNoted(incident, now) : incident
  if (incident.state.status !== 'active' || contactActuator === null || contacts.length >= MAX_CONTACTS) {
    return bySession || isFallback(contact) ? noted : admitting(incident, contact)
  }
  return joining(noted, contact, { joined: { by: bySession ? 'session' : 'operator' } }, now)
}

function admitting(incident: Incident, { contactId, phone }: PlannedContact): Incident {
  const { admitted = [] } = incident
  if (admitted.some((known) => known.contactId === contactId)) return incident
  return { ...incident, admitted: [...admitted, { contactId, phone }].slice(-MAX_ADMITTED) }
}

/** Whether an operator admitted the contact, but with another number than it has now. */
const isOtherThanAdmitted = ({ admitted = [] }: Incident, { contactId, phone }: PlannedContact): boolean =>
  admitted.some((known) => known.contactId === contactId && known.phone !== phone)

type Mark = { readonly joined: Joined; readonly correctionOf?: string }

/** Adds an entry to the end of the contacts, and alarms it if the others are still being alarmed. */
function joining(incident: Incident, contact: PlannedContact, mark: Mark, now: number): Incident {
  const { settings, cascade, contacts, contactActuator } = incident
  const fallback = contacts.findIndex(isFallback)
  const place = fallback === -1 ? contacts.length : fallback
  const behind = contacts.slice(place).map((known) => ({ ...known, priority: known.priority + 1 }))
  const ahead = contacts.slice(0, place)
  const priority = Math.max(0, ...ahead.map((known) => known.priority)) + 1
  const entry: IncidentContact = { ...joinCascade({ ...contact, priority }, incident.linkSecret), ...mark }
  const joined: Incident = {
    ...incident,
    ...(contacts.length === 0 && { openedAlone: true as const }),
    contacts: [...ahead, entry, ...behind],
  }
  if (contactActuator === null || !isAwaited(incident)) return joined
  // A corrected number is already late: its contact's turn has come.
  const waitMs = mark.correctionOf === undefined ? place * msOf(settings.contactIntervalSeconds) : 0
  const startAt = Math.max(now, cascade.startedAt + waitMs)
  return withPlanned(joined, planCascade(settings, [entry], { round: cascade.round, startAt, ...contactActuator }), now)
}

/** A contact's entries: the original one, and one for each corrected number, the newest last. */
export const entriesOf = (incident: Pick<Incident, 'contacts'>, contactId: string): readonly IncidentContact[] =>
  incident.contacts.filter((known) => known.contactId === contactId || known.correctionOf === contactId)

/**
 * Applies a contact's corrected name, number and language. The entry keeps its place. A corrected number of one of the
 * user's contacts gets an entry of its own if the old one has already been alarmed. rules.md#corrections.
 */
export function updateContact(incident: Incident, { contact, ...by }: Adding): Incident {
  const { bySession, byOperator, now } = by
  const entries = isOpen(incident) ? entriesOf(incident, contact.contactId) : []
  // After a re-alarm, abandoned numbers come after the one that is alarmed.
  const current = entries.findLast(({ gone }) => !gone) ?? entries.at(-1)
  if (current === undefined) {
    if (byOperator && isOpen(incident)) return admittedAt(incident, contact)
    return bySession && isOpen(incident) && isOtherThanAdmitted(incident, contact)
      ? withChangeNoted(incident, now)
      : incident
  }
  const named = withDetails(incident, entries, contact)
  const same = entries.find(({ phone }) => phone === contact.phone)
  if (same !== undefined) return same.gone ? backIn(named, same.contactId, now) : named
  if (!bySession && !byOperator) return withNumber(named, current.contactId, contact, {})
  return withOtherNumber(bySession ? withChangeNoted(named, now) : named, current, contact, by)
}

/** The new number of a contact whom an operator added while nobody was being alarmed. */
function admittedAt(incident: Incident, contact: PlannedContact): Incident {
  if (!isOtherThanAdmitted(incident, contact)) return incident
  const { contactId, phone } = contact
  const { admitted = [] } = incident
  return { ...incident, admitted: admitted.map((one) => (one.contactId === contactId ? { contactId, phone } : one)) }
}

/**
 * Updates name and language in every entry of the contact, and the contact's own statements in those with this number.
 * The mail address stays: somebody else may hold the person's phone. rules.md#email.
 */
function withDetails(incident: Incident, entries: readonly IncidentContact[], contact: PlannedContact): Incident {
  const { name, phone, language } = contact
  const isChanged = (known: IncidentContact): boolean =>
    entries.includes(known) &&
    (known.name !== name ||
      known.language !== language ||
      (known.phone === phone && known.isStranger !== strangerMark(known, contact).isStranger))
  if (!incident.contacts.some(isChanged)) return incident
  const contacts = incident.contacts.map((known) => {
    if (!isChanged(known)) return known
    if (known.phone !== phone) return { ...known, name, language }
    const { isStranger: _, ...rest } = known
    return { ...rest, name, language, ...strangerMark(known, contact) }
  })
  return { ...incident, contacts }
}

function withNumber(
  incident: Incident,
  entryId: string,
  { phone, isStranger, isConfirmed }: PlannedContact,
  mark: Partial<Mark>,
): Incident {
  const contacts = incident.contacts.map((known) => {
    if (known.contactId !== entryId) return known
    const { isStranger: _, isConfirmed: __, ...rest } = known
    return { ...rest, phone, ...(isStranger && { isStranger }), ...(isConfirmed && { isConfirmed }), ...mark }
  })
  return { ...incident, contacts }
}

/** Alarms only the new number if the old one was never tried or every try failed; otherwise both. */
function withOtherNumber(
  incident: Incident,
  current: IncidentContact,
  contact: PlannedContact,
  { byOperator, now }: Changer,
): Incident {
  const joined: Joined = { by: byOperator ? 'operator' : 'session' }
  const attempts = attemptsAt(incident, current.contactId)
  const isFull = incident.contacts.length >= MAX_CONTACTS && current.correctionOf !== undefined
  // A contact of the opening stays one if an operator vouches for the number.
  const stays = byOperator === true && isOfOpening(current)
  if (attempts === 'none' || isFull) return withNumber(incident, current.contactId, contact, stays ? {} : { joined })
  const entryId = correctedId(contact.contactId, contact.phone)
  const mark = { joined, correctionOf: contact.contactId }
  const left = attempts === 'failed' ? without(incident, current.contactId, now) : incident
  const hasMail = attempts === 'begun' || isMailed(incident, current.contactId)
  const email = hasMail && contact.email === current.email ? null : contact.email
  return joining(left, { ...contact, contactId: entryId, email }, mark, now)
}

/**
 * The progress of the alarm at this entry. An unknown outcome counts as begun: when in doubt, the alarm goes on. So
 * does an answer, however the contact heard of the alarm: a helper on the way keeps the link and its content.
 */
function attemptsAt(incident: Incident, entryId: string): 'none' | 'begun' | 'failed' {
  const { deliveries, folded, contacts } = incident
  if (contacts.some((known) => known.contactId === entryId && known.acknowledgedAt !== null)) return 'begun'
  const rows = deliveries.filter(
    (row) => isContactsRow(row) && row.contactId === entryId && (row.channel === 'sms' || row.channel === 'voice'),
  )
  const earlier = folded.filter((entry) => entry.contactId === entryId && entry.actuator === 'emergency_contacts')
  const isBegun = (row: Delivery): boolean => row.claim !== null || row.repeats !== undefined || isReached(row)
  if (rows.some(isBegun) || earlier.some(({ told }) => told)) return 'begun'
  const isTried = (row: Delivery): boolean => row.status === 'failed' || row.tries > 0
  return rows.some(isTried) || earlier.some(({ count }) => count > 0) ? 'failed' : 'none'
}

/** Whether a mail has left for this entry, or may have. */
const isMailed = ({ deliveries, folded }: Incident, entryId: string): boolean =>
  deliveries.some(
    (row) => row.channel === 'email' && row.contactId === entryId && (row.claim !== null || mayBeReached(row)),
  ) || folded.some(({ channel, contactId, told }) => channel === 'email' && contactId === entryId && told)

/** Stops messages to an unreachable number; its link stays as it was. */
function without(incident: Incident, entryId: string, now: number): Incident {
  const settled = withSkipped(incident, now, (row) => isContactsOrMail(row) && row.contactId === entryId)
  const contacts = settled.contacts.map((known) =>
    known.contactId === entryId ? { ...known, gone: true as const } : known,
  )
  return { ...settled, contacts }
}

/** Reinstates a number that was right after all. */
function backIn(incident: Incident, entryId: string, now: number): Incident {
  const { settings, cascade, contactActuator } = incident
  const contacts = incident.contacts.map((known) => {
    const { gone, ...rest } = known
    return known.contactId === entryId && gone ? rest : known
  })
  const back = { ...incident, contacts }
  if (contactActuator === null || !isAwaited(incident)) return back
  const startAt = Math.max(now, cascade.startedAt)
  const entry = contacts.filter((known) => known.contactId === entryId)
  const isMailedToo = isMailed(incident, entryId)
  const drafts = planCascade(settings, entry, { round: cascade.round, startAt, ...contactActuator }).filter(
    ({ channel }) => channel !== 'email' || !isMailedToo,
  )
  const isAlarmed = incident.deliveries.some(
    (row) => isContactsRow(row) && row.contactId === entryId && (isWaiting(row) || row.claim !== null),
  )
  return isAlarmed ? back : withPlanned(back, drafts, now)
}

/**
 * Marks a contact as removed; it stays in the incident until the next re-alarm. Access afterwards:
 * rules.md#position-access.
 */
export function removeContact(incident: Incident, { contactId, byOperator, now }: Removing): Incident {
  const isIt = (known: IncidentContact): boolean =>
    (known.contactId === contactId || known.correctionOf === contactId) && known.removedAt === undefined
  const isAdmitted = incident.admitted?.some((known) => known.contactId === contactId) === true
  if (!isOpen(incident) || (!isAdmitted && !incident.contacts.some(isIt))) return incident
  const mark = { removedAt: now, ...(byOperator && { removedByOperator: byOperator }) }
  const contacts = incident.contacts.map((known) => (isIt(known) ? { ...known, ...mark } : known))
  return byOperator ? { ...incident, contacts } : withChangeNoted({ ...incident, contacts }, now)
}

/** Shows the position to a contact who joined, if an operator allows it or an original contact who sees it. */
export function showPosition(incident: Incident, { contactId, by, name, now }: Showing): Incident {
  const waits = (one: IncidentContact): boolean => awaitsPosition(incident, one) && !isRemoved(one)
  if (!isOpen(incident) || !incident.contacts.some((one) => one.contactId === contactId && waits(one))) return incident
  const giver = incident.contacts.find((known) => known.contactId === by)
  if (by !== null && !(giver !== undefined && mayShow(incident, giver))) return incident
  const shown = { at: now, contactId: by, name: giver?.name ?? name ?? null }
  const contacts = incident.contacts.map((known) =>
    known.contactId === contactId && known.joined !== undefined
      ? { ...known, joined: { ...known.joined, shown } }
      : known,
  )
  return { ...incident, contacts }
}

/** Whether this contact may let others see the position. */
export const mayShow = (incident: Incident, contact: IncidentContact): boolean =>
  isOfOpening(contact) && positionAccess(incident, contact) === 'shown'

/**
 * Tells chat, and the original contacts who have the alarm already, of the first change by the user's own session. It
 * is told once an incident; boards and pages show it. rules.md#position-access.
 */
function withChangeNoted(incident: Incident, now: number): Incident {
  if (incident.contactsChangedAt !== undefined) return incident
  return { ...withNews(incident, 'contacts_changed', now), contactsChangedAt: now }
}

/** Notes that the user's own session changes name, number or devices, and tells the same people, once an incident. */
export function changeAccount(incident: Incident, { who, now }: { who: string; now: number }): Incident {
  if (!isOpen(incident) || incident.accountChanged !== undefined) return incident
  return { ...withNews(incident, 'account_changed', now), accountChanged: { at: now, who } }
}

function withNews(incident: Incident, purpose: 'contacts_changed' | 'account_changed', now: number): Incident {
  const { round, startedAt } = incident.cascade
  const row = { purpose, round, dueAt: Math.max(now, startedAt) } as const
  const chat = incident.integrations.filter((channel) => channel === 'chat')
  const told = incident.contacts.filter((contact) => mayShow(incident, contact) && isTold(incident, contact))
  const drafts: readonly Draft[] = [
    ...chat.map((channel) => ({ ...row, actuator: channel, channel, contactId: null })),
    ...told.map(({ contactId }) => ({
      ...row,
      actuator: 'emergency_contacts' as const,
      channel: 'sms' as const,
      contactId,
    })),
  ]
  return withPlanned(incident, drafts, now)
}

/** A name-based UUID (version 5), so that the same number of the same contact is the same entry. */
function correctedId(contactId: string, phone: string): string {
  const hex = createHash('sha256').update(`${contactId} ${phone}`).digest('hex').slice(0, 32)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)]
  return parts.join('-')
}
