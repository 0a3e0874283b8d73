import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Moment } from '../../../../lib/loop-watch.ts'
import { bothClocks } from '../../../../lib/waited.ts'
import type { Withdrawal } from '../../../../ports/store.ts'
import type { Gone, Paced } from '../../door/paced.ts'

type Client = {
  /** The requests of its connection. */
  readonly line: { readonly connection: Paced; readonly isFollowed: boolean }
  readonly response: ServerResponse
  readonly since: Moment
}

const clients = new WeakMap<IncomingMessage, Client>()

/** Remembers the client of a request. `since`: when its first byte came. */
export function bind(request: IncomingMessage, client: Client): void {
  clients.set(request, client)
}

/**
 * The earliest time at which the first byte of a request can have come: bytes that came while the event loop stood
 * still, or reading was held back, count from the beginning of that. rules.md#ends.
 */
export const firstByteOf = (request: IncomingMessage): Moment => clients.get(request)?.since ?? bothClocks()

/** The client behind an answer that takes long. */
export type Peer = {
  /** How it has gone, as soon as this process can know. */
  readonly gone: () => Gone | null
  /** Whether something of a further request has come. */
  readonly isFollowed: () => boolean
  /** Bytes that the system has taken, of all that was written. */
  readonly bytesSent: () => number
}

/** The client of a request. Null for one that came over no connection. */
export function peerOf(request: IncomingMessage): Peer | null {
  const client = clients.get(request)
  if (client === undefined) return null
  const { line } = client
  const { connection } = line
  return {
    gone: () => connection.gone,
    isFollowed: () => line.isFollowed || connection.unread.length > 0,
    bytesSent: () => connection.bytesSent,
  }
}

/**
 * Tells the decision about a request whether its client has gone by then. Resolves after one more read: the network may
 * have said so while the request waited.
 */
export async function withdrawalOf(request: IncomingMessage): Promise<Withdrawal> {
  const withdrawal: Withdrawal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const withdraw = (): void => void Atomics.store(withdrawal, 0, 1)
  const { line, response } = clients.get(request) ?? {}
  const connection = line?.connection
  connection?.whenGone(withdraw)
  // It may be answered before it is decided.
  response?.once('close', withdraw)
  if ((await connection?.looks()) != null) withdraw()
  return withdrawal
}
