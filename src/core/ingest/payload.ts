import { z } from 'zod'
import { compareEventTimes, DAY, type EventTime, eventTimeAt, MINUTE, parseEventTime } from './event-time.ts'
import type { FieldProblem } from './field-problem.ts'

/** How far ahead of its arrival an event time may lie before the arrival counts instead. Decisions 3. */
const CLOCK_TOLERANCE_MS = 5 * MINUTE
/** A clock that says less has stopped, or has never been set: no device that speaks to this service is that old. Decisions 8. */
const STOPPED_BEFORE_MS = Date.UTC(2020, 0, 1)
/** An alert that seems older than this comes from such a clock too; telemetry may be kept offline for as long as it takes. Decisions 8. */
const OLDEST_ALERT_MS = 30 * DAY

/** Text that UTF-8 can hold: SQLite and every provider would silently alter a lone surrogate. */
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => value.isWellFormed(), 'must not contain lone surrogates')

const plainText = (max: number) => text(max).regex(/^\P{Cc}*$/u, 'must not contain control characters')

const instant = text(64).refine((value) => parseEventTime(value) !== null, 'must be an RFC 3339 date-time with a zone')

// A null inside an object means absent, as it does at the top level.
const coverage = z.object({
  networkType: plainText(64).nullish(),
  isConnected: z.boolean().nullish(),
  signalStrength: z.union([z.number(), plainText(64)]).nullish(),
})

/**
 * The ingest payload of alerts and telemetry, field by field (Spec, SOS ingest payload). Every field stands alone, so that one
 * bad field can be named, or dropped, without its neighbours; what ties fields together is in `readPayload`.
 */
export const payloadFields = {
  timestamp: instant.meta({ format: 'date-time', description: 'Primary event time, RFC 3339, nanoseconds allowed' }),
  occurredAt: instant.meta({ format: 'date-time', description: 'Event time, used when `timestamp` is omitted' }),
  latitude: z
    .number()
    .min(-90)
    .max(90)
    .meta({ description: 'Degrees. Send it together with `longitude`, or omit both' }),
  longitude: z
    .number()
    .min(-180)
    .max(180)
    .meta({ description: 'Degrees. Send it together with `latitude`, or omit both' }),
  altitude: z.number().meta({ description: 'Metres' }),
  deviceId: plainText(128).meta({ description: 'Hardware id of a paired device' }),
  deviceBattery: z.object({
    rawValue: z.number().nullish(),
    range: z.enum(['critical', 'low', 'medium', 'ok']).nullish(),
  }),
  deviceCoverage: coverage,
  mobileBattery: z.number().int().min(0).max(100),
  mobileCoverage: coverage,
} as const

type Fields = { -readonly [K in keyof typeof payloadFields]?: z.infer<(typeof payloadFields)[K]> }

/** The good fields of an ingest payload, as sent. */
export type Payload = Readonly<Fields>

export type Position = {
  readonly latitude: number
  readonly longitude: number
  readonly altitude: number | null
  /** Event time as sent. */
  readonly at: string
}

/** What a payload is read as: the two differ in how old they may be. */
export type PayloadKind = 'alert' | 'telemetry'

/** What one ingest payload says once it is read: the good fields, when it happened, and what was wrong with the rest. */
export type Reading = {
  readonly payload: Payload
  readonly at: EventTime
  readonly problems: readonly FieldProblem[]
  /** Remarks on accepted values, such as a clock that runs ahead: never a reason to refuse, over either transport. */
  readonly remarks: readonly FieldProblem[]
}

type FieldName = keyof typeof payloadFields
type Sound = (value: unknown) => boolean

const CONTROL = /\p{Cc}/u
const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= max && value.isWellFormed()
const isPlainText = (value: unknown, max: number): boolean => isText(value, max) && !CONTROL.test(value)
const isInstant: Sound = (value) => isText(value, 64) && parseEventTime(value) !== null
const isBetween =
  (least: number, max: number): Sound =>
  (value) =>
    typeof value === 'number' && value >= least && value <= max

const isPercentage = isBetween(0, 100)

/** Whether `value` is an object of nothing but these parts, each of them sound. */
function isSoundObject(value: unknown, parts: ReadonlyMap<string, Sound>): boolean {
  if (!isJsonObject(value)) return false
  for (const key in value) if (parts.get(key)?.(value[key]) !== true) return false
  return true
}

const coverageParts = new Map<string, Sound>([
  ['networkType', (value) => isPlainText(value, 64)],
  ['isConnected', (value) => typeof value === 'boolean'],
  ['signalStrength', (value) => Number.isFinite(value) || isPlainText(value, 64)],
])
const batteryRanges: readonly unknown[] = ['critical', 'low', 'medium', 'ok']
const batteryParts = new Map<string, Sound>([
  ['rawValue', Number.isFinite],
  ['range', (value) => batteryRanges.includes(value)],
])

/**
 * Whether a field's value is good exactly as it was sent: what nearly every message is. It says yes only where `payloadFields` would keep
 * the very same value, in a tenth of the time; everything else is for `payloadFields` to judge. A property test holds the two together.
 */
export const isSoundAsSent: Readonly<Record<FieldName, Sound>> = {
  timestamp: isInstant,
  occurredAt: isInstant,
  latitude: isBetween(-90, 90),
  longitude: isBetween(-180, 180),
  altitude: Number.isFinite,
  deviceId: (value) => isPlainText(value, 128),
  deviceBattery: (value) => isSoundObject(value, batteryParts),
  deviceCoverage: (value) => isSoundObject(value, coverageParts),
  mobileBattery: (value) => Number.isInteger(value) && isPercentage(value),
  mobileCoverage: (value) => isSoundObject(value, coverageParts),
}

const fieldNames = Object.keys(payloadFields) as FieldName[]

/** A plain JSON object: what an ingest payload has to be to be usable at all. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads one ingest payload that arrived at `now` (epoch ms). Never fails: bad fields are left out and named in `problems`, and an
 * unreadable or missing time becomes the arrival. The caller decides what a problem costs: nothing for an alert over MQTT, a
 * refusal elsewhere. Unknown keys are tolerated, `null` means absent. Spec, SOS ingest payload; Decisions 3 and 8.
 */
export function readPayload(json: Readonly<Record<string, unknown>>, now: number, kind: PayloadKind): Reading {
  const problems: FieldProblem[] = []
  const remarks: FieldProblem[] = []
  const payload: Fields = {}
  for (const name of fieldNames) {
    const value = Object.hasOwn(json, name) ? json[name] : undefined
    if (value === undefined || value === null) continue
    if (isSoundAsSent[name](value)) payload[name] = value as never
    else readField(name, value, payload, problems)
  }
  // Not one of our fields, but a key that is only ever sent to do harm: named like a bad field.
  if (Object.hasOwn(json, '__proto__')) problems.push({ field: '__proto__', message: 'is not allowed' })
  pairCoordinates(payload, problems)
  const at = eventTimeOf(payload, { now, kind, problems, remarks })
  return { payload, at, problems, remarks }
}

function readField(name: FieldName, value: unknown, payload: Fields, problems: FieldProblem[]): void {
  const result = payloadFields[name].safeParse(value)
  if (result.success) {
    keep(payload, name, result.data)
    return
  }
  for (const issue of result.error.issues) {
    problems.push({ field: [name, ...issue.path].join('.'), message: issue.message })
  }
  // Of an object only the bad parts are lost.
  if (!isJsonObject(value)) return
  const bad = new Set(result.error.issues.map((issue) => issue.path[0]))
  const rest = payloadFields[name].safeParse(Object.fromEntries(Object.entries(value).filter(([key]) => !bad.has(key))))
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

/** Spec: latitude and longitude come together or not at all; an altitude without them is kept (it names no place). */
function pairCoordinates(payload: Fields, problems: FieldProblem[]): void {
  if ((payload.latitude === undefined) === (payload.longitude === undefined)) return
  const [given, missing] =
    payload.latitude === undefined ? (['longitude', 'latitude'] as const) : (['latitude', 'longitude'] as const)
  problems.push({ field: given, message: `must be sent together with ${missing}` })
  // When the other one was sent and is bad, it has been named already.
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
 * `timestamp`, else `occurredAt`, else the arrival. A time that only a wrong clock can say is flagged: one ahead counts as the arrival, one
 * of a stopped clock as missing. The arrival then tells two presses of such a tracker apart, and is what messages say.
 */
function eventTimeOf(payload: Payload, { now, kind, problems, remarks }: TimeReading): EventTime {
  let isGiven = false
  for (const source of ['timestamp', 'occurredAt'] as const) {
    const sent = payload[source]
    const parsed = sent === undefined ? null : parseEventTime(sent)
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

/** What is wrong with a time that only a stopped clock can say, or null. */
function whyStopped(ms: number, now: number, kind: PayloadKind): string | null {
  if (ms < STOPPED_BEFORE_MS) return 'is before 2020, so the clock must have stopped; treated as missing'
  if (kind === 'alert' && ms < now - OLDEST_ALERT_MS) {
    return 'is more than 30 days before it arrived, so the clock must have stopped; treated as missing'
  }
  return null
}

/** The position that a payload carries, or null without a GPS fix. `at`: its event time as text. */
export function positionOf(payload: Payload, at: EventTime): Position | null {
  if (payload.latitude === undefined || payload.longitude === undefined) return null
  const { latitude, longitude, altitude = null } = payload
  return { latitude, longitude, altitude, at: at.text }
}
