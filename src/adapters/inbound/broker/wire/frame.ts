import mqtt, { type Packet } from 'mqtt-packet'

/** Control packet types, MQTT 3.1.1 and 5, section 2.1.2. */
export const PacketType = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  suback: 9,
  unsubscribe: 10,
  unsuback: 11,
  pingreq: 12,
  disconnect: 14,
} as const

/** The MQTT 5 reason codes that this broker sends (section 2.4). */
export const Reason = {
  success: 0x00,
  noSubscriptionExisted: 0x11,
  malformed: 0x81,
  protocolError: 0x82,
  internalError: 0x83,
  unsupportedVersion: 0x84,
  clientIdNotValid: 0x85,
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  serverShuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  sessionTakenOver: 0x8e,
  packetIdNotFound: 0x92,
  receiveMaximumExceeded: 0x93,
  topicAliasInvalid: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
  administrativeAction: 0x98,
  payloadFormatInvalid: 0x99,
} as const

/** The offsets of a frame in its bytes: from `at` to `end`, with its variable header at `body`. */
export type FramePlace = { readonly at: number; readonly body: number; readonly end: number }

/** `remainingLength` returns these in place of a length. */
export const INCOMPLETE = -1
export const MALFORMED = -2

/**
 * The remaining length of the frame at `offset`: its bytes after the fixed header. INCOMPLETE if bytes are missing;
 * MALFORMED if it takes more than four bytes, or more than necessary (MQTT 5, 1.5.5: the minimum number of bytes).
 */
export function remainingLength(bytes: Buffer, offset: number): number {
  let value = 0
  for (let i = 0; i < 4; i++) {
    const at = offset + 1 + i
    if (at >= bytes.length) return INCOMPLETE
    const byte = bytes[at]!
    value += (byte & 0x7f) * 128 ** i
    if (byte < 0x80) return byte === 0 && i > 0 ? MALFORMED : value
  }
  return MALFORMED
}

/** The size of the fixed header in front of `remaining` bytes. */
export const headerBytes = (remaining: number): number =>
  remaining < 0x80 ? 2 : remaining < 0x4000 ? 3 : remaining < 0x200000 ? 4 : 5

/**
 * A packet to send: bytes, or a string with one byte a character (Latin-1). A short string is cheaper to make, to join
 * with others and to write than a Buffer.
 */
export type Bytes = Buffer | string

/**
 * An acknowledgement of one packet id. It has a reason code only on MQTT 5, and only if that is not success.
 * `reasonString`: the reason for people, up to 100 bytes, for a client that asked for it (MQTT 5, 3.1.2.11.7).
 */
export function acknowledgement(
  type: number,
  id: number,
  version: number,
  reason: number = Reason.success,
  reasonString = '',
): Bytes {
  const first = (type << 4) | (type === PacketType.pubrel ? 2 : 0)
  if (version !== 5 || reason === Reason.success) return String.fromCharCode(first, 2, id >> 8, id & 0xff)
  const packetId = [id >> 8, id & 0xff]
  if (reasonString === '') return Buffer.from([first, 3, ...packetId, reason])
  const properties = reasonProperties(reasonString)
  return Buffer.concat([Buffer.from([first, 3 + properties.length, ...packetId, reason]), properties])
}

/** MQTT 5, 2.2.2.2. */
const REASON_STRING = 0x1f

/** An encoded property list, including its length: a reason string of up to 100 bytes, or no property at all. */
export function reasonProperties(reasonString: string): Buffer {
  if (reasonString === '') return Buffer.from([0])
  const text = Buffer.from(reasonString)
  return Buffer.concat([Buffer.from([3 + text.length, REASON_STRING, 0, text.length]), text])
}

export const PINGRESP: Buffer = Buffer.from([0xd0, 0])

/**
 * Parses one complete frame with mqtt-packet; null if that fails. Not for PUBLISH, which `readPublish` reads in place.
 */
export function parseFrame(frame: Buffer, version: number): Packet | null {
  const read: { packet: Packet | null; failed: boolean } = { packet: null, failed: false }
  const parser = mqtt.parser({ protocolVersion: version })
  parser.on('packet', (packet) => {
    read.packet ??= packet
  })
  parser.on('error', () => {
    read.failed = true
  })
  try {
    parser.parse(frame)
  } catch {
    return null
  }
  return read.failed ? null : read.packet
}
