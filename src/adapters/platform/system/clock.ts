import { SECOND } from '../../../lib/durations.ts'
import type { Clock } from '../../../ports/clock.ts'
import { createMachineTime, type Sources, TOLERANCE_MS } from './machine-time.ts'

export type SystemClock = Clock & {
  /** Checks the wall clock now; this also happens about every second. */
  compare(): void
  /** Stops checking the wall clock. Pending timers go on. */
  stop(): void
}

const COMPARE_EVERY_MS = SECOND

/**
 * The clock of this machine: the wall-clock time at the start, advanced by the monotonic clock and by any time for
 * which the machine was suspended. If the wall clock differs from that by more than a quarter of a second, it was set:
 * its time is adopted and every `onShift` listener called in the same tick. Timers that expire during a suspension fire
 * at the resume.
 */
export function createSystemClock(sources: Partial<Sources> = {}): SystemClock {
  const machine = createMachineTime(sources)
  let lead = machine.wallLead()
  const listeners: ((byMs: number) => void)[] = []
  const differs = (): boolean => Math.abs(machine.wall() - machine.elapsed() - lead) > TOLERANCE_MS

  const compare = (): void => {
    // A suspension is not a jump of the clock: no listener is called.
    machine.countSuspension()
    const byMs = Math.round(machine.wallLead() - lead)
    if (Math.abs(byMs) <= TOLERANCE_MS) return
    lead += byMs
    for (const listener of listeners) listener(byMs)
  }
  const comparing = setInterval(compare, COMPARE_EVERY_MS).unref()

  return {
    now() {
      // An alert may be the first event after a resume, and its grace window must not be computed from the time before.
      if (differs()) machine.countSuspension()
      // Rounded down like Date.now(): the store keeps whole milliseconds.
      return Math.floor(lead + machine.elapsed())
    },
    after: machine.after,
    onShift: (listener) => void listeners.push(listener),
    compare,
    stop: () => clearInterval(comparing),
  }
}

let zone: string | null = null

/**
 * The IANA time zone of this machine's settings, or UTC. Read on first use, because loading the calendars takes some 30
 * ms, and then kept, because every text about a time needs it.
 */
export function machineTimeZone(): string {
  zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
  return zone
}
