import type { Config } from '../config.ts'

/** Maximum number of open connections, in total. */
export type ConnectionBudget = {
  readonly http: number
  /** Over TCP, TLS and WebSocket. */
  readonly mqtt: number
  /** The limit to raise for more connections. */
  readonly boundBy: 'descriptors' | 'memory'
}

/**
 * Sites that need more use more machines. Without a maximum the shares would mean nothing on a system without a limit.
 */
const MAX_DESCRIPTORS = 1_048_576
/** The database, files, threads, and the connections to providers, chats and webhooks. */
const OWN = { share: 1 / 8, min: 64, max: 1024 }
const HTTP_SHARE = 1 / 3

/** This many requests to providers are part of `OWN`. */
const OWN_REQUESTS = 100

const KB = 1024
const MB = 1024 * KB
/** Memory needed under load without any connection: code, heaps, caches, writes waiting for the disk. */
const OWN_MEMORY_BYTES = 192 * MB
/** The share of the remaining memory for connections. The rest is for the work that they cause. */
const CONNECTIONS_SHARE = 0.6
/** An idle connection over TLS has 50 KB, and 16 more once it has sent more than 1 KB at once (bench/README.md). */
const IDLE_BYTES = 80 * KB
/** A connection whose sender has to wait also has a frame of 64 KiB, and as much behind it that was read already. */
const SENDING_BYTES = 192 * KB
/** This many may do that at the same time; on a small machine, all of them. */
const SENDING = 2000
/** The minimum on any machine: a few trackers and a console always get in. */
const FEWEST = 192

/** The connections that fit into `memoryBytes`. */
function roomFor(memoryBytes: number): number {
  const bytes = (memoryBytes - OWN_MEMORY_BYTES) * CONNECTIONS_SHARE
  const idleToo = Math.floor((bytes - SENDING * SENDING_BYTES) / IDLE_BYTES)
  return Math.max(FEWEST, idleToo > 0 ? SENDING + idleToo : Math.floor(bytes / SENDING_BYTES))
}

/**
 * Shares `descriptors`, or the connections that fit into `memoryBytes` if these are fewer, so that no kind of
 * connection can take what another one needs, and all of them together cannot make the system kill the process. Some
 * descriptors are set aside for the service's own files and sending; of the rest, HTTP gets a third, because its
 * connections are short, and MQTT two thirds. `requestsAtOnce`: the requests that a provider may have in flight.
 * `listening`: the number of listening sockets.
 */
export function connectionBudget({
  descriptors: limit,
  memoryBytes,
  requestsAtOnce = OWN_REQUESTS,
  listening = 0,
}: {
  readonly descriptors: number
  readonly memoryBytes: number
  readonly requestsAtOnce?: number
  readonly listening?: number
}): ConnectionBudget {
  const descriptors = Math.min(limit, MAX_DESCRIPTORS)
  const usual = Math.min(Math.max(Math.floor(descriptors * OWN.share), OWN.min), OWN.max)
  const own = usual + listening + Math.max(0, requestsAtOnce - OWN_REQUESTS)
  const [open, fitting] = [descriptors - own, roomFor(memoryBytes)]
  const shared = Math.max(Math.min(open, fitting), 2)
  const http = Math.max(Math.floor(shared * HTTP_SHARE), 1)
  return { http, mqtt: shared - http, boundBy: fitting < open ? 'memory' : 'descriptors' }
}

/** Both can be in use at once, and alarms may take twice the bytes that wait for the disk. */
const MEMORY_SHARE = 1 / 32

/** Shares of the process's memory limit, beside that of the connections. */
export const memoryShares = (memoryBytes: number, { waitingMb }: Pick<Config['limits'], 'waitingMb'>) => ({
  /** For writes waiting for the disk, before telemetry is refused: `limits.waitingMb`, and less on a small machine. */
  waitingBytes: Math.min(waitingMb * MB, memoryBytes * MEMORY_SHARE),
  /** For bodies longer than any alarm's. */
  longBodyBytes: memoryBytes * MEMORY_SHARE,
})
