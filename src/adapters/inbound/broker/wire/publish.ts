import { type FramePlace, Reason } from './frame.ts'
import { isText, Property, publishProperties, readProperties } from './properties.ts'

/** The fields of a PUBLISH that are used. `id`: 0 at QoS 0. `payload` is a view of the packet's bytes. */
export type PublishPacket = {
  readonly qos: 0 | 1 | 2
  readonly id: number
  readonly topic: string
  readonly payload: Buffer
}

/**
 * Reads one complete PUBLISH frame in `bytes`, from `at` to `end` with its variable header at `body`, or returns the
 * reason code of its fault (MQTT 3.1.1 and 5, 3.3). Ignores Retain and DUP: nothing is retained, and
 * repeats are recognised by their content (access.md#topic-access).
 */
export function readPublish(bytes: Buffer, { at, body, end }: FramePlace, version: number): PublishPacket | number {
  const qos = (bytes[at]! >> 1) & 3
  if (qos === 3 || body + 2 > end) return Reason.malformed
  const topicEnd = body + 2 + bytes.readUInt16BE(body)
  const idEnd = qos > 0 ? topicEnd + 2 : topicEnd
  if (idEnd > end) return Reason.malformed
  const id = qos > 0 ? bytes.readUInt16BE(topicEnd) : 0
  // 2.2.1: a publish with an acknowledgement has an id.
  if (qos > 0 && id === 0) return Reason.protocolError
  const payloadAt = version === 5 ? propertiesEnd(bytes, idEnd, end) : idEnd
  if (payloadAt < 0) return -payloadAt
  // 3.3.2.1: an empty topic needs an alias, and this broker allows none.
  if (topicEnd === body + 2) return Reason.protocolError
  const topic = bytes.toString('utf8', body + 2, topicEnd)
  // Invalid UTF-8 decodes to U+FFFD; the search is free for an ASCII topic.
  const isDoubtful = topic.includes('\ufffd') || topic.includes('\0')
  if (isDoubtful && !isText(bytes.subarray(body + 2, topicEnd))) return Reason.malformed
  return { qos: qos as 0 | 1 | 2, id, topic, payload: bytes.subarray(payloadAt, end) }
}

/** The end of the properties of an MQTT 5 frame, or the negated reason code. Nearly every frame has none. */
function propertiesEnd(bytes: Buffer, from: number, end: number): number {
  if (from >= end) return -Reason.malformed
  if (bytes[from] === 0) return from + 1
  const read = readProperties(bytes, { from, end, forms: publishProperties })
  if (typeof read === 'number') return -read
  // The announced Topic Alias Maximum is 0, and only a server sends subscription identifiers.
  if (read.at.has(Property.topicAlias)) return -Reason.topicAliasInvalid
  if (read.at.has(Property.subscriptionIdentifier)) return -Reason.protocolError
  return read.end
}
