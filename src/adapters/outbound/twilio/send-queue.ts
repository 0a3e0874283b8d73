import { SECOND } from '../../../core/ingest/event-time.ts'
import type { Clock } from '../../../ports/clock.ts'

/** What decides when something leaves. */
export type Turn = {
  /** The lower goes first, whenever it came. */
  readonly rank: number
  /** Epoch ms: among equals the older goes first. */
  readonly since: number
  /** How much of the rate it takes: the segments of a text, or one call. */
  readonly units: number
  /** How long it may wait; null: as long as it takes. */
  readonly patienceMs: number | null
  /** Whether it waits while the lane is paused: not where somebody else could take it meanwhile. */
  readonly waitsOutPause: boolean
  /** Waiting for longer than this is worth a word. */
  readonly longWaitMs: number
}

export type LaneParts = {
  readonly perSecond: number
  /** How much may be under way at once; what is beyond waits here. */
  readonly maxAtOnce: number
  readonly clock: Clock
  /** Called for everything that leaves. */
  readonly onLeave: (waitedMs: number) => void
  /** Something waits longer than it should, or is going to. Told once until nothing waits any more. */
  readonly onLongWait: (waitMs: number, waiting: number) => void
}

/** Above this rate a timer's own lateness would cost much of it: what did not leave within this time may leave together. */
const FINE_RATE = 10
const BURST_MS = 250

type Waiting = Turn & {
  readonly enteredAt: number
  readonly leave: () => void
  readonly giveUp: () => void
  forget: () => void
}

/**
 * What leaves one after the other at a steady rate: so many units a second, the more urgent first. Work that takes long does not hold up
 * what is behind it, up to a bound. Owns timers.
 */
export class SendLane {
  readonly #parts: LaneParts
  readonly #unitMs: number
  readonly #burstMs: number
  readonly #waiting: Waiting[] = []
  #waitingUnits = 0
  #underWay = 0
  /** Epoch ms: nothing leaves before. */
  #nextAt = 0
  #pausedUntil = 0
  #cancelTimer = () => {}
  #isLong = false
  #isClosed = false

  constructor(parts: LaneParts) {
    this.#parts = parts
    this.#unitMs = SECOND / parts.perSecond
    this.#burstMs = parts.perSecond > FINE_RATE ? BURST_MS : 0
    // A clock that is set back must not stop everything until it has come as far again.
    parts.clock.onShift((byMs) => {
      this.#nextAt += byMs
      this.#pausedUntil += byMs
      this.#go()
    })
  }

  /** How much waits for its turn. */
  get length(): number {
    return this.#waiting.length
  }

  /** For how long the one that came first has been waiting, 0 where nothing waits. */
  get longestMs(): number {
    const now = this.#parts.clock.now()
    return this.#waiting.reduce((longest, { enteredAt }) => Math.max(longest, now - enteredAt), 0)
  }

  /**
   * Does `work` when its turn has come and settles as that does; null where its patience ran out first, or a pause is not waited out. `work` calls `giveBack` where it
   * turns out not to need its turn. Never settles for what still waits at `close`.
   */
  enter<T>(turn: Turn, work: (release: () => void) => Promise<T>): Promise<T | null> {
    const { clock } = this.#parts
    const enteredAt = clock.now()
    if (this.#waiting.length === 0) this.#isLong = false
    const expectedMs = Math.max(0, this.#nextAt - enteredAt) + this.#waitingUnits * this.#unitMs
    return new Promise((resolve, reject) => {
      if (!turn.waitsOutPause && enteredAt < this.#pausedUntil) return resolve(null)
      const leave = () => {
        work(() => this.#release(turn.units))
          .then(resolve, reject)
          .finally(() => {
            this.#underWay--
            this.#go()
          })
      }
      const entry: Waiting = { ...turn, enteredAt, leave, giveUp: () => resolve(null), forget: () => {} }
      this.#insert(entry)
      this.#go()
      if (!this.#waiting.includes(entry)) return
      this.#tellIfLong(turn, expectedMs)
      if (turn.patienceMs === null) return
      entry.forget = clock.after(turn.patienceMs, () => {
        this.#takeOut(this.#waiting.indexOf(entry))
        resolve(null)
      })
    })
  }

  /** Nothing leaves for so long. */
  pause(ms: number): void {
    const until = this.#parts.clock.now() + ms
    this.#nextAt = Math.max(this.#nextAt, until)
    this.#pausedUntil = Math.max(this.#pausedUntil, until)
    for (const entry of this.#waiting.filter(({ waitsOutPause }) => !waitsOutPause)) {
      this.#takeOut(this.#waiting.indexOf(entry))
      entry.forget()
      entry.giveUp()
    }
  }

  /** Nothing leaves any more. */
  close(): void {
    this.#isClosed = true
    this.#cancelTimer()
    for (const { forget } of this.#waiting.splice(0)) forget()
  }

  #insert(entry: Waiting): void {
    const before = this.#waiting.findLastIndex(
      ({ rank, since }) => rank < entry.rank || (rank === entry.rank && since <= entry.since),
    )
    this.#waiting.splice(before + 1, 0, entry)
    this.#waitingUnits += entry.units
  }

  #takeOut(place: number): Waiting {
    const [entry] = this.#waiting.splice(place, 1)
    if (entry === undefined) throw new RangeError('nothing waits there')
    this.#waitingUnits -= entry.units
    return entry
  }

  #go(): void {
    const { clock, maxAtOnce, onLeave } = this.#parts
    this.#cancelTimer()
    this.#cancelTimer = () => {}
    if (this.#isClosed) return
    const now = clock.now()
    while (this.#waiting.length > 0 && this.#underWay < maxAtOnce && this.#nextAt <= now) {
      const entry = this.#takeOut(0)
      const waitedMs = Math.max(0, now - entry.enteredAt)
      entry.forget()
      this.#nextAt = Math.max(this.#nextAt, now - this.#burstMs) + entry.units * this.#unitMs
      this.#underWay++
      this.#tellIfLong(entry, waitedMs)
      onLeave(waitedMs)
      entry.leave()
    }
    // With as much under way as may be, whatever ends next goes on here.
    if (this.#waiting.length === 0 || this.#underWay >= maxAtOnce) return
    this.#cancelTimer = clock.after(Math.ceil(this.#nextAt - now), () => this.#go())
  }

  #release(units: number): void {
    this.#nextAt -= units * this.#unitMs
  }

  #tellIfLong({ longWaitMs }: Turn, waitMs: number): void {
    if (this.#isLong || waitMs <= longWaitMs) return
    this.#isLong = true
    this.#parts.onLongWait(waitMs, this.#waiting.length)
  }
}
