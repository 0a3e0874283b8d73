import { SECOND } from '../../core/event-time.ts'
import type { Clock } from '../../ports/clock.ts'

export type SystemClock = Clock & {
  /** Looks at the wall clock at once, as happens about every second anyway. */
  compare(): void
  /** Stops looking at the wall clock. Timers that are set go on. */
  stop(): void
}

const COMPARE_EVERY_MS = SECOND
/** What a slewing time service and a busy machine may differ by; more means that the clock was set. */
const TOLERANCE_MS = 250
/** setTimeout takes a signed 32-bit number and fires at once beyond it. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The clock of this machine: the wall clock's time at the start, carried on by the monotonic one, until the two differ by more than a
 * quarter of a second. Then the wall clock was set: its time is taken over, and every `onShift` listener told, in the same tick.
 * Both sources give milliseconds.
 */
export function createSystemClock(
  wall: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
): SystemClock {
  let offset = wall() - monotonic()
  const listeners: ((byMs: number) => void)[] = []
  // Rounded down, as Date.now() is: the store keeps whole milliseconds.
  const now = (): number => Math.floor(offset + monotonic())

  const compare = (): void => {
    const byMs = Math.round(wall() - monotonic() - offset)
    if (Math.abs(byMs) <= TOLERANCE_MS) return
    offset += byMs
    for (const listener of listeners) listener(byMs)
  }
  const comparing = setInterval(compare, COMPARE_EVERY_MS).unref()

  return {
    now,
    after(delayMs, wake) {
      const end = monotonic() + Math.max(0, delayMs)
      let timer: NodeJS.Timeout
      const arm = (): void => {
        // setTimeout may fire a fraction of a millisecond early, and far deadlines take several timers.
        const left = Math.ceil(end - monotonic())
        timer = setTimeout(left <= LONGEST_TIMER_MS ? fire : arm, Math.min(left, LONGEST_TIMER_MS))
      }
      const fire = (): void => {
        if (monotonic() < end) arm()
        else wake()
      }
      arm()
      return () => clearTimeout(timer)
    },
    onShift: (listener) => void listeners.push(listener),
    compare,
    stop: () => clearInterval(comparing),
  }
}
