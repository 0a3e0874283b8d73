import { Reason } from './frame.ts'
import { connectProperties, fieldEnd, Property, readProperties, textEnd, willProperties } from './properties.ts'

/** Connect flags, MQTT 3.1.1 and 5, 3.1.2.3. */
const WILL = 0x04
const PASSWORD = 0x40
const USERNAME = 0x80

/**
 * What is wrong with the fields of a complete CONNECT frame whose protocol level stands at `levelAt`, or null: strings that are none,
 * properties, and bytes that are missing or too many. A parser that is lenient would make one client id of two (MQTT 5, 3.1.3.1).
 */
export function faultOfConnect(
  frame: Buffer,
  levelAt: number,
  hasProperties: boolean,
): 'unreadable' | 'protocol_error' | null {
  const flags = frame[levelAt + 1]
  if (flags === undefined) return 'unreadable'
  const end = frame.length
  // Behind the flags come two bytes of keep-alive.
  let at = levelAt + 4
  if (hasProperties) {
    const read = readProperties(frame, { from: at, end, forms: connectProperties })
    if (typeof read === 'number') return wordOf(read)
    // MQTT 5, 3.1.2.11.10.
    if (read.ids.has(Property.authenticationData) && !read.ids.has(Property.authenticationMethod)) {
      return 'protocol_error'
    }
    at = read.end
  }
  at = textEnd(frame, at, end)
  if (at < 0) return 'unreadable'
  if (flags & WILL) {
    if (hasProperties) {
      const read = readProperties(frame, { from: at, end, forms: willProperties })
      if (typeof read === 'number') return wordOf(read)
      at = read.end
    }
    at = textEnd(frame, at, end)
    if (at >= 0) at = fieldEnd(frame, at, end)
  }
  if (at >= 0 && flags & USERNAME) at = textEnd(frame, at, end)
  if (at >= 0 && flags & PASSWORD) at = fieldEnd(frame, at, end)
  return at === end ? null : 'unreadable'
}

const wordOf = (reason: number) => (reason === Reason.protocolError ? 'protocol_error' : 'unreadable')
