import { SECOND } from '../../lib/durations.ts'
import { interruptibleWait } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { TextNotification } from '../../ports/notifier.ts'
import type { DueIncidents } from '../../ports/store.ts'
import { isNothingRealDue } from './quiet.ts'

const LOOK_MS = 2 * SECOND
const MAX_WAITING = 50

export type PatientTexts = {
  /** False: too many wait, and it is dropped. Settles the text's fate later; never throws. */
  send(text: TextNotification, until: number): boolean
  stop(): Promise<void>
}

/**
 * Texts that nobody's help depends on: one at a time, while nothing of an incident is due or waits at a provider, and
 * dropped after `until` (epoch ms). In memory: a crash loses them.
 */
export function patientTexts(needs: {
  readonly store: Pick<DueIncidents, 'nextRealActionAt'>
  readonly clock: Clock
  readonly log: Log
  /** The number of incident messages that wait for their turn. */
  readonly waiting: () => number
  readonly sendText: (text: TextNotification) => Promise<{ readonly kind: string }>
}): PatientTexts {
  const { clock, log, waiting, sendText } = needs
  const queue: { readonly text: TextNotification; readonly until: number }[] = []
  const { wait, interrupt } = interruptibleWait(clock)
  let running: Promise<void> | null = null
  let isStopped = false

  async function run(): Promise<void> {
    while (!isStopped) {
      const [first] = queue
      if (first === undefined) return
      if (clock.now() >= first.until) {
        queue.shift()
        log.warn({ attemptId: first.text.attemptId }, 'a text waited behind alarms until it was too late')
        continue
      }
      if (waiting() > 0 || !(await isNothingRealDue(needs))) {
        await wait(LOOK_MS)
        continue
      }
      queue.shift()
      const { kind } = await sendText({ ...first.text, leftMs: () => Math.max(0, first.until - clock.now()) })
      log.info({ attemptId: first.text.attemptId, outcome: kind }, 'sent a text that no alarm waits for')
    }
  }

  return {
    send(text, until) {
      if (isStopped || queue.length >= MAX_WAITING) return false
      queue.push({ text, until })
      running ??= run()
        .catch((error) => log.warn({ err: error }, 'could not send a text that no alarm waits for'))
        .finally(() => {
          running = null
        })
      return true
    },
    async stop() {
      isStopped = true
      interrupt()
      await running
    },
  }
}
