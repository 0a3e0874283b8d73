import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Moment } from '../../../../lib/loop-watch.ts'
import { bothClocks } from '../../../../lib/waited.ts'
import type { Withdrawal } from '../../../../ports/store.ts'
import type { Paced } from '../../door/paced.ts'

type Client = {
  readonly connection: Pick<Paced, 'looks' | 'whenGone'>
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

/**
 * Tells the decision about a request whether its client has gone by then. Resolves after one more read: the network may
 * have said so while the request waited.
 */
export async function withdrawalOf(request: IncomingMessage): Promise<Withdrawal> {
  const withdrawal: Withdrawal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const withdraw = (): void => void Atomics.store(withdrawal, 0, 1)
  const { connection, response } = clients.get(request) ?? {}
  connection?.whenGone(withdraw)
  // It may be answered before it is decided.
  response?.once('close', withdraw)
  if ((await connection?.looks()) != null) withdraw()
  return withdrawal
}
