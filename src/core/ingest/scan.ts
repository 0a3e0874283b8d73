import { type EventTime, parseEventTime } from './event-time.ts'
import { isPlausible, type KeyFields, MAX_ACCURACY } from './payload.ts'

/** The parts of a payload that a store needs besides its text. `at`: the event time. */
export type Scanned = { readonly payload: KeyFields; readonly at: EventTime }

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

type Found = { -readonly [Name in keyof KeyFields]: KeyFields[Name] }

type Source = {
  readonly bytes: Uint8Array
  /** The bytes as text, one character per byte. */
  readonly text: string
  readonly found: Found
  /** The last number read. */
  value: number
}

/** Reads one value at `at`, and returns the position after it, or NOWHERE. */
type Read = (source: Source, at: number) => number

type Member = { readonly name: Uint8Array; readonly read: Read }

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
function pastText({ bytes }: Source, from: number, max: number): number {
  const first = from + 1
  const end = Math.min(bytes.length, first + max + 1)
  if (first >= end || bytes[from] !== QUOTE) return NOWHERE
  for (let at = first; at < end; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) return at === first ? NOWHERE : at + 1
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
 * An object with no members other than these. Senders keep their own order, so the member that followed last time is
 * tried first.
 */
function pastObject(source: Source, from: number, members: readonly Member[]): number {
  const { bytes } = source
  if (bytes[from] !== OPEN) return NOWHERE
  let at = pastSpace(bytes, from + 1)
  if (bytes[at] === CLOSE) return at + 1
  let place = 0
  for (;;) {
    let tried = 0
    while (!startsWith(bytes, at, members[place]!.name)) {
      tried += 1
      if (tried === members.length) return NOWHERE
      place = place + 1 === members.length ? 0 : place + 1
    }
    const { name, read } = members[place]!
    at = pastSpace(bytes, at + name.length)
    if (bytes[at] !== COLON) return NOWHERE
    at = read(source, pastSpace(bytes, at + 1))
    if (at === NOWHERE) return NOWHERE
    at = pastSpace(bytes, at)
    if (bytes[at] === CLOSE) return at + 1
    if (bytes[at] !== COMMA) return NOWHERE
    at = pastSpace(bytes, at + 1)
    place = place + 1 === members.length ? 0 : place + 1
  }
}

const encoder = new TextEncoder()

const membersOf = (reads: Readonly<Record<string, Read>>): readonly Member[] =>
  Object.entries(reads).map(([name, read]) => ({ name: encoder.encode(`"${name}"`), read }))

/** Any of these words. */
const oneOf = (...words: readonly string[]): Read => {
  const encoded = words.map((word) => encoder.encode(word))
  return ({ bytes }, at) => {
    for (const word of encoded) if (startsWith(bytes, at, word)) return at + word.length
    return NOWHERE
  }
}

const MAX_TEXT = 64
const MAX_DEVICE_ID = 128

const isConnected = oneOf('true', 'false')
const networkType: Read = (source, at) => pastText(source, at, MAX_TEXT)
const signalStrength: Read = (source, at) =>
  source.bytes[at] === QUOTE ? pastText(source, at, MAX_TEXT) : pastNumber(source, at)
const batteryParts = membersOf({ rawValue: pastNumber, range: oneOf('"ok"', '"medium"', '"low"', '"critical"') })
const coverageParts = membersOf({ networkType, isConnected, signalStrength })
const battery: Read = (source, at) => pastObject(source, at, batteryParts)
const coverage: Read = (source, at) => pastObject(source, at, coverageParts)

/** A text member; NOWHERE if it occurs twice. */
const text =
  (name: 'timestamp' | 'occurredAt' | 'deviceId', max: number): Read =>
  (source, at) => {
    const end = pastText(source, at, max)
    if (end === NOWHERE || source.found[name] !== undefined) return NOWHERE
    source.found[name] = source.text.slice(at + 1, end - 1)
    return end
  }

/** A number from `min` to `max`; NOWHERE if it occurs twice. */
const number =
  (name: 'latitude' | 'longitude' | 'altitude' | 'accuracy', min: number, max: number): Read =>
  (source, at) => {
    const end = pastNumber(source, at)
    const { value, found } = source
    if (end === NOWHERE || found[name] !== undefined || value < min || value > max) return NOWHERE
    found[name] = value
    return end
  }

const percentage: Read = (source, at) => {
  const end = pastNumber(source, at)
  const { value } = source
  return end !== NOWHERE && Number.isInteger(value) && value >= 0 && value <= 100 ? end : NOWHERE
}

const fields = membersOf({
  timestamp: text('timestamp', MAX_TEXT),
  occurredAt: text('occurredAt', MAX_TEXT),
  latitude: number('latitude', -90, 90),
  longitude: number('longitude', -180, 180),
  altitude: number('altitude', Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
  accuracy: number('accuracy', 0, MAX_ACCURACY),
  deviceId: text('deviceId', MAX_DEVICE_ID),
  deviceBattery: battery,
  deviceCoverage: coverage,
  mobileBattery: percentage,
  mobileCoverage: coverage,
})

/**
 * Reads a telemetry payload of sound fields in their plain form, as nearly every tracker sends it, without building an
 * object: `text` has one character per byte. Null: anything else, which `readPayload` judges. If it returns a value,
 * `readPayload` would keep the payload as sent, with these fields and this time.
 */
export function scanTelemetry(bytes: Uint8Array, text: string, now: number): Scanned | null {
  const found: Found = {}
  const end = pastObject({ bytes, text, found, value: 0 }, pastSpace(bytes, 0), fields)
  if (end === NOWHERE || pastSpace(bytes, end) < bytes.length) return null
  const { timestamp, occurredAt, latitude, longitude } = found
  const at = parseEventTime(timestamp ?? occurredAt ?? '')
  if (at === null || !isPlausible(at, now)) return null
  const isSecondBad = timestamp !== undefined && occurredAt !== undefined && parseEventTime(occurredAt) === null
  if (isSecondBad || (latitude === undefined) !== (longitude === undefined)) return null
  return { payload: found, at }
}
