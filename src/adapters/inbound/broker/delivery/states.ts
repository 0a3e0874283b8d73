import type { Session } from '../../../../core/account/session.ts'
import { afterReading } from '../../../../lib/loop-watch.ts'
import type { Log } from '../../../../ports/log.ts'
import { MAX_STATE_READS, STATE_MS } from '../limits.ts'

/**
 * Reads the payload of the event that carries the state of a user's incident, or null if there is nothing to report.
 */
export type ReadState = (session: Session) => Promise<string | null>

/** The deliveries of one connection that start with the state. */
export type Subscriber = {
  readonly session: Session | null
  readonly isClosed: boolean
  /** Whether it still needs a read. */
  readonly isOwedState: boolean
  /** The read of the state is about to start: from now on events wait for it. */
  beginState(): void
  /** The state has been read; null if there is none. Events go out after it. */
  tellState(payload: Buffer | null): void
  /** Events no longer wait. The state is still read later, and is sent as it is then. */
  releaseEvents(): void
}

/** Replaces the start time of a read that has taken too long. */
const GIVEN_UP = null

/**
 * Reads the state for connections that have subscribed, in the order of their subscriptions
 * (rules.md#state-on-subscribe). Starts one read per turn of the event loop, so that alarms get in between when
 * thousands of clients reconnect together.
 */
export class States {
  readonly #read: ReadState
  readonly #log: Log
  /** With the time since which each has waited. */
  readonly #waiting = new Map<Subscriber, number>()
  /** Reads in progress, with their start times. Reads from a hung store stay here, but nothing waits for them. */
  readonly #reading = new Map<Subscriber, number | typeof GIVEN_UP>()
  #isScheduled = false
  #isFailing = false

  constructor({ read, log }: { readonly read: ReadState; readonly log: Log }) {
    this.#read = read
    this.#log = log
  }

  /** This connection is owed a state. */
  want(subscriber: Subscriber): void {
    // If a read is in progress, its end checks again whether the connection is owed a state.
    if (this.#reading.has(subscriber) || this.#waiting.has(subscriber)) return
    this.#waiting.set(subscriber, performance.now())
    this.#goOn()
  }

  /** The connection has ended. */
  forget(subscriber: Subscriber): void {
    this.#waiting.delete(subscriber)
  }

  /** Releases events that have waited too long. `now` in monotonic milliseconds. */
  check(now: number): void {
    for (const [subscriber, since] of this.#waiting) if (now - since >= STATE_MS) subscriber.releaseEvents()
    for (const [subscriber, since] of this.#reading) {
      if (since !== GIVEN_UP && now - since < STATE_MS) continue
      if (since !== GIVEN_UP) {
        this.#reading.set(subscriber, GIVEN_UP)
        this.#failed(subscriber, new Error(`not read within ${STATE_MS / 1000} s`))
        subscriber.tellState(null)
      }
      // It may have subscribed again in the meantime.
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
      // A commit of this process may be read before its own answer arrives: its events come first.
      await new Promise<void>(afterReading)
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

  /** Logs one line per outage of the store, not one per client. */
  #failed({ session }: Subscriber, error: unknown): void {
    if (this.#isFailing) return
    this.#isFailing = true
    this.#log.error({ err: error, userId: session?.userId }, 'cannot read the state for a client that subscribed')
  }
}
