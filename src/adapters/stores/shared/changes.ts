import type { Command } from '../../../core/incident/command.ts'
import type { Decision } from '../../../core/incident/decision.ts'
import type { Delivery } from '../../../core/incident/delivery.ts'
import type { SentBy } from '../../../core/incident/end.ts'
import type { Incident } from '../../../core/incident/incident.ts'
import { runOf } from '../../../core/incident/put-off.ts'
import { alertSourceOf, isOfOthers } from '../../../core/incident/raise.ts'
import type { Alert } from '../../../core/ingest/alert.ts'
import { identifiedDevice } from '../../../core/ingest/device-key.ts'
import type { EventTime } from '../../../core/ingest/event-time.ts'
import { type Position, positionOf, trailTimeOf } from '../../../core/ingest/position.ts'
import type { Notice } from '../../../ports/store.ts'

/** The rows that a decision writes besides the incident itself. */
export type Changes = {
  readonly folded: readonly Delivery[]
  /** The alert to remember, so that it is recognised when it comes again. */
  readonly alert: {
    readonly alert: Alert
    readonly isRelayed: boolean
    readonly sentBy: SentBy
    readonly run: string | null
  } | null
  /** The position for the trail. */
  readonly position: TrailPoint | null
}

/** A position for the trail. `deviceId`: the tracker that its payload names, by its key. devices.md#device-ids. */
export type TrailPoint = {
  readonly at: EventTime
  readonly position: Position
  readonly deviceId: string | null
}

/** `command` led to `decision`. A repeated alert leaves nothing. `isListed`: its reporter is a listed relay. */
export function changesOf({ verdict, incident, folded }: Decision, command: Command, isListed: boolean): Changes {
  if (command.type === 'drill' && verdict === 'opened') {
    // No press is ever a repeat of an exercise: its alert is not remembered.
    const { at, payload } = command.alert
    const position = positionOf(payload, at)
    return { folded, alert: null, position: position && { at, position, deviceId: null } }
  }
  if (command.type !== 'raise' || incident === null || verdict === 'repeated') {
    return { folded, alert: null, position: null }
  }
  const { alert, overdue } = command
  if (overdue !== undefined) {
    const { place } = overdue
    return {
      folded,
      alert: { alert, isRelayed: false, sentBy: 'timer', run: null },
      position: place && { ...place, deviceId: null },
    }
  }
  const isRelayed = isOfOthers(incident.userId, command)
  const at = trailTimeOf(alert.at, { receivedAt: alert.receivedAt, isRelayed })
  const position = positionOf(alert.payload, at)
  const source = alertSourceOf(incident.userId, command, isListed)
  const deviceId = identifiedDevice(alert) || null
  return {
    folded,
    alert: { alert, isRelayed, sentBy: source, run: runOf(command, source) },
    // The alarm has ended, and nobody may follow the person by it.
    position: verdict === 'put_off' ? null : position && { at, position: { ...position, source }, deviceId },
  }
}

const steps: { readonly [type in Command['type']]?: 'claim' | 'outcome' } = {
  proceed: 'claim',
  recordOutcome: 'outcome',
  recordReceipt: 'outcome',
  downlink: 'outcome',
}

/** The dispatcher's commands, which are less urgent than an alert; null for all others. */
export const stepOf = (type: Command['type']): 'claim' | 'outcome' | null => steps[type] ?? null

const isAbout = (command: Command, row: Delivery): boolean => 'attemptId' in command && command.attemptId === row.id

/** The attempt that the command refers to, after the decision; `before`: as it was, if it had been folded. */
export const attemptAfter = (
  { incident, folded }: Decision,
  command: Command,
  before: Delivery | null,
): Delivery | null => [...folded, ...(incident?.deliveries ?? [])].find((row) => isAbout(command, row)) ?? before

/** Whether the attempt that the command refers to can only be in the timeline: the record does not have it. */
export const isOnlyFolded = (incident: Incident, command: Command): boolean =>
  'attemptId' in command && !incident.deliveries.some((row) => isAbout(command, row))

/** Whether a notice matters to the service. */
export const isWorthTelling = (notice: Notice): boolean =>
  notice.kind !== 'committed' || notice.events.length > 0 || notice.nextActionAt !== null
