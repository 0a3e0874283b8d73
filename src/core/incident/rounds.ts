import { MINUTE } from '../../lib/durations.ts'
import { msOf, nthWait, persistMs, type Settings } from '../account/settings.ts'
import { isAhead } from './delivery.ts'
import { type Draft, isAwaited, isContactsRow, planCascade, withDrafts } from './escalation.ts'
import { isAmongFew } from './few.ts'
import { withoutOld } from './folding.ts'
import type { AlarmCause, Incident, IncidentContact, Realarms } from './incident.ts'

/**
 * Pauses between further rounds, once the rounds of the settings are used up without an answer. rules.md#persistence.
 */
const PAUSES_MS: readonly number[] = [15, 30, 60].map((minutes) => minutes * MINUTE)

/**
 * The contacts of an alarm: all but those removed before the last re-alarm, or only the few that it is restricted to.
 */
function presentContacts({ contacts, few }: Incident): readonly IncidentContact[] {
  const present = contacts.filter(({ gone }) => !gone)
  return few === undefined ? present : present.filter((contact) => isAmongFew(few, contact, present))
}

/** The contacts that a new round notifies: all present ones who have not stopped messages. */
export const toldContacts = (incident: Incident): readonly IncidentContact[] =>
  presentContacts(incident).filter(({ stopped }) => stopped === undefined)

/** Whether the contact has said that they can't help with the alarm of this round. rules.md#responses. */
export const isUnable = ({ response }: IncidentContact, { cascade }: Incident): boolean =>
  response?.kind === 'unable' && response.round === cascade.round

/** Whether an answer given at `at`, in round `round` if that was recorded, belongs to the current alarm. */
const isOfAlarm = ({ cascade }: Incident, at: number | null, round: number | undefined): boolean =>
  at !== null && (round === undefined ? cascade.round === 1 || at >= cascade.startedAt : round === cascade.round)

/** Whether the contact has answered the current alarm, one way or the other. */
export const hasAnswered = (contact: IncidentContact, incident: Incident): boolean =>
  isUnable(contact, incident) || isOfAlarm(incident, contact.acknowledgedAt, contact.answeredRound)

/**
 * Whether anyone but `except` has answered the current alarm and not withdrawn. A contact who answered an earlier one
 * may have fallen silent, and a removed one does not count. rules.md#responses.
 */
export const isHelped = (incident: Incident, except?: IncidentContact): boolean =>
  isOfAlarm(incident, incident.takenBy?.at ?? null, incident.takenBy?.round) ||
  toldContacts(incident).some(
    (contact) => contact !== except && isOfAlarm(incident, contact.acknowledgedAt, contact.answeredRound),
  )

const isDeclinedByAll = (incident: Incident): boolean => {
  const present = presentContacts(incident).filter(({ onCall }) => !onCall)
  return present.length > 0 && present.every((contact) => contact.stopped !== undefined || isUnable(contact, incident))
}

type Round = {
  readonly cause: AlarmCause
  readonly roundsLeft: number
  readonly pauses: number
  /** Notify all contacts immediately, regardless of the interval. */
  readonly atOnce: boolean
  readonly now: number
  readonly only?: (contact: IncidentContact) => boolean
  /** The contacts to notify before the others. */
  readonly leads?: (contact: IncidentContact) => boolean
}

/** Begins the next round of the cascade at `now`. Attempts that still wait move to it. */
export function beginRound(incident: Incident, round: Round): Incident {
  const { cause, roundsLeft, pauses, atOnce, now, only = () => true, leads = () => false } = round
  const settings = atOnce ? { ...incident.settings, contactIntervalSeconds: 0 } : incident.settings
  const next = { round: incident.cascade.round + 1, roundsLeft, pauses, startedAt: now, cause }
  const begun: Incident = {
    ...incident,
    cascade: { ...next, phase: { name: 'running' } },
    realarms: afterRound(incident.realarms, cause, now),
    folded: withoutOld(incident.folded, now),
  }
  if (incident.contactActuator === null) return begun
  const told = toldContacts(incident).filter(only)
  const first = told.filter(leads)
  const inOrder = [...first, ...told.filter((contact) => !first.includes(contact))]
  const drafts = plannedRound(settings, inOrder, { round: next.round, startAt: now, ...incident.contactActuator }).map(
    (draft) =>
      first.some(({ contactId }) => contactId === draft.contactId) ? { ...draft, leads: true as const } : draft,
  )
  return withDrafts(begun, drafts, now)
}

/** The person on call is alerted with the last contact, so that no round takes longer. rules.md#on-call. */
function plannedRound(
  settings: Settings,
  contacts: readonly IncidentContact[],
  round: Parameters<typeof planCascade>[2],
): readonly Draft[] {
  const onCall = contacts.filter((contact) => contact.onCall)
  if (onCall.length === 0) return planCascade(settings, contacts, round)
  const others = contacts.filter((contact) => !contact.onCall)
  const startAt = round.startAt + Math.max(0, others.length - 1) * msOf(settings.contactIntervalSeconds)
  return [
    ...(others.length === 0 ? [] : planCascade(settings, others, round)),
    ...planCascade({ ...settings, contactIntervalSeconds: 0 }, onCall, { ...round, startAt }),
  ]
}

/**
 * The distance to the next re-alarm is measured from the start of the round. A round that the owner did not trigger
 * leaves the owner's track alone. rules.md#re-alarm.
 */
const afterRound = ({ owner, relay }: Realarms, { by }: AlarmCause, now: number): Realarms => ({
  owner: by === 'owner' ? { ...owner, since: now } : owner,
  relay: { ...relay, since: now },
})

/**
 * Continues after a round without an answer: the next round at once, as often as `rounds` allows, then further rounds
 * with growing pauses until `persistHours` after the last alert. rules.md#persistence. `unanswered`: whether the last
 * round of either kind has just ended.
 */
export function nextRound(incident: Incident, now: number): { incident: Incident; unanswered: boolean } {
  const { cascade, contactActuator } = incident
  const { phase, roundsLeft, pauses } = cascade
  const isOver = phase.name === 'ending' && phase.endsAt <= now
  const isPauseOver = phase.name === 'pausing' && phase.nextAt <= now
  if (!isAwaited(incident) || (!isOver && !isPauseOver)) return { incident, unanswered: false }
  const hasTargets = toldContacts(incident).length > 0 && contactActuator !== null
  const round = { cause: cascade.cause, atOnce: false, now }
  if (isPauseOver)
    return { incident: beginRound(incident, { ...round, roundsLeft, pauses: pauses + 1 }), unanswered: false }
  if (hasTargets && roundsLeft > 0) {
    return { incident: beginRound(incident, { ...round, roundsLeft: roundsLeft - 1, pauses }), unanswered: false }
  }
  const nextAt = now + nthWait(PAUSES_MS, pauses + 1)
  const persists = hasTargets && nextAt <= incident.lastAlertAt + persistMs(incident.settings)
  const waiting: Incident = {
    ...incident,
    cascade: { ...cascade, phase: persists ? { name: 'pausing', nextAt } : { name: 'exhausted' } },
  }
  return { incident: waiting, unanswered: contactActuator !== null && (pauses === 0 || !persists) }
}

/**
 * `incident` with its cascade phase updated: `running` while something is ahead, then `ending` for one acknowledgement
 * time-out after the round's last attempt, or at once if every contact has said that they can't help. rules.md#rounds.
 */
export function withPhase(incident: Incident, now: number): Incident {
  const { cascade } = incident
  if (!isAwaited(incident)) return incident
  const rows = incident.deliveries.filter((row) => isContactsRow(row) && row.round === cascade.round)
  if (rows.some(isAhead)) {
    return cascade.phase.name === 'running'
      ? incident
      : { ...incident, cascade: { ...cascade, phase: { name: 'running' } } }
  }
  const isOver = isDeclinedByAll(incident)
  if (cascade.phase.name === 'ending' ? !isOver || cascade.phase.endsAt <= now : cascade.phase.name !== 'running') {
    return incident
  }
  // The last step ahead has just left: its attempt was made now, whichever clock dated the earlier ones.
  const endsAt = Math.max(cascade.startedAt, now) + (isOver ? 0 : msOf(incident.settings.ackTimeoutSeconds))
  return { ...incident, cascade: { ...cascade, phase: { name: 'ending', endsAt } } }
}
