import type { FieldProblem } from '../ingest/fields.ts'
import type { FlagReading } from './sos-flag.ts'
import type { UplinkIdentity } from './uplink-press.ts'

/**
 * What a tracker reports, in whatever protocol: an ingest payload that has not been checked yet, what it says of its
 * SOS flag, and its battery in percent, null if it does not say.
 */
export type Report = {
  readonly json: Readonly<Record<string, unknown>>
  readonly flag: FlagReading
  readonly battery: number | null
  /** Of a LoRaWAN tracker: the uplink that it came in. */
  readonly uplink?: UplinkIdentity
  /** What the operator should know of it, should it be an alarm. */
  readonly remarks?: readonly FieldProblem[]
}

/** The fields that were sent: what is undefined or null is left out. */
export const sentFields = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

/** A number, or text that is one. Anything else stays as it was sent, and is named as a bad field. */
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

/** An accuracy in metres as it was sent; trackers send a negative one where they do not know it. */
export const accuracyIn = (value: unknown): unknown => (typeof value === 'number' && value < 0 ? undefined : value)

/** Closer to 0° N 0° E than this, a receiver has no fix: that is what trackers send then. */
const NO_FIX_DEGREES = 1e-5

const isNone = (degrees: unknown): boolean => typeof degrees === 'number' && Math.abs(degrees) < NO_FIX_DEGREES

/** The place as fields of a payload, checked or not; none where the receiver had no fix. */
export const placeIn = (latitude: unknown, longitude: unknown): Readonly<Record<string, unknown>> =>
  isNone(latitude) && isNone(longitude) ? {} : { latitude, longitude }
