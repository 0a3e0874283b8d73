/**
 * Limits on waiting writes and on one commit, the same on both stores: an alarm waits as long on one as on the other.
 */

/** Memory that a call holds besides its measured size: its promise, and all that the sender keeps until it settles. */
export const CALL_BYTES = 4096
/** The same for a call whose payload is measured. */
export const ROW_BYTES = 1024
/** Bytes that may wait if the configuration does not set `limits.waitingMb`. */
export const MAX_WAITING_BYTES = 32 * 1024 * 1024

/** Calls of one user in a commit. The service's own calls, such as those to the outbox, are not limited. */
export const MAX_CALLS_OF_ONE = 8
/**
 * An alert waits for the batch in front of it and for its own. Both stay short beside a flooder, whose alerts cost a
 * store about a millisecond each.
 */
export const ALARMS = { items: 250, bytes: 4 * 1024 * 1024, itemsOfOne: MAX_CALLS_OF_ONE } as const
/** The dispatcher's calls, at about 0.1 ms each. */
export const MAX_SENDING = 64
/** A batch of these takes a few milliseconds. */
export const BULK = { items: 500, bytes: 1024 * 1024 } as const
/** Rows of one user lie side by side on disk, so writing a few in a row is faster than taking turns after each. */
export const TELEMETRY_TURN = 8
