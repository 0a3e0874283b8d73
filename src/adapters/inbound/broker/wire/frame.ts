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

/** MQTT 5 reason codes that this broker sends (section 2.4). */
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

/** What `remainingLength` answers instead of a length. */
export const INCOMPLETE = -1
export const MALFORMED = -2

/**
 * The remaining length of the frame that starts at `offset`, in bytes after the fixed header, or INCOMPLETE, or MALFORMED: more
 * than four bytes, or more bytes than needed (MQTT 5, 1.5.5: the minimum number of bytes).
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

/** Bytes of the fixed header in front of `remaining` bytes. */
export const headerBytes = (remaining: number): number =>
  remaining < 0x80 ? 2 : remaining < 0x4000 ? 3 : remaining < 0x200000 ? 4 : 5

/**
 * An acknowledgement of one packet id; the reason goes along on MQTT 5 only, and only where it is not success. `reasonString`: the reason for
 * people, up to 100 bytes, for a client that wants to know (MQTT 5, 3.1.2.11.7).
 */
export function acknowledgement(
  type: number,
  id: number,
  version: number,
  reason: number = Reason.success,
  reasonString = '',
): Buffer {
  const first = (type << 4) | (type === PacketType.pubrel ? 2 : 0)
  const packetId = [id >> 8, id & 0xff]
  if (version !== 5 || reason === Reason.success) return Buffer.from([first, 2, ...packetId])
  if (reasonString === '') return Buffer.from([first, 3, ...packetId, reason])
  const text = Buffer.from(reasonString)
  const property = Buffer.from([REASON_STRING, 0, text.length])
  const length = property.length + text.length
  return Buffer.concat([Buffer.from([first, 4 + length, ...packetId, reason, length]), property, text])
}

/** MQTT 5, 2.2.2.2. */
const REASON_STRING = 0x1f

/** What a DISCONNECT says to people; up to 100 bytes. Paho 1.6 reads the reason code only where there are reasonString. */
export const disconnectReasons: Readonly<Partial<Record<number, string>>> = {
  [Reason.malformed]: 'malformed packet',
  [Reason.protocolError]: 'protocol error',
  [Reason.internalError]: 'could not store it; please send it again',
  [Reason.notAuthorized]: 'topic not allowed',
  [Reason.serverUnavailable]: 'currently unavailable',
  [Reason.serverShuttingDown]: 'the service is shutting down',
  [Reason.keepAliveTimeout]: 'no packet within the keep-alive time',
  [Reason.sessionTakenOver]: 'another connection took over this client id',
  [Reason.receiveMaximumExceeded]: 'receive maximum exceeded at QoS 2',
  [Reason.topicAliasInvalid]: 'topic aliases are not supported',
  [Reason.packetTooLarge]: 'packet exceeds the maximum packet size',
  [Reason.quotaExceeded]: 'too many connections for one user',
  [Reason.administrativeAction]: 'access has been revoked',
}

/** A DISCONNECT of MQTT 5 with its reason. `reasonString`: the reason for people, up to 100 bytes. */
export function disconnect(reason: number, reasonString = ''): Buffer {
  const text = Buffer.from(reasonString)
  if (text.length === 0) return Buffer.from([PacketType.disconnect << 4, 2, reason, 0])
  const property = Buffer.from([REASON_STRING, 0, text.length])
  const length = property.length + text.length
  return Buffer.concat([Buffer.from([PacketType.disconnect << 4, 2 + length, reason, length]), property, text])
}

export const PINGRESP: Buffer = Buffer.from([0xd0, 0])

/** One complete frame as mqtt-packet reads it, or null where it cannot. Not for PUBLISH: those pass unread. */
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
