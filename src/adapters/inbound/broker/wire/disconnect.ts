import { type Connect, hasRoomForReasonString } from './connect.ts'
import { PacketType, Reason, reasonProperties } from './frame.ts'

/** A client that leaves so wants its will to fire (MQTT 5, 3.14.2.1). */
const WITH_WILL = 0x04

/** Reason Strings, up to 100 bytes each. Paho 1.6 reads the reason code only where there is one. */
const reasonStrings: Readonly<Partial<Record<number, string>>> = {
  [Reason.malformed]: 'malformed packet',
  [Reason.protocolError]: 'protocol error',
  [Reason.internalError]: 'could not be stored; please send it again',
  [Reason.notAuthorized]: 'topic not allowed',
  [Reason.serverUnavailable]: 'not available now',
  [Reason.serverShuttingDown]: 'the service stops',
  [Reason.keepAliveTimeout]: 'silent for longer than the keep-alive',
  [Reason.sessionTakenOver]: 'another connection has the same client id',
  [Reason.receiveMaximumExceeded]: 'more than the receive maximum at QoS 2',
  [Reason.topicAliasInvalid]: 'topic aliases are not offered',
  [Reason.packetTooLarge]: 'larger than the maximum packet size',
  [Reason.quotaExceeded]: 'more connections than a user may have',
  [Reason.administrativeAction]: 'no longer admitted',
}

/** A DISCONNECT of MQTT 5 with its reason. `reasonString`: the reason for people, up to 100 bytes. */
export function disconnect(reason: number, reasonString = ''): Buffer {
  const properties = reasonProperties(reasonString)
  return Buffer.concat([Buffer.from([PacketType.disconnect << 4, 1 + properties.length, reason]), properties])
}

/** The DISCONNECT that tells this client why its connection ends; null where its version has none from a server. */
export function disconnectFor(connect: Connect, reason: number): Buffer | null {
  if (connect.version !== 5) return null
  return disconnect(reason, hasRoomForReasonString(connect) ? reasonStrings[reason] : '')
}

/** The client's DISCONNECT as Aedes gets it. With any other reason the will is discarded. */
export function relayedDisconnect(version: number, reason: number | undefined): Buffer {
  return version === 5 ? disconnect(reason === WITH_WILL ? WITH_WILL : 0) : Buffer.from([PacketType.disconnect << 4, 0])
}
