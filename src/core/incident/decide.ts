import type { AlarmPlan } from './alarm-plan.ts'
import { acknowledge, isHelperSilent, withWatch } from './answer.ts'
import { claims } from './claims.ts'
import type { Command } from './command.ts'
import { addContact, changeAccount, removeContact, showPosition, updateContact } from './contact-changes.ts'
import { renumbered, restored, resumed, shifted, withDeadlinesShifted } from './deadlines.ts'
import type { Decision, Situation, Step, Verdict } from './decision.ts'
import { decline } from './decline.ts'
import { withDownlinkStep, withDownlinks } from './downlinks.ts'
import { openDrill, overtaken, withoutWatch } from './drill.ts'
import { judgeEnd } from './end.ts'
import { close, isEndNear, withEnding } from './ending.ts'
import { missingAllClears, withPlanned } from './escalation.ts'
import { incidentEvent } from './event.ts'
import { withFolded, withUnfolded } from './folding.ts'
import { type Incident, isOpen } from './incident.ts'
import { mark, whyNotFromList } from './major.ts'
import { newsForOperators } from './news.ts'
import { withNobodyLeft } from './nobody-left.ts'
import { isOnCallDue, lookingOn, withOnCall } from './on-call.ts'
import { withOutcome } from './outcome.ts'
import { leave, takeOver } from './owner.ts'
import { endPutOff, putOffEnd, withoutPutOff } from './put-off.ts'
import { type Repeat, raise } from './raise.ts'
import { realarmAt, withNews, withRealarm } from './realarm.ts'
import { withReceipt } from './receipt.ts'
import { resend } from './resend.ts'
import { nextRound, withPhase } from './rounds.ts'
import { changedItems } from './snapshot.ts'
import { start, stop, withoutStopped } from './stop.ts'

/** The decision that changes nothing. */
export const nothing = (incident: Incident | null, verdict: Verdict = 'unchanged'): Decision => ({
  verdict,
  incident,
  events: [],
  claimed: [],
  unsure: [],
  asked: [],
  exhausted: false,
  folded: [],
})

/**
 * The rule book of incidents: maps a situation and a command to a decision. Pure and synchronous. A command that no
 * longer applies changes nothing. rules.md.
 */
export function decide(situation: Situation, command: Command): Decision {
  const { incident } = situation
  if (command.type === 'raise') {
    const raised = raise(situation, command)
    if ('putOff' in raised) {
      const { before = null } = situation
      return finished(before?.incident ?? null, { incident: raised.putOff, verdict: 'put_off' }, command.now)
    }
    if ('endedBefore' in raised) return nothing(null, 'ended_before')
    if ('repeatOf' in raised) return repeated(raised, command)
    // A new incident has no earlier state: its plan must not be compared with that of a closed one.
    return finished(raised.verdict === 'opened' ? null : incident, raised, command.now)
  }
  if (command.type === 'drill') {
    const opened = openDrill(situation, command)
    return 'refused' in opened ? { ...nothing(incident), ...opened } : finished(null, opened, command.now)
  }
  if ('end' in command && command.end !== undefined) {
    if (situation.end === undefined) throw new TypeError('an end needs the moment of its decision')
    const { ends, verdict, ...judged } = judgeEnd(command.end, incident, situation.end)
    if (!ends || incident === null) return { ...nothing(incident, verdict), ...judged }
    return { ...finished(incident, step(incident, command, situation), command.now), ...judged }
  }
  if (incident === null) return nothing(null)
  if ('knownAlertAt' in command && isPressedSince(incident, command.knownAlertAt)) return nothing(incident)
  const known = situation.attempt ? withUnfolded(incident, situation.attempt) : incident
  const taken = step(known, command, situation)
  return finished(incident, taken.incident === known ? { ...taken, incident } : taken, command.now)
}

/** A repeat changes nothing, except that it may make the incident silent. rules.md#silent-emergency. */
function repeated({ repeatOf: open, silences }: Repeat, { now }: Extract<Command, { type: 'raise' }>): Decision {
  if (open === null || open.silent || !silences) return nothing(open, 'repeated')
  return finished(open, { incident: { ...open, silent: true }, verdict: 'repeated' }, now)
}

/**
 * Whether an alert has arrived since the newest one that an operator has seen (`knownAlertAt`), whichever clock stamped
 * it. rules.md#acknowledging.
 */
export const isPressedSince = ({ lastAlertAt }: Incident, knownAlertAt: number | undefined): boolean =>
  knownAlertAt !== undefined && lastAlertAt !== knownAlertAt

/** Whether the command may alarm again and therefore needs the owner's current application and contacts. */
export const needsPlan = (incident: Incident | null, { type, now }: Command): boolean =>
  type === 'raise' ||
  type === 'drill' ||
  (type === 'proceed' &&
    incident !== null &&
    ((realarmAt(incident) ?? Number.POSITIVE_INFINITY) <= now ||
      isHelperSilent(incident, now) ||
      isOnCallDue(incident, now)))

/** Whether the command needs the time of the user's last sign of life. */
export const needsLastSeen = (incident: Incident, { type, now }: Command): boolean =>
  type === 'proceed' && incident.state.status === 'active' && isEndNear(incident, now)

/** Only news is looked at: an operator who looks again writes nothing. */
function see(incident: Incident, { now, name, heardAt }: Extract<Command, { type: 'see' }>): Incident {
  if (newsForOperators(incident, heardAt) === null) return incident
  return { ...incident, seen: { at: now, name, alertAt: incident.lastAlertAt } }
}

function step(incident: Incident, command: Exclude<Command, { type: 'raise' | 'drill' }>, situation: Situation): Step {
  const { now } = command
  switch (command.type) {
    case 'acknowledge':
      return acknowledge(incident, command)
    case 'decline':
      return { incident: decline(incident, command) }
    case 'takeOver':
      return { incident: takeOver(incident, command) }
    case 'leave':
      return { incident: leave(incident, command) }
    case 'see':
      return { incident: see(incident, command) }
    case 'mark':
      return { incident: mark(incident, command) }
    case 'resend':
      return { incident: resend(incident, command) }
    case 'cancel':
    case 'resolve': {
      const { by = 'user', name = null, remark, counted } = command
      if (counted !== undefined && whyNotFromList(incident, counted) !== null) return { incident }
      const closing = { by, name, hours: null, ...remark }
      return close(incident, command.type === 'cancel' ? 'cancelled' : 'resolved', closing, now)
    }
    case 'endPutOff':
      return { incident: endPutOff(incident, command) }
    case 'overtake':
      return overtaken(incident, now)
    case 'addContact':
      return { incident: addContact(incident, command) }
    case 'updateContact':
      return { incident: updateContact(incident, command) }
    case 'removeContact':
      return { incident: removeContact(incident, command) }
    case 'changeAccount':
      return { incident: changeAccount(incident, command) }
    case 'stop':
      return { incident: stop(incident, command) }
    case 'start':
      return { incident: start(incident, command) }
    case 'showPosition':
      return { incident: showPosition(incident, command) }
    case 'proceed':
      return proceed(incident, command, situation)
    case 'recordOutcome':
      return lookingOn(incident, withOutcome(incident, command), now)
    case 'recordReceipt':
      return lookingOn(incident, withReceipt(incident, command), now)
    case 'downlink':
      return { incident: withDownlinkStep(incident, command.kind, command.step, now) }
    case 'shiftDeadlines':
      return { incident: shifted(incident, command.byMs) }
    case 'reckonAnew':
      return { incident: withDeadlinesShifted(incident, command) }
    case 'restore':
      return incident.drill === undefined
        ? { incident: restored(incident, now) }
        : overtaken(renumbered(incident, now), now)
    case 'resume':
      return { incident: resumed(incident, now) }
    default:
      return command satisfies never
  }
}

/**
 * Completes a step: updates the cascade's phase, adds the all-clears that are due, and counts one snapshot version if
 * anything in the snapshot has changed. Changes in one commit share one version and one `sos.actuator_update`.
 */
function finished(before: Incident | null, taken: Step, now: number): Decision {
  const { verdict = taken.incident === before ? 'unchanged' : 'changed' } = taken
  const { claimed = [], unsure = [], asked = [], exhausted = false } = taken
  if (taken.incident === before) return { ...nothing(before, verdict), claimed, unsure, asked, exhausted }
  const stepped = withNobodyLeft(withoutStopped(withoutWatch(taken.incident), now), now)
  const settled = withPhase(withPlanned(stepped, missingAllClears(stepped, now), now), now)
  const { incident: small, rows: folded } = withFolded(withDownlinks(settled, now))
  const types = [...(taken.events ?? [])]
  // A restore has already raised the version by far more.
  const isCounted = before !== null && small.snapshotVersion === before.snapshotVersion
  const shown = isCounted ? changedItems(before, small) : null
  if (shown !== null) types.push('sos.actuator_update')
  const changed: Incident = {
    ...small,
    snapshotVersion: small.snapshotVersion + (shown === null ? 0 : 1),
    updatedAt: types.length > 0 ? now : small.updatedAt,
  }
  return {
    verdict,
    incident: changed,
    events: types.map((type) => incidentEvent(type, changed, shown ?? undefined)),
    claimed,
    unsure,
    asked,
    exhausted,
    folded,
  }
}

/**
 * Does the work due at `now`: closes a forgotten incident, sends a helper a check-in, re-alarms for a press that came
 * too early, begins the next round, claims the due attempts whose turn it is, and lists the claims without an outcome
 * and the attempts with an overdue receipt. Claiming an attempt and checking that it is still wanted are one step,
 * because acknowledging and closing skip all waiting attempts in the same commit that changes the status.
 */
function proceed(before: Incident, command: Extract<Command, { type: 'proceed' }>, situation: Situation): Step {
  if (before.held) return { incident: before }
  const { now } = command
  if (before.putOff !== undefined && putOffEnd(before.putOff) <= now) return { incident: withoutPutOff(before) }
  const { incident: current, events = [] } = withEnding(before, situation.lastSeenAt ?? null, now)
  // Finishing this step plans the closing messages; the next step claims them.
  if (isOpen(before) && !isOpen(current)) return { incident: current, events }
  const { incident: asked, unanswered } = nextRound(alarmedIfDue(current, situation.plan ?? null, now), now)
  const told = unanswered ? withNews(asked, 'unanswered', now) : asked
  // Nobody has to follow up an unanswered drill, and no metric counts it.
  return { ...claims(told, command), exhausted: unanswered && before.drill === undefined }
}

/** Re-alarms for a press that had to wait, or else for a helper who fell silent. Alerts who is on duty. */
function alarmedIfDue(incident: Incident, plan: AlarmPlan | null, now: number): Incident {
  const watched = withWatch(plan === null ? incident : withRealarm(incident, plan, now), plan, now)
  return plan === null ? watched : withOnCall(watched, plan, now)
}
