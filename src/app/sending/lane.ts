import { SECOND } from '../../core/ingest/event-time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Rate } from '../../ports/notifier.ts'

/** Where a message stands in a lane. */
export type LaneEntry = {
  /** The lower goes first, whenever it came. */
  readonly rank: number
  /** Epoch ms: among equals the older goes first. */
  readonly since: number
  /** Waiting for longer than this is worth a warning. */
  readonly longWaitMs: number
  /** How long it may wait; null: as long as it takes. */
  readonly patienceMs: number | null
}

/** The right to hand one message to a provider. */
export type Turn = {
  readonly lane: Lane
  /** The message leaves, and takes so much of the rate: the segments of a text, or one call. */
  spend(units: number): void
  /** The provider is done with it. A turn that was not spent goes to the next in line. May be called twice. */
  end(): void
}

export type LaneParts = {
  readonly rate: Rate
  readonly clock: Clock
  /** Another provider takes what cannot leave here: nothing waits while this one asks for a pause. */
  readonly hasFallback: boolean
  /** Called for everything whose turn comes. */
  readonly onTurn: (waitedMs: number) => void
  /** Something waits longer than it should, or is going to. Called once until nothing waits any more. */
  readonly onLongWait: (waitMs: number, waiting: number) => void
}

/**
 * Above this rate a timer's own lateness would cost much of it: what did not leave within this time may leave together.
 */
const FINE_RATE = 10
const BURST_MS = 250

type Waiting = LaneEntry & {
  readonly enteredAt: number
  readonly answer: (turn: Turn | null) => void
  cancelPatience: () => void
}

/**
 * The line before one channel of one provider: one message after the other at the provider's rate, the more urgent
 * first. A request that takes long does not hold up what is behind it, up to a bound. Owns timers.
 */
export class Lane {
  readonly #parts: LaneParts
  readonly #unitMs: number
  readonly #burstMs: number
  readonly #waiting: Waiting[] = []
  #underWay = 0
  /** Epoch ms: nothing leaves before. */
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
    // A clock that is set back must not stop everything until it has come as far again.
    parts.clock.onShift((byMs) => {
      this.#nextAt += byMs
      this.#pausedUntil += byMs
      this.#go()
    })
  }

  /** How many messages wait for their turn. */
  get length(): number {
    return this.#waiting.length
  }

  /** For how long the one that came first has been waiting, 0 where none waits. */
  get longestMs(): number {
    const now = this.#parts.clock.now()
    return this.#waiting.reduce((longest, { enteredAt }) => Math.max(longest, now - enteredAt), 0)
  }

  /**
   * Calls `answer` once, before it returns where nothing is in the way: with the turn, or with null where the message
   * ran out of patience or need not wait out a pause. Never answers what still waits at `close`.
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
    const entry: Waiting = { ...place, enteredAt, answer, cancelPatience: () => {} }
    this.#insert(entry)
    this.#go()
    if (!this.#waiting.includes(entry)) return
    this.#warnIfLong(place, expectedMs)
    if (place.patienceMs === null) return
    entry.cancelPatience = clock.after(place.patienceMs, () => this.#leave(entry))
  }

  /** As `enter`. */
  turn(place: LaneEntry): Promise<Turn | null> {
    return new Promise((resolve) => this.enter(place, resolve))
  }

  /** The provider wants nothing for so long. */
  pause(ms: number): void {
    const until = this.#parts.clock.now() + ms
    this.#nextAt = Math.max(this.#nextAt, until)
    this.#pausedUntil = Math.max(this.#pausedUntil, until)
    if (!this.#parts.hasFallback) return
    for (const entry of [...this.#waiting]) this.#leave(entry)
  }

  /** Nobody's turn comes any more. */
  close(): void {
    this.#isClosed = true
    this.#cancelTimer()
    for (const { cancelPatience } of this.#waiting.splice(0)) cancelPatience()
  }

  #insert(entry: Waiting): void {
    const before = this.#waiting.findLastIndex(
      ({ rank, since }) => rank < entry.rank || (rank === entry.rank && since <= entry.since),
    )
    this.#waiting.splice(before + 1, 0, entry)
  }

  /** Without a turn. */
  #leave(entry: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(entry), 1)
    entry.cancelPatience()
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
      entry.cancelPatience()
      this.#warnIfLong(entry, waitedMs)
      const turn = this.#newTurn(now)
      onTurn(waitedMs)
      entry.answer(turn)
    }
    // With as much under way as may be, whatever ends next goes on here.
    if (this.#waiting.length === 0 || this.#underWay >= rate.maxAtOnce) return
    // An answer that gave its turn back has set one already.
    this.#cancelTimer()
    this.#cancelTimer = clock.after(Math.ceil(this.#nextAt - now), () => this.#go())
  }

  /** Takes one unit of the rate; what the message turns out to take besides is added when it leaves. */
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
