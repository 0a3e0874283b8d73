import { createHash } from 'node:crypto'
import { deviceKeyOf } from './device-key.ts'
import type { EventTime } from './event-time.ts'
import type { FieldProblem } from './fields.ts'
import { isJsonObject } from './json.ts'
import { type Payload, type Reading, readPayload, sentTimeOf, type Times } from './payload.ts'

/** One accepted press of SOS. */
export type Alert = {
  readonly payload: Payload
  readonly at: EventTime
  /** Arrival, epoch milliseconds. */
  readonly receivedAt: number
  /** Dropped fields, and remarks on accepted ones. Empty for a flawless alert. */
  readonly warnings: readonly FieldProblem[]
  /** Equal for two alerts with the same accepted fields and values, however their times and device are written. */
  readonly fingerprint: string | null
  /**
   * The fingerprint as versions before 0.2 computed it: equal for two alerts with the same fields and values, unknown
   * ones included. Null if it cannot be determined; absent if nobody sent the alert.
   */
  readonly formerFingerprint?: string | null
  /** Equal for two alerts with the same field names, whatever their values. Absent if nobody sent the alert. */
  readonly fieldNames?: string
  /** Its time as sent, by which an end may name it. Absent: none was readable. rules.md#ends. */
  readonly sentAt?: EventTime
  /** Whether it asks for a silent emergency. */
  readonly silent?: true
}

/**
 * Builds an alert from a JSON object that arrived at `now` (epoch ms). It never refuses: a bad field must not cost an
 * alarm (rules.md#fields). REST refuses beforehand, by `reading.problems`.
 */
export function alertFrom(json: Readonly<Record<string, unknown>>, now: number): Alert {
  return alertOf(readPayload(json, now, 'alert'), json, now)
}

/** `alertFrom` for a payload that has already been read. */
export function alertOf(reading: Reading, json: Readonly<Record<string, unknown>>, now: number): Alert {
  const sentAt = sentTimeOf(reading.times, now)
  return {
    payload: reading.payload,
    at: reading.at,
    receivedAt: now,
    warnings: [...reading.problems, ...reading.remarks],
    fingerprint: fingerprintOf(reading),
    formerFingerprint: formerFingerprintOf(json, reading.times),
    fieldNames: digestOf(JSON.stringify(Object.keys(json).sort())).slice(0, FIELD_NAMES_LENGTH),
    ...(sentAt !== null && { sentAt }),
    ...(reading.isSilent && { silent: true }),
  }
}

const FIELD_NAMES_LENGTH = 22

/** Deeper values are not compared: a repeat must be beyond doubt, and the recursion bounded. */
const COMPARABLE_DEPTH = 8

/**
 * SHA-256 of the accepted fields with sorted keys. After closing, only an alert with the same accepted fields and
 * values is a repeat. Ignored input (unknown keys, `null`, `silent`) is left out: a gateway that adds a field of its
 * own, or a phone that repeats an alert to make it silent, must not raise another alarm. rules.md#identity.
 */
function fingerprintOf({ payload, times }: Reading): string | null {
  const { deviceId, ...fields } = payload
  const device = deviceId === undefined ? {} : { deviceId: deviceKeyOf(deviceId) }
  return hashOf({ ...fields, ...device, ...instantsOf(times) })
}

/** Alerts from before an upgrade may be repeated for a day after it. */
function formerFingerprintOf(json: Readonly<Record<string, unknown>>, times: Times): string | null {
  const { silent: _, ...identifying } = json
  return hashOf({ ...identifying, ...instantsOf(times) })
}

/** Null (too deep to compare) never equals anything. */
function hashOf(identifying: Readonly<Record<string, unknown>>): string | null {
  const canonical = canonicalJson(identifying, 0)
  return canonical === null ? null : digestOf(canonical)
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** The readable times, normalised, because their text may differ between two transports. */
const instantsOf = (times: Times): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(times).flatMap(([name, time]) =>
      time === null ? [] : [[name, { ms: time.ms, nanos: time.nanos }]],
    ),
  )

function canonicalJson(value: unknown, depth: number): string | null {
  if (depth > COMPARABLE_DEPTH) return null
  if (Array.isArray(value))
    return joined(
      value.map((part) => canonicalJson(part, depth + 1)),
      '[',
      ']',
    )
  if (!isJsonObject(value)) return typeof value === 'number' ? String(value) : JSON.stringify(value)
  const parts = Object.keys(value)
    .sort()
    .map((key) => {
      const part = canonicalJson(value[key], depth + 1)
      return part === null ? null : `${JSON.stringify(key)}:${part}`
    })
  return joined(parts, '{', '}')
}

const joined = (parts: readonly (string | null)[], open: string, close: string): string | null =>
  parts.includes(null) ? null : `${open}${parts.join(',')}${close}`
