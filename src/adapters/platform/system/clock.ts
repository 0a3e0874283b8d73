import { uptime } from 'node:os'
import { SECOND } from '../../../lib/durations.ts'
import type { Clock } from '../../../ports/clock.ts'

export type SystemClock = Clock & {
  /** Checks the wall clock now; this also happens about every second. */
  compare(): void
  /** Stops checking the wall clock. Pending timers go on. */
  stop(): void
}

/** The time sources, each in milliseconds. */
type Sources = {
  readonly wall: () => number
  /** Stops while the machine is suspended, as timers do. */
  readonly monotonic: () => number
  /** Continues while the machine is suspended. */
  readonly sinceBoot: () => number
}

const COMPARE_EVERY_MS = SECOND
/**
 * How far a slewing time service and a busy machine may drift apart; more means that the clock was set or the machine
 * suspended.
 */
const TOLERANCE_MS = 250
/** Two clocks read within this time count as read simultaneously. */
const PROMPT_MS = 20
const READINGS = 5
/** setTimeout takes a signed 32-bit number and fires immediately beyond it. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Only Linux has a usable uptime: elsewhere it follows the wall clock, so setting the clock would look like a
 * suspension.
 */
const machine: Sources = {
  wall: Date.now,
  monotonic: () => performance.now(),
  sinceBoot: process.platform === 'linux' ? () => uptime() * SECOND : () => performance.now(),
}

/**
 * The clock of this machine: the wall-clock time at the start, advanced by the monotonic clock and by any time for
 * which the machine was suspended. If the wall clock differs from that by more than a quarter of a second, it was set:
 * its time is adopted and every `onShift` listener called in the same tick. Timers that expire during a suspension fire
 * at the resume.
 */
export function createSystemClock(sources: Partial<Sources> = {}): SystemClock {
  const { wall, monotonic, sinceBoot } = { ...machine, ...sources }
  /**
   * How far a source is ahead of the monotonic one. Read again if the machine was busy in between, which is not a jump.
   */
  const aheadOf = (source: () => number): number => {
    for (let left = READINGS; ; left--) {
      const before = monotonic()
      const ahead = source() - before
      if (left === 1 || monotonic() - before < PROMPT_MS) return ahead
    }
  }
  let offset = aheadOf(wall)
  let awake = aheadOf(sinceBoot)
  const listeners: ((byMs: number) => void)[] = []
  const timers = new Set<() => void>()

  /** A suspension is not a jump of the clock: no listener is called, but timers that have expired fire now. */
  const countSuspension = (): void => {
    const suspendedMs = Math.round(aheadOf(sinceBoot) - awake)
    if (suspendedMs <= TOLERANCE_MS) return
    awake += suspendedMs
    offset += suspendedMs
    for (const rearm of timers) rearm()
  }
  const differs = (): boolean => Math.abs(wall() - monotonic() - offset) > TOLERANCE_MS

  const compare = (): void => {
    countSuspension()
    const byMs = Math.round(aheadOf(wall) - offset)
    if (Math.abs(byMs) <= TOLERANCE_MS) return
    offset += byMs
    for (const listener of listeners) listener(byMs)
  }
  const comparing = setInterval(compare, COMPARE_EVERY_MS).unref()

  return {
    now() {
      // An alert may be the first event after a resume, and its grace window must not be computed from the time before.
      if (differs()) countSuspension()
      // Rounded down like Date.now(): the store keeps whole milliseconds.
      return Math.floor(offset + monotonic())
    },
    after(delayMs, wake) {
      const end = awake + monotonic() + Math.max(0, delayMs)
      let timer: NodeJS.Timeout
      const arm = (): void => {
        // setTimeout may fire a fraction of a millisecond early, and distant deadlines take several timers.
        const left = Math.max(0, Math.ceil(end - awake - monotonic()))
        timer = setTimeout(left <= MAX_TIMER_MS ? fire : arm, Math.min(left, MAX_TIMER_MS))
      }
      const rearm = (): void => {
        clearTimeout(timer)
        arm()
      }
      const fire = (): void => {
        if (awake + monotonic() < end) arm()
        else {
          timers.delete(rearm)
          wake()
        }
      }
      timers.add(rearm)
      arm()
      return () => {
        timers.delete(rearm)
        clearTimeout(timer)
      }
    },
    onShift: (listener) => void listeners.push(listener),
    compare,
    stop: () => clearInterval(comparing),
  }
}
