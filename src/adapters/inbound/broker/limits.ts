/** The limits of one connection. */
export type GateLimits = {
  /** Size of a whole packet in bytes, including the fixed header; announced to MQTT 5 clients. */
  readonly maxPacketBytes: number
  /** Publishes in flight: passed on and not yet settled. The rest waits in the socket. */
  readonly inFlight: number
  /** Bytes of the publishes in flight. */
  readonly inFlightBytes: number
  /** Announced to MQTT 5 clients; also limits the half-open QoS 2 publishes of each of them. */
  readonly receiveMaximum: number
  readonly bytesPerSecond: number
  /** Packets of any kind; a subscription counts once per topic. */
  readonly messagesPerSecond: number
  /** The bytes that a reader may be behind. */
  readonly backlogBytes: number
  /** A reader without progress for so long, while bytes wait for it, is disconnected. */
  readonly stallMs: number
  /** Time until the CONNECT is complete, and again until it is answered. */
  readonly connectMs: number
  /** Connections from one address that have not logged in, as long as no login there fails. */
  readonly pendingPerAddress: number
  /** Logged-in connections of one user. */
  readonly connectionsPerUser: number
  /**
   * If no publish in flight settles for so long, the connection ends, so that the client retries.
   */
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

// The limits below are fixed.

/** Packet size in bytes before the client is known. */
export const UNKNOWN_PACKET_BYTES = 4096
/** MQTT 3.1.1 has no Receive Maximum to announce, and clients may send a whole backlog before the first PUBREL. */
export const HALF_OPEN_WITHOUT_MAXIMUM = 16_384
/** Publishes that a connection may have in flight while too many writes wait for the disk. */
export const MAX_CONGESTED = 2
/** Alerts are committed in order of arrival, so another user's alert waits for at most this many of one user. */
export const MAX_ALERTS_PER_USER = 64
/** Wills of a user that have fired and wait to be stored: as many as a user may have connections. */
export const MAX_WAITING_WILLS = 1000
/**
 * Limits of a tracker, which reports every few seconds at most, and everything at once after hours without a network:
 * an SOS is then behind all of that. One connection more replaces the oldest. `app/field/take-report.ts` decides how
 * many reports are stored.
 */
export const TRACKER_LIMITS = { connections: 4, messagesPerSecond: 100, inFlight: 8 }
/** Subscriptions that Aedes gets at a time: it processes everything it has in one go. */
export const MAX_UNANSWERED = 8
/** Time for a closed connection to read its last packets, and bytes that it may send until then. */
export const LINGER_MS = 2000
export const LINGER_BYTES = 256 * 1024

/**
 * How often a newer connection ends an older one of the same client id: at once, and then per second. Beyond that both
 * stay. `maxKept`: client ids that are remembered; others start anew.
 */
export const TAKE_OVERS = { atOnce: 100, perSecond: 0.2, maxKept: 10_000 }

/** Main-thread time in ms that the packets of one user's connections may use: per second, and in one burst. */
export const USER_TIME = { perSecond: 400, atOnce: 50 }
/** The same in one turn of the event loop; beyond it, the connections of the user take turns (ADR 0014). */
export const USER_SLICE_MS = 4
/** Frames of a connection handled between two looks at the clock. */
export const FRAMES_PER_LOOK = 32
/** Approximate cost, in ms, of one subscription in Aedes, including its end. */
export const SUBSCRIPTION_MS = 0.2
/**
 * Bytes that a connection may send even after its user's time is used up, in one burst and per second: an alarm must
 * not wait for the traffic of another tracker of the same user.
 */
export const FIRST_BYTES = { atOnce: 8 * 1024, perSecond: 1024 }

/** Concurrent reads of the state. A hung store blocks no more than these. */
export const MAX_STATE_READS = 4
/** Time that a connection's events wait for its state. */
export const STATE_MS = 2000
/** States that one connection may be owed. Subscribing more often before the first answer earns no more. */
export const MAX_OWED_STATES = 16

/**
 * Frames that a WebSocket may send per second. The gate's budgets count packets, but a frame with no packet (empty
 * message, ping, pong) or with a single byte of one costs just as much.
 */
export const MAX_FRAMES = 20_000
export const MAX_IDLE_FRAMES = 100
/** Chunks that make up one frame of at most 125 bytes; longer ones are passed on in pieces. */
export const MAX_CHUNKS = 256
/** Beyond this many unread bytes, pings go unanswered, so that pongs do not pile up. */
export const MAX_UNREAD_PONG_BYTES = 64 * 1024

/** Time for publishes in flight to settle when the broker closes. */
export const SETTLE_ON_CLOSE_MS = 5000
