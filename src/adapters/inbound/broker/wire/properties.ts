import { isUtf8 } from 'node:buffer'
import { headerBytes, Reason, remainingLength } from './frame.ts'

/** Encodings of properties (MQTT 5, 2.2.2.2). A flag is a byte of 0 or 1; only a `pair` may occur more than once. */
type Form = 'flag' | 'two' | 'four' | 'number' | 'text' | 'binary' | 'pair'
export type Forms = Readonly<Record<number, Form>>

export const Property = {
  subscriptionIdentifier: 0x0b,
  sessionExpiryInterval: 0x11,
  authenticationMethod: 0x15,
  authenticationData: 0x16,
  requestProblemInformation: 0x17,
  receiveMaximum: 0x21,
  topicAlias: 0x23,
  maximumPacketSize: 0x27,
} as const

const USER_PROPERTY = { 38: 'pair' } as const
/** Payload format, message expiry, content type, response topic, correlation data: in a PUBLISH and in a will. */
const ABOUT_A_MESSAGE = { 1: 'flag', 2: 'four', 3: 'text', 8: 'text', 9: 'binary' } as const

/** The properties that each packet may have. */
export const connectProperties: Forms = {
  ...USER_PROPERTY,
  17: 'four',
  21: 'text',
  22: 'binary',
  23: 'flag',
  25: 'flag',
  33: 'two',
  34: 'two',
  39: 'four',
}
export const willProperties: Forms = { ...USER_PROPERTY, ...ABOUT_A_MESSAGE, 24: 'four' }
export const publishProperties: Forms = { ...USER_PROPERTY, ...ABOUT_A_MESSAGE, 11: 'number', 35: 'two' }

/** Whether these bytes are a valid UTF-8 string: well-formed, no U+0000 (MQTT 3.1.1, 1.5.3; MQTT 5, 1.5.4). */
export const isText = (bytes: Buffer): boolean => !bytes.includes(0) && isUtf8(bytes)

/** The offset of each property's value, by identifier, and the end of all properties. */
export type Properties = { readonly at: ReadonlyMap<number, number>; readonly end: number }

export const NO_PROPERTIES: Properties = { at: new Map(), end: 0 }

/**
 * Reads the properties whose length field is at `from`, and which must end by `end`. Returns the reason code if they
 * are malformed.
 */
export function readProperties(
  bytes: Buffer,
  { from, end, forms }: { readonly from: number; readonly end: number; readonly forms: Forms },
): Properties | number {
  // The length is encoded like that of a packet, where one byte precedes it.
  const length = remainingLength(bytes, from - 1)
  let at = from - 1 + headerBytes(length)
  const last = at + length
  if (length < 0 || last > end) return Reason.malformed
  const places = new Map<number, number>()
  while (at < last) {
    const id = bytes[at]!
    const form = forms[id]
    if (form === undefined) return Reason.malformed
    if (places.has(id) && form !== 'pair') return Reason.protocolError
    places.set(id, at + 1)
    const next = valueEnd(bytes, { at: at + 1, last, form })
    if (next > last || next < 0) return Reason.malformed
    if (form === 'flag' && bytes[at + 1]! > 1) return Reason.protocolError
    at = next
  }
  return { at: places, end: last }
}

/** The end of the value at `at`; past `last` or negative if it is malformed. */
function valueEnd(
  bytes: Buffer,
  { at, last, form }: { readonly at: number; readonly last: number; readonly form: Form },
): number {
  switch (form) {
    case 'flag':
      return at + 1
    case 'two':
      return at + 2
    case 'four':
      return at + 4
    case 'number': {
      const value = remainingLength(bytes, at - 1)
      return value < 0 ? -1 : at - 1 + headerBytes(value)
    }
    case 'binary':
      return fieldEnd(bytes, at, last)
    case 'text':
      return textEnd(bytes, at, last)
    case 'pair': {
      const value = textEnd(bytes, at, last)
      return value < 0 ? -1 : textEnd(bytes, value, last)
    }
    default:
      return form satisfies never
  }
}

/** The end of a field with a two-byte length at `at`; negative if that is past `last`. */
export function fieldEnd(bytes: Buffer, at: number, last: number): number {
  if (at + 2 > last) return -1
  const end = at + 2 + bytes.readUInt16BE(at)
  return end > last ? -1 : end
}

/** Like `fieldEnd`, for a string: also negative if it is not valid text. */
export function textEnd(bytes: Buffer, at: number, last: number): number {
  const end = fieldEnd(bytes, at, last)
  // Nearly every text is ASCII, and a packet may have ten thousand of them.
  let plain = at + 2
  while (plain < end && bytes[plain]! > 0 && bytes[plain]! < 0x80) plain++
  return end < 0 || plain === end || isText(bytes.subarray(plain, end)) ? end : -1
}
