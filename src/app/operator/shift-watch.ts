import { SECOND } from '../../lib/durations.ts'
import { interruptibleWait } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { type SettleNeeds, settleShifts } from './shift-cases.ts'

/** How soon the end of a session by time-out, or on another node, is noticed. */
const LOOK_MS = 30 * SECOND

type ShiftWatchNeeds = SettleNeeds & {
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  /** Whether no other node does it. */
  readonly mayRun: () => boolean
}

export type ShiftWatch = {
  /** Checks at once, because a session has ended here. */
  look(): void
  /** Resolves once the current check is done. */
  stop(): Promise<void>
}

/** Settles shifts every half minute, and on demand. access.md#shifts. */
export function watchShifts({ log, mayRun, ...needs }: ShiftWatchNeeds): ShiftWatch {
  let isStopped = false
  /** One check at a time; requests during a check cause one more. */
  let asked = false
  const { wait, interrupt } = interruptibleWait(needs.clock)

  const run = (async () => {
    while (!isStopped) {
      if (!asked) await wait(LOOK_MS)
      if (isStopped) return
      const mayLook = asked || mayRun()
      asked = false
      if (mayLook) {
        await settleShifts(needs).catch((error) =>
          log.warn({ err: error }, 'could not look for alarms whose operators have left; trying again'),
        )
      }
    }
  })()
  return {
    look() {
      asked = true
      interrupt()
    },
    stop() {
      isStopped = true
      interrupt()
      return run
    },
  }
}
