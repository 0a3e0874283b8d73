import { sinceBoot } from '../../../lib/waited.ts'
import type { Clock } from '../../../ports/clock.ts'

/** The time sources of a machine, each in milliseconds. */
export type Sources = {
  readonly wall: () => number
  /** Stops while the machine is suspended, as timers do. */
  readonly monotonic: () => number
  /** Continues while the machine is suspended. */
  readonly sinceBoot: () => number
}

/** The most that a slewing time service and a busy machine may drift apart; more means a jump, or a suspension. */
export const TOLERANCE_MS = 250
/** Two clocks read within this time count as read simultaneously. */
const PROMPT_MS = 20
const READINGS = 5
/** setTimeout takes a signed 32-bit number and fires immediately beyond it. */
const MAX_TIMER_MS = 2 ** 31 - 1

const machine: Sources = { wall: Date.now, monotonic: () => performance.now(), sinceBoot }

/** Time that passes on this machine, no matter how its wall clock is set. */
export type MachineTime = Pick<Clock, 'after'> & {
  readonly wall: () => number
  /** Milliseconds passed, including suspensions already counted. */
  elapsed(): number
  /** How far the wall clock is ahead of `elapsed`. */
  wallLead(): number
  /** Counts a suspension since the last call: timers that have expired fire now. Returns its length, 0 for none. */
  countSuspension(): number
  /** Counts `ms` during which this machine stood still, unnoticed by all of its clocks. */
  skip(ms: number): void
}

/** The time of this machine; `sources` replace its clocks in tests. */
export function createMachineTime(sources: Partial<Sources> = {}): MachineTime {
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
  let awake = aheadOf(sinceBoot)
  /** The time added by `skip`, which the time since boot does not include. */
  let skipped = 0
  const timers = new Set<() => void>()
  const elapsed = (): number => awake + skipped + monotonic()
  const rearmAll = (): void => {
    for (const rearm of timers) rearm()
  }

  return {
    wall,
    elapsed,
    wallLead: () => aheadOf(wall) - awake - skipped,
    countSuspension() {
      const suspendedMs = Math.round(aheadOf(sinceBoot) - awake)
      if (suspendedMs <= TOLERANCE_MS) return 0
      awake += suspendedMs
      rearmAll()
      return suspendedMs
    },
    skip(ms) {
      skipped += ms
      rearmAll()
    },
    after(delayMs, wake) {
      const end = elapsed() + Math.max(0, delayMs)
      let timer: NodeJS.Timeout
      const arm = (): void => {
        // setTimeout may fire a fraction of a millisecond early, and distant deadlines take several timers.
        const left = Math.max(0, Math.ceil(end - elapsed()))
        timer = setTimeout(left <= MAX_TIMER_MS ? fire : arm, Math.min(left, MAX_TIMER_MS))
      }
      const rearm = (): void => {
        clearTimeout(timer)
        arm()
      }
      const fire = (): void => {
        if (elapsed() < end) arm()
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
  }
}
