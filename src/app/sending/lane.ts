import { type Rate, unitMsOf } from '../../core/pacing/account.ts'
import type { PlaceInLine, TurnAnswer, TurnRequest } from '../../core/pacing/shared-account.ts'
import type { Clock } from '../../ports/clock.ts'
import { localAccount, type TurnSource } from './turn-source.ts'

/** The position of a message in a lane. */
export type LaneEntry = PlaceInLine & {
  /** A longer wait is worth a warning. Infinite: never. */
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

export type LaneNeeds = {
  readonly rate: Rate
  /** Turns granted beyond `rate.maxAtOnce`, so that messages are claimed and composed before a request ends. */
  readonly ahead?: number
  readonly clock: Clock
  /** The account of turns. Default: one of this lane's own. */
  readonly account?: TurnSource
  /**
   * Whether another provider takes messages that cannot leave here: then nothing waits while this provider demands a
   * pause.
   */
  readonly hasFallback: boolean
  /** Called for every message that leaves. */
  readonly onTurn: (waitedMs: number) => void
  /** Called once per backlog, when a message waits too long, or is expected to. */
  readonly onLongWait: (waitMs: number, waiting: number) => void
}

type Waiting = LaneEntry & {
  readonly enteredAt: number
  readonly answer: (turn: Turn | null) => void
  cancelTimeout: () => void
}

/** Leaves the line. False: the message was no longer in it. */
export type LeaveLine = () => boolean

/**
 * The queue before one channel of one provider: sends at the provider's rate, most urgent first. A slow request does
 * not hold up the messages behind it, up to a limit of requests in flight. Owns timers.
 *
 * The rate is kept by an account, which other nodes may use too: the lane asks it for turns as soon as something waits,
 * and again when it says so.
 */
export class Lane {
  readonly #needs: LaneNeeds
  readonly #account: TurnSource
  readonly #waiting: Waiting[] = []
  #underWay = 0
  /** Epoch ms, as of the account's last answer. */
  #nextAt = 0
  #pausedUntil = 0
  /** Use of the rate that the account does not know yet. */
  #used = 0
  #isPauseUnreported = false
  #isAsking = false
  /** Whether the account counts the first message in line as waiting. */
  #isListed = false
  #cancelTimer = () => {}
  #isLong = false
  #isClosed = false

  constructor(needs: LaneNeeds) {
    this.#needs = needs
    this.#account = needs.account ?? localAccount(needs.clock)
    needs.clock.onShift((byMs) => {
      this.#nextAt += byMs
      this.#pausedUntil += byMs
      this.#go()
    })
  }

  /** Messages waiting for their turn. */
  get length(): number {
    return this.#waiting.length
  }

  /** Wait of the oldest message that may not wait for ever, in ms; 0 if none waits. */
  get longestWaitMs(): number {
    const now = this.#needs.clock.now()
    return this.#waiting.reduce(
      (longest, { enteredAt, longWaitMs }) =>
        Number.isFinite(longWaitMs) ? Math.max(longest, now - enteredAt) : longest,
      0,
    )
  }

  /**
   * Calls `answer` once, with the turn, or with null if the message timed out or a fallback makes waiting out a pause
   * unnecessary. If nothing is in the way and no other node uses the account, it does so before returning. Messages
   * that leave the line, or still wait at `close`, never get an answer.
   */
  enter(place: LaneEntry, answer: (turn: Turn | null) => void): LeaveLine {
    const { clock, hasFallback, rate } = this.#needs
    const enteredAt = clock.now()
    if (this.#waiting.length === 0) this.#isLong = false
    if (this.#isClosed) return () => false
    if (hasFallback && enteredAt < this.#pausedUntil) {
      answer(null)
      return () => false
    }
    const expectedMs = Math.max(0, this.#nextAt - enteredAt) + this.#waiting.length * unitMsOf(rate)
    const entry: Waiting = { ...place, enteredAt, answer, cancelTimeout: () => {} }
    this.#insert(entry)
    this.#go()
    if (this.#waiting.includes(entry)) {
      this.#warnIfLong(place, expectedMs)
      if (place.timeoutMs !== null) {
        entry.cancelTimeout = clock.after(place.timeoutMs, () => {
          if (this.#leave(entry)) answer(null)
        })
      }
    }
    return () => this.#leave(entry)
  }

  /** `enter` as a promise. */
  turn(place: LaneEntry): Promise<Turn | null> {
    return new Promise((resolve) => void this.enter(place, resolve))
  }

  /** The provider demands a pause of `ms`. */
  pause(ms: number): void {
    const until = this.#needs.clock.now() + ms
    this.#nextAt = Math.max(this.#nextAt, until)
    this.#pausedUntil = Math.max(this.#pausedUntil, until)
    this.#isPauseUnreported = true
    this.#dodgePause()
    this.#go()
  }

  /** Ends the lane: no more turns. */
  close(): void {
    this.#isClosed = true
    for (const { cancelTimeout } of this.#waiting.splice(0)) cancelTimeout()
    this.#go()
  }

  #insert(entry: Waiting): void {
    const before = this.#waiting.findLastIndex(
      ({ rank, since }) => rank < entry.rank || (rank === entry.rank && since <= entry.since),
    )
    this.#waiting.splice(before + 1, 0, entry)
  }

  /** Removes a message without giving it a turn. */
  #leave(entry: Waiting): boolean {
    const place = this.#waiting.indexOf(entry)
    if (place < 0) return false
    this.#waiting.splice(place, 1)
    entry.cancelTimeout()
    this.#go()
    return true
  }

  /** If another provider is left, nothing waits out a pause. */
  #dodgePause(): void {
    if (!this.#needs.hasFallback || this.#needs.clock.now() >= this.#pausedUntil) return
    for (const { cancelTimeout, answer } of this.#waiting.splice(0)) {
      cancelTimeout()
      answer(null)
    }
  }

  /** Asks the account for turns, and reports turns that it does not know yet. */
  #go(): void {
    // The answer in flight continues from here.
    if (this.#isAsking) return
    this.#cancelTimer()
    this.#cancelTimer = () => {}
    const request = this.#request()
    if (request === null) return
    this.#isAsking = true
    this.#used = 0
    this.#isPauseUnreported = false
    this.#isListed = request.first !== null
    this.#account.ask(request, (answer) => this.#answered(request, answer))
  }

  /** Null: there is nothing to ask or report. At the limit of requests in flight, the end of one continues here. */
  #request(): TurnRequest | null {
    const { rate, ahead = 0, clock } = this.#needs
    const room = rate.maxAtOnce + ahead - this.#underWay
    const first = room > 0 ? this.#waiting[0] : undefined
    const hasNews = this.#used !== 0 || this.#isPauseUnreported || this.#isListed
    if (first === undefined && !hasNews) return null
    let wanted = 0
    while (first !== undefined && wanted < room && this.#waiting[wanted]?.rank === first.rank) wanted++
    return {
      rate,
      first: first === undefined ? null : { rank: first.rank, since: first.since },
      wanted,
      underWay: this.#underWay,
      used: this.#used,
      pauseMs: this.#isPauseUnreported ? Math.max(0, this.#pausedUntil - clock.now()) : 0,
    }
  }

  #answered({ wanted }: TurnRequest, { granted, askAgainMs, nextInMs, pausedMs }: TurnAnswer): void {
    const now = this.#needs.clock.now()
    if (granted === wanted) this.#isListed = false
    this.#nextAt = now + nextInMs
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pausedMs)
    this.#dodgePause()
    // Nothing leaves during a pause, and a message that no longer waits needs no turn.
    const given = this.#pausedUntil > now ? [] : this.#waiting.splice(0, granted)
    this.#used -= granted - given.length
    for (const entry of given) this.#give(entry, now)
    // Not earlier: until here, not all of these requests are counted.
    this.#isAsking = false
    const hasMoreToReport = granted > 0 || wanted === 0 || this.#used !== 0 || this.#isPauseUnreported
    if (hasMoreToReport || this.#waiting.length === 0) this.#go()
    else this.#cancelTimer = this.#needs.clock.after(Math.ceil(askAgainMs), () => this.#go())
  }

  #give(entry: Waiting, now: number): void {
    const waitedMs = Math.max(0, now - entry.enteredAt)
    entry.cancelTimeout()
    this.#warnIfLong(entry, waitedMs)
    entry.answer(this.#newTurn(waitedMs))
  }

  /** Uses one unit of the rate; a message's further units are added when it leaves. */
  #newTurn(waitedMs: number): Turn {
    this.#underWay++
    let isSpent = false
    let isOver = false
    return {
      lane: this,
      spend: (units) => {
        if (!isSpent) this.#needs.onTurn(waitedMs)
        this.#used += isSpent ? units : units - 1
        isSpent = true
        this.#go()
      },
      end: () => {
        if (isOver) return
        isOver = true
        this.#underWay--
        if (!isSpent) this.#used -= 1
        this.#go()
      },
    }
  }

  #warnIfLong({ longWaitMs }: LaneEntry, waitMs: number): void {
    if (this.#isLong || waitMs <= longWaitMs) return
    this.#isLong = true
    this.#needs.onLongWait(waitMs, this.#waiting.length)
  }
}

/** A lane whose account never grants a turn: this node claims nothing that waits in it. */
export const heldLane = (clock: Clock): Lane =>
  new Lane({
    rate: { perSecond: 1, maxAtOnce: 1 },
    account: { ask: () => {} },
    clock,
    hasFallback: false,
    onTurn: () => {},
    onLongWait: () => {},
  })
