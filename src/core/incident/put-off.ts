import { createHash } from 'node:crypto'
import { MINUTE, SECOND } from '../../lib/durations.ts'
import type { PositionSource } from '../ingest/position.ts'
import type { Command } from './command.ts'
import type { Incident, PutOff } from './incident.ts'

type Raise = Extract<Command, { type: 'raise' }>

/** A run of at least this many presses, without a longer gap between two, is not made by hand. */
export const RUN_LENGTH = 20
export const RUN_GAP_MS = 15 * SECOND
/** How long presses are put off, by how often the run was put off before; the last entry repeats. */
const PUT_OFF_MS: readonly number[] = [15, 30, 60].map((minutes) => minutes * MINUTE)

/** A stored press. `run`: its `runOf`; presses without one are left out. */
export type RunPress = { readonly receivedAt: number; readonly run: string }

/**
 * The history before a press that finds no open incident. `incident`: the user's last one, if it ended within
 * `RUN_GAP_MS` or puts presses off. `presses`: the newest of the same user and device that have a `run`, newest first,
 * at most `RUN_LENGTH` - 1.
 */
export type Before = { readonly incident: Incident; readonly presses: readonly RunPress[] }

/**
 * A digest of the further traits shared by the presses of one run: sender, transport, and the names of their fields.
 * Null for presses that no run may count: an unlisted relay could otherwise put off somebody else's press, and a timer
 * is not a press. rules.md#put-off.
 */
export function runOf({ alert, reporterId, overdue, few, alarmNow }: Raise, source: PositionSource): string | null {
  const { fieldNames } = alert
  if (fieldNames === undefined || source === 'other' || overdue !== undefined || few !== undefined || alarmNow) {
    return null
  }
  return createHash('sha256').update(`${source} ${reporterId} ${fieldNames}`).digest('base64url').slice(0, 22)
}

/**
 * Whether a press at `now` continues a run without a gap. When in doubt it does not, and alarms: an impossible time
 * comes from a clock that was set.
 */
export function continuesRun(presses: readonly RunPress[], run: string | null, now: number): boolean {
  const last = presses.slice(0, RUN_LENGTH - 1)
  if (run === null || last.length < RUN_LENGTH - 1 || last.some((press) => press.run !== run)) return false
  const moments = [now, ...last.map(({ receivedAt }) => receivedAt)]
  return moments.every((at, place) => {
    const gap = place === 0 ? 0 : moments[place - 1]! - at
    return gap >= 0 && gap <= RUN_GAP_MS
  })
}

/**
 * Whether the newest `count` alerts of an incident merely continue, without a gap, a run that began before them.
 * `arrivals`: epoch ms, oldest first; those alerts and the `RUN_LENGTH` before them.
 */
export const onlyContinuesRun = (arrivals: readonly number[], count: number): boolean =>
  arrivals.length >= count + RUN_LENGTH &&
  arrivals.every((at, place) => {
    const gap = place === 0 ? 0 : at - arrivals[place - 1]!
    return gap >= 0 && gap <= RUN_GAP_MS
  })

/** When the wait for the device of a put-off press ends: the first press from `until` on alarms. */
export const putOffEnd = ({ until }: PutOff): number => until + RUN_GAP_MS

export const withoutPutOff = (incident: Incident): Incident => {
  const { putOff: _, ...rest } = incident
  return rest
}

/** Whether the command is an end by the person, of an open alarm or of presses that were put off. */
export const isOwnEnd = (command: Command): boolean =>
  (command.type === 'cancel' || command.type === 'resolve') && (command.by ?? 'user') === 'user'

/** Ends the put-off. An end by the person also breaks the run: a hand has acted. */
export function endPutOff(incident: Incident, { byUser, now }: Extract<Command, { type: 'endPutOff' }>): Incident {
  if (incident.putOff === undefined) return incident
  return { ...withoutPutOff(incident), ...(byUser && { runSince: now }) }
}

/** The presses that may belong to a run. The person's own end proves a hand, so earlier presses belong to none. */
const runnable = ({ incident, presses }: Before): readonly RunPress[] => {
  const { closing, runSince = Number.NEGATIVE_INFINITY } = incident
  return closing?.by === 'user' ? [] : presses.filter(({ receivedAt }) => receivedAt >= runSince)
}

/** The incident with which a press is put off; null: the press alarms. rules.md#put-off. */
export function putOffBy(before: Before | null, command: Raise, source: PositionSource): Incident | null {
  if (before === null) return null
  const { incident } = before
  const { now, alert } = command
  if (incident.closing?.by !== 'operator' || !continuesRun(runnable(before), runOf(command, source), now)) return null
  const { putOff, putOffs = 0 } = incident
  if (putOff !== undefined) return now < putOff.until ? incident : null
  const ms = PUT_OFF_MS[Math.min(putOffs, PUT_OFF_MS.length - 1)]!
  const { formerFingerprint: _, ...kept } = alert
  return { ...incident, putOffs: putOffs + 1, putOff: { until: now + ms, alert: kept, byDevice: source !== 'session' } }
}

/**
 * The press put off with this incident, as a command that alarms at once. Null: there is none. `opening`: of the new
 * incident.
 */
export const alarmNow = (
  { putOff, userId }: Incident,
  opening: Pick<Raise, 'now' | 'incidentId' | 'linkSecret'>,
): Raise | null => {
  if (putOff === undefined) return null
  const { alert, byDevice } = putOff
  return { type: 'raise', alert, reporterId: userId, ...(byDevice && { byDevice }), alarmNow: true, ...opening }
}

/** The run fields that an incident opened by this press inherits: the run's start, and how often it was put off. */
export const runBefore = (
  before: Before | null,
  command: Raise,
  source: PositionSource,
): Pick<Incident, 'putOffs' | 'runSince'> => {
  if (before === null) return {}
  const { closing, putOffs, runSince: earlier } = before.incident
  const runSince = closing?.by === 'user' ? command.alert.receivedAt : earlier
  const isOn = putOffs !== undefined && continuesRun(runnable(before), runOf(command, source), command.now)
  return { ...(runSince !== undefined && { runSince }), ...(isOn && { putOffs }) }
}
