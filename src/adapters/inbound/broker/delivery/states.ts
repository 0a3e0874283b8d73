import type { Session } from '../../../../core/account/session.ts'
import type { Log } from '../../../../ports/log.ts'
import { MAX_STATE_READS, STATE_MS } from '../limits.ts'

/** The payload of the event that says how a user's incident stands, or null where there is nothing to say. */
export type ReadState = (session: Session) => Promise<string | null>

/** The deliveries of one connection, as far as they begin with the state. */
export type Subscriber = {
  readonly session: Session | null
  readonly isClosed: boolean
  /** Whether there is something left to be read for it. */
  readonly isOwedState: boolean
  /** The state is about to be read: events wait for it from now on. */
  beginState(): void
  /** The state as it was read; null where there is none to be told. Events go out behind it. */
  tellState(payload: Buffer | null): void
  /** Events wait no longer; the state still comes, and as it is then. */
  releaseEvents(): void
}

/** In place of the moment at which a read began. */
const GIVEN_UP = null

/**
 * Reads the state for connections that have subscribed, in the order in which they did (rules.md#state-on-subscribe).
 * One read a turn of the event loop: where thousands come back at once, alarms go in between.
 */
export class States {
  readonly #read: ReadState
  readonly #log: Log
  /** With the moment since which they have waited. */
  readonly #waiting = new Map<Subscriber, number>()
  /** What a store that hangs does not give back stays here, without being waited for. */
  readonly #reading = new Map<Subscriber, number | typeof GIVEN_UP>()
  #isScheduled = false
  #isFailing = false

  constructor({ read, log }: { readonly read: ReadState; readonly log: Log }) {
    this.#read = read
    this.#log = log
  }

  /** This connection is owed a state. */
  want(subscriber: Subscriber): void {
    // While its state is read it is looked at again at the end of that.
    if (this.#reading.has(subscriber) || this.#waiting.has(subscriber)) return
    this.#waiting.set(subscriber, performance.now())
    this.#goOn()
  }

  /** The connection is over. */
  forget(subscriber: Subscriber): void {
    this.#waiting.delete(subscriber)
  }

  /** Lets events go that have waited too long. `now` in monotonic milliseconds. */
  check(now: number): void {
    for (const [subscriber, since] of this.#waiting) if (now - since >= STATE_MS) subscriber.releaseEvents()
    for (const [subscriber, since] of this.#reading) {
      if (since !== GIVEN_UP && now - since < STATE_MS) continue
      if (since !== GIVEN_UP) {
        this.#reading.set(subscriber, GIVEN_UP)
        this.#failed(subscriber, new Error(`not read within ${STATE_MS / 1000} s`))
        subscriber.tellState(null)
      }
      // It may have subscribed again meanwhile.
      subscriber.releaseEvents()
    }
  }

  #goOn(): void {
    if (this.#isScheduled || this.#waiting.size === 0 || this.#reading.size >= MAX_STATE_READS) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const [subscriber] = this.#waiting.keys()
      if (subscriber !== undefined) {
        this.#waiting.delete(subscriber)
        if (!subscriber.isClosed) void this.#tell(subscriber, subscriber.session!)
      }
      this.#goOn()
    })
  }

  async #tell(subscriber: Subscriber, session: Session): Promise<void> {
    this.#reading.set(subscriber, performance.now())
    subscriber.beginState()
    let state: string | null = null
    try {
      state = await this.#read(session)
      this.#isFailing = false
    } catch (error) {
      this.#failed(subscriber, error)
    }
    const isLate = this.#reading.get(subscriber) === GIVEN_UP
    this.#reading.delete(subscriber)
    if (!isLate) subscriber.tellState(state === null ? null : Buffer.from(state))
    if (subscriber.isOwedState && !subscriber.isClosed) this.want(subscriber)
    this.#goOn()
  }

  /** One line for a store that fails, not one for each client. */
  #failed({ session }: Subscriber, error: unknown): void {
    if (this.#isFailing) return
    this.#isFailing = true
    this.#log.error({ err: error, userId: session?.userId }, 'cannot read the state for a client that subscribed')
  }
}
