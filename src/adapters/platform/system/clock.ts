import { uptime } from 'node:os'
import { SECOND } from '../../../lib/durations.ts'
import type { Clock } from '../../../ports/clock.ts'

export type SystemClock = Clock & {
  /** Looks at the wall clock at once, as happens about every second anyway. */
  compare(): void
  /** Stops looking at the wall clock. Timers that are set go on. */
  stop(): void
}

/** Where the time comes from, each in milliseconds. */
type Sources = {
  readonly wall: () => number
  /** Stands still while the machine is suspended, as timers do. */
  readonly monotonic: () => number
  /** Runs on while the machine is suspended. */
  readonly sinceBoot: () => number
}

const COMPARE_EVERY_MS = SECOND
/**
 * What a slewing time service and a busy machine may differ by; more means that the clock was set, or
 * the machine suspended.
 */
const TOLERANCE_MS = 250
/** Two clocks that are read within this are read at the same time. */
const PROMPT_MS = 20
const READINGS = 5
/** setTimeout takes a signed 32-bit number and fires at once beyond it. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Elsewhere the time since the boot follows the wall clock, and would take a clock that was set for
 * a suspended machine.
 */
const machine: Sources = {
  wall: Date.now,
  monotonic: () => performance.now(),
  sinceBoot: process.platform === 'linux' ? () => uptime() * SECOND : () => performance.now(),
}

/**
 * The clock of this machine: the wall clock's time at the start, carried on by the monotonic one and the time for which
 * the machine was suspended, until the wall clock differs from that by more than a quarter of a second. Then it was
 * set: its time is taken over, and every `onShift` listener told, in the same tick. What became due while the machine
 * was suspended is due when it goes on.
 */
export function createSystemClock(sources: Partial<Sources> = {}): SystemClock {
  const { wall, monotonic, sinceBoot } = { ...machine, ...sources }
  /**
   * By how much a source is ahead of the monotonic one. Read again where the machine was busy in
   * between: that is no jump.
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

  /**
   * Time that passed unseen has passed all the same: nobody is told of a jump, and timers that have run out wake now.
   */
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
      // An alert may be the first to see a machine that goes on: its grace window is not to be
      // reckoned in the time before.
      if (differs()) countSuspension()
      // Rounded down, as Date.now() is: the store keeps whole milliseconds.
      return Math.floor(offset + monotonic())
    },
    after(delayMs, wake) {
      const end = awake + monotonic() + Math.max(0, delayMs)
      let timer: NodeJS.Timeout
      const arm = (): void => {
        // setTimeout may fire a fraction of a millisecond early, and far deadlines take several timers.
        const left = Math.max(0, Math.ceil(end - awake - monotonic()))
        timer = setTimeout(left <= LONGEST_TIMER_MS ? fire : arm, Math.min(left, LONGEST_TIMER_MS))
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
