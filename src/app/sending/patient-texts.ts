import type { AttemptOutcome } from '../../core/incident/command.ts'
import { MINUTE, SECOND } from '../../lib/durations.ts'
import { interruptibleWait } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { TextNotification } from '../../ports/notifier.ts'
import type { DueIncidents } from '../../ports/store.ts'
import { isNothingRealDue } from './quiet.ts'

const LOOK_MS = 2 * SECOND
const MAX_WAITING = 50
/** While the provider is down; doubles with each try, unless the provider asks for another wait. */
const RETRY_MS = 30 * SECOND
const MAX_RETRY_MS = 5 * MINUTE

/** `isMeant`: asked right before it leaves; else it always is. `ends`: told once whether a provider has taken it. */
type About = {
  readonly isMeant?: () => Promise<boolean>
  readonly ends?: (end: 'left' | 'lost') => void
}

type Waiting = About & {
  readonly text: TextNotification
  readonly until: number
  readonly from: number
  readonly tries: number
}

export type PatientTexts = {
  /**
   * False: too many wait, and it is dropped. Settles the text's fate later; never throws.
   */
  send(text: TextNotification, until: number, about?: About): boolean
  stop(): Promise<void>
}

/**
 * Texts that nobody's help depends on: one at a time, while nothing of an incident is due or waits at a provider, tried
 * again while the provider is down, and dropped after `until` (epoch ms). In memory: a crash loses them.
 */
export function patientTexts(needs: {
  readonly store: Pick<DueIncidents, 'nextRealActionAt'>
  readonly clock: Clock
  readonly log: Log
  /** The number of incident messages that wait for their turn. */
  readonly waiting: () => number
  readonly sendText: (text: TextNotification) => Promise<AttemptOutcome>
}): PatientTexts {
  const { clock, log, waiting, sendText } = needs
  let queue: readonly Waiting[] = []
  const { wait, interrupt } = interruptibleWait(clock)
  let running: Promise<void> | null = null
  let isStopped = false

  function dropLate(): void {
    const now = clock.now()
    for (const { text, until, ends } of queue) {
      if (now < until) continue
      log.warn({ attemptId: text.attemptId }, 'a text waited until it was too late')
      ends?.('lost')
    }
    queue = queue.filter(({ until }) => now < until)
  }

  async function tryOne(one: Waiting): Promise<void> {
    const { text, until, isMeant, ends, tries } = one
    const { attemptId } = text
    if (isMeant !== undefined && !(await isMeant())) {
      ends?.('lost')
      return log.info({ attemptId }, 'a text that waited is no longer needed')
    }
    const outcome = await sendText({ ...text, leftMs: () => Math.max(0, until - clock.now()) })
    log.info({ attemptId, outcome: outcome.kind }, 'sent a text that no alarm waits for')
    if (outcome.kind !== 'failed' || !outcome.retryable || isStopped) {
      if (!isStopped || outcome.kind !== 'failed') ends?.(outcome.kind === 'failed' ? 'lost' : 'left')
      return
    }
    const waitMs = outcome.retryAfterMs ?? Math.min(RETRY_MS * 2 ** tries, MAX_RETRY_MS)
    queue = [...queue, { ...one, from: clock.now() + waitMs, tries: tries + 1 }]
  }

  /** They must outlast an outage of the database. */
  const isQuiet = (): Promise<boolean> =>
    isNothingRealDue(needs).catch((error) => {
      log.warn({ err: error }, 'texts that no alarm waits for wait for the database')
      return false
    })

  async function run(): Promise<void> {
    while (!isStopped) {
      dropLate()
      const now = clock.now()
      const next = queue.find(({ from }) => from <= now)
      if (next === undefined) {
        if (queue.length === 0) return
        await wait(Math.min(...queue.map(({ from, until }) => Math.min(from, until))) - now)
      } else if (waiting() > 0 || !(await isQuiet())) {
        await wait(LOOK_MS)
      } else {
        queue = queue.filter((one) => one !== next)
        await tryOne(next).catch((error) =>
          log.warn({ err: error, attemptId: next.text.attemptId }, 'could not send a text that no alarm waits for'),
        )
      }
    }
  }

  function begin(): void {
    running ??= run().finally(() => {
      running = null
      if (queue.length > 0 && !isStopped) begin()
    })
  }

  return {
    send(text, until, about = {}) {
      if (isStopped || queue.length >= MAX_WAITING) return false
      queue = [...queue, { ...about, text, until, from: 0, tries: 0 }]
      // It may wait for the next try of another one.
      interrupt()
      begin()
      return true
    },
    async stop() {
      isStopped = true
      interrupt()
      await running
    },
  }
}
