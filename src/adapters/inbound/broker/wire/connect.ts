import mqtt, { type IConnackPacket } from 'mqtt-packet'
import { faultOfConnect } from './connect-fields.ts'
import { parseFrame, Reason } from './frame.ts'

/** What a client asked for in its CONNECT, as far as this service heeds it. */
export type Connect = {
  readonly version: 3 | 4 | 5
  readonly clientId: string
  readonly username: string | null
  readonly password: string
  /** Seconds; 0 means that the client wants none. */
  readonly keepAlive: number
  readonly will: { topic: string; payload: Buffer; qos: 0 | 1 | 2 } | null
  readonly askedSessionExpiry: boolean
  readonly receiveMaximum: number
  /** Bytes; Infinity where the client set no limit. */
  readonly maximumPacketSize: number
  readonly wantsProblemInformation: boolean
}

/** Why a CONNECT was refused, and how each protocol version says so. `unreadable` is not answered in words on 3.1.1. */
export type ConnectRefusal = keyof typeof refusals

const refusals = {
  not_authorized: { code: 5, reason: Reason.notAuthorized },
  unavailable: { code: 3, reason: Reason.serverUnavailable },
  client_id: { code: 2, reason: Reason.clientIdNotValid },
  version: { code: 1, reason: Reason.unsupportedVersion },
  authentication_method: { code: 5, reason: Reason.badAuthenticationMethod },
  protocol_error: { code: null, reason: Reason.protocolError },
  unreadable: { code: null, reason: Reason.malformed },
} as const

/** Decisions 1: client ids are 0 to 256 bytes of UTF-8. */
const CLIENT_ID_BYTES = 256
const RECEIVE_MAXIMUM_DEFAULT = 65_535
/** Seconds announced to an MQTT 5 client without keep-alive: 1.5 times it is the 5 minutes that such a client may be silent. */
const SERVER_KEEP_ALIVE = 200

/** Bytes that no packet with a reason string exceeds. */
const REASON_STRING_BYTES = 128

/** Whether an acknowledgement to this client may say in words what was wrong (MQTT 5, 3.1.2.11.7 and 3.4.2.2.2). */
export const takesReasonString = (connect: Connect): boolean =>
  connect.wantsProblemInformation && hasRoomForReasonString(connect)

/** Whether a DISCONNECT may; there the client has no say in it. */
export const hasRoomForReasonString = ({ maximumPacketSize }: Connect): boolean =>
  maximumPacketSize >= REASON_STRING_BYTES

/** How long a client may be silent: 1.5 times its keep-alive (3.1.1, 3.1.2.10), 5 minutes where it has none. */
export const idleMs = (connect: Connect): number => (connect.keepAlive || SERVER_KEEP_ALIVE) * 1500

type Refused = { refused: ConnectRefusal; version: number }

/** Reads a complete CONNECT frame. A refusal says in which version to answer. */
export function readConnect(frame: Buffer, body: number): Connect | Refused {
  // The protocol level stands behind the protocol name; a level that is unknown has to be answered, not merely refused (3.1.2.2).
  const nameLength = frame.length >= body + 2 ? frame.readUInt16BE(body) : 0
  const level = frame[body + 2 + nameLength]
  if (level === undefined) return { refused: 'unreadable', version: 4 }
  const spoken = (level & 0x7f) >= 5 ? 5 : 4
  if (![3, 4, 5].includes(level & 0x7f)) return { refused: 'version', version: spoken }

  const fault = faultOfConnect(frame, body + 2 + nameLength, spoken === 5)
  if (fault !== null) return { refused: fault, version: spoken }
  const packet = parseFrame(frame, spoken)
  if (packet?.cmd !== 'connect') return { refused: 'unreadable', version: spoken }
  const version = packet.protocolVersion ?? 4
  const { properties = {}, will } = packet
  const { receiveMaximum = RECEIVE_MAXIMUM_DEFAULT, maximumPacketSize = Number.POSITIVE_INFINITY } = properties
  if (will !== undefined && (!will.topic || (will.qos ?? 0) > 2)) return { refused: 'unreadable', version }
  if (properties.authenticationMethod !== undefined) return { refused: 'authentication_method', version }
  if (!(receiveMaximum > 0) || !(maximumPacketSize > 0)) return { refused: 'protocol_error', version }
  const unnamed = packet.clientId === ''
  // MQTT 3.1.1, 3.1.3.1: a client without an id has to ask for a clean session.
  if (unnamed && version < 5 && packet.clean === false) return { refused: 'client_id', version }
  if (Buffer.byteLength(packet.clientId) > CLIENT_ID_BYTES) return { refused: 'client_id', version }
  return {
    version,
    clientId: packet.clientId,
    username: packet.username ?? null,
    password: packet.password?.toString('utf8') ?? '',
    keepAlive: packet.keepalive ?? 0,
    will: will ? { topic: will.topic, payload: Buffer.from(will.payload), qos: will.qos ?? 0 } : null,
    askedSessionExpiry: properties.sessionExpiryInterval !== undefined && properties.sessionExpiryInterval !== 0,
    receiveMaximum,
    maximumPacketSize,
    wantsProblemInformation: properties.requestProblemInformation !== false,
  }
}

/**
 * The CONNECT that Aedes gets instead: without credentials (they are verified already), under an id scoped to the user, clean, and
 * without an expiry, so that nothing outlives the connection. Keep-alive is watched at the gate. The will loses its retain flag
 * (Decisions 3: never stored) and its delay, which the end of the session, at the same moment, would cut to nothing anyway.
 */
export function admittedConnect(connect: Connect, scopedId: string): Buffer {
  return mqtt.generate(
    {
      cmd: 'connect',
      protocolId: connect.version === 3 ? 'MQIsdp' : 'MQTT',
      protocolVersion: connect.version,
      clean: true,
      clientId: scopedId,
      keepalive: 0,
      ...(connect.will ? { will: { ...connect.will, retain: false } } : {}),
      ...(connect.version === 5 ? { properties: { requestProblemInformation: connect.wantsProblemInformation } } : {}),
    },
    { protocolVersion: connect.version },
  )
}

/** The CONNACK of an admitted client. Sessions are always clean and announced so (Decisions 3). */
export function acceptance(
  connect: Connect,
  announced: { maxPacketBytes: number; receiveMaximum: number; assignedClientId: string | null },
): Buffer {
  if (connect.version !== 5) return Buffer.from([0x20, 2, 0, 0])
  const packet: IConnackPacket = {
    cmd: 'connack',
    sessionPresent: false,
    reasonCode: Reason.success,
    properties: {
      receiveMaximum: announced.receiveMaximum,
      maximumPacketSize: announced.maxPacketBytes,
      wildcardSubscriptionAvailable: false,
      sharedSubscriptionAvailable: false,
      subscriptionIdentifiersAvailable: true,
      ...(connect.askedSessionExpiry ? { sessionExpiryInterval: 0 } : {}),
      ...(announced.assignedClientId === null ? {} : { assignedClientIdentifier: announced.assignedClientId }),
      ...(connect.keepAlive === 0 ? { serverKeepAlive: SERVER_KEEP_ALIVE } : {}),
    },
  }
  return mqtt.generate(packet, { protocolVersion: 5 })
}

/** The CONNACK of a refused client, or null where its version has no word for the reason and the connection just ends. */
export function refusal(refused: ConnectRefusal, version: number): Buffer | null {
  const { code, reason } = refusals[refused]
  if (version === 5) return Buffer.from([0x20, 3, 0, reason, 0])
  return code === null ? null : Buffer.from([0x20, 2, 0, code])
}
