import { createHash } from 'node:crypto'
import type { EventTime } from './event-time.ts'
import type { FieldProblem } from './field-problem.ts'
import { isJsonObject } from './json.ts'
import { type Payload, type Reading, readPayload, type Times } from './payload.ts'

/** One press of SOS as it was accepted. */
export type Alert = {
  readonly payload: Payload
  readonly at: EventTime
  /** Arrival, epoch milliseconds. */
  readonly receivedAt: number
  /** Bad fields that were dropped and remarks on accepted ones; empty for a flawless alert. */
  readonly warnings: readonly FieldProblem[]
  /**
   * Equal for two alerts with the same fields and values, the time's spelling aside; null where that cannot be told.
   */
  readonly fingerprint: string | null
}

/**
 * Makes an alert of whatever JSON object came in at `now` (epoch ms). Never refuses: a bad field never costs an alarm
 * (rules.md#fields). REST refuses beforehand, by `reading.problems`.
 */
export function alertFrom(json: Readonly<Record<string, unknown>>, now: number): Alert {
  return alertOf(readPayload(json, now, 'alert'), json, now)
}

/** `alertFrom` for a caller that has read the payload already. */
export function alertOf(reading: Reading, json: Readonly<Record<string, unknown>>, now: number): Alert {
  return {
    payload: reading.payload,
    at: reading.at,
    receivedAt: now,
    warnings: [...reading.problems, ...reading.remarks],
    fingerprint: fingerprintOf(json, reading.times),
  }
}

/** Deeper values are not compared: a repeat has to be beyond doubt, and the recursion bounded. */
const COMPARABLE_DEPTH = 8

/**
 * SHA-256 over the whole object as sent, keys sorted, unknown ones included. rules.md#identity: after closing, a repeat
 * is one only "with the same fields and values", so everything that was sent takes part; null (too deep to compare)
 * never equals anything.
 */
function fingerprintOf(json: Readonly<Record<string, unknown>>, times: Times): string | null {
  const canonical = canonicalJson({ ...json, ...instantsOf(times) }, 0)
  return canonical === null ? null : createHash('sha256').update(canonical).digest('base64url')
}

/** The readable times without their spelling, which may differ between two transports. */
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
