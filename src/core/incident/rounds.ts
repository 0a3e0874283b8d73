import { MINUTE } from '../ingest/event-time.ts'
import { isAhead } from './delivery.ts'
import { isAwaited, isContactsRow, planCascade, withDrafts } from './escalation.ts'
import { withoutOld } from './folding.ts'
import type { AlarmCause, Incident, IncidentContact, Realarms } from './incident.ts'
import { msOf, nthWait, persistMs } from './settings.ts'

/**
 * How long after a round nobody answered the next one follows, when the rounds of the settings are over.
 * rules.md#persistence.
 */
const PAUSES_MS: readonly number[] = [15, 30, 60].map((minutes) => minutes * MINUTE)

/** Whom a new round tells: everybody but those who were removed before the last re-alarm. */
export const toldContacts = ({ contacts }: Incident): readonly IncidentContact[] => contacts.filter(({ gone }) => !gone)

type Round = {
  readonly cause: AlarmCause
  readonly roundsLeft: number
  readonly pauses: number
  /** Every contact at once, whatever the interval. */
  readonly atOnce: boolean
  readonly now: number
  readonly only?: (contact: IncidentContact) => boolean
}

/** Begins the next round of the cascade at `now`. An attempt that still waits goes over to it. */
export function beginRound(incident: Incident, round: Round): Incident {
  const { cause, roundsLeft, pauses, atOnce, now, only = () => true } = round
  const settings = atOnce ? { ...incident.settings, contactIntervalSeconds: 0 } : incident.settings
  const next = { round: incident.cascade.round + 1, roundsLeft, pauses, startedAt: now, cause }
  const begun: Incident = {
    ...incident,
    cascade: { ...next, phase: { name: 'running' } },
    realarms: afterRound(incident.realarms, cause, now),
    folded: withoutOld(incident.folded, now),
  }
  if (incident.contactActuator === null) return begun
  const { httpChannel } = incident.contactActuator
  const drafts = planCascade(settings, toldContacts(incident).filter(only), {
    round: next.round,
    startAt: now,
    httpChannel,
  })
  return withDrafts(begun, drafts, now)
}

/**
 * The distance to the next re-alarm begins with the round. One that no press of the owner began moves nothing of
 * theirs. rules.md#re-alarm.
 */
const afterRound = ({ owner, relay }: Realarms, { by }: AlarmCause, now: number): Realarms => ({
  owner: by === 'owner' ? { ...owner, since: now } : owner,
  relay: { ...relay, since: now },
})

/**
 * What follows a round without an answer: the next one at once, as often as `rounds` says; then further ones with
 * growing pauses, until `persistHours` after the last alert. rules.md#persistence. `unanswered`: the last round of
 * either has just ended.
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
 * `incident` with the phase of its cascade brought up to date: running while something is ahead, then ending one
 * acknowledgement time-out after the round's last attempt. rules.md#rounds.
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
  if (cascade.phase.name !== 'running') return incident
  // What was ahead has just ceased to be: the last attempt was made now, on whichever clock its forerunners were.
  const endsAt = Math.max(cascade.startedAt, now) + msOf(incident.settings.ackTimeoutSeconds)
  return { ...incident, cascade: { ...cascade, phase: { name: 'ending', endsAt } } }
}
