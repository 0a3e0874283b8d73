import { PacketType, parseFrame, Reason } from './frame.ts'

/** What a PUBLISH carries, as far as it is taken in. `id`: 0 at QoS 0. `payload` lies in the bytes that it was read from. */
export type Publish = {
  readonly qos: 0 | 1 | 2
  readonly id: number
  readonly topic: string
  readonly payload: Buffer
}

/**
 * Reads one complete PUBLISH frame, which stands in `bytes` from `at` to `end` with its variable header at `body`, or answers the reason
 * code of what is wrong with it. MQTT 3.1.1 and 5, 3.3. Retain and DUP say nothing here: nothing is retained, and every repeat is told by
 * its content (Decisions 3).
 */
export function readPublish(
  bytes: Buffer,
  { at, body, end }: { readonly at: number; readonly body: number; readonly end: number },
  version: number,
): Publish | number {
  const qos = (bytes[at]! >> 1) & 3
  if (qos === 3 || body + 2 > end) return Reason.malformed
  const topicEnd = body + 2 + bytes.readUInt16BE(body)
  const idEnd = qos > 0 ? topicEnd + 2 : topicEnd
  if (idEnd > end) return Reason.malformed
  const id = qos > 0 ? bytes.readUInt16BE(topicEnd) : 0
  // 2.2.1: an acknowledged packet has an id. 3.3.2.1: a topic of no characters needs an alias, which is not offered.
  if ((qos > 0 && id === 0) || topicEnd === body + 2) return Reason.protocolError
  const payloadAt = version === 5 ? propertiesEnd(bytes, { at, from: idEnd, end }) : idEnd
  if (payloadAt < 0) return -payloadAt
  return {
    qos: qos as 0 | 1 | 2,
    id,
    topic: bytes.toString('utf8', body + 2, topicEnd),
    payload: bytes.subarray(payloadAt, end),
  }
}

/** Where the properties of an MQTT 5 frame end, or the negative reason code. Nearly every frame has none. */
function propertiesEnd(
  bytes: Buffer,
  { at, from, end }: { readonly at: number; readonly from: number; readonly end: number },
): number {
  if (from >= end) return -Reason.malformed
  if (bytes[from] === 0) return from + 1
  const packet = parseFrame(bytes.subarray(at, end), 5)
  if (packet?.cmd !== 'publish') return -Reason.malformed
  const { topicAlias, subscriptionIdentifier } = packet.properties ?? {}
  // The Topic Alias Maximum that was announced is 0, and only a server names subscriptions.
  if (topicAlias !== undefined) return -Reason.topicAliasInvalid
  if (subscriptionIdentifier !== undefined) return -Reason.protocolError
  return end - packet.payload.length
}

/** Whether `bytes` begin, at `at`, with a PUBLISH. */
export const isPublish = (bytes: Buffer, at: number): boolean => bytes[at]! >> 4 === PacketType.publish
