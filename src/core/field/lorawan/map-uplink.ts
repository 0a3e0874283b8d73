import { createHash } from 'node:crypto'
import { MINUTE } from '../../../lib/durations.ts'
import { isoAt, parseEventTime } from '../../ingest/event-time.ts'
import type { FieldProblem } from '../../ingest/fields.ts'
import { isJsonObject } from '../../ingest/json.ts'
import { sentTime } from '../osmand.ts'
import { numberIn, percentIn, placeIn, type Report, sentFields } from '../report.ts'
import type { NetworkEvent, Uplink } from './network-event.ts'
import { valueAtFirst } from './path.ts'
import type { Condition, UplinkProfile } from './profile.ts'
import { twelveBytes } from './twelve-bytes.ts'

/**
 * An uplink read by its tracker's profile. `report`: null if it cannot be read and is not an SOS. `reason`: why its
 * payload cannot be read, or null; an uplink on an SOS port is a report even then. devices.md#lorawan.
 */
export type MappedUplink = { readonly report: Report | null; readonly reason: string | null }

/** A position this much older than the press gets a remark. */
const OLD_POSITION_MS = 5 * MINUTE
const PERCENT_LIMITS = [10, 20, 50] as const
const ranges = ['critical', 'low', 'medium'] as const

/** Maps an uplink that arrived with `at` as its time (RFC 3339). Never throws, whatever the codec returned. */
export function mapUplink(uplink: Uplink, profile: UplinkProfile, at: string): MappedUplink {
  const { port, session, counter, data } = uplink
  const isPress = profile.sos.ports.includes(port)
  const digest = createHash('sha256').update(data).digest('base64url').slice(0, 22)
  const identity = { session, counter, at: Date.parse(at), digest, isPress }
  const read = sourceOf(uplink, profile)
  if ('reason' in read) {
    const flag = { set: true, press: null }
    const report = isPress ? { json: { timestamp: at }, flag, battery: null, uplink: identity } : null
    return { report, reason: read.reason }
  }
  const { source } = read
  const set = isPress || flagIn(source, profile.sos.when)
  const press = profile.sos.press === undefined ? undefined : valueAtFirst(source, profile.sos.press)
  const { json, battery } = fieldsOf(source, profile)
  const sampled = profile.time === undefined ? undefined : sentTime(valueAtFirst(source, profile.time))
  return {
    report: {
      json: { ...json, timestamp: (set === true ? undefined : sampled) ?? at },
      flag: { set, press: set === true ? numberOf(press, session) : null },
      battery,
      uplink: identity,
      remarks: json.latitude === undefined ? [] : ageRemarks(sampled, identity.at),
    },
    reason: null,
  }
}

/** An SOS carries the time of the press, so an old position would pass for the person's current one. */
function ageRemarks(sampled: unknown, at: number): readonly FieldProblem[] {
  const taken = typeof sampled === 'string' ? parseEventTime(sampled) : null
  if (taken === null || Math.abs(at - taken.ms) < OLD_POSITION_MS) return []
  return [{ field: 'latitude', message: `is of ${isoAt(taken.ms)}, not of the moment of the press` }]
}

/** The tracker's press counter, which restarts with each session. */
const numberOf = (press: unknown, session: string): string | null =>
  ['string', 'number'].includes(typeof press) ? `${session} ${String(press).slice(0, 32)}` : null

/** Whether an event may raise an alarm under any of these profiles; true when in doubt, because it must not be lost. */
export const mayAlarm = (event: NetworkEvent, profiles: readonly UplinkProfile[]): boolean =>
  event.kind === 'uplink' &&
  profiles.some((profile) => mapUplink(event.uplink, profile, UNDATED).report?.flag.set === true)

const UNDATED = '1970-01-01T00:00:00Z'

type Source = { readonly source: Readonly<Record<string, unknown>> } | { readonly reason: string }

function sourceOf({ decoded, data }: Uplink, { decoder }: UplinkProfile): Source {
  if (decoder === 'tocsin-12') {
    const source = twelveBytes(Buffer.from(data, 'base64'))
    return source === null ? { reason: 'the payload is not the 12 bytes of the profile' } : { source }
  }
  if (isJsonObject(decoded)) return { source: decoded }
  return { reason: 'no decoded object: the network server has no codec for this device' }
}

/** Whether the SOS flag is set. Null: none of the paths exists, so the flag stays as it was. */
function flagIn(source: unknown, when: readonly Condition[]): boolean | null {
  const known = when.filter(({ path }) => valueAtFirst(source, path) !== undefined)
  return known.length === 0 ? null : known.some((condition) => holds(source, condition))
}

const folded = (value: unknown): unknown => (typeof value === 'string' ? value.trim().toLowerCase() : value)

const holds = (source: unknown, { path, is }: Condition): boolean =>
  is.some((wanted) => folded(wanted) === folded(valueAtFirst(source, path)))

function fieldsOf(source: unknown, profile: UplinkProfile): Pick<Report, 'json' | 'battery'> {
  const at = (path: readonly string[] | undefined): unknown =>
    path === undefined ? undefined : numberIn(valueAtFirst(source, path))
  const place = placeIn(at(profile.latitude), at(profile.longitude))
  const hasFix = 'latitude' in place && profile.fix.every((condition) => holds(source, condition))
  const { deviceBattery, battery } = batteryOf(at(profile.battery?.path), profile)
  const json = sentFields({
    ...(hasFix && { ...place, altitude: at(profile.altitude), accuracy: at(profile.accuracy) }),
    deviceBattery,
  })
  return { json, battery }
}

/** `deviceBattery` for the payload, and the percentage if the tracker reports percent. */
function batteryOf(value: unknown, { battery }: UplinkProfile) {
  if (typeof value !== 'number' || battery === undefined) return { deviceBattery: undefined, battery: null }
  const limits = battery.limits ?? (battery.unit === 'percent' ? PERCENT_LIMITS : undefined)
  const place = limits?.findIndex((limit) => value <= limit)
  const range = place === undefined ? undefined : (ranges[place] ?? 'ok')
  const deviceBattery = { rawValue: value, ...(range !== undefined && { range }) }
  return { deviceBattery, battery: battery.unit === 'percent' ? percentIn(value) : null }
}
