import { Socket } from 'node:net'
import pg from 'pg'
import { StoreError } from '../../../../ports/store.ts'
import { failed } from './failure.ts'

/** A statement. `name`: prepared once per connection under this name; for frequent statements. */
export type Statement = string | { readonly name: string; readonly text: string }

/** Longer than the server's own limits: it ends only connections that are dead. */
const ANSWER_TIMEOUT_MS = 12_000
/** Time limit of a commit. Its outcome is unknown from then on. */
const COMMIT_TIMEOUT_MS = 5_000

/** A client of the driver, and the socket that it speaks through, below TLS. */
export type Wire = { readonly client: pg.Client; readonly socket: Socket }

/** A wire that is not connected yet. */
export function wireTo(config: pg.ClientConfig): Wire {
  const socket = new Socket()
  return { client: new pg.Client({ ...config, stream: () => socket }), socket }
}

/**
 * Gives a wire up at once. The driver cannot: its `end` waits for the server. Calls that wait for an answer are
 * rejected.
 */
export function cut({ socket }: Wire): void {
  socket.destroy()
}

/**
 * A session on the primary. Statements are sent at once, without waiting for the answers of those before them. Anything
 * but an error that the server reports breaks the connection: `isUsable` is false from then on.
 */
export class Connection {
  readonly #wire: Wire
  readonly #client: pg.Client
  readonly #commitTimeoutMs: number
  readonly #answerTimeoutMs: number
  #isUsable = true
  #onLost = () => {}

  constructor(wire: Wire, { commitTimeoutMs = COMMIT_TIMEOUT_MS, answerTimeoutMs = ANSWER_TIMEOUT_MS } = {}) {
    this.#wire = wire
    this.#client = wire.client
    this.#commitTimeoutMs = commitTimeoutMs
    this.#answerTimeoutMs = answerTimeoutMs
    wire.client.on('error', () => this.destroy())
    wire.client.on('end', () => this.destroy())
  }

  get isUsable(): boolean {
    return this.#isUsable
  }

  /** Calls `listener` if the connection breaks, or is given up because it does not answer; not after `close`. */
  onLost(listener: () => void): void {
    this.#onLost = listener
  }

  /** The rows of one statement. Rejects with the server's error, or with a StoreError if there was no answer. */
  rows<T extends object>(statement: Statement, values: readonly unknown[] = []): Promise<readonly T[]> {
    return this.#within(this.#answerTimeoutMs, this.#send<T>(statement, values)).then(({ rows }) => rows)
  }

  /** As `rows`, with each row as the list of its values. */
  async arrays<T extends readonly unknown[]>(text: string, timeoutMs = ANSWER_TIMEOUT_MS): Promise<readonly T[]> {
    const { rows } = await this.#within(timeoutMs, this.#send({ text, rowMode: 'array' } as { text: string }, []))
    return rows as unknown as readonly T[]
  }

  /** As `rows`, for a statement without result rows: returns the number of rows changed. */
  async run(statement: Statement, values: readonly unknown[] = [], timeoutMs = this.#answerTimeoutMs): Promise<number> {
    const { rowCount } = await this.#within(timeoutMs, this.#send(statement, values))
    return rowCount ?? 0
  }

  begin(): Promise<number> {
    return this.run({ name: 'begin', text: 'BEGIN' })
  }

  /**
   * Commits. It is never cancelled: a commit that waits for a standby and is cancelled shows data that a failover may
   * lose. After 5 s it is abandoned with its connection, and rejects with the kind `unknown`, as after a lost
   * connection. `before`: the last statements of the transaction, which have been sent but not answered yet.
   */
  async commit(before: Promise<unknown> = Promise.resolve()): Promise<void> {
    const answer = this.#send({ name: 'commit', text: 'COMMIT' }, [])
    answer.catch(() => {})
    await before.catch(() => {})
    try {
      const { command } = await this.#within(this.#commitTimeoutMs, answer)
      if (command !== 'COMMIT') throw new StoreError('the transaction had failed before its commit', 'fault')
    } catch (error) {
      // A server that is shut down while a commit waits for a standby reports that, and has committed.
      const isUnanswered = error instanceof pg.DatabaseError ? endsSession(error) : isUnreachable(error)
      throw isUnanswered ? failed('unknown') : error
    }
  }

  /**
   * Commits behind statements that have been sent but not answered yet. Rejects with the first error that the server
   * reports: the transaction is rolled back then.
   */
  async commitAfter(statements: readonly unknown[]): Promise<void> {
    const written = Promise.allSettled(statements)
    const [commit] = await Promise.allSettled([this.commit(written)])
    const failures = (await written).flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
    const reported = failures.find((error) => error instanceof pg.DatabaseError)
    if (reported !== undefined) throw reported
    if (commit.status === 'rejected') throw commit.reason
    if (failures.length > 0) throw failures[0]
  }

  /** Ends the transaction without a trace. Never rejects: a connection that cannot do it is given up. */
  async rollback(): Promise<void> {
    try {
      await this.run('ROLLBACK')
    } catch {
      this.destroy()
    }
  }

  /** Calls `heard` with the payload of each NOTIFY on this channel from now on. */
  async listen(channel: string, heard: (payload: string) => void): Promise<void> {
    this.#client.on('notification', (message) => {
      if (message.channel === channel) heard(message.payload ?? '')
    })
    await this.run(`LISTEN ${channel}`)
  }

  /** Ends the session in good order. */
  async close(): Promise<void> {
    if (!this.#isUsable) return
    this.#isUsable = false
    const timer = setTimeout(() => cut(this.#wire), this.#answerTimeoutMs)
    await this.#client.end().catch(() => {})
    clearTimeout(timer)
  }

  /** Gives the connection up, whatever it is doing. Statements that wait for an answer reject. */
  destroy(): void {
    const isNew = this.#isUsable
    this.#isUsable = false
    cut(this.#wire)
    if (isNew) this.#onLost()
  }

  async #send<T extends object>(
    statement: Statement | { readonly text: string },
    values: readonly unknown[],
  ): Promise<pg.QueryResult<T>> {
    const config = typeof statement === 'string' ? { text: statement } : statement
    if (!this.#isUsable) throw unreachable('the connection to the database is closed')
    try {
      return await this.#client.query<T>({ ...config, values: [...values] })
    } catch (error) {
      if (error instanceof pg.DatabaseError) {
        if (endsSession(error)) this.destroy()
        throw error
      }
      this.destroy()
      throw unreachable('the connection to the database was lost', error)
    }
  }

  /** Gives the connection up if the answer takes longer. */
  async #within<T>(timeoutMs: number, answer: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.destroy(), timeoutMs)
    try {
      return await answer
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Whether the server ends the session with this error. */
const endsSession = ({ severity }: pg.DatabaseError): boolean => severity === 'FATAL' || severity === 'PANIC'

const isUnreachable = (error: unknown): boolean => error instanceof StoreError && error.kind === 'unreachable'

const unreachable = (message: string, cause?: unknown): StoreError =>
  new StoreError(message, 'unreachable', cause === undefined ? {} : { cause })
