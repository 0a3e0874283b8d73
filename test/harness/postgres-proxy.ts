import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectTo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ending } from './ending.ts'
import { endsLastFirst } from './last-first.ts'
import type { PostgresServer } from './postgres.ts'

/** The end of each request of the extended protocol, and of the answer to it. */
const SYNC = 'S'.charCodeAt(0)
const READY = 'Z'.charCodeAt(0)
const LENGTH_BYTES = 4

/** Counts the messages of one type in a stream of them. The client's first has no type. */
class Counter {
  readonly #type: number
  #left: number
  #pending = Buffer.alloc(0)
  count = 0

  constructor(type: number, startsUntyped: boolean) {
    this.#type = type
    this.#left = startsUntyped ? 1 : 0
  }

  /** How many bytes of `chunk` belong to whole messages, up to and with the `max`-th of the type. */
  take(chunk: Buffer, max = Number.POSITIVE_INFINITY): number {
    const before = this.#pending.length
    this.#pending = Buffer.concat([this.#pending, chunk])
    let at = 0
    while (this.count < max) {
      const head = this.#left > 0 ? 0 : 1
      if (this.#pending.length < at + head + LENGTH_BYTES) break
      const end = at + head + this.#pending.readInt32BE(at + head)
      if (this.#pending.length < end) break
      if (head === 1 && this.#pending[at] === this.#type) this.count += 1
      this.#left = 0
      at = end
    }
    this.#pending = this.#pending.subarray(at)
    return at - before
  }
}

/**
 * A proxy between a store and its server. It counts the client's requests, and lets through only as many answers as the
 * test allows. For stores with one session.
 */
export class PostgresProxy {
  /** The address, in the place of the server's. */
  readonly url: string
  #asked = 0
  #allowed = Number.POSITIVE_INFINITY
  #answered = 0
  #held: { readonly socket: Socket; bytes: Buffer }[] = []

  static async before(t: Ending, server: PostgresServer, url: string): Promise<PostgresProxy> {
    const directory = await mkdtemp(join(tmpdir(), 'tocsin-proxy-'))
    const proxy = new PostgresProxy(url.replace(encodeURIComponent(server.directory), encodeURIComponent(directory)))
    const sockets = new Set<Socket>()
    const listener = createServer((client) => {
      const upstream = connectTo(join(server.directory, '.s.PGSQL.5432'))
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(socket)
        socket.on('error', () => other.destroy())
        socket.on('close', () => other.destroy())
      }
      proxy.#joins(client, upstream)
    })
    await new Promise<void>((resolve) => listener.listen(join(directory, '.s.PGSQL.5432'), resolve))
    endsLastFirst(t, async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
      await rm(directory, { recursive: true, force: true })
    })
    return proxy
  }

  private constructor(url: string) {
    this.url = url
  }

  /** Requests so far. */
  get asked(): number {
    return this.#asked
  }

  /** From now on `count` more answers go through, and no others. */
  allow(count: number): void {
    this.#allowed = this.#answered + count
    this.#release()
  }

  #joins(client: Socket, upstream: Socket): void {
    const requests = new Counter(SYNC, true)
    client.on('data', (chunk: Buffer) => {
      const before = requests.count
      requests.take(chunk)
      this.#asked += requests.count - before
      upstream.write(chunk)
    })
    const held = { socket: client, bytes: Buffer.alloc(0) }
    this.#held.push(held)
    upstream.on('data', (chunk: Buffer) => {
      held.bytes = Buffer.concat([held.bytes, chunk])
      this.#release()
    })
  }

  #release(): void {
    for (const held of this.#held) {
      const answers = new Counter(READY, false)
      const end = answers.take(held.bytes, this.#allowed - this.#answered)
      this.#answered += answers.count
      if (end > 0) held.socket.write(held.bytes.subarray(0, end))
      held.bytes = held.bytes.subarray(end)
    }
  }
}
