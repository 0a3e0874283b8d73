import type { Clock } from '../../src/ports/clock.ts'

type Timer = { at: number; readonly wake: () => void }

const units = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 } as const

/** How much of a stride is taken at a time. */
function stridesOver(wayMs: number): number {
  if (wayMs < 4 * units.min) return 0
  if (wayMs < units.h) return 1 / 12
  return wayMs < 20 * units.h ? 1 : 10
}

/** '10 s', '1.5 min', '24 h' in milliseconds. */
function duration(text: string): number {
  const match = /^(\d+(?:\.\d+)?) ?(ms|s|min|h)$/.exec(text)
  if (match === null) throw new TypeError(`not a duration: ${text}`)
  return Number(match[1]) * units[match[2] as keyof typeof units]
}

/** A clock that stands still until the test moves it. */
export class VirtualClock implements Clock {
  #now: number
  /** Where `advance` ends. */
  #until = 0
  readonly #timers = new Set<Timer>()
  readonly #shiftListeners: ((byMs: number) => void)[] = []

  constructor(now = Date.parse('2026-03-01T12:00:00Z')) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  /** Timers that have not fired yet. */
  get pending(): number {
    return this.#timers.size
  }

  /** A moment is a whole number of milliseconds, as the system clock shows them. */
  after(delayMs: number, wake: () => void): () => void {
    const timer = { at: this.#now + Math.ceil(delayMs), wake }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  onShift(listener: (byMs: number) => void): void {
    this.#shiftListeners.push(listener)
  }

  /** Sets the wall clock: time jumps, timers keep the time they have left. */
  set(byMs: number): void {
    for (const timer of this.#timers) timer.at += byMs
    this.#now += byMs
    this.#until += byMs
    for (const listener of this.#shiftListeners) listener(byMs)
  }

  /**
   * Advances timer by timer. Before each step it waits until the service has finished the previous one, so that
   * deadlines created on the way are met too. `strideMs`: over an hour and more it advances by at least so much at a
   * time, as if the process got no turn in between; over four minutes and more by a twelfth of that, and over twenty
   * hours and more by ten times that. What has become due on the way is late, and in its order.
   */
  async advance(text: string, settled: () => Promise<void>, strideMs = 0): Promise<void> {
    const wayMs = duration(text)
    const leastMs = strideMs * stridesOver(wayMs)
    this.#until = this.#now + wayMs
    for (;;) {
      await settled()
      const next = this.#next()
      if (next === null || next.at > this.#until) break
      this.#timers.delete(next)
      if (next.at > this.#now) this.#now = Math.min(this.#until, Math.max(next.at, this.#now + leastMs))
      next.wake()
    }
    this.#now = this.#until
  }

  /** The earliest timer, and of those at the same moment the one that was set first. */
  #next(): Timer | null {
    let next: Timer | null = null
    for (const timer of this.#timers) if (next === null || timer.at < next.at) next = timer
    return next
  }
}
