import type { z } from 'zod'
import { DAY } from '../../lib/durations.ts'
import { compactDeviceId } from './compact.ts'
import { CLOCK_TOLERANCE_MS, compareEventTimes, type EventTime, eventTimeAt, parseEventTime } from './event-time.ts'
import { fieldMessage } from './field-message.ts'
import type { FieldProblem } from './fields.ts'
import {
  boolean,
  described,
  either,
  instant,
  integerBetween,
  number,
  numberBetween,
  object,
  oneOf,
  plainText,
} from './fields.ts'
import { isJsonObject } from './json.ts'

/**
 * An earlier time comes from a clock that has stopped or was never set: no device that talks to this service is that
 * old. rules.md#event-time.
 */
const STOPPED_BEFORE_MS = Date.UTC(2020, 0, 1)
/**
 * An alert older than this also comes from a stopped clock. Telemetry may be kept offline for as long as needed.
 * rules.md#event-time.
 */
const OLDEST_ALERT_MS = 30 * DAY

/** Metres: half way around the world. */
export const MAX_ACCURACY = 20_000_000

const networkTypes = [
  '2g',
  '3g',
  '4g',
  '5g',
  'gsm',
  'gprs',
  'edge',
  'umts',
  'hspa',
  'lte',
  'lte-m',
  'nb-iot',
  'nr',
  'wifi',
  'lora',
  'lorawan',
  'sigfox',
  'satellite',
  'none',
  'unknown',
  'LTE',
  'WIFI',
  'WiFi',
] as const

const coverage = object({
  networkType: plainText(64, ...networkTypes),
  isConnected: boolean(),
  signalStrength: either(number(), plainText(64)),
})

/**
 * The ingest payload of alerts and telemetry, field by field (protocol.md#payload). Each field is checked on its own,
 * so that a bad one can be named or dropped without its neighbours. `readPayload` checks rules across fields. Stored
 * rows follow the order of this table: new fields, parts and words go to the end.
 */
export const payloadFields = {
  timestamp: described(instant(), 'Primary event time, RFC 3339, nanoseconds allowed'),
  occurredAt: described(instant(), 'Event time, used when `timestamp` is omitted'),
  latitude: described(numberBetween(-90, 90), 'Degrees. Send it together with `longitude`, or omit both'),
  longitude: described(numberBetween(-180, 180), 'Degrees. Send it together with `latitude`, or omit both'),
  altitude: described(number(), 'Metres'),
  accuracy: described(numberBetween(0, MAX_ACCURACY), 'Metres: how far off the position may be'),
  deviceId: { ...described(plainText(128), 'Hardware id of a paired device'), compact: compactDeviceId },
  deviceBattery: object({ rawValue: number(), range: oneOf('critical', 'low', 'medium', 'ok') }),
  deviceCoverage: coverage,
  mobileBattery: integerBetween(0, 100),
  mobileCoverage: coverage,
} as const

type FieldName = keyof typeof payloadFields
type Fields = { [Name in FieldName]?: z.infer<(typeof payloadFields)[Name]['schema']> }

/** The valid fields of an ingest payload, as sent. */
export type Payload = Readonly<Fields>

/** The fields that may give the event time, in order of precedence. */
const timeNames = ['timestamp', 'occurredAt'] as const
type TimeName = (typeof timeNames)[number]

/** The times of a payload, each parsed once; null if missing or unreadable. */
export type Times = Readonly<Record<TimeName, EventTime | null>>

/** The kind of payload: alerts and telemetry differ in how old they may be. */
export type PayloadKind = 'alert' | 'telemetry'

/** The result of reading one ingest payload: the valid fields, the event time, and the faults of the rest. */
export type Reading = {
  readonly payload: Payload
  readonly at: EventTime
  /** The times as sent, whether or not they give the event time. */
  readonly times: Times
  readonly problems: readonly FieldProblem[]
  /** Remarks on accepted values, such as a clock that runs ahead. Never a reason to refuse, over either transport. */
  readonly remarks: readonly FieldProblem[]
  /** Set by an alert: nothing may ring or light up where the person is. rules.md#silent-emergency. */
  readonly isSilent?: true
}

const otherNames = (Object.keys(payloadFields) as FieldName[]).filter((name) => !timeNames.some((one) => one === name))

/**
 * Reads one ingest payload that arrived at `now` (epoch ms). Never fails: bad fields are dropped and listed in
 * `problems`, and an unreadable or missing time becomes the arrival. The caller decides the consequence: none for an
 * alert over MQTT, a refusal elsewhere. Unknown keys are tolerated, `null` means absent. protocol.md#payload,
 * rules.md#fields.
 */
export function readPayload(json: Readonly<Record<string, unknown>>, now: number, kind: PayloadKind): Reading {
  const problems: FieldProblem[] = []
  const remarks: FieldProblem[] = []
  const payload: Fields = {}
  const times: Record<TimeName, EventTime | null> = { timestamp: null, occurredAt: null }
  for (const name of timeNames) {
    const value = sentAs(json, name)
    if (value === null) continue
    const time = typeof value === 'string' ? parseEventTime(value) : null
    if (time === null) readField(name, value, payload, problems)
    else payload[name] = time.text
    times[name] = time
  }
  for (const name of otherNames) {
    const value = sentAs(json, name)
    if (value === null) continue
    if (payloadFields[name].isSound(value)) payload[name] = value as never
    else readField(name, value, payload, name === 'accuracy' ? remarks : problems)
  }
  // Not a payload field, but only ever sent to do harm: reported like a bad field.
  if (Object.hasOwn(json, '__proto__')) problems.push({ field: '__proto__', message: 'is not allowed' })
  pairCoordinates(payload, problems)
  const at = eventTimeOf(times, { now, kind, problems, remarks })
  const isSilent = kind === 'alert' && readSilent(json, remarks)
  return { payload, at, times, problems, remarks, ...(isSilent && { isSilent }) }
}

/** `silent` is not a payload field: it says nothing about the press, and is not part of its identity. Never refused. */
function readSilent(json: Readonly<Record<string, unknown>>, remarks: FieldProblem[]): boolean {
  const silent = Object.hasOwn(json, 'silent') ? (json.silent ?? null) : null
  if (silent === null || typeof silent === 'boolean') return silent === true
  remarks.push({ field: 'silent', message: 'must be true or false; it is ignored' })
  return false
}

/** The value sent for this field; null if absent. Ignores inherited properties. */
const sentAs = (json: Readonly<Record<string, unknown>>, name: FieldName): unknown =>
  Object.hasOwn(json, name) ? (json[name] ?? null) : null

function readField(name: FieldName, value: unknown, payload: Fields, problems: FieldProblem[]): void {
  const result = payloadFields[name].schema.safeParse(value, { error: fieldMessage })
  if (result.success) {
    keep(payload, name, result.data)
    return
  }
  for (const issue of result.error.issues) {
    problems.push({ field: [name, ...issue.path].join('.'), message: issue.message })
  }
  // Only the bad parts of an object are dropped.
  if (!isJsonObject(value)) return
  const bad = new Set(result.error.issues.map((issue) => issue.path[0]))
  const rest = payloadFields[name].schema.safeParse(
    Object.fromEntries(Object.entries(value).filter(([key]) => !bad.has(key))),
  )
  if (rest.success && isJsonObject(rest.data) && Object.keys(rest.data).length > 0) {
    keep(payload, name, rest.data)
  }
}

function keep(payload: Fields, name: FieldName, value: unknown): void {
  const fields = payload as Record<FieldName, unknown>
  fields[name] = isJsonObject(value) ? withoutNulls(value) : value
}

const withoutNulls = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null && part !== undefined))

/**
 * Latitude and longitude must come together. An altitude without them is kept, because it reveals no position.
 * rules.md#fields.
 */
function pairCoordinates(payload: Fields, problems: FieldProblem[]): void {
  if ((payload.latitude === undefined) === (payload.longitude === undefined)) return
  const [given, missing] =
    payload.latitude === undefined ? (['longitude', 'latitude'] as const) : (['latitude', 'longitude'] as const)
  problems.push({ field: given, message: `must be sent together with ${missing}` })
  // If the other one was sent but is bad, it is already listed.
  if (!problems.some((problem) => problem.field === missing)) {
    problems.push({ field: missing, message: `must be sent together with ${given}` })
  }
  delete payload[given]
}

type TimeReading = Pick<Reading, 'problems' | 'remarks'> & {
  readonly now: number
  readonly kind: PayloadKind
  readonly problems: FieldProblem[]
  readonly remarks: FieldProblem[]
}

/**
 * `timestamp`, else `occurredAt`, else the arrival. An impossible time gets a remark: a future one is replaced by the
 * arrival, one from a stopped clock counts as missing. With the arrival as event time, two presses of such a tracker
 * stay distinct, and messages show the arrival.
 */
function eventTimeOf(times: Times, { now, kind, problems, remarks }: TimeReading): EventTime {
  let isGiven = false
  for (const source of timeNames) {
    const parsed = times[source]
    if (parsed === null) continue
    isGiven = true
    if (compareEventTimes(parsed, { ms: now + CLOCK_TOLERANCE_MS, nanos: 0 }) > 0) {
      remarks.push({ field: source, message: 'is more than 5 min in the future; the time of arrival is used instead' })
      return eventTimeAt(now)
    }
    const stopped = whyStopped(parsed.ms, now, kind)
    if (stopped === null) return parsed
    remarks.push({ field: source, message: stopped })
  }
  const isNamed = problems.some(({ field }) => field === 'timestamp' || field === 'occurredAt')
  if (!isGiven && !isNamed) problems.push({ field: 'timestamp', message: 'is required unless occurredAt is present' })
  return eventTimeAt(now)
}

/**
 * The time of a press as sent, at `now` (epoch ms): the first one that is not from a stopped clock, whether or not it
 * is used as the event time. Null if there is none. rules.md#ends.
 */
export const sentTimeOf = (times: Times, now: number): EventTime | null =>
  timeNames.map((name) => times[name]).find((time) => time !== null && whyStopped(time.ms, now, 'alert') === null) ??
  null

/** Whether telemetry that arrives at `now` (epoch ms) certainly keeps this event time. */
export const isPlausible = ({ ms }: EventTime, now: number): boolean =>
  ms >= STOPPED_BEFORE_MS && ms < now + CLOCK_TOLERANCE_MS

/** The reason why the time must come from a stopped clock, or null. */
function whyStopped(ms: number, now: number, kind: PayloadKind): string | null {
  if (ms < STOPPED_BEFORE_MS) return 'is before 2020, so the clock must have stopped; treated as missing'
  if (kind === 'alert' && ms < now - OLDEST_ALERT_MS) {
    return 'is more than 30 days before it arrived, so the clock must have stopped; treated as missing'
  }
  return null
}
