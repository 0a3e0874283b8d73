import type { AlarmPlan } from '../../../../core/incident/alarm-plan.ts'
import type { Command } from '../../../../core/incident/command.ts'
import type { Delivery } from '../../../../core/incident/delivery.ts'
import { DRILLS_WITHIN_MS } from '../../../../core/incident/drill.ts'
import { AWAITED_MS, type SentBy } from '../../../../core/incident/end.ts'
import { attemptNumberOf } from '../../../../core/incident/escalation.ts'
import type { EarlierAlert, Incident } from '../../../../core/incident/incident.ts'
import { type Before, isOwnEnd } from '../../../../core/incident/put-off.ts'
import { devEuiOf, identifiedDevice } from '../../../../core/ingest/device-key.ts'
import type { AuditEntry } from '../../../../core/operator/audit.ts'
import { type TwoClocks, waitedSince } from '../../../../lib/waited.ts'
import type { IncidentKey, Withdrawal } from '../../../../ports/store.ts'
import type { NewestRows, PositionRow } from '../../shared/position-row.ts'
import { sentBefore, sentOf } from '../../shared/sent-alerts.ts'

/**
 * A command on its way to the door. `followedMs`: how far the clock that stamped it had followed the server's by then;
 * null or absent: it does not follow it. `audit`: the row of an operator's change.
 */
export type DoorCall = {
  readonly key: IncidentKey
  readonly command: Command
  readonly followedMs?: number | null
  readonly audit?: AuditEntry | undefined
  /** The moment when it began to wait for the database. Absent: the decision uses the moment of the command. */
  readonly handedIn?: TwoClocks
  readonly withdrawal?: Withdrawal | undefined
}

/** The data that one call needs, as the statements take it: a row of JSON. */
export type Ask = {
  readonly k: number
  readonly incident: string | null
  readonly owner: string | null
  readonly app: string | null
  readonly device: string | null
  /** The DevEUI that `device` spells, if it is one. */
  readonly eui: string | null
  /** The alert's identity besides its owner. */
  readonly ms: number | null
  readonly nanos: number | null
  readonly alertDevice: string | null
  /** The device as sent, which an earlier version stored. */
  readonly sentDevice: string | null
  /** The number of the attempt that the command refers to. */
  readonly attempt: number | null
  /** It may need the owner's plan. */
  readonly plan: boolean
  /** It may open an incident, or a drill. */
  readonly opens: boolean
  /** Of a press or an end by the person, which may follow an alarm that is put off: when it came, epoch ms. */
  readonly pressedAt: number | null
  /** Of a press: it may find that a command before it, in the same batch, has ended the alarm. */
  readonly followsEnd: boolean
  /** For a drill: the ones that began after this moment count (epoch ms). */
  readonly drillsSince: number | null
  /** It waits for an owner who is locked. */
  readonly waits: boolean
} & AskedOfEnds

/** Of an alert, and of an end that names one: the name as sent. `named`: the incident that an end names. */
type AskedOfEnds = {
  readonly named: string | null
  readonly namesPress: boolean
  readonly sentMs: number | null
  readonly sentNanos: number | null
  readonly sentId: string | null
  readonly sentKey: string | null
  /** An end that came before this alert counts from here to there (epoch ms). */
  readonly awaitedSince: number | null
  readonly awaitedUntil: number | null
}

function endsOf(command: Command): AskedOfEnds {
  const end = 'end' in command ? command.end : undefined
  const alert = command.type === 'raise' ? sentOf(command.alert) : null
  const sent = end?.kind === 'press' ? sentBefore(end) : alert
  return {
    named: end?.kind === 'incident' ? end.incidentId : null,
    namesPress: end?.kind === 'press' && sent !== null,
    sentMs: sent?.ms ?? null,
    sentNanos: sent?.nanos ?? null,
    sentId: sent?.sentId ?? null,
    sentKey: sent?.key ?? null,
    awaitedSince: alert && command.now - AWAITED_MS,
    awaitedUntil: alert && command.now + AWAITED_MS,
  }
}

const NO_KEY = { incident: null, owner: null, app: null, device: null, eui: null } as const

function keyOf(key: IncidentKey): Pick<Ask, keyof typeof NO_KEY> {
  if ('incidentId' in key) return { ...NO_KEY, incident: key.incidentId }
  if ('openOf' in key) return { ...NO_KEY, owner: key.openOf }
  const { appId, userId, deviceId } = key.reporter
  return { incident: null, owner: userId, app: appId, device: deviceId, eui: devEuiOf(deviceId) }
}

/** The command in the time of the stored deadlines. Its node may not know yet that they have moved with the clock. */
export function inStoredTime<C extends DoorCall>(call: C, { jumpedMs }: Pick<Found, 'jumpedMs'>): C {
  const { command, followedMs = null } = call
  if (followedMs === null || followedMs === jumpedMs) return call
  const byMs = jumpedMs - followedMs
  const moved = { ...command, now: command.now + byMs }
  if (!('end' in moved) || moved.end?.kind !== 'unnamed') return { ...call, command: moved }
  const { since, decideBy } = moved.end
  return { ...call, command: { ...moved, end: { ...moved.end, since: since + byMs, decideBy: decideBy + byMs } } }
}

/** Nodes follow the server's clock, each at its own distance. rules.md#ends. */
export const SKEW_MS = 100

/**
 * The moment of a decision, for a call in stored time: no earlier than the clocks of this node, and those of the server
 * if this node follows them. The whole machine may have been suspended while the call was under way.
 */
export function endMomentOf({ command, handedIn, followedMs = null }: DoorCall, { loadedAt }: Found): number {
  const byOwn = command.now + (handedIn === undefined ? 0 : waitedSince(handedIn))
  return followedMs === null ? byOwn : Math.max(byOwn, loadedAt)
}

/** Another node may be doing the due steps right now, or may be frozen: the dispatcher looks again. */
export const waitsForOwner = (command: Command): boolean => command.type !== 'proceed' || command.isPatient === true

/** `calls`: of the batch, in which this one has place `k`. */
export function askOf({ key, command }: DoorCall, k: number, calls: readonly DoorCall[]): Ask {
  const alert = command.type === 'raise' ? command.alert : null
  const attempt = 'attemptId' in command ? attemptNumberOf(command.attemptId) : Number.NaN
  return {
    k,
    ...keyOf(key),
    ms: alert?.at.ms ?? null,
    nanos: alert?.at.nanos ?? null,
    alertDevice: alert && identifiedDevice(alert),
    sentDevice: alert && (alert.payload.deviceId ?? ''),
    attempt: Number.isSafeInteger(attempt) ? attempt : null,
    plan: command.type === 'raise' || command.type === 'proceed' || command.type === 'drill',
    opens: command.type === 'raise' || command.type === 'drill',
    pressedAt: command.type === 'raise' || isOwnEnd(command) ? command.now : null,
    followsEnd: command.type === 'raise' && calls.slice(0, k).some(isEnd),
    drillsSince: command.type === 'drill' ? command.now - DRILLS_WITHIN_MS : null,
    waits: waitsForOwner(command),
    ...endsOf(command),
  }
}

const isEnd = ({ command: { type } }: DoorCall): boolean => type === 'cancel' || type === 'resolve'

/** A position of the trail, with its place in it. */
export type PlacedRow = PositionRow & { readonly ms: number; readonly nanos: number }

/** The newest positions of each kind, as in `NewestPositions`. */
export type Newest = { readonly [kind in keyof NewestRows]: PlacedRow | null }

/** The incident that an end names; the rest is of the press by which it is named. */
type NamedAlert = {
  readonly incidentId: string
  readonly receivedAt: number
  readonly ms: number
  readonly nanos: number
  readonly sentBy: SentBy | null
  readonly isSent: boolean
  readonly isPressedAgain: boolean
}

/** The answer to an `Ask`. */
export type Found = {
  /** This transaction has locked the owner, or there is none: the rest cannot change meanwhile. */
  readonly isLocked: boolean
  readonly ownerId: string | null
  /** Null: no such user. */
  readonly ownerNumber: number | null
  readonly unknownDevice: boolean
  /** The reporter is a listed relay. */
  readonly isListed: boolean
  readonly number: number | null
  readonly incident: Incident | null
  readonly newest: Newest
  /** The owner's open drill, for a call that may open something. */
  readonly drill: { readonly number: number; readonly incident: Incident } | null
  readonly drillsBefore: number
  readonly strangersDrills: number | null
  /** The earlier alarm that a press without an open incident follows. rules.md#put-off. */
  readonly before: (Before & { readonly number: number }) | null
  readonly earlier: EarlierAlert | null
  readonly plan: AlarmPlan | null
  /** The attempt, if it was folded out of the record. */
  readonly attempt: Delivery | null
  /** The total of the jumps of the server's clock, by which the stored deadlines have moved. */
  readonly jumpedMs: number
  /** The press that an end names. */
  readonly named: NamedAlert | null
  /** The user has ended this alert before it came. */
  readonly isAwaited: boolean
  /** The press that an end names has come behind an earlier end, and opened nothing. */
  readonly hasCome: boolean
  /** The moment of loading, by the server's clock. */
  readonly loadedAt: number
  /** For an incident that this call may open. */
  readonly nextNumber: number | null
}
