import type { FieldProblem } from '../ingest/fields.ts'
import type { FlagReading } from './sos-flag.ts'
import type { UplinkIdentity } from './uplink-press.ts'

/**
 * A tracker's report, whatever its protocol: an unchecked ingest payload, the reading of the SOS flag, and the battery
 * in percent, or null if it is not reported.
 */
export type Report = {
  readonly json: Readonly<Record<string, unknown>>
  readonly flag: FlagReading
  readonly battery: number | null
  /** The uplink that a LoRaWAN tracker's report arrived in. */
  readonly uplink?: UplinkIdentity
  /** Remarks for the operator, in case the report raises an alarm. */
  readonly remarks?: readonly FieldProblem[]
}

/** The fields that are present: undefined and null ones are left out. */
export const sentFields = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

/** A number, or text that is one. Anything else is returned as sent, so that validation names the bad field. */
export function numberIn(value: unknown): unknown {
  if (typeof value !== 'string' || value.trim() === '' || value.length > 32) return value === '' ? undefined : value
  const number = Number(value)
  return Number.isFinite(number) ? number : value
}

/** A percentage as a whole number, or null for anything else. */
export function percentIn(value: unknown): number | null {
  const number = numberIn(value)
  return typeof number === 'number' && number >= 0 && number <= 100 ? Math.round(number) : null
}

/** An accuracy in metres, as sent; trackers send a negative one if it is unknown. */
export const accuracyIn = (value: unknown): unknown => (typeof value === 'number' && value < 0 ? undefined : value)

/** Trackers without a fix send 0° N 0° E, so a position closer to it than this means no fix. */
const NO_FIX_DEGREES = 1e-5

const isNone = (degrees: unknown): boolean => typeof degrees === 'number' && Math.abs(degrees) < NO_FIX_DEGREES

/** The position as payload fields, checked or not; none if the receiver had no fix. */
export const placeIn = (latitude: unknown, longitude: unknown): Readonly<Record<string, unknown>> =>
  isNone(latitude) && isNone(longitude) ? {} : { latitude, longitude }
