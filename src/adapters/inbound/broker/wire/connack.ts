import mqtt, { type IConnackPacket } from 'mqtt-packet'
import { type Connect, type ConnectRefusal, SERVER_KEEP_ALIVE } from './connect.ts'
import { Reason } from './frame.ts'

/** Refusals of a CONNECT by protocol version. 3.1.1 lacks codes for some reasons: the connection just ends. */
const refusals = {
  not_authorized: { code: 5, reason: Reason.notAuthorized },
  unavailable: { code: 3, reason: Reason.serverUnavailable },
  client_id: { code: 2, reason: Reason.clientIdNotValid },
  version: { code: 1, reason: Reason.unsupportedVersion },
  authentication_method: { code: 5, reason: Reason.badAuthenticationMethod },
  protocol_error: { code: null, reason: Reason.protocolError },
  unreadable: { code: null, reason: Reason.malformed },
} as const satisfies Record<ConnectRefusal, { readonly code: number | null; readonly reason: number }>

/** The CONNACK for an admitted client. Sessions are always clean and announced as such (access.md#sessions). */
export function acceptance(
  connect: Connect,
  announced: { readonly maxPacketBytes: number; readonly receiveMaximum: number },
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
      ...(connect.hasAssignedId ? { assignedClientIdentifier: connect.clientId } : {}),
      ...(connect.keepAlive === 0 ? { serverKeepAlive: SERVER_KEEP_ALIVE } : {}),
    },
  }
  return mqtt.generate(packet, { protocolVersion: 5 })
}

/** The CONNACK for a refused client, or null if its version has no code for the reason. */
export function refusal(refused: ConnectRefusal, version: number): Buffer | null {
  const { code, reason } = refusals[refused]
  if (version === 5) return Buffer.from([0x20, 3, 0, reason, 0])
  return code === null ? null : Buffer.from([0x20, 2, 0, code])
}
