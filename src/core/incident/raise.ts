import { DAY } from '../../lib/durations.ts'
import { msOf } from '../account/settings.ts'
import { deviceKeyOf } from '../ingest/device-key.ts'
import { isOwnSource, type PositionSource, positionOf, sourceOf, trailTimeOf } from '../ingest/position.ts'
import { SMS_SENDER } from '../text/source-words.ts'
import { type AlarmPlan, contactActuatorOf, integrationsOf } from './alarm-plan.ts'
import { firstRound, withoutWaiting } from './by-sms.ts'
import type { Command } from './command.ts'
import type { Situation, Step } from './decision.ts'
import { withRoute } from './downlinks.ts'
import { endAfter } from './ending.ts'
import { joinCascade, planIntegrations, withPlanned } from './escalation.ts'
import { tellingAll } from './few.ts'
import { ownHttpRules } from './http-rules.ts'
import { type EarlierAlert, type Incident, isUsersOpen, type RaisedByOthers } from './incident.ts'
import { awaitingOnCall } from './on-call.ts'
import { type Before, putOffBy, runBefore } from './put-off.ts'
import { alarmedAgain, isQuiet, type Presser, withKeptPress, withRealarm } from './realarm.ts'
import { LATER_MS } from './sms-reach.ts'

type Raise = Extract<Command, { type: 'raise' }>

/** How long after its first receipt an alert can still be a repeat of a closed incident's. rules.md#identity. */
const REPEAT_WINDOW_MS = DAY

/**
 * Handles an alert: it opens an incident, feeds the open one, or repeats a known alert. rules.md#identity: while the
 * incident is open a repeat changes nothing. After it has closed, only an alert that is a repeat beyond doubt is
 * treated as one; any other raises an alarm.
 */
export function raise(
  situation: Situation,
  command: Raise,
): Step | Repeat | { readonly endedBefore: true } | { readonly putOff: Incident } {
  const { incident, plan = null, earlier = null, unknownDevice = false, isListed = false } = situation
  const { isAwaited = false, before = null } = situation
  if (plan === null) throw new TypeError('raise needs the plan of the owner')
  if (isAwaited && !command.alarmNow && isOfOwnSession(plan.userId, command)) return { endedBefore: true }
  const open = incident !== null && isUsersOpen(incident) ? incident : null
  const source = alertSourceOf(plan.userId, command, isListed)
  const isPress = command.overdue === undefined && !command.alarmNow
  if (earlier !== null && isPress && isRepeat(earlier, open, source, command, command.now))
    return repeatOf(open, command, source)
  if (open !== null && command.few !== undefined) return repeatOf(open, command, source)
  const putOff = open === null ? putOffBy(before, command, source) : null
  if (putOff !== null) return { putOff }
  const step = open === null ? opened(plan, command, source, before) : furtherAlert(open, plan, command, source)
  const incidentNow = withTexted(step.incident, command)
  return {
    ...step,
    incident: unknownDevice || command.ofNobody ? withUnknownDevice(incidentNow, command) : incidentNow,
  }
}

/** `silences`: whether the repeat makes the open incident silent, the only effect it may have. */
export type Repeat = { readonly repeatOf: Incident | null; readonly silences: boolean }

const repeatOf = (open: Incident | null, { alert }: Raise, source: PositionSource): Repeat => ({
  repeatOf: open,
  silences: open !== null && maySilence(open, alert, source),
})

/**
 * Whether this alert makes the incident silent. Another user's alert does so only while nobody else has raised the
 * incident: a stalker must not be able to keep others from calling. rules.md#silent-emergency.
 */
const maySilence = ({ raisedByOthers }: Incident, { silent }: Raise['alert'], source: PositionSource): boolean =>
  silent === true && (isOwnSource(source) || raisedByOthers !== undefined)

function opened(plan: AlarmPlan, command: Raise, source: PositionSource, before: Before | null): Step {
  const step = openIncident(plan, command, source)
  return { ...step, incident: { ...step.incident, ...runBefore(before, command, source) } }
}

/** Enough for everybody behind one gateway that a message or page could name. */
const MAX_UNKNOWN_DEVICES = 5

function withUnknownDevice(incident: Incident, { alert }: Raise): Incident {
  const { deviceId } = alert.payload
  if (deviceId === undefined) return incident
  const others = (incident.unknownDevices ?? []).filter((id) => deviceKeyOf(id) !== deviceKeyOf(deviceId))
  return { ...incident, unknownDevices: [...others, deviceId].slice(-MAX_UNKNOWN_DEVICES) }
}

/** Positions in texts that are remembered as such: more than any message names. */
const MAX_TEXTED = 20

/** Later the person may press as well, and the position is still no tracker's. */
function withTexted(incident: Incident, command: Raise): Incident {
  const at = command.bySms?.isCoded === false ? positionAtOf(command.alert) : null
  if (at === null) return incident
  return { ...incident, textedAt: [...(incident.textedAt ?? []), at].slice(-MAX_TEXTED) }
}

/** The event time under which the trail has the position of another user's alert. */
const positionAtOf = ({ payload, at, receivedAt }: Raise['alert']): string | null =>
  positionOf(payload, trailTimeOf(at, { receivedAt, isRelayed: true }))?.at ?? null

/** The source of an alert of this owner. */
export const alertSourceOf = (
  ownerId: string,
  { reporterId, byDevice = false, bySms }: Pick<Raise, 'reporterId' | 'byDevice' | 'bySms'>,
  isListed: boolean,
): PositionSource => (bySms?.isCoded === false ? 'other' : sourceOf({ ownerId, reporterId, byDevice, isListed }))

/** Whether it counts as another user's: their session sent it, or a text without the owner's code. */
export const isOfOthers = (ownerId: string, { reporterId, bySms }: Pick<Raise, 'reporterId' | 'bySms'>): boolean =>
  reporterId !== ownerId || bySms?.isCoded === false

/** No end ever stops an alert of another session, a tracker or a timer. rules.md#ends. */
const isOfOwnSession = (ownerId: string, { reporterId, byDevice, overdue, bySms }: Raise): boolean =>
  reporterId === ownerId && byDevice !== true && overdue === undefined && bySms === undefined

function isRepeat(
  earlier: EarlierAlert,
  open: Incident | null,
  source: PositionSource,
  { alert }: Raise,
  now: number,
): boolean {
  // A relay that guesses the time of a press must not turn that press into a repeat: an alert that arrives both ways
  // may alarm once more, never once less. Nor may it keep an own source from confirming what others have raised.
  if (earlier.incidentId === open?.id) {
    if (open.raisedByOthers !== undefined && isOwnSource(source)) return false
    return !(earlier.isRelayed === true && (source === 'session' || source === 'device') && isQuiet(open))
  }
  const { fingerprint } = earlier
  const same = fingerprint !== null && (fingerprint === alert.fingerprint || fingerprint === alert.formerFingerprint)
  // A first receipt far in the future was dated by a wrong clock and proves nothing.
  return same && Math.abs(now - earlier.receivedAt) < REPEAT_WINDOW_MS
}

/** Opens an incident: active, with the whole plan in snapshot version 1. rules.md#states, first row. */
export function openIncident(plan: AlarmPlan, command: Raise, source: PositionSource = 'session'): Step {
  const { alert, reporterId, incidentId, linkSecret, now, few, bySms } = command
  const { settings } = plan
  const startedAt = now + (command.alarmNow ? 0 : msOf(settings.graceSeconds))
  const by = presserOf(plan.userId, command)
  const relayUserId = reporterId === plan.userId ? null : reporterId
  const contactActuator = few === 'board' ? null : contactActuatorOf(plan)
  const http = ownHttpRules(plan.actuators)
  const integrations = few === 'board' ? [] : integrationsOf(plan)
  const incident: Incident = {
    id: incidentId,
    appId: plan.appId,
    userId: plan.userId,
    externalUserId: plan.externalUserId,
    legacy: plan.legacy,
    state: { status: 'active', acknowledgedAt: null, closedAt: null },
    occurredAt: alert.at,
    openedAt: now,
    updatedAt: now,
    lastAlertAt: now,
    ...((alert.silent || plan.silentByDefault) && { silent: true }),
    ...(few && { few }),
    ...overdueIn(command),
    autoResolveAt: now,
    isLastCallMade: false,
    snapshotVersion: 1,
    relayUserId,
    ...(source === 'other' && { raisedByOthers: raisedBy(command) }),
    ...(source === 'other' && relayUserId !== null && { isRelayUnlisted: true }),
    ...throughDevice(command, source),
    creation: { payload: alert.payload, receivedAt: alert.receivedAt, warnings: alert.warnings },
    settings,
    ...(Object.keys(http).length > 0 && { http }),
    contactActuator,
    integrations,
    linkSecret,
    contacts: plan.contacts.map((contact) => joinCascade(contact, linkSecret)),
    ...awaitingOnCall(plan, startedAt),
    cascade: {
      round: 1,
      roundsLeft: settings.rounds - 1,
      pauses: 0,
      startedAt,
      cause: { by, again: null },
      phase: { name: 'running' },
    },
    realarms: {
      // An alarm that a relay triggered moves no deadline that the owner's presses depend on.
      owner: { since: by === 'owner' && !few ? startedAt : null, realarms: 0, kept: null },
      relay: { since: few ? null : startedAt, realarms: 0, kept: null },
    },
    lastAnswer: null,
    watch: null,
    closing: null,
    planned: 0,
    deliveries: [],
    folded: [],
    held: false,
  }
  const cascade =
    contactActuator === null
      ? []
      : firstRound(incident, { startAt: startedAt, laterAt: bySms?.later ? now + LATER_MS : null }, contactActuator)
  const planned = withPlanned(
    withRoute(incident, command.downlink, now),
    [...cascade, ...planIntegrations(integrations, startedAt)],
    now,
  )
  return { incident: { ...planned, autoResolveAt: endAfter(incident, now) }, verdict: 'opened', events: ['processed'] }
}

const raisedBy = ({ alert, bySms }: Raise): RaisedByOthers => ({
  deviceId: bySms === undefined ? (alert.payload.deviceId ?? '') : `${SMS_SENDER}${bySms.from}`,
  at: positionAtOf(alert),
  ...(bySms?.later && { later: true }),
})

/** A session that names a tracker still reports the position of its own phone. */
const throughDevice = ({ alert }: Raise, source: PositionSource): Pick<Incident, 'throughDevice'> => {
  const { deviceId } = alert.payload
  return source === 'session' || deviceId === undefined ? {} : { throughDevice: deviceKeyOf(deviceId) }
}

/**
 * The incident after a further press from this source. A press from an own source confirms what only others had raised,
 * and decides anew whether the incident is silent.
 */
function pressedFrom(incident: Incident, plan: AlarmPlan, command: Raise, source: PositionSource): Incident {
  // An expired timer is not a press, and another user's press decides nothing about an own one.
  if (command.overdue !== undefined || !isOwnSource(source)) return incident
  const { raisedByOthers, throughDevice: _, silent = false, ...rest } = incident
  const isSilent = raisedByOthers === undefined ? silent : plan.silentByDefault === true
  return { ...rest, ...(isSilent && { silent: true }), ...throughDevice(command, source) }
}

/** The timer without its position, which goes into the trail. */
const overdueIn = ({ overdue }: Raise): Pick<Incident, 'overdue'> =>
  overdue === undefined ? {} : { overdue: { dueAt: overdue.dueAt, note: overdue.note } }

/** Kept for the timeline. Bounded, so that setting timers endlessly cannot grow the document. */
const MAX_LATER_TIMERS = 20

const laterTimersIn = ({ laterTimers = [] }: Incident, { overdue, alert }: Raise): Pick<Incident, 'laterTimers'> => {
  if (overdue === undefined) return {}
  const { dueAt, note } = overdue
  return { laterTimers: [...laterTimers, { at: alert.receivedAt, dueAt, note }].slice(-MAX_LATER_TIMERS) }
}

const presserOf = (ownerId: string, command: Raise): Presser => (isOfOthers(ownerId, command) ? 'relay' : 'owner')

/**
 * Feeds an alert into an open incident, which keeps it from being closed as forgotten. If someone has answered or
 * nobody is being notified, it also alarms the current contacts again, now or as soon as the distance to the
 * last alarm has passed: repeated presses can never silence, and an incident never swallows the next SOS.
 * rules.md#re-alarm.
 */
function furtherAlert(incident: Incident, plan: AlarmPlan, command: Raise, source: PositionSource): Step {
  const { alert, reporterId, now } = command
  const by = presserOf(incident.userId, command)
  const isFirstRelay = reporterId !== incident.userId && incident.relayUserId === null
  const heard: Incident = {
    ...pressedFrom(incident, plan, command, source),
    lastAlertAt: now,
    ...(isFirstRelay && { relayUserId: reporterId, ...(source === 'other' && { isRelayUnlisted: true }) }),
    // The emergency in a restored file may be over; the one behind this press is not.
    held: false,
    ...laterTimersIn(incident, command),
    ...(maySilence(incident, alert, source) && { silent: true }),
  }
  const fed: Incident = {
    ...withRoute(heard, command.downlink, now),
    autoResolveAt: endAfter(heard, now),
    isLastCallMade: false,
  }
  const press = { pressedAt: alert.at.ms, receivedAt: now, ...overdueIn(command) }
  // The people left out so far know nothing, so the distance to an alarm that did not reach them must not delay theirs.
  if (fed.few !== undefined) {
    const again = { cause: { by, again: press }, atOnce: false, now } as const
    return { incident: alarmedAgain(tellingAll(fed), plan, again), verdict: 'updated' }
  }
  if (!isQuiet(fed)) {
    const isOwn = incident.raisedByOthers?.later === true && fed.raisedByOthers === undefined
    return { incident: tellingOfPress(isOwn ? withoutWaiting(fed, now) : fed, command), verdict: 'updated' }
  }
  const kept = withKeptPress(fed, by, press)
  return { incident: withRealarm(kept, plan, now), verdict: 'updated' }
}

/**
 * A press outranks an expired timer: unsent messages of the timer's alarm report the press instead. rules.md#timers.
 */
function tellingOfPress(incident: Incident, { alert, now, overdue }: Raise): Incident {
  const { cascade } = incident
  const { cause } = cascade
  if (overdue !== undefined || (cause.by !== 'owner' && cause.by !== 'relay')) return incident
  const timer = cause.again === null ? incident.overdue : cause.again.overdue
  if (timer === undefined) return incident
  const again = { pressedAt: alert.at.ms, receivedAt: now }
  return { ...incident, cascade: { ...cascade, cause: { by: cause.by, again } } }
}
