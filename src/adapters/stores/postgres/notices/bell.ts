import type { Log } from '../../../../ports/log.ts'
import type { Connection } from '../engine/connection.ts'
import { failureOf } from '../engine/failure.ts'
import { Pool } from '../engine/pool.ts'
import { connectFor, LOOSE } from '../engine/purposes.ts'

export const CHANNEL = 'tocsin_notices'
/** After each ring, and after one that failed. */
const REST_MS = 20
const REST_AFTER_FAILURE_MS = 5_000

const RING = { name: 'ring', text: `SELECT pg_notify('${CHANNEL}', $1)` }

/**
 * Wakes the other nodes after a commit, so that they need not wait for their next poll. On a separate session, and
 * never inside the transaction of the change: NOTIFY takes a lock on the whole database. Nothing depends on it, so a
 * ring waits for no standby and is not repeated.
 */
export class Bell {
  readonly #origin: string
  readonly #pool: Pool
  readonly #log: Log
  #isBusy = false
  #isWanted = false
  #isBroken = false
  #isClosed = false

  constructor(connect: () => Promise<Connection>, { origin, log }: { readonly origin: string; readonly log: Log }) {
    this.#origin = origin
    this.#log = log
    this.#pool = new Pool(() => connectFor(LOOSE, connect), { size: 1, maxWaiting: 1 })
  }

  /** Merges several rings in a row. Never waits, never fails. */
  ring(): void {
    this.#isWanted = true
    if (!this.#isBusy && !this.#isClosed) void this.#ring()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#pool.close()
  }

  async #ring(): Promise<void> {
    this.#isBusy = true
    this.#isWanted = false
    let restMs = REST_MS
    try {
      await this.#pool.use((connection) => connection.rows(RING, [this.#origin]))
      this.#isBroken = false
    } catch (error) {
      restMs = REST_AFTER_FAILURE_MS
      // A server that cannot be reached says nothing about NOTIFY, and is logged elsewhere.
      const isOfNotify = !failureOf(error).concernsAll
      if (isOfNotify && !this.#isBroken && !this.#isClosed) {
        this.#log.warn({ err: error }, 'NOTIFY failed; other nodes hear of changes by polling (store.notify: off)')
      }
      this.#isBroken ||= isOfNotify
    }
    setTimeout(() => {
      this.#isBusy = false
      if (this.#isWanted && !this.#isClosed) void this.#ring()
    }, restMs).unref()
  }
}
