import type { Command } from './command.ts'
import { reckonedAnew, restored, resumed, shifted } from './deadlines.ts'
import type { Decision, Situation, Step, Verdict } from './decision.ts'
import { type Channel, type Delivery, isAhead, isWaiting } from './delivery.ts'
import {
  claimAt,
  contactsOfRound,
  isAwaited,
  isWorthAsking,
  joinCascade,
  missingAllClears,
  planCascade,
  QUIET_MS,
  withPhase,
  withPlanned,
  withRound,
  withSkipped,
} from './escalation.ts'
import { incidentEvent } from './event.ts'
import { MINUTE } from './event-time.ts'
import { type Incident, type IncidentState, isOpen } from './incident.ts'
import { withOutcome, withReceipt } from './outcome.ts'
import { raise } from './raise.ts'
import { autoResolveMs, msOf } from './settings.ts'
import { itemsOf } from './snapshot.ts'

const nothing = (incident: Incident | null, verdict: Verdict = 'unchanged'): Decision => ({
  verdict,
  incident,
  events: [],
  claimed: [],
  unsure: [],
  asked: [],
  exhausted: false,
})

/**
 * The one rule book of incidents: what a command makes of a situation. Pure and synchronous. A command that does not apply (any more)
 * leaves everything as it is. Spec, States and transitions; Decisions 3 and 4.
 */
export function decide(situation: Situation, command: Command): Decision {
  const { incident } = situation
  if (command.type === 'raise') {
    const raised = raise(situation, command)
    if ('repeatOf' in raised) return nothing(raised.repeatOf, 'repeated')
    // A closed incident is not what came before a new one: there is nothing to compare its plan with.
    return finished(raised.verdict === 'opened' ? null : incident, raised, command.now)
  }
  if (incident === null) return nothing(null)
  return finished(incident, step(incident, command), command.now)
}

function step(incident: Incident, command: Exclude<Command, { type: 'raise' }>): Step {
  const { now } = command
  switch (command.type) {
    case 'acknowledge':
      return acknowledge(incident, command.contactId, now)
    case 'cancel':
      return close(incident, 'cancelled', now)
    case 'resolve':
      return close(incident, 'resolved', now)
    case 'addContact':
      return addContact(incident, command)
    case 'proceed':
      return proceed(incident, now, { inFlight: new Set(command.inFlight), queued: command.queued ?? [] })
    case 'begin':
      return begin(incident, command.attemptId, now)
    case 'recordOutcome':
      return withOutcome(incident, command)
    case 'recordReceipt':
      return withReceipt(incident, command)
    case 'shiftDeadlines':
      return { incident: shifted(incident, command.byMs) }
    case 'reckonAnew':
      return { incident: reckonedAnew(incident, command) }
    case 'restore':
      return { incident: restored(incident, now) }
    case 'resume':
      return { incident: resumed(incident, now) }
    default:
      return command satisfies never
  }
}

/**
 * Completes a step: brings the cascade's phase up to date, adds the all-clears that are due, and counts one snapshot version if
 * anything that the snapshot shows has changed. Changes committed together share one version and one `sos.actuator_update`.
 */
function finished(before: Incident | null, taken: Step, now: number): Decision {
  const { verdict = taken.incident === before ? 'unchanged' : 'changed' } = taken
  const { claimed = [], unsure = [], asked = [], exhausted = false } = taken
  if (taken.incident === before) return { ...nothing(before, verdict), claimed, unsure, asked, exhausted }
  let incident = withPhase(withPlanned(taken.incident, missingAllClears(taken.incident, now), now), now)
  const types = [...(taken.events ?? [])]
  const shown = before !== null && showsChange(before, incident)
  // A restored one has gone on by far more already.
  if (shown && incident.snapshotVersion === before.snapshotVersion) {
    incident = { ...incident, snapshotVersion: incident.snapshotVersion + 1 }
    types.push('sos.actuator_update')
  }
  if (types.length > 0) incident = { ...incident, updatedAt: now }
  const changed = incident
  return {
    verdict,
    incident: changed,
    events: types.map((type) => incidentEvent(type, changed)),
    claimed,
    unsure,
    asked,
    exhausted,
  }
}

const showsChange = (before: Incident, after: Incident): boolean =>
  (before.deliveries !== after.deliveries || before.contacts !== after.contacts) &&
  JSON.stringify(itemsOf(before)) !== JSON.stringify(itemsOf(after))

/**
 * A contact answers. The first answer acknowledges the incident; every answer ends the cascade, also one that a re-alarm has begun
 * again. Chat and webhook still go out. Decisions 3.
 */
function acknowledge(incident: Incident, contactId: string, now: number): Step {
  const contact = incident.contacts.find((known) => known.contactId === contactId)
  if (contact === undefined || !isOpen(incident)) return { incident }
  if (contact.acknowledgedAt !== null && !isAwaited(incident)) return { incident }
  const first = incident.state.status === 'active'
  const state: IncidentState = first ? { status: 'acknowledged', acknowledgedAt: now, closedAt: null } : incident.state
  const answered: Incident = {
    ...incident,
    state,
    contacts: incident.contacts.map((known) => (known === contact ? { ...known, acknowledgedAt: now } : known)),
    cascade: { ...incident.cascade, phase: { name: 'answered' } },
  }
  return {
    incident: withSkipped(answered, now, (row) => row.actuator === 'emergency_contacts'),
    events: first ? ['acknowledged'] : [],
  }
}

/** Cancel and resolve skip everything pending. Spec, Incident status. */
function close(incident: Incident, status: 'cancelled' | 'resolved', now: number): Step {
  if (!isOpen(incident)) return { incident }
  const state: IncidentState = { status, acknowledgedAt: incident.state.acknowledgedAt, closedAt: now }
  return { incident: withSkipped({ ...incident, state }, now, (row) => row.purpose === 'alarm'), events: [status] }
}

/** A contact added while the incident is active joins at the end, at once where the cascade has passed that place. Decisions 3, 7. */
function addContact(incident: Incident, { contact, now }: Extract<Command, { type: 'addContact' }>): Step {
  if (incident.state.status !== 'active' || incident.contactActuator === null) return { incident }
  if (incident.contacts.some((known) => known.contactId === contact.contactId)) return { incident }
  const { settings, cascade } = incident
  const place = incident.contacts.length
  const priority = Math.max(0, ...incident.contacts.map((known) => known.priority)) + 1
  const startAt = Math.max(now, cascade.startedAt + place * msOf(settings.contactIntervalSeconds))
  const drafts = planCascade(settings, [contact], {
    round: cascade.round,
    startAt,
    httpChannel: incident.contactActuator.httpChannel,
  })
  const joined = {
    ...incident,
    contacts: [...incident.contacts, joinCascade({ ...contact, priority }, incident.linkSecret)],
  }
  return { incident: withPlanned(joined, drafts, now) }
}

/**
 * Does what is due at `now`: resolves a forgotten incident, begins the next round, claims due attempts, and names those whose claim
 * got no outcome and those whose receipt is overdue. The claim and the check that the attempt is still wanted are one step: acknowledging and closing have skipped
 * what was waiting in the very commit that changed the status.
 */
function proceed(
  before: Incident,
  now: number,
  { inFlight, queued }: { readonly inFlight: ReadonlySet<string>; readonly queued: readonly Channel[] },
): Step {
  if (before.held) return { incident: before }
  const forgotten = isOpen(before) && before.autoResolveAt <= now
  if (forgotten && !owesAlarms(before)) return close(before, 'resolved', now)
  const kept = forgotten ? { ...before, autoResolveAt: now + autoResolveMs(before.settings) } : before
  const { incident, exhausted } = nextRound(kept, now)
  const claimed: Delivery[] = []
  const unsure: Delivery[] = []
  const asked: Delivery[] = []
  const claim = (row: Delivery, repeats: number): Delivery => {
    const taken = { ...row, claim: claimAt(now, repeats, queued.includes(row.channel)) }
    claimed.push(taken)
    return taken
  }
  const deliveries = incident.deliveries.map((row) => {
    if (row.status === 'sent' && (row.askAt ?? Number.POSITIVE_INFINITY) <= now) {
      if (!inFlight.has(row.id)) asked.push(row)
      return { ...row, askAt: isWorthAsking(row, now) ? now + ASK_AGAIN_MS : null }
    }
    if (row.claim === null) {
      if (row.status !== 'scheduled' || row.dueAt > now) return row
      // Spec, Actuator status lifecycle: no target exists.
      if (row.channel === 'sms' && row.contactId === null) return { ...row, status: 'skipped' as const, updatedAt: now }
      return claim(row, 0)
    }
    if (row.claim.checkAt > now) return row
    // Nothing of it left the process that it waited in: there is nothing to look up.
    if (row.claim.queued && !inFlight.has(row.id)) return claim(row, row.claim.repeats)
    const checked = { ...row, claim: { ...row.claim, checkAt: now + QUIET_MS } }
    if (!inFlight.has(row.id)) unsure.push(checked)
    return checked
  })
  const touched = deliveries.some((row, place) => row !== incident.deliveries[place])
  return { incident: touched ? { ...incident, deliveries } : incident, claimed, unsure, asked, exhausted }
}

/** Without a way to find out, a provider is asked again after this long. */
const ASK_AGAIN_MS = MINUTE

/** What waited for its turn is sent, unless it was skipped meanwhile or its incident came back with a restored file. */
function begin(incident: Incident, attemptId: string, now: number): Step {
  const row = incident.deliveries.find((delivery) => delivery.id === attemptId)
  if (incident.held || row === undefined || row.status !== 'scheduled' || !row.claim?.queued) return { incident }
  const begun = { ...row, claim: claimAt(now, row.claim.repeats, false) }
  return {
    incident: { ...incident, deliveries: incident.deliveries.map((other) => (other === row ? begun : other)) },
    claimed: [begun],
  }
}

/**
 * Whether something that was due before the automatic resolution never began: the machine was off. Resolving now would silence an
 * SOS that nobody has heard of, so it goes out first and the incident gets its full hours again.
 */
const owesAlarms = ({ deliveries, autoResolveAt }: Incident): boolean =>
  deliveries.some((row) => isAhead(row) && isWaiting(row) && row.dueAt < autoResolveAt)

/** Decisions 3: a cascade that ended without an acknowledgement runs once more, as often as `rounds` says. */
function nextRound(incident: Incident, now: number): { incident: Incident; exhausted: boolean } {
  const { cascade, contactActuator } = incident
  if (!isOpen(incident) || cascade.phase.name !== 'ending' || cascade.phase.endsAt > now) {
    return { incident, exhausted: false }
  }
  const contacts = contactsOfRound(incident)
  if (cascade.roundsLeft === 0 || contacts.length === 0 || contactActuator === null) {
    const over: Incident = { ...incident, cascade: { ...cascade, phase: { name: 'exhausted' } } }
    return { incident: over, exhausted: contactActuator !== null }
  }
  const next = { round: cascade.round + 1, roundsLeft: cascade.roundsLeft - 1, startedAt: now }
  return {
    incident: withRound({ ...incident, cascade: { ...next, phase: { name: 'running' } } }, now, contacts),
    exhausted: false,
  }
}
