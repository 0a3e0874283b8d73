import { type FramePlace, Reason } from './frame.ts'
import { isText, Property, publishProperties, readProperties } from './properties.ts'

/**
 * What a PUBLISH carries, as far as it is taken in. `id`: 0 at QoS 0. `payload` lies in the bytes that it was read
 * from.
 */
export type PublishPacket = {
  readonly qos: 0 | 1 | 2
  readonly id: number
  readonly topic: string
  readonly payload: Buffer
}

/**
 * Reads one complete PUBLISH frame, which stands in `bytes` from `at` to `end` with its variable header at `body`, or
 * answers the reason code of what is wrong with it. MQTT 3.1.1 and 5, 3.3. Retain and DUP say nothing here: nothing is
 * retained, and every repeat is told by its content (rules.md#topic-access).
 */
export function readPublish(bytes: Buffer, { at, body, end }: FramePlace, version: number): PublishPacket | number {
  const qos = (bytes[at]! >> 1) & 3
  if (qos === 3 || body + 2 > end) return Reason.malformed
  const topicEnd = body + 2 + bytes.readUInt16BE(body)
  const idEnd = qos > 0 ? topicEnd + 2 : topicEnd
  if (idEnd > end) return Reason.malformed
  const id = qos > 0 ? bytes.readUInt16BE(topicEnd) : 0
  // 2.2.1: an acknowledged packet has an id.
  if (qos > 0 && id === 0) return Reason.protocolError
  const payloadAt = version === 5 ? propertiesEnd(bytes, idEnd, end) : idEnd
  if (payloadAt < 0) return -payloadAt
  // 3.3.2.1: a topic of no characters needs an alias, which is not offered.
  if (topicEnd === body + 2) return Reason.protocolError
  const topic = bytes.toString('utf8', body + 2, topicEnd)
  // What is no UTF-8 shows as U+FFFD, which a topic of ASCII is not even searched for.
  const isDoubtful = topic.includes('\ufffd') || topic.includes('\0')
  if (isDoubtful && !isText(bytes.subarray(body + 2, topicEnd))) return Reason.malformed
  return { qos: qos as 0 | 1 | 2, id, topic, payload: bytes.subarray(payloadAt, end) }
}

/** Where the properties of an MQTT 5 frame end, or the negative reason code. Nearly every frame has none. */
function propertiesEnd(bytes: Buffer, from: number, end: number): number {
  if (from >= end) return -Reason.malformed
  if (bytes[from] === 0) return from + 1
  const read = readProperties(bytes, { from, end, forms: publishProperties })
  if (typeof read === 'number') return -read
  // The Topic Alias Maximum that was announced is 0, and only a server names subscriptions.
  if (read.at.has(Property.topicAlias)) return -Reason.topicAliasInvalid
  if (read.at.has(Property.subscriptionIdentifier)) return -Reason.protocolError
  return read.end
}
