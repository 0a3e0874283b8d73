/** What one connection may do. */
export type GateLimits = {
  /** Bytes of a whole packet, fixed header included; announced to MQTT 5 clients. */
  readonly maxPacketBytes: number
  /** Publishes passed on and not yet settled; the rest waits in the socket. */
  readonly inFlight: number
  /** Bytes of those publishes. */
  readonly inFlightBytes: number
  /** Announced to MQTT 5 clients, and how many half-open QoS 2 publishes one of them may have. */
  readonly receiveMaximum: number
  readonly bytesPerSecond: number
  /** Packets of any kind; a subscription counts by its topics. */
  readonly messagesPerSecond: number
  /** How far behind a reader may be. */
  readonly backlogBytes: number
  /** How long a reader may take nothing while something is waiting for it. */
  readonly stallMs: number
  /** Until the CONNECT is complete, and again until it is answered. */
  readonly connectMs: number
  /** Connections of one address that have not logged in, while nothing fails there. */
  readonly pendingPerAddress: number
  /** Connections of one user that are logged in. */
  readonly connectionsPerUser: number
  /** How long a publish may stay unsettled before the connection is ended, so that the client tries again. */
  readonly settleMs: number
}

/** Bytes of a packet before the client is known. */
export const UNKNOWN_PACKET_BYTES = 4096

export const defaultLimits: GateLimits = {
  maxPacketBytes: 64 * 1024,
  inFlight: 128,
  inFlightBytes: 256 * 1024,
  receiveMaximum: 1024,
  bytesPerSecond: 8 * 1024 * 1024,
  messagesPerSecond: 10_000,
  backlogBytes: 256 * 1024,
  stallMs: 4000,
  connectMs: 10_000,
  pendingPerAddress: 10_000,
  connectionsPerUser: 1000,
  settleMs: 60_000,
}
