import { SECOND } from '../../lib/durations.ts'
import { interruptibleWait } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { type SettleNeeds, settleShifts } from './shift-cases.ts'

/** How soon a session that ended by itself, or on another node, is noticed. */
const LOOK_MS = 30 * SECOND

type ShiftWatchNeeds = SettleNeeds & {
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  /** Whether no other node does it. */
  readonly mayRun: () => boolean
}

export type ShiftWatch = {
  /** Looks at once: a session has ended here. */
  look(): void
  /** Once what was begun is done. */
  stop(): Promise<void>
}

/** Looks every half minute, and whenever it is told to, what operators have left behind. rules.md#shifts. */
export function watchShifts({ log, mayRun, ...needs }: ShiftWatchNeeds): ShiftWatch {
  let isStopped = false
  /** One look at a time; what is asked for meanwhile is one more. */
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
