import { type Batteries, batteriesOf } from '../../core/incident/battery.ts'
import { shownPosition } from '../../core/incident/drill-shown.ts'
import { timerBehind } from '../../core/incident/event.ts'
import { type Closing, type EndRemark, type Incident, isOpen } from '../../core/incident/incident.ts'
import { countedAs } from '../../core/incident/major.ts'
import { newsForOperators } from '../../core/incident/news.ts'
import { isNobodyLeft } from '../../core/incident/nobody-left.ts'
import { leftBy } from '../../core/incident/owner.ts'
import { placesOf, relayedPositionOf } from '../../core/incident/places.ts'
import { nextStepOf, progressOf } from '../../core/incident/progress.ts'
import {
  answerOf,
  firstMessageOf,
  isDelivered,
  isNew,
  mayBeKnown,
  type StandingAnswer,
  urgencyOf,
} from '../../core/incident/standing.ts'
import { isoAt, pressAt } from '../../core/ingest/event-time.ts'
import { SECOND } from '../../lib/durations.ts'
import { nextTurn } from '../../lib/waits.ts'
import type { BoardRecord, TelemetryStore } from '../../ports/store.ts'
import { newestBatteries } from '../sending/newest-batteries.ts'
import { SIMULATION_ID } from './simulation.ts'

/** An incident as boards and lists show it. protocol.md#operator-incidents. */
export type BoardItem = ReturnType<typeof boardItem>

/** Builds a board item. `batteries`: the newest; default: those of the press. */
export function boardItem(record: BoardRecord, batteries = batteriesOf(record.incident)) {
  const { incident, lastPosition, person, applicationName, presses, isCalledBack, messageAt, heardAt } = record
  const { state } = incident
  const first = firstMessageOf(incident)
  return {
    incidentId: incident.id,
    applicationId: incident.appId,
    applicationName,
    userId: incident.userId,
    person: { ...person, externalId: incident.externalUserId },
    status: state.status,
    type: 'sos' as const,
    ...timerBehind(incident),
    ...(incident.silent && { silent: true as const }),
    ...(incident.unknownDevices && { unknownDevices: incident.unknownDevices }),
    version: incident.snapshotVersion,
    openedAt: isoAt(incident.openedAt),
    occurredAt: incident.occurredAt.text,
    ...pressView(incident),
    updatedAt: isoAt(incident.updatedAt),
    closedAt: state.closedAt === null ? null : isoAt(state.closedAt),
    urgency: urgencyOf(incident),
    presses,
    round: incident.cascade.round,
    lastPressAt: isoAt(incident.lastAlertAt),
    answer: answerView(answerOf(incident)),
    ...ownerView(incident),
    delivered: isDelivered(incident),
    firstMessage: first && { ...first, at: isoAt(first.at) },
    new: isNew(incident),
    ...aheadView(incident, heardAt),
    held: incident.held,
    drill: incident.drill !== undefined || incident.appId === SIMULATION_ID,
    simulated: incident.appId === SIMULATION_ID,
    position: shownPosition(incident, lastPosition),
    ...placesView(record),
    battery: batteryView(batteries),
    closing: closingView(incident),
    ...(incident.putOff && { putOff: { until: isoAt(incident.putOff.until) } }),
    ...(incident.contactsChangedAt !== undefined && { contactsChangedAt: isoAt(incident.contactsChangedAt) }),
    ...(incident.accountChanged && { accountChangedAt: isoAt(incident.accountChanged.at) }),
    ...(incident.few && isOpen(incident) && { fewTold: incident.few }),
    ...(messageAt !== undefined && isOpen(incident) && { messageAt: isoAt(messageAt) }),
    ...(isNobodyLeft(incident) && { nobodyLeft: true as const }),
    ...majorView(incident, heardAt),
    toCallBack: isToCallBack(incident) && !isCalledBack ? 1 : 0,
  }
}

export type Reads = Pick<TelemetryStore, 'telemetryHistory'>

/**
 * The item with the newest batteries while somebody may need them; a list of ended incidents has those of the press.
 */
export async function currentItem(store: Reads, record: BoardRecord): Promise<BoardItem> {
  const { incident } = record
  return isOpen(incident) || incident.putOff
    ? boardItem(record, await newestBatteries(store, incident))
    : boardItem(record)
}

const SHAPED_AT_ONCE = 10

/** The items of a list, built with pauses: a thousand of them in one go would delay an alarm. */
export async function boardItems(store: Reads, records: readonly BoardRecord[]): Promise<readonly BoardItem[]> {
  const items: BoardItem[] = []
  for (let from = 0; from < records.length; from += SHAPED_AT_ONCE) {
    const shaped = records.slice(from, from + SHAPED_AT_ONCE).map((record) => currentItem(store, record))
    items.push(...(await Promise.all(shaped)))
    await nextTurn()
  }
  return items
}

/** The most urgent first; among equals, the one that has waited longest. */
export const byUrgency = (a: BoardItem, b: BoardItem): number =>
  a.urgency - b.urgency || (a.openedAt < b.openedAt ? -1 : a.openedAt > b.openedAt ? 1 : 0)

/** When it was pressed, and how late that arrived. For a timer, nobody pressed: when it ran out. */
function pressView({ occurredAt, openedAt, overdue }: Incident) {
  const { pressedAt, lateMs } = pressAt(overdue === undefined ? occurredAt.ms : openedAt, openedAt)
  return { pressedAt: isoAt(pressedAt), lateSeconds: lateMs === null ? null : Math.floor(lateMs / SECOND) }
}

/** The known levels: of the phone in percent, and of the tracker. A case and the board have the newest. */
function batteryView({ phone, tracker }: Batteries) {
  if (phone === null && tracker === null) return null
  return {
    ...(phone !== null && { phone: phone.percent, phoneAt: isoAt(phone.at) }),
    ...(tracker !== null && { device: tracker.range, deviceAt: isoAt(tracker.at) }),
  }
}

/** The places, if the last position alone would not tell enough. */
function placesView(record: BoardRecord) {
  const { incident } = record
  const places = placesOf(incident, record)
  const relayed = relayedPositionOf(record)
  const { raisedByOthers } = incident
  return {
    ...(relayed !== null && { relayedPosition: relayed }),
    ...((places.length > 1 || places[0]?.source === 'other') && { places }),
    ...(raisedByOthers && { raisedThrough: { deviceId: raisedByOthers.deviceId } }),
  }
}

/** Its part in a major incident. */
function majorView(incident: Incident, heardAt: number | undefined) {
  if (incident.major === undefined) return {}
  const { id, startedAt, assignedTo } = incident.major
  const head = countedAs(incident, isOpen(incident) ? heardAt : undefined)
  return {
    major: {
      id,
      startedAt: isoAt(startedAt),
      ...(assignedTo !== undefined && { assignedTo }),
      ...(head && { head: { state: head.state, at: isoAt(head.at), name: head.name } }),
    },
  }
}

/** Work for an operator, the next automatic step, and the cascade's progress. */
function aheadView(incident: Incident, heardAt: number | undefined) {
  if (!isOpen(incident)) return {}
  const news = newsForOperators(incident, heardAt)
  const next = nextStepOf(incident)
  return {
    ...(news && { news: { ...news, at: isoAt(news.at) } }),
    ...(next && { next: { ...next, at: isoAt(next.at) } }),
    progress: progressOf(incident),
  }
}

/** The operator who has it, or had it. Empty for a closed incident. */
function ownerView(incident: Incident) {
  const { takenBy } = incident
  const left = leftBy(incident)
  if (!isOpen(incident)) return {}
  if (takenBy) {
    const { operatorId = null, name, at, from } = takenBy
    return { takenBy: { operatorId, name, at: isoAt(at), ...(from && { from }) } }
  }
  return left === null || answerOf(incident) !== null ? {} : { wasWith: { name: left.name, at: isoAt(left.at) } }
}

const answerView = (answer: StandingAnswer | null) => answer && { ...answer, at: isoAt(answer.at) }

/** `confirmed`: someone other than the user ended it, so their state is known. */
function closingView({ state, closing }: Incident) {
  if (state.closedAt === null) return null
  const { by = null, name = null } = closing ?? {}
  const confirmed = by !== null && by !== 'system'
  return { kind: state.status, by, name, at: isoAt(state.closedAt), confirmed, ...remarkView(closing) }
}

/** The outcome, if the operator who ended it reported one. */
export function remarkView(closing: Closing | null): EndRemark {
  const { outcome, note } = closing ?? {}
  return { ...(outcome !== undefined && { outcome }), ...(note !== undefined && { note }) }
}

/** Whether an operator should call back: its user ended it, perhaps under coercion, after others may have been told. */
const isToCallBack = (incident: Incident): boolean =>
  !isOpen(incident) && incident.drill === undefined && incident.closing?.by === 'user' && mayBeKnown(incident)
