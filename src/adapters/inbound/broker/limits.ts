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

// What follows is the same for everybody and cannot be set.

/** Bytes of a packet before the client is known. */
export const UNKNOWN_PACKET_BYTES = 4096
/** MQTT 3.1.1 has no Receive Maximum to announce, and clients send a whole backlog before the first PUBREL. */
export const HALF_OPEN_WITHOUT_MAXIMUM = 16_384
/** Publishes that a connection may have in flight while too much waits for the disk. */
export const MAX_CONGESTED = 2
/** Alerts are committed in the order in which they came: nobody else's waits for more than these of one user. */
export const MAX_ALERTS_PER_USER = 64
/** Subscriptions that Aedes has at a time: it works off in one go whatever it is given. */
export const MAX_UNANSWERED = 8
/** How long a closed connection may take to read its last packets, and how much it may send meanwhile. */
export const LINGER_MS = 2000
export const LINGER_BYTES = 256 * 1024

/**
 * The time of the main thread, in ms, that what the connections of one user send may take: in a second, and at once.
 */
export const USER_TIME = { perSecond: 400, atOnce: 50 }
/** What Aedes takes to subscribe a client or to end it, about, in ms. */
export const SUBSCRIPTION_MS = 0.2
/**
 * Bytes that a connection may send although its user's time is used up, at once and in a second: an alarm must not wait
 * for what another tracker of the same user sends.
 */
export const FIRST_BYTES = { atOnce: 8 * 1024, perSecond: 1024 }

/** States that are read at once. A store that hangs keeps no more than these. */
export const MAX_STATE_READS = 4
/** How long a connection's events may wait for its state. */
export const STATE_MS = 2000
/** States of one connection. One that subscribes more often before the first answer gets no more than this many. */
export const MAX_OWED_STATES = 16

/**
 * What a WebSocket may bring in a second. The gate's budgets count packets; frames that carry none (empty messages,
 * pings, pongs), or a byte of one each, cost as much.
 */
export const MAX_FRAMES = 20_000
export const MAX_IDLE_FRAMES = 100
/** Of one message; a client that sends packets has no use for more. */
export const MAX_FRAGMENTS = 1024
/** In which a part of a frame may lie; each costs some hundred bytes, be it of one. */
export const MAX_CHUNKS = 1024
/** Pongs that a client does not read are not piled up. */
export const MAX_UNREAD_PONG_BYTES = 64 * 1024

/** How long what is being ingested may take to settle when the broker closes. */
export const SETTLE_ON_CLOSE_MS = 5000
