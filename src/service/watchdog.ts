import { SECOND } from '../lib/durations.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { StoreError, type Upkeep } from '../ports/store.ts'

/** Each part has this long to show that it is alive. */
const PATIENCE_MS = 10 * SECOND
/** With something due, the dispatcher looks about every second at the latest. */
const STALLED_MS = 10 * SECOND
/** This many times within the period of the service manager, so that one late beat does not end the service. */
const PINGS_A_PERIOD = 4

type Vitals = {
  readonly store: Pick<Upkeep, 'checkWritable'>
  /** Rejects with the reason when the broker does not answer on its own listener. */
  readonly brokerAnswers: () => Promise<void>
  readonly dispatcherStalledMs: () => Promise<number>
}

/**
 * The parts that make no progress, which only a restart fixes. Narrower than readiness: a full disk answers, an overdue
 * incident that cannot be read does not keep the dispatcher from looking, and a restart would help neither.
 */
export const stuckParts =
  ({ store, brokerAnswers, dispatcherStalledMs }: Vitals, patienceMs = PATIENCE_MS) =>
  async (): Promise<readonly string[]> => {
    const looks = {
      store: storeLives(store),
      broker: brokerAnswers(),
      dispatcher: dispatcherLooks(dispatcherStalledMs),
    }
    const answers = Object.entries(looks).map(([part, look]) => whyStuck(part, look, patienceMs))
    return (await Promise.all(answers)).filter((reason) => reason !== null)
  }

async function storeLives(store: Vitals['store']): Promise<void> {
  try {
    await store.checkWritable()
  } catch (error) {
    // A writer that says why it refuses is alive. A fault may be the connection's own, and then a new
    // process has a better one.
    if (!(error instanceof StoreError) || error.kind === 'fault') throw error
  }
}

async function dispatcherLooks(stalledMs: Vitals['dispatcherStalledMs']): Promise<void> {
  const ms = await stalledMs()
  if (ms > STALLED_MS) throw new Error(`has not checked for due attempts for ${Math.round(ms / SECOND)} s`)
}

async function whyStuck(part: string, look: Promise<void>, patienceMs: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, patienceMs, `the ${part} does not answer`)
  })
  const answer = look.then(
    () => null,
    (error: Error) => `the ${part}: ${error.message}`,
  )
  const reason = await Promise.race([answer, patience])
  clearTimeout(timer)
  return reason
}

/**
 * Feeds the watchdog of the service manager for as long as nothing is stuck. The service manager ends the process when
 * it is not fed for `periodMs`. Returns a function that stops feeding.
 */
export function feedWatchdog({
  periodMs,
  stuck,
  feed,
  clock,
  log,
}: {
  readonly periodMs: number
  readonly stuck: () => Promise<readonly string[]>
  readonly feed: () => Promise<void>
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
}): () => void {
  let stopped = false
  let cancel = () => {}
  const look = async (): Promise<void> => {
    const reasons = await stuck()
    if (stopped) return
    if (reasons.length === 0) await feed()
    else log.error({ reasons }, 'the service is stuck; unless it recovers, systemd will restart it')
    if (!stopped) cancel = clock.after(periodMs / PINGS_A_PERIOD, () => void look())
  }
  void look()
  return () => {
    stopped = true
    cancel()
  }
}
