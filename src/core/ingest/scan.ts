import { type EventTime, parseEventTime } from './event-time.ts'
import { isPlausible, MAX_ACCURACY, type Payload } from './payload.ts'

/** The payload of a plain message. `at`: the event time. */
export type Scanned = { readonly payload: Payload; readonly at: EventTime }

const [TAB, LINE_FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20]
const [QUOTE, BACKSLASH, DELETE] = [0x22, 0x5c, 0x7f]
const [COMMA, COLON, OPEN, CLOSE] = [0x2c, 0x3a, 0x7b, 0x7d]
const [MINUS, POINT, ZERO, NINE] = [0x2d, 0x2e, 0x30, 0x39]

/** Returned for any form that is left to `JSON.parse` and `readPayload`. */
const NOWHERE = -1

/**
 * Up to this many digits, a number and its power of ten are exact, so that their quotient rounds as the literal does.
 */
const MAX_DIGITS = 15
const powersOfTen = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, exponent) => 10 ** exponent)

type Source = {
  readonly bytes: Uint8Array
  /** The bytes as text, one character per byte. */
  readonly text: string
  /** The last value read. */
  value: unknown
}

/** Reads one value at `at`, and returns the position after it, or NOWHERE. */
type Read = (source: Source, at: number) => number

type Member = { readonly key: string; readonly name: Uint8Array; readonly read: Read }

function pastSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length) {
    const byte = bytes[at]!
    if (byte > SPACE || (byte !== SPACE && byte !== LINE_FEED && byte !== RETURN && byte !== TAB)) return at
    at += 1
  }
  return at
}

/** A string of 1 to `max` printable ASCII characters, without escapes. */
function pastText(source: Source, from: number, max: number): number {
  const { bytes } = source
  const first = from + 1
  const end = Math.min(bytes.length, first + max + 1)
  if (first >= end || bytes[from] !== QUOTE) return NOWHERE
  for (let at = first; at < end; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      if (at === first) return NOWHERE
      source.value = source.text.slice(first, at)
      return at + 1
    }
    if (byte < SPACE || byte >= DELETE || byte === BACKSLASH) return NOWHERE
  }
  return NOWHERE
}

/** A number of at most 15 digits without an exponent. */
function pastNumber(source: Source, from: number): number {
  const { bytes } = source
  const isNegative = bytes[from] === MINUS
  const first = isNegative ? from + 1 : from
  const end = Math.min(bytes.length, first + MAX_DIGITS + 2)
  let at = first
  let pointAt = NOWHERE
  let digits = 0
  for (; at < end; at++) {
    const byte = bytes[at]!
    if (byte >= ZERO && byte <= NINE) digits = digits * 10 + (byte - ZERO)
    else if (byte === POINT && pointAt === NOWHERE) pointAt = at
    else break
  }
  const whole = (pointAt === NOWHERE ? at : pointAt) - first
  const fraction = pointAt === NOWHERE ? 0 : at - pointAt - 1
  if (whole === 0 || whole + fraction > MAX_DIGITS || (pointAt !== NOWHERE && fraction === 0)) return NOWHERE
  if (whole > 1 && bytes[first] === ZERO) return NOWHERE
  const value = digits / powersOfTen[fraction]!
  source.value = isNegative ? -value : value
  return at
}

function startsWith(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  if (at + word.length > bytes.length) return false
  for (let n = 0; n < word.length; n++) if (bytes[at + n] !== word[n]) return false
  return true
}

/**
 * An object with no members other than these, each at most once. Senders keep their own order, so the member that
 * followed last time is tried first.
 */
function pastObject(source: Source, from: number, members: readonly Member[]): number {
  const { bytes } = source
  if (bytes[from] !== OPEN) return NOWHERE
  const object: Record<string, unknown> = {}
  let at = pastSpace(bytes, from + 1)
  if (bytes[at] === CLOSE) {
    source.value = object
    return at + 1
  }
  let place = 0
  for (;;) {
    let tried = 0
    while (!startsWith(bytes, at, members[place]!.name)) {
      tried += 1
      if (tried === members.length) return NOWHERE
      place = place + 1 === members.length ? 0 : place + 1
    }
    const { key, name, read } = members[place]!
    at = pastSpace(bytes, at + name.length)
    if (bytes[at] !== COLON) return NOWHERE
    at = read(source, pastSpace(bytes, at + 1))
    if (at === NOWHERE || object[key] !== undefined) return NOWHERE
    object[key] = source.value
    at = pastSpace(bytes, at)
    if (bytes[at] === CLOSE) {
      source.value = object
      return at + 1
    }
    if (bytes[at] !== COMMA) return NOWHERE
    at = pastSpace(bytes, at + 1)
    place = place + 1 === members.length ? 0 : place + 1
  }
}

const encoder = new TextEncoder()

const membersOf = (reads: Readonly<Record<string, Read>>): readonly Member[] =>
  Object.entries(reads).map(([key, read]) => ({ key, name: encoder.encode(`"${key}"`), read }))

/** Any of these values. */
const oneOf = (...values: readonly (string | boolean)[]): Read => {
  const words = values.map((value) => ({ value, bytes: encoder.encode(JSON.stringify(value)) }))
  return (source, at) => {
    for (const { value, bytes } of words) {
      if (!startsWith(source.bytes, at, bytes)) continue
      source.value = value
      return at + bytes.length
    }
    return NOWHERE
  }
}

const text =
  (max: number): Read =>
  (source, at) =>
    pastText(source, at, max)

const number =
  (min: number, max: number): Read =>
  (source, at) => {
    const end = pastNumber(source, at)
    return end !== NOWHERE && isWithin(source.value, min, max) ? end : NOWHERE
  }

const hundred = number(0, 100)
const percentage: Read = (source, at) => {
  const end = hundred(source, at)
  return end !== NOWHERE && Number.isInteger(source.value) ? end : NOWHERE
}

const isWithin = (value: unknown, min: number, max: number): boolean => Number(value) >= min && Number(value) <= max

const MAX_TEXT = 64
const MAX_DEVICE_ID = 128

const strength: Read = (source, at) =>
  source.bytes[at] === QUOTE ? pastText(source, at, MAX_TEXT) : pastNumber(source, at)
const coverageParts = membersOf({
  networkType: text(MAX_TEXT),
  isConnected: oneOf(true, false),
  signalStrength: strength,
})
const batteryParts = membersOf({ rawValue: pastNumber, range: oneOf('ok', 'medium', 'low', 'critical') })
const battery: Read = (source, at) => pastObject(source, at, batteryParts)
const coverage: Read = (source, at) => pastObject(source, at, coverageParts)

const fields = membersOf({
  timestamp: text(MAX_TEXT),
  occurredAt: text(MAX_TEXT),
  latitude: number(-90, 90),
  longitude: number(-180, 180),
  altitude: pastNumber,
  accuracy: number(0, MAX_ACCURACY),
  deviceId: text(MAX_DEVICE_ID),
  deviceBattery: battery,
  deviceCoverage: coverage,
  mobileBattery: percentage,
  mobileCoverage: coverage,
})

/**
 * Reads a telemetry payload of sound fields in their plain form, as nearly every tracker sends it: `text` has one
 * character per byte. Null: anything else, which `readPayload` judges. If it returns a value, `readPayload` would keep
 * the payload as sent, with this time.
 */
export function scanTelemetry(bytes: Uint8Array, text: string, now: number): Scanned | null {
  const source: Source = { bytes, text, value: null }
  const end = pastObject(source, pastSpace(bytes, 0), fields)
  if (end === NOWHERE || pastSpace(bytes, end) < bytes.length) return null
  const payload = source.value as Payload
  const { timestamp, occurredAt, latitude, longitude } = payload
  const at = parseEventTime(timestamp ?? occurredAt ?? '')
  if (at === null || !isPlausible(at, now)) return null
  const isSecondBad = timestamp !== undefined && occurredAt !== undefined && parseEventTime(occurredAt) === null
  if (isSecondBad || (latitude === undefined) !== (longitude === undefined)) return null
  return { payload, at }
}
