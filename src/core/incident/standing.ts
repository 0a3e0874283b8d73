import { type Channel, hasTarget, isReached, mayBeReached } from './delivery.ts'
import { isAwaited, isContactsRow } from './escalation.ts'
import { type ContactResponse, type Incident, isOpen } from './incident.ts'
import { isHelped, isUnable, toldContacts } from './rounds.ts'

/**
 * The urgency of an incident, which orders a board. 0: no message has got through and nobody answered. 1: nobody
 * answered. 2: those who answered cannot help, or their answer is overdue. 3: a contact helps. 4: an operator has taken
 * it. 5: closed. rules.md#standing.
 */
export type Urgency = 0 | 1 | 2 | 3 | 4 | 5

/** The last answer that still stands. `overdue`: its helper was asked again, or a newer alarm has no answer yet. */
export type StandingAnswer = {
  readonly by: { readonly kind: 'contact' | 'operator'; readonly name: string | null }
  readonly kind: 'acknowledged' | Exclude<ContactResponse['kind'], 'unable'>
  readonly etaMinutes?: number
  readonly at: number
  readonly overdue: boolean
}

/**
 * Whether a message of this incident reached one of its contacts: a provider took it, and has not reported a failure.
 */
export const isDelivered = ({ deliveries, folded }: Incident): boolean =>
  deliveries.some((row) => isContactsRow(row) && hasTarget(row) && isReached(row)) ||
  folded.some(({ actuator, told }) => actuator === 'emergency_contacts' && told)

/** Whether one of its contacts may know of it: told, or the outcome is unknown. rules.md#all-clear. */
export const mayBeKnown = ({ deliveries, folded }: Incident): boolean =>
  deliveries.some((row) => isContactsRow(row) && hasTarget(row) && mayBeReached(row)) ||
  folded.some(({ actuator, told, mayHaveArrived }) => actuator === 'emergency_contacts' && (told || mayHaveArrived))

/** The answer that a board shows: the operator's, else the newest of a contact. Null while nobody helps. */
export function answerOf(incident: Incident): StandingAnswer | null {
  const { takenBy, watch } = incident
  const isLate = isAwaited(incident) || !isHelped(incident) || (watch?.asked === true && watch.withdrawn !== true)
  const overdue = isOpen(incident) && isLate
  if (takenBy) return { by: { kind: 'operator', name: takenBy.name }, kind: 'acknowledged', at: takenBy.at, overdue }
  const helpers = toldContacts(incident).flatMap(({ name, acknowledgedAt, response }) =>
    acknowledgedAt === null ? [] : { name, at: acknowledgedAt, response },
  )
  const [newest] = helpers.toSorted((a, b) => b.at - a.at)
  if (newest === undefined) return null
  const by = { kind: 'contact', name: newest.name } as const
  const { response, at } = newest
  if (response === undefined || response.kind === 'unable') return { by, kind: 'acknowledged', at, overdue }
  const { round: _, at: promisedAt, ...promise } = response
  return { by, ...promise, at: Math.max(at, promisedAt), overdue }
}

/** Open, and not yet opened on a screen or taken by an operator. rules.md#standing. */
export const isNew = (incident: Incident): boolean => isOpen(incident) && !incident.seen && !incident.takenBy

/**
 * The first message to a contact as long as none was tried, with its due time (epoch ms): until then nobody can have
 * been reached, and nothing has failed. Null after the first try, and if there is nobody to tell.
 */
export function firstMessageOf(incident: Incident): { readonly channel: Channel; readonly at: number } | null {
  if (!isOpen(incident) || incident.held || answerOf(incident) !== null) return null
  if (incident.folded.some(({ actuator }) => actuator === 'emergency_contacts')) return null
  const rows = incident.deliveries.filter((row) => isContactsRow(row) && hasTarget(row) && row.status !== 'skipped')
  if (rows.some(({ status, error, tries }) => status !== 'scheduled' || error !== null || tries > 0)) return null
  const [first] = rows.toSorted((a, b) => a.dueAt - b.dueAt)
  return first === undefined ? null : { channel: first.channel, at: first.dueAt }
}

/** rules.md#standing. */
export function urgencyOf(incident: Incident): Urgency {
  if (!isOpen(incident)) return 5
  const answer = answerOf(incident)
  const isUnanswered = answer === null || isAwaited(incident)
  if (isUnanswered) {
    if (!isDelivered(incident)) return 0
    return incident.contacts.some((contact) => isUnable(contact, incident)) ? 2 : 1
  }
  if (answer.overdue) return 2
  return answer.by.kind === 'operator' ? 4 : 3
}
