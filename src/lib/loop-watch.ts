import { bothClocks, type TwoClocks, waitedSince } from './waited.ts'

/** `at`: by the clock of the service, epoch ms, if it was given. */
export type Moment = TwoClocks & { readonly at?: number }

/** A stall longer than this counts. */
const STALL_MS = 250
const LOOK_MS = 100
/** Connections that the system may keep for all sockets of a listener until they are accepted. */
const MAX_QUEUED = 16 * 512

/**
 * Notices when the event loop stood still: the process was frozen, or its main thread was busy. What comes meanwhile is
 * read late.
 */
export class LoopWatch {
  readonly #now: () => number
  #turnedAt: Moment
  /** The beginning of a stall after which some bytes may still be unread. */
  #stalledSince: Moment | null = null
  readonly #timer = setInterval(() => this.#look(), LOOK_MS).unref()

  /** `now`: the clock of the service. */
  constructor(now: () => number = Date.now) {
    this.#now = now
    this.#turnedAt = this.#moment()
  }

  /** The earliest moment at which bytes read now may have arrived, on a connection that nothing held back. */
  earliest(): Moment {
    return this.#stalledSince ?? (waitedSince(this.#turnedAt) > STALL_MS ? this.#turnedAt : this.#moment())
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    if (this.#stalledSince === null && waitedSince(this.#turnedAt) > STALL_MS) {
      this.#stalledSince = this.#turnedAt
      // Timers come first in a turn of the loop, immediates last, and in between everything is read that is there.
      setImmediate(() => {
        this.#stalledSince = null
      })
    }
    this.#turnedAt = this.#moment()
  }

  #moment(): Moment {
    return { ...bothClocks(), at: this.#now() }
  }
}

/** Calls `then` when everything has been read that is there now: two turns of the loop end one whole turn. */
export const afterReading = (then: () => void): void => void setImmediate(() => setImmediate(then))

/**
 * Tells since when the bytes of a connection that is accepted now may have been there: Node accepts about one
 * connection per turn of the loop, and the others wait with all that they have sent.
 */
export class Accepts {
  readonly #watch: LoopWatch
  /** The first of those connections that came one turn after another, or one so many before that it is as good. */
  #since: Moment | null = null
  #further: Moment
  #count = 0
  #hasAccepted = false

  constructor(watch: LoopWatch) {
    this.#watch = watch
    this.#further = watch.earliest()
  }

  /** A connection is accepted now. */
  came(): Moment {
    this.#hasAccepted = true
    if (this.#since === null) {
      this.#since = this.#watch.earliest()
      this.#further = this.#since
      this.#count = 0
      setImmediate(this.#look)
    }
    this.#count += 1
    if (this.#count % MAX_QUEUED === 0) {
      this.#since = this.#further
      this.#further = this.#watch.earliest()
    }
    return this.#since
  }

  readonly #look = (): void => {
    if (this.#hasAccepted) {
      this.#hasAccepted = false
      setImmediate(this.#look)
    } else this.#since = null
  }
}
