import type { ReadinessStatus } from '../../core/readiness/findings.ts'
import { HOUR, MINUTE } from '../../lib/durations.ts'
import { interruptibleWait } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { userReadiness } from './user-readiness.ts'

/** Start-up has more urgent things to do. */
const FIRST_MS = 5 * MINUTE
/** About 40 users a second: 100,000 take three quarters of an hour, and hardly any of the thread. */
const BATCH_USERS = 10
const PAUSE_MS = 250

/** Users by status in the last complete survey. Zeros before the first, and if another node counts. */
type ReadinessCounts = Readonly<Record<ReadinessStatus, number>>

const NONE: ReadinessCounts = { ready: 0, attention: 0, not_ready: 0 }

export type ReadinessSurvey = { counts(): ReadinessCounts; stop(): Promise<void> }

/**
 * Counts, every hour and slowly, how many users are ready for an emergency, for the metric: scanning all at once would
 * delay alarms. `mayRun`: whether no other node does it.
 */
export function surveyReadiness({
  readiness,
  clock,
  log,
  mayRun,
}: {
  readonly readiness: Pick<ReturnType<typeof userReadiness>, 'page'>
  readonly clock: Clock
  readonly log: Log
  readonly mayRun: () => boolean
}): ReadinessSurvey {
  let counts = NONE
  let isStopped = false
  const { wait, interrupt } = interruptibleWait(clock)

  const survey = async (): Promise<void> => {
    const found = { ...NONE }
    let after: string | null = null
    do {
      const query = { appIds: null, text: null, after, limit: BATCH_USERS }
      const page = await readiness.page(query, false)
      for (const { status } of page.items) found[status] += 1
      after = page.after
      if (after !== null && !isStopped) await wait(PAUSE_MS)
    } while (after !== null && !isStopped && mayRun())
    if (after === null) counts = found
  }

  const run = (async () => {
    await wait(FIRST_MS)
    while (!isStopped) {
      if (mayRun()) await survey().catch((error) => log.warn({ err: error }, 'could not count who is ready'))
      else counts = NONE
      if (!isStopped) await wait(HOUR)
    }
  })()
  return {
    counts: () => counts,
    stop() {
      isStopped = true
      interrupt()
      return run
    },
  }
}
