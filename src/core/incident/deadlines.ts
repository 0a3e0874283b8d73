import { DAY, HOUR, SECOND } from '../../lib/durations.ts'
import { autoResolveMs } from '../account/settings.ts'
import type { ClockCommand } from './command.ts'
import type { Delivery } from './delivery.ts'
import { withMovedDownlinks } from './downlinks.ts'
import { askedUntil, withSkipped } from './escalation.ts'
import { type CascadePhase, type Incident, isOpen, type RealarmTrack } from './incident.ts'
import { withoutPutOff } from './put-off.ts'

/** How far a change of the clock moves a deadline, in ms. */
export const movedByMs = (command: ClockCommand): number =>
  command.type === 'shiftDeadlines' ? command.byMs : command.now - command.from

/** The wall clock of the running service was set by `byMs`: every deadline keeps its distance. */
export const shifted = (incident: Incident, byMs: number): Incident => withDeadlines(incident, (at) => at + byMs)

/**
 * The furthest ahead that a deadline lies, other than the automatic close or that of an application with days between
 * two steps.
 */
const MAX_DISTANCE_MS = DAY

/**
 * The incident at a start with an untrusted clock. `now` is that clock and `from` the newest stored moment (both epoch
 * ms). Every deadline keeps its distance from `from`, so that no grace window is cut short, and the automatic close
 * gets its full hours again. keeping.md#clock.
 */
export function withDeadlinesShifted(incident: Incident, { from, now }: { from: number; now: number }): Incident {
  // A deadline beyond the maximum was set by today's clock, in a command that ran before the start.
  const moved = (at: number): number => (at > from + MAX_DISTANCE_MS ? Math.min(at, now) : at + now - from)
  const reckoned = withDeadlines(incident, moved)
  return { ...reckoned, autoResolveAt: now + autoResolveMs(incident.settings), isLastCallMade: false }
}

/** How late an attempt from a restored file may still be sent. */
const MAX_OVERDUE_MS = HOUR
/**
 * More versions, and more attempts, than any incident gains between a backup and the loss of its site.
 * keeping.md#restore.
 */
const VERSIONS_AHEAD = 10_000
const ATTEMPTS_AHEAD = 10_000
/**
 * After a restore, attempt numbers continue from the current time in units of this: no incident plans attempts faster.
 */
const NUMBERED_BY_MS = SECOND / 10

/**
 * The incident with attempt numbers that nobody has seen. The lost site may have given the numbers after the backup to
 * other messages, and so may an earlier restore of the same file: a provider that knows the id would take the new
 * message for the old one.
 */
export const renumbered = (incident: Incident, now: number): Incident => ({
  ...incident,
  planned: Math.max(incident.planned + ATTEMPTS_AHEAD, Math.floor(now / NUMBERED_BY_MS)),
})

/**
 * The incident as it continues from a restored file: held while it is open, under versions and attempt ids that no
 * client has seen. keeping.md#restore.
 */
export function restored(incident: Incident, now: number): Incident {
  const held = withoutOverdue({ ...renumbered(withoutPutOff(incident), now), held: isOpen(incident) }, now)
  return isOpen(incident) ? { ...held, snapshotVersion: incident.snapshotVersion + VERSIONS_AHEAD } : held
}

/** The operator resumes a held incident. */
export const resumed = (incident: Incident, now: number): Incident =>
  incident.held ? withoutOverdue({ ...incident, held: false }, now) : incident

/**
 * Skips attempts from a restored file that are too old to be of use. All-clears stay: everyone who was alarmed must be
 * told that it is over.
 */
const withoutOverdue = (incident: Incident, now: number): Incident =>
  withSkipped(incident, now, (row) => row.purpose !== 'all_clear' && row.dueAt < now - MAX_OVERDUE_MS)

/**
 * Applies `moved` to every deadline of the incident and to the moments from which later deadlines are computed. Facts
 * that people see, such as when it opened, do not change.
 */
function withDeadlines(incident: Incident, moved: (at: number) => number): Incident {
  const { cascade, realarms, watch, putOff, onCall } = incident
  return {
    ...incident,
    lastAlertAt: moved(incident.lastAlertAt),
    autoResolveAt: moved(incident.autoResolveAt),
    cascade: { ...cascade, startedAt: moved(cascade.startedAt), phase: movedPhase(cascade.phase, moved) },
    realarms: { owner: movedTrack(realarms.owner, moved), relay: movedTrack(realarms.relay, moved) },
    watch: watch && { ...watch, at: moved(watch.at), ...(watch.since !== undefined && { since: moved(watch.since) }) },
    deliveries: incident.deliveries.map((row) => withMoved(row, moved)),
    ...(putOff && { putOff: { ...putOff, until: moved(putOff.until) } }),
    ...(onCall && { onCall: { ...onCall, since: moved(onCall.since), nextAt: onCall.nextAt && moved(onCall.nextAt) } }),
    ...withMovedDownlinks(incident, moved),
  }
}

function movedPhase(phase: CascadePhase, moved: (at: number) => number): CascadePhase {
  if (phase.name === 'ending') return { ...phase, endsAt: moved(phase.endsAt) }
  return phase.name === 'pausing' ? { ...phase, nextAt: moved(phase.nextAt) } : phase
}

const movedTrack = (track: RealarmTrack, moved: (at: number) => number): RealarmTrack => ({
  ...track,
  since: track.since && moved(track.since),
})

function withMoved(row: Delivery, moved: (at: number) => number): Delivery {
  const { status, dueAt, claim, askAt = null } = row
  if (status === 'sent') {
    return askAt === null ? row : { ...row, askAt: moved(askAt), askUntil: moved(askedUntil(row)) }
  }
  if (status !== 'scheduled') return row
  return {
    ...row,
    dueAt: moved(dueAt),
    claim: claim && { ...claim, at: moved(claim.at), checkAt: moved(claim.checkAt) },
  }
}
