import { type Connect, hasRoomForReasonString } from './connect.ts'
import { PacketType, Reason, reasonProperties } from './frame.ts'

/** The client disconnects but wants its will to fire (MQTT 5, 3.14.2.1). */
const WITH_WILL = 0x04

/** Reason strings, up to 100 bytes each. Paho 1.6 reads the reason code only if there is one. */
const reasonStrings: Readonly<Partial<Record<number, string>>> = {
  [Reason.malformed]: 'malformed packet',
  [Reason.protocolError]: 'protocol error',
  [Reason.internalError]: 'could not store it; please send it again',
  [Reason.notAuthorized]: 'topic not allowed',
  [Reason.serverUnavailable]: 'currently unavailable',
  [Reason.serverShuttingDown]: 'this server stops for now; please connect again',
  [Reason.keepAliveTimeout]: 'no packet within the keep-alive time',
  [Reason.sessionTakenOver]: 'another connection took over this client id',
  [Reason.receiveMaximumExceeded]: 'receive maximum exceeded at QoS 2',
  [Reason.topicAliasInvalid]: 'topic aliases are not supported',
  [Reason.packetTooLarge]: 'packet exceeds the maximum packet size',
  [Reason.quotaExceeded]: 'too many connections for one user',
  [Reason.administrativeAction]: 'access has been revoked',
}

/** An MQTT 5 DISCONNECT. `reasonString`: the reason for people, up to 100 bytes. */
function disconnect(reason: number, reasonString = ''): Buffer {
  const properties = reasonProperties(reasonString)
  return Buffer.concat([Buffer.from([PacketType.disconnect << 4, 1 + properties.length, reason]), properties])
}

/** The DISCONNECT with which the server ends this connection, or null: in 3.1.1 servers send none. */
export function disconnectFor(connect: Connect, reason: number): Buffer | null {
  if (connect.version !== 5) return null
  return disconnect(reason, hasRoomForReasonString(connect) ? reasonStrings[reason] : '')
}

/** Whether a client's DISCONNECT leaves its will in force. Any reason other than 0x04 discards it. */
export const asksForWill = (version: number, reason: number | undefined): boolean =>
  version === 5 && reason === WITH_WILL

/** The client's DISCONNECT as Aedes gets it. */
export const relayedDisconnect = (version: number, firesWill: boolean): Buffer =>
  version === 5 ? disconnect(firesWill ? WITH_WILL : 0) : Buffer.from([PacketType.disconnect << 4, 0])
