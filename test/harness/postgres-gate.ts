import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Ending } from './ending.ts'
import { endsLastFirst } from './last-first.ts'
import type { PostgresServer } from './postgres.ts'

/**
 * `open`: everything passes. `black hole`: nothing does, in either direction, without an error: the packets are lost.
 * `reset`: connections are reset, new ones as well.
 */
export type GateState = 'open' | 'black hole' | 'reset'

/** What the server answers to the statement, https://www.postgresql.org/docs/current/protocol-message-formats.html */
const completed = (tag: string): Buffer =>
  Buffer.concat([Buffer.from('C'), Buffer.from([0, 0, 0, 4 + tag.length + 1]), Buffer.from(`${tag}\0`)])

const answers = { SET: completed('SET'), BEGIN: completed('BEGIN'), COMMIT: completed('COMMIT') } as const

/** One connection through a gate: a client and its session. */
type Passage = {
  readonly client: Socket
  session: Socket | null
  /** What has been held back of the server's answers. Null: nothing is. */
  held: Buffer[] | null
  /** The end of the last chunk, where an answer may begin, and of the last one from the client. */
  tail: Buffer
  asked: Buffer
  /** Whether the client has sent what the watch waits for. */
  hasAsked: boolean
}

type Watch = { readonly answer: Buffer; readonly after: string; readonly seen: () => void }

/**
 * The network between one node and one server, on a port of loopback: it can lose everything, reset, be slow, and hold
 * an answer back, so that the node is then at a known point.
 */
export class PostgresGate {
  readonly #server: PostgresServer
  readonly #listener: Server
  readonly #passages = new Set<Passage>()
  #state: GateState = 'open'
  #delayMs = 0
  #watch: Watch | null = null

  static async before(t: Ending, server: PostgresServer): Promise<PostgresGate> {
    const gate = new PostgresGate(server)
    gate.#listener.listen(0, '127.0.0.1')
    await once(gate.#listener, 'listening')
    endsLastFirst(t, () => gate.#close())
    return gate
  }

  private constructor(server: PostgresServer) {
    this.#server = server
    this.#listener = createServer({ pauseOnConnect: true, noDelay: true }, (client) => this.#enters(client))
  }

  /** `127.0.0.1:port`, for the place of a host in `store.url`. */
  get host(): string {
    return `127.0.0.1:${(this.#listener.address() as AddressInfo).port}`
  }

  /** From now on. What a black hole has kept back arrives when it opens, as it does after a broken cable. */
  becomes(state: GateState): void {
    this.#state = state
    for (const passage of this.#passages) {
      if (state === 'reset') this.#resets(passage)
      else if (state === 'open') this.#opens(passage)
      else for (const socket of [passage.client, passage.session]) socket?.pause()
    }
  }

  /** From now on each answer takes this much longer: a round trip of that length. */
  delays(ms: number): void {
    this.#delayMs = ms
  }

  /**
   * Holds back the next answer to such a statement, and everything behind it on its connection. Resolves when the
   * server has sent it: a session is being set up, a transaction has begun, or it has committed, and the node does not
   * know. `after`: only on a connection on which the node has sent this from now on.
   */
  holds(statement: keyof typeof answers, after = ''): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const passage of this.#passages) passage.hasAsked = after === ''
    this.#watch = { answer: answers[statement], after, seen: resolve }
    return promise
  }

  /** Releases what is held, and holds nothing from then on. */
  releases(): void {
    this.#watch = null
    for (const passage of this.#passages) {
      const { held, client } = passage
      passage.held = null
      for (const bytes of held ?? []) client.write(bytes)
    }
  }

  #enters(client: Socket): void {
    const none = Buffer.alloc(0)
    const hasAsked = this.#watch?.after === ''
    const passage: Passage = { client, session: null, held: null, tail: none, asked: none, hasAsked }
    this.#passages.add(passage)
    client.on('error', () => {})
    // A session does not learn through a black hole that its client is gone.
    client.on('close', () => {
      if (this.#state !== 'black hole') this.#leaves(passage)
    })
    if (this.#state === 'reset') this.#resets(passage)
    else if (this.#state === 'open') this.#opens(passage)
  }

  #opens(passage: Passage): void {
    const { client } = passage
    if (client.destroyed || passage.session?.destroyed) {
      this.#leaves(passage)
      return
    }
    passage.session ??= this.#sessionOf(passage)
    passage.session.resume()
    client.resume()
  }

  #sessionOf(passage: Passage): Socket {
    const { client } = passage
    const session = connect(join(this.#server.directory, '.s.PGSQL.5432'))
    session.on('error', () => {})
    session.on('close', () => {
      // A server that dies behind a black hole is not heard of either.
      if (this.#state !== 'black hole') this.#leaves(passage)
    })
    client.on('data', (bytes: Buffer) => {
      this.#asks(passage, bytes)
      session.write(bytes)
    })
    session.on('data', (bytes: Buffer) => {
      if (this.#delayMs === 0) this.#answers(passage, bytes)
      else setTimeout(() => this.#answers(passage, bytes), this.#delayMs)
    })
    return session
  }

  #asks(passage: Passage, bytes: Buffer): void {
    const { after = '' } = this.#watch ?? {}
    if (after === '' || passage.hasAsked) return
    const known = Buffer.concat([passage.asked, bytes])
    passage.hasAsked = known.includes(after)
    passage.asked = known.subarray(-after.length)
  }

  #answers(passage: Passage, bytes: Buffer): void {
    const known = Buffer.concat([passage.tail, bytes])
    const watch = this.#watch
    // One that begins in the last chunk counts, one that ended there does not.
    const from = watch === null ? 0 : Math.max(0, passage.tail.length - watch.answer.length + 1)
    const at = watch === null || !passage.hasAsked || passage.held !== null ? -1 : known.indexOf(watch.answer, from)
    if (watch !== null && at >= 0) {
      const before = bytes.subarray(0, Math.max(0, at - passage.tail.length))
      passage.client.write(before)
      passage.held = [bytes.subarray(before.length)]
      this.#watch = null
      watch.seen()
    } else if (passage.held !== null) passage.held.push(bytes)
    else if (!passage.client.destroyed) passage.client.write(bytes)
    passage.tail = known.subarray(-answers.COMMIT.length)
  }

  #resets(passage: Passage): void {
    passage.client.resetAndDestroy()
    this.#leaves(passage)
  }

  #leaves(passage: Passage): void {
    passage.client.destroy()
    passage.session?.destroy()
    this.#passages.delete(passage)
  }

  async #close(): Promise<void> {
    for (const passage of this.#passages) this.#leaves(passage)
    await new Promise((resolve) => this.#listener.close(resolve))
  }
}
