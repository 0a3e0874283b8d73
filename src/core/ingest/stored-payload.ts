import { type Compact, CompactReader, CompactWriter, compactObject, type RowPlace } from './compact.ts'
import { compareEventTimes, type EventTime, parseEventTime } from './event-time.ts'
import { type Payload, payloadFields } from './payload.ts'

/** The first byte: how the rest is written. */
const FORM = 1

const fields = compactObject(
  Object.fromEntries(Object.entries(payloadFields).map(([name, { compact }]) => [name, compact as Compact])),
)
const writer = new CompactWriter()

/** The payload as a row keeps it. `payloadOf` gives back the same values, in the order of the table. */
export function compactPayload(payload: Payload, row: RowPlace): Uint8Array {
  writer.begin()
  writer.byte(FORM)
  fields.write(writer, payload, row)
  return writer.copy()
}

/** The payload of a row. Throws an error for bytes that `compactPayload` has not written for this row. */
export function payloadOf(bytes: Uint8Array, row: RowPlace): Payload {
  const reader = new CompactReader(bytes)
  const form = reader.byte()
  if (form !== FORM) throw new Error(`a compact payload has the form ${form}, which this version does not know`)
  const payload: Payload = fields.read(reader, row)
  reader.end()
  for (const [name, value] of Object.entries(payload)) {
    if (!payloadFields[name as keyof Payload].isSound(value))
      throw new Error(`a compact payload has an unsound ${name}`)
  }
  return payload
}

/** The text of the event time that a payload gives: that of `occurredAt` if `timestamp` came from a stopped clock. */
export function eventTextOf({ timestamp, occurredAt }: Payload, time: Omit<EventTime, 'text'>): string {
  if (timestamp === undefined || occurredAt === undefined) return timestamp ?? occurredAt ?? ''
  const first = parseEventTime(timestamp)
  return first !== null && compareEventTimes(first, time) === 0 ? timestamp : occurredAt
}

/**
 * The compact form of a payload that an earlier version stored as JSON text, as a new row would have it; null if it
 * would not give back the same JSON value.
 */
export function compactIfExact(text: string, row: RowPlace): Uint8Array | null {
  try {
    const payload = JSON.parse(text)
    const time = row.time && { ...row.time, text: eventTextOf(payload, row.time) }
    const compact = compactPayload(payload, { ...row, time })
    return sorted(payloadOf(compact, row)) === sorted(payload) ? compact : null
  } catch {
    return null
  }
}

/** JSON that is equal for equal values, whatever the order of their keys. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' ? Object.fromEntries(Object.entries(part).sort()) : part,
  )
