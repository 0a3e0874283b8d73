import mqtt from 'mqtt-packet'
import { Cursor } from './cursor.ts'
import { Reason } from './frame.ts'
import { connectProperties, fieldEnd, NO_PROPERTIES, Property, willProperties } from './properties.ts'

/** The fields of a client's CONNECT that this service uses. */
export type Connect = {
  readonly version: 3 | 4 | 5
  readonly clientId: string
  /** Whether the client sent no id and was assigned this one. */
  readonly hasAssignedId: boolean
  readonly username: string | null
  readonly password: string
  /** Seconds; 0: no keep-alive. */
  readonly keepAlive: number
  readonly will: Will | null
  readonly askedSessionExpiry: boolean
  readonly receiveMaximum: number
  /** Bytes; Infinity if the client set no limit. */
  readonly maximumPacketSize: number
  readonly wantsProblemInformation: boolean
}

type Will = { readonly topic: string; readonly payload: Buffer; readonly qos: 0 | 1 | 2 }

/** Why a client is refused. */
export type ConnectRefusal =
  | 'not_authorized'
  | 'unavailable'
  | 'client_id'
  | 'version'
  | 'authentication_method'
  | 'protocol_error'
  | 'unreadable'

/** Why a CONNECT is refused, and the protocol version to answer in. */
type RefusedConnect = { readonly refused: ConnectRefusal; readonly version: number }

/** Connect flags, MQTT 3.1.1 and 5, 3.1.2.3. */
const RESERVED = 0x01
const CLEAN = 0x02
const WILL = 0x04
const WILL_QOS = 0x18
const WILL_RETAIN = 0x20
const PASSWORD = 0x40
const USERNAME = 0x80

/** A bridge sets this bit in the protocol level. */
const BRIDGE = 0x80
const PROTOCOL_NAMES = ['MQTT', 'MQIsdp']

/** access.md#sessions: client ids are 0 to 256 bytes of UTF-8. */
const CLIENT_ID_BYTES = 256
const RECEIVE_MAXIMUM_DEFAULT = 65_535
/** Seconds, announced to an MQTT 5 client without keep-alive: 1.5 times this is the 5 minutes that it may be silent. */
export const SERVER_KEEP_ALIVE = 200

/** No packet with a reason string exceeds this many bytes. */
const REASON_STRING_BYTES = 128

/** Whether an acknowledgement to this client may carry a reason string (MQTT 5, 3.1.2.11.7 and 3.4.2.2.2). */
export const takesReasonString = (connect: Connect): boolean =>
  connect.wantsProblemInformation && hasRoomForReasonString(connect)

/** Whether a DISCONNECT may carry a reason string; the client cannot opt out of that. */
export const hasRoomForReasonString = ({ maximumPacketSize }: Connect): boolean =>
  maximumPacketSize >= REASON_STRING_BYTES

/** The silence that a client may keep: 1.5 times its keep-alive (3.1.1, 3.1.2.10), or 5 minutes if it has none. */
export const idleMs = (connect: Connect): number => (connect.keepAlive || SERVER_KEEP_ALIVE) * 1500

/**
 * Reads a complete CONNECT frame with its variable header at `body`. Strict, because a lenient parser could read two
 * client ids as the same one (MQTT 5, 3.1.3.1).
 */
export function readConnect(frame: Buffer, body: number): Connect | RefusedConnect {
  const nameEnd = fieldEnd(frame, body, frame.length)
  const level = nameEnd < 0 ? undefined : frame[nameEnd]
  if (level === undefined) return { refused: 'unreadable', version: 4 }
  const version = level & ~BRIDGE
  const answered = version >= 5 ? 5 : 4
  // An unknown level needs an answer before the connection closes (3.1.2.2).
  if (version !== 3 && version !== 4 && version !== 5) return { refused: 'version', version: answered }

  const fields = new Cursor(frame, nameEnd + 1)
  const flags = fields.uint8()
  const keepAlive = fields.uint16()
  const properties = version === 5 ? fields.properties(connectProperties) : NO_PROPERTIES
  const asked = (id: number): boolean => properties.at.has(id)
  // MQTT 5, 3.1.2.11.10.
  if (asked(Property.authenticationData) && !asked(Property.authenticationMethod)) fields.fail(Reason.protocolError)
  const clientId = fields.text()
  const will = flags & WILL ? readWill(fields, flags, version) : null
  const username = flags & USERNAME ? fields.text() : null
  const password = flags & PASSWORD ? fields.binary().toString('utf8') : ''
  if (!fields.isAtEnd || !areValid(flags) || will?.topic === '') fields.fail(Reason.malformed)
  if (!PROTOCOL_NAMES.includes(frame.toString('utf8', body + 2, nameEnd))) fields.fail(Reason.malformed)
  if (fields.fault !== null) {
    return { refused: fields.fault === Reason.protocolError ? 'protocol_error' : 'unreadable', version: answered }
  }

  const numberOf = (id: number, bytes: 1 | 2 | 4): number | null =>
    asked(id) ? frame.readUIntBE(properties.at.get(id)!, bytes) : null
  const connect: Connect = {
    version,
    clientId,
    hasAssignedId: false,
    username,
    password,
    keepAlive,
    will,
    askedSessionExpiry: (numberOf(Property.sessionExpiryInterval, 4) ?? 0) > 0,
    receiveMaximum: numberOf(Property.receiveMaximum, 2) ?? RECEIVE_MAXIMUM_DEFAULT,
    maximumPacketSize: numberOf(Property.maximumPacketSize, 4) ?? Number.POSITIVE_INFINITY,
    wantsProblemInformation: numberOf(Property.requestProblemInformation, 1) !== 0,
  }
  if (asked(Property.authenticationMethod)) return { refused: 'authentication_method', version }
  if (connect.receiveMaximum === 0 || connect.maximumPacketSize === 0) return { refused: 'protocol_error', version }
  // MQTT 3.1.1, 3.1.3.1: a client without an id has to ask for a clean session.
  if (clientId === '' && version < 5 && !(flags & CLEAN)) return { refused: 'client_id', version }
  if (Buffer.byteLength(clientId) > CLIENT_ID_BYTES) return { refused: 'client_id', version }
  return connect
}

function readWill(fields: Cursor, flags: number, version: number): Will {
  if (version === 5) fields.properties(willProperties)
  const topic = fields.text()
  // Copied: the frame is a view of the socket's bytes, and the will lives as long as the connection.
  return { topic, payload: Buffer.from(fields.binary()), qos: ((flags & WILL_QOS) >> 3) as Will['qos'] }
}

/** MQTT 3.1.1 and 5, 3.1.2.3 to 3.1.2.7: without a will, QoS and retain flags must be zero. */
function areValid(flags: number): boolean {
  if (flags & RESERVED) return false
  return flags & WILL ? (flags & WILL_QOS) !== WILL_QOS : (flags & (WILL_QOS | WILL_RETAIN)) === 0
}

/**
 * The CONNECT that Aedes gets instead: without credentials (already verified), under an id scoped to the user, clean
 * and without expiry, so that nothing outlives the connection. The gate watches the keep-alive. The will loses its
 * retain flag (access.md#sessions: never stored). It also loses its delay, which the session's end at the same moment
 * would cut short anyway.
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
