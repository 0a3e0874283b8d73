import { DAY, HOUR } from '../ingest/event-time.ts'
import type { Delivery } from './delivery.ts'
import { withSkipped } from './escalation.ts'
import { type CascadePhase, type Incident, isOpen, type RealarmTrack } from './incident.ts'
import { autoResolveMs } from './settings.ts'

/** The wall clock was set by `byMs` under a running service: every deadline keeps its distance. */
export const shifted = (incident: Incident, byMs: number): Incident => withDeadlines(incident, (at) => at + byMs)

/**
 * No deadline but the automatic resolution is reckoned further ahead than this, unless an application waits for
 * days between two steps.
 */
const MAX_DISTANCE_MS = DAY

/**
 * The clock says at a start that it is `now`, and cannot be believed; what is stored was reckoned up to `from` (both
 * epoch ms). Every deadline keeps the distance that it had then, so that a grace window is never cut short, and the
 * automatic resolution gets its full hours again. rules.md#clock.
 */
export function reckonedAnew(incident: Incident, { from, now }: { from: number; now: number }): Incident {
  // What lies further ahead than that comes from the clock of now: a command that was run before the start.
  const moved = (at: number): number => (at > from + MAX_DISTANCE_MS ? Math.min(at, now) : at + now - from)
  const reckoned = withDeadlines(incident, moved)
  return { ...reckoned, autoResolveAt: now + autoResolveMs(incident.settings), isLastCallMade: false }
}

/** How late an attempt of a restored file may still go out. */
const MAX_OVERDUE_MS = HOUR
/** More than any incident changes between a backup and the end of its site. rules.md#restore. */
const VERSIONS_AHEAD = 10_000

/**
 * The incident as it begins again from a restored file: held while it is open, under versions that no client has
 * seen. rules.md#restore.
 */
export function restored(incident: Incident, now: number): Incident {
  const held = withoutOverdue({ ...incident, held: isOpen(incident) }, now)
  return isOpen(incident) ? { ...held, snapshotVersion: incident.snapshotVersion + VERSIONS_AHEAD } : held
}

/** The operator lets a held incident go on. */
export const resumed = (incident: Incident, now: number): Incident =>
  incident.held ? withoutOverdue({ ...incident, held: false }, now) : incident

/**
 * What a restored file still had to send, and nobody expects any more, is skipped. Who was told must still
 * hear that it is over.
 */
const withoutOverdue = (incident: Incident, now: number): Incident =>
  withSkipped(incident, now, (row) => row.purpose !== 'all_clear' && row.dueAt < now - MAX_OVERDUE_MS)

/**
 * Every deadline of the incident moved by `moved`, and with them the moments that later deadlines are reckoned from.
 * Facts that are told, such as when it opened, stay what they were.
 */
function withDeadlines(incident: Incident, moved: (at: number) => number): Incident {
  const { cascade, realarms, watch } = incident
  return {
    ...incident,
    lastAlertAt: moved(incident.lastAlertAt),
    autoResolveAt: moved(incident.autoResolveAt),
    cascade: { ...cascade, startedAt: moved(cascade.startedAt), phase: movedPhase(cascade.phase, moved) },
    realarms: { owner: movedTrack(realarms.owner, moved), relay: movedTrack(realarms.relay, moved) },
    watch: watch && { ...watch, at: moved(watch.at) },
    deliveries: incident.deliveries.map((row) => withMoved(row, moved)),
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
  if (status === 'sent') return askAt === null ? row : { ...row, askAt: moved(askAt) }
  if (status !== 'scheduled') return row
  return {
    ...row,
    dueAt: moved(dueAt),
    claim: claim && { ...claim, at: moved(claim.at), checkAt: moved(claim.checkAt) },
  }
}
