import type { Clock } from '../../ports/clock.ts'

/** The only timer of a loop. It wakes at the earliest moment (epoch ms) requested since it last woke. */
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

  /** Wakes at `at`, unless an earlier wake-up is set. */
  by(at: number): void {
    if (at < this.#at) this.#arm(at)
  }

  /** Wakes in the next turn of the event loop. For a clock that was set, which makes earlier moments meaningless. */
  now(): void {
    this.#arm(this.#clock.now())
  }

  /** Closes it: it never wakes again. */
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
