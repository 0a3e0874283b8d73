import type { Clock } from '../../ports/clock.ts'

/** The one timer of a loop: it wakes at the earliest moment (epoch ms) asked for since it last did. */
export class WakeUp {
  readonly #clock: Pick<Clock, 'now' | 'after'>
  readonly #wake: () => void
  #at = Number.POSITIVE_INFINITY
  #cancelTimer = () => {}
  #isClosed = false

  constructor(clock: Pick<Clock, 'now' | 'after'>, wake: () => void) {
    this.#clock = clock
    this.#wake = wake
  }

  /** Wakes at `at`, unless it is to wake earlier anyway. */
  by(at: number): void {
    if (at < this.#at) this.#arm(at)
  }

  /** Wakes at once, in a later turn of the event loop. For a clock that was set: earlier moments mean nothing. */
  now(): void {
    this.#arm(this.#clock.now())
  }

  /** It never wakes again. */
  close(): void {
    this.#cancelTimer()
    this.#isClosed = true
  }

  #arm(at: number): void {
    if (this.#isClosed) return
    this.#cancelTimer()
    this.#at = at
    this.#cancelTimer = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      this.#at = Number.POSITIVE_INFINITY
      this.#wake()
    })
  }
}
