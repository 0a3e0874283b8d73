import type { Connection } from './connection.ts'
import { failed, isServerFull } from './failure.ts'

type Waiting = { readonly resolve: (connection: Connection) => void; readonly reject: (error: unknown) => void }

/** A few sessions for one purpose, opened when they are needed and kept. */
export class Pool {
  readonly #connect: () => Promise<Connection>
  readonly #size: number
  readonly #maxWaiting: number
  readonly #idle: Connection[] = []
  readonly #waiting: Waiting[] = []
  #taken = 0
  #isClosed = false
  #drained: (() => void) | null = null

  /** `maxWaiting`: how many may wait for a session before others are refused. */
  constructor(connect: () => Promise<Connection>, { size, maxWaiting }: { size: number; maxWaiting: number }) {
    this.#connect = connect
    this.#size = size
    this.#maxWaiting = maxWaiting
  }

  /** Opens the first session, so that this purpose has one however many the others take. Rejects with a StoreError. */
  open(): Promise<void> {
    return this.use(() => Promise.resolve())
  }

  /** Runs `work` with an exclusive session. Rejects with a StoreError if there is none. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#take()
    try {
      return await work(connection)
    } finally {
      this.#giveBack(connection)
    }
  }

  /** Waits for work in progress, then ends every session. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#taken > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve
      })
    }
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()))
  }

  async #take(): Promise<Connection> {
    if (this.#isClosed) throw failed('closed')
    if (this.#taken < this.#size) {
      this.#taken += 1
      return this.#ready()
    }
    if (this.#waiting.length >= this.#maxWaiting) throw failed('overloaded')
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /** Returns a usable session for a place already counted as taken. */
  async #ready(): Promise<Connection> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) if (idle.isUsable) return idle
    try {
      return await this.#connect()
    } catch (error) {
      // A server without a free session has given this pool some before: one of those will do.
      if (isServerFull(error) && this.#idle.length > 0) return this.#ready()
      if (isServerFull(error) && this.#taken > 1) return this.#another()
      this.#leave()
      throw error
    }
  }

  /** Gives a place up and waits for the next session that is returned. */
  #another(): Promise<Connection> {
    this.#taken -= 1
    return new Promise((resolve, reject) => this.#waiting.unshift({ resolve, reject }))
  }

  #giveBack(connection: Connection): void {
    if (connection.isUsable) this.#idle.push(connection)
    this.#leave()
  }

  /** Hands the place to the longest waiting caller. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next !== undefined) {
      this.#ready().then(next.resolve, next.reject)
      return
    }
    this.#taken -= 1
    if (this.#taken === 0) this.#drained?.()
  }
}
