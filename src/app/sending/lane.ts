import { SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Rate } from '../../ports/notifier.ts'

/** The position of a message in a lane. */
export type LaneEntry = {
  /** Lower ranks go first, regardless of arrival. */
  readonly rank: number
  /** Epoch ms: within a rank the older goes first. */
  readonly since: number
  /** A wait longer than this deserves a warning. */
  readonly longWaitMs: number
  /** Maximum wait; null: no limit. */
  readonly timeoutMs: number | null
}

/** The right to hand one message to a provider. */
export type Turn = {
  readonly lane: Lane
  /** The message leaves and uses this much of the rate: the segments of a text, or one call. */
  spend(units: number): void
  /** The provider is done with it. An unspent turn goes to the next in line. May be called twice. */
  end(): void
}

export type LaneParts = {
  readonly rate: Rate
  readonly clock: Clock
  /** Another provider takes messages that cannot leave here: nothing waits while this provider demands a pause. */
  readonly hasFallback: boolean
  /** Called for every message whose turn comes. */
  readonly onTurn: (waitedMs: number) => void
  /** A message waits too long, or is expected to. Called once per backlog. */
  readonly onLongWait: (waitMs: number, waiting: number) => void
}

/**
 * Above this rate, late timers would waste much of it: messages that fall due within this burst time may leave
 * together.
 */
const FINE_RATE = 10
const BURST_MS = 250

type Waiting = LaneEntry & {
  readonly enteredAt: number
  readonly answer: (turn: Turn | null) => void
  cancelTimeout: () => void
}

/**
 * The queue before one channel of one provider: sends at the provider's rate, most urgent first. A slow request does
 * not hold up the messages behind it, up to a limit of requests in flight. Owns timers.
 */
export class Lane {
  readonly #parts: LaneParts
  readonly #unitMs: number
  readonly #burstMs: number
  readonly #waiting: Waiting[] = []
  #underWay = 0
  /** Epoch ms: nothing leaves before this. */
  #nextAt = 0
  #pausedUntil = 0
  #cancelTimer = () => {}
  #isLong = false
  #isClosed = false

  constructor(parts: LaneParts) {
    this.#parts = parts
    const { perSecond } = parts.rate
    this.#unitMs = SECOND / perSecond
    this.#burstMs = perSecond > FINE_RATE ? BURST_MS : 0
    // If the clock is set back, the lane must not stand still until it catches up.
    parts.clock.onShift((byMs) => {
      this.#nextAt += byMs
      this.#pausedUntil += byMs
      this.#go()
    })
  }

  /** Messages waiting for their turn. */
  get length(): number {
    return this.#waiting.length
  }

  /** Wait of the oldest message in ms; 0 if none waits. */
  get longestWaitMs(): number {
    const now = this.#parts.clock.now()
    return this.#waiting.reduce((longest, { enteredAt }) => Math.max(longest, now - enteredAt), 0)
  }

  /**
   * Calls `answer` once, before returning if nothing is in the way: with the turn, or with null if the message timed
   * out or a fallback need not wait out a pause. Messages still waiting at `close` never get an answer.
   */
  enter(place: LaneEntry, answer: (turn: Turn | null) => void): void {
    const { clock, hasFallback } = this.#parts
    const enteredAt = clock.now()
    if (this.#waiting.length === 0) this.#isLong = false
    if (hasFallback && enteredAt < this.#pausedUntil) {
      answer(null)
      return
    }
    const expectedMs = Math.max(0, this.#nextAt - enteredAt) + this.#waiting.length * this.#unitMs
    const entry: Waiting = { ...place, enteredAt, answer, cancelTimeout: () => {} }
    this.#insert(entry)
    this.#go()
    if (!this.#waiting.includes(entry)) return
    this.#warnIfLong(place, expectedMs)
    if (place.timeoutMs === null) return
    entry.cancelTimeout = clock.after(place.timeoutMs, () => this.#leave(entry))
  }

  /** `enter` as a promise. */
  turn(place: LaneEntry): Promise<Turn | null> {
    return new Promise((resolve) => this.enter(place, resolve))
  }

  /** The provider demands a pause of `ms`. */
  pause(ms: number): void {
    const until = this.#parts.clock.now() + ms
    this.#nextAt = Math.max(this.#nextAt, until)
    this.#pausedUntil = Math.max(this.#pausedUntil, until)
    if (!this.#parts.hasFallback) return
    for (const entry of [...this.#waiting]) this.#leave(entry)
  }

  /** Ends the lane: no more turns. */
  close(): void {
    this.#isClosed = true
    this.#cancelTimer()
    for (const { cancelTimeout } of this.#waiting.splice(0)) cancelTimeout()
  }

  #insert(entry: Waiting): void {
    const before = this.#waiting.findLastIndex(
      ({ rank, since }) => rank < entry.rank || (rank === entry.rank && since <= entry.since),
    )
    this.#waiting.splice(before + 1, 0, entry)
  }

  /** Removes a message without giving it a turn. */
  #leave(entry: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(entry), 1)
    entry.cancelTimeout()
    entry.answer(null)
  }

  #go(): void {
    const { clock, rate, onTurn } = this.#parts
    this.#cancelTimer()
    this.#cancelTimer = () => {}
    if (this.#isClosed) return
    const now = clock.now()
    while (this.#underWay < rate.maxAtOnce && this.#nextAt <= now) {
      const entry = this.#waiting.shift()
      if (entry === undefined) return
      const waitedMs = Math.max(0, now - entry.enteredAt)
      entry.cancelTimeout()
      this.#warnIfLong(entry, waitedMs)
      const turn = this.#newTurn(now)
      onTurn(waitedMs)
      entry.answer(turn)
    }
    // At the limit of requests in flight, the next one to end continues here.
    if (this.#waiting.length === 0 || this.#underWay >= rate.maxAtOnce) return
    // An answer that ended its turn right away may have set a timer already.
    this.#cancelTimer()
    this.#cancelTimer = clock.after(Math.ceil(this.#nextAt - now), () => this.#go())
  }

  /** Uses one unit of the rate. Any further units of the message are added when it leaves. */
  #newTurn(now: number): Turn {
    this.#nextAt = Math.max(this.#nextAt, now - this.#burstMs) + this.#unitMs
    this.#underWay++
    let isSpent = false
    let isOver = false
    return {
      lane: this,
      spend: (units) => {
        this.#nextAt += (isSpent ? units : units - 1) * this.#unitMs
        isSpent = true
      },
      end: () => {
        if (isOver) return
        isOver = true
        this.#underWay--
        if (!isSpent) this.#nextAt -= this.#unitMs
        this.#go()
      },
    }
  }

  #warnIfLong({ longWaitMs }: LaneEntry, waitMs: number): void {
    if (this.#isLong || waitMs <= longWaitMs) return
    this.#isLong = true
    this.#parts.onLongWait(waitMs, this.#waiting.length)
  }
}
