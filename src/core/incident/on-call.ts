import { MINUTE } from '../../lib/durations.ts'
import { onCallContactId } from '../account/fallback-contact.ts'
import { afterMs, inTurnAt, type OnCall, type OnCallPerson } from '../account/on-call.ts'
import { type AlarmPlan, isAlarmedLast, type PlannedContact } from './alarm-plan.ts'
import type { Step } from './decision.ts'
import { isAwaited, isContactsRow, joinCascade, planCascade, withPlanned } from './escalation.ts'
import type { Incident, IncidentContact } from './incident.ts'
import { positionAccess } from './position-access.ts'

/** People on call whom one incident alerts, one after the other as their duties change. */
const MAX_ALERTED = 5
/** The shortest time between two looks who is on duty. */
const LOOK_MS = 5 * MINUTE
/** Outside any round, so that it neither delays the end of the current one nor begins another. */
const NO_ROUND = 0

/** How long an alarm waits where no operator has the board open, and how often that is looked at. */
const UNWATCHED_MS = MINUTE
/** A board counts as open this long after its last sign: twice the time that a node may take to store it. */
const WATCHED_MS = 2 * MINUTE

/** An alarm of this plan waits, from its first message on, for somebody who takes it. */
export const awaitingOnCall = ({ onCall }: AlarmPlan, startedAt: number): Pick<Incident, 'onCall'> =>
  onCall === undefined ? {} : { onCall: { since: startedAt, nextAt: startedAt + UNWATCHED_MS } }

/** Whether this is somebody on call whose account has been disabled since. */
export const isDisabledOnCall = ({ contactId }: IncidentContact, { onCall }: AlarmPlan): boolean =>
  onCall?.list.people.some(({ id, isDisabled }) => isDisabled && onCallContactId(id) === contactId) ?? false

/**
 * When to look who is on duty (epoch ms); null: not while somebody helps or has taken it, in a drill, or where only
 * the board is told.
 */
export function onCallAt(incident: Incident): number | null {
  const { onCall, drill, few, contactActuator } = incident
  if (onCall === undefined || drill !== undefined || few === 'board' || contactActuator === null) return null
  return isAwaited(incident) ? onCall.nextAt : null
}

export const isOnCallDue = (incident: Incident, now: number): boolean =>
  (onCallAt(incident) ?? Number.POSITIVE_INFINITY) <= now

/**
 * Alerts the person on duty, once the alarm has waited long enough: less where nobody has the board open.
 * rules.md#on-call.
 */
export function withOnCall(incident: Incident, { onCall: plan }: AlarmPlan, now: number): Incident {
  if (incident.onCall === undefined || !isOnCallDue(incident, now)) return incident
  const { since, looked } = incident.onCall
  // An emptied list is a gap: somebody may be about to correct it.
  if (plan === undefined) return { ...incident, onCall: { ...incident.onCall, nextAt: now + LOOK_MS } }
  const { list: onCall, watchedAt } = plan
  const waitsUntil = since + afterMs(onCall)
  const isWatched = watchedAt !== null && Math.abs(now - watchedAt) < WATCHED_MS
  if (isWatched && now < waitsUntil) {
    return { ...incident, onCall: { ...incident.onCall, nextAt: Math.min(waitsUntil, now + UNWATCHED_MS) } }
  }
  const isFull = incident.contacts.filter((contact) => contact.onCall).length >= MAX_ALERTED
  const nextAt = isFull ? null : now + nextLookMs(onCall)
  const waiting: Incident = { ...incident, onCall: { since, nextAt, looked: true } }
  // At the first look, and for a likely false alarm, only the person on duty is woken.
  const asked = inTurnAt(onCall, now).slice(0, looked && incident.few === undefined ? undefined : 1)
  const person = asked.find((one) => !isAlarmedAlready(incident, one))
  return person === undefined || isFull ? waiting : alerting(waiting, person, now)
}

/** The next one is looked for at once where an outcome says that nothing has reached somebody on call. */
export function lookingOn(before: Incident, step: Step, now: number): Step {
  const { incident } = step
  const { onCall } = incident
  if (onCall === undefined || onCall.nextAt === null || onCall.nextAt <= now) return step
  const isNew = incident.contacts.some((one) => one.onCall && isUnreached(incident, one) && !isUnreached(before, one))
  return isNew ? { ...step, incident: { ...incident, onCall: { ...onCall, nextAt: now } } } : step
}

/** Every attempt has failed, and no other follows. */
function isUnreached({ deliveries }: Incident, { contactId }: IncidentContact): boolean {
  const own = deliveries.filter((row) => row.contactId === contactId && isContactsRow(row))
  return own.length > 0 && own.every(({ status }) => status === 'failed')
}

/** At the next look another one is alerted. */
const nextLookMs = (onCall: OnCall): number => Math.max(LOOK_MS, afterMs(onCall))

/**
 * Nobody is alerted twice for one alarm: they have been on duty before, or are a contact. A contact who gets nothing,
 * or does not see the position, does not count: otherwise naming their number as a contact could keep the alert away.
 */
const isAlarmedAlready = (incident: Incident, { id, phone }: OnCallPerson): boolean =>
  incident.contacts.some(
    (contact) =>
      contact.contactId === onCallContactId(id) ||
      (contact.phone === phone &&
        !contact.gone &&
        contact.stopped === undefined &&
        !isAlarmedLast(contact) &&
        positionAccess(incident, contact) === 'shown'),
  )

/**
 * The entry comes last, behind the fallback contact. While rounds go on, the alert is outside of them: a round of the
 * contacts neither waits for it nor ends later.
 */
function alerting(incident: Incident, person: OnCallPerson, now: number): Incident {
  const { settings, cascade, contacts, contactActuator, linkSecret } = incident
  const priority = Math.max(0, ...contacts.map((known) => known.priority)) + 1
  const entry: IncidentContact = {
    ...joinCascade({ ...plannedPerson(person), priority }, linkSecret),
    joined: { by: 'operator' },
    onCall: true,
  }
  const joined: Incident = {
    ...incident,
    ...(contacts.length === 0 && { openedAlone: true as const }),
    contacts: [...contacts, entry],
  }
  if (contactActuator === null) return joined
  const round = cascade.phase.name === 'exhausted' ? cascade.round : NO_ROUND
  const startAt = Math.max(now, cascade.startedAt)
  return withPlanned(joined, planCascade(settings, [entry], { round, startAt, ...contactActuator }), now)
}

const plannedPerson = ({ id, name, phone, language }: OnCallPerson): Omit<PlannedContact, 'priority'> => ({
  contactId: onCallContactId(id),
  name,
  phone,
  email: null,
  language,
})
