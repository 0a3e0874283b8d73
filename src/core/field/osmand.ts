import { isoAt } from '../ingest/event-time.ts'
import { isJsonObject } from '../ingest/json.ts'
import { accuracyIn, numberIn, percentIn, placeIn, type Report, sentFields } from './report.ts'

type Fields = Readonly<Record<string, unknown>>

/** Parameters that carry a report. A request without any of them only probes the address. */
const TELLING = ['lat', 'lon', 'location', 'alarm', 'batt', 'timestamp', 'accuracy', 'altitude'] as const

/** Numbers up to this one are seconds since 1970, larger ones milliseconds. */
const LAST_SECOND = 1e11
const PLAIN_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/
/** Several alarms at once arrive as a list or as a repeated parameter. */
const isSos = (alarm: unknown): boolean =>
  Array.isArray(alarm)
    ? alarm.some(isSos)
    : typeof alarm === 'string' && alarm.split(',').some((one) => one.trim().toLowerCase() === 'sos')

/**
 * Reads the OsmAnd protocol, as Traccar Client before version 9, the OsmAnd app and many trackers speak it: query or
 * form parameters. Null if it carries no report. `alarm=sos` is a flag, which is clear if the parameter is missing.
 * trackers.md.
 */
export function readOsmandQuery(sent: Fields): Report | null {
  if (!TELLING.some((name) => textOf(sent[name]) !== undefined)) return null
  const [latitude, longitude] = isInvalid(sent.valid) ? [] : placeOf(sent)
  const battery = percentIn(textOf(sent.batt))
  const json = sentFields({
    timestamp: sentTime(textOf(sent.timestamp)),
    ...placeIn(latitude, longitude),
    altitude: numberIn(textOf(sent.altitude)),
    accuracy: numberIn(textOf(sent.accuracy)),
    mobileBattery: battery,
  })
  return { json, flag: { set: isSos(sent.alarm), press: null }, battery }
}

/** The first value of a repeated parameter counts. */
const textOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)

const isInvalid = (valid: unknown): boolean => ['false', '0'].includes(String(textOf(valid)).toLowerCase())

/** `lat` and `lon`, else `location=lat,lon`. */
function placeOf(sent: Fields): readonly unknown[] {
  const [lat, lon, location] = [textOf(sent.lat), textOf(sent.lon), textOf(sent.location)]
  if (lat !== undefined || lon !== undefined || typeof location !== 'string') return [numberIn(lat), numberIn(lon)]
  return location.split(',', 2).map(numberIn)
}

/** The time as RFC 3339. An unreadable one stays as it is: the alarm is still raised, and the bad time is reported. */
export function sentTime(sent: unknown): unknown {
  const number = numberIn(sent)
  if (typeof number === 'number') return momentOf(number > LAST_SECOND ? number : number * 1000) ?? String(sent)
  if (typeof number !== 'string') return undefined
  const plain = PLAIN_TIME.exec(number)
  return plain === null ? number : `${plain[1]}T${plain[2]}Z`
}

/** Epoch milliseconds as text, or null if it is not a valid time. */
export const momentOf = (ms: number): string | null => (Math.abs(ms) <= 8.64e15 ? isoAt(ms) : null)

/**
 * Reads the JSON of Traccar Client from version 9 on. Null if it is not a report. The app sends its SOS once, with the
 * time of the press, and repeats it only until it is answered: each is a separate press. trackers.md.
 */
export function readOsmandJson(body: unknown): Report | null {
  if (!isJsonObject(body)) return null
  if (!isJsonObject(body.location) && !isSos(body.alarm)) return null
  const location = isJsonObject(body.location) ? body.location : {}
  const coords = isJsonObject(location.coords) ? location.coords : {}
  const extras = isJsonObject(location.extras) ? location.extras : {}
  const level = isJsonObject(location.battery) ? location.battery.level : undefined
  const battery = typeof level === 'number' && level >= 0 && level <= 1 ? Math.round(level * 100) : null
  const set = [extras.alarm, location.alarm, body.alarm].some(isSos)
  const time = typeof location.timestamp === 'string' ? location.timestamp : sentTime(location.timestamp)
  const json = sentFields({
    timestamp: time,
    ...placeIn(coords.latitude, coords.longitude),
    altitude: coords.altitude,
    accuracy: accuracyIn(coords.accuracy),
    mobileBattery: battery,
  })
  return { json, flag: { set, press: set && typeof time === 'string' ? time.slice(0, 64) : null }, battery }
}
