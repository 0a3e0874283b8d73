import { MINUTE, SECOND } from '../../lib/durations.ts'
import { repeatedly } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HttpCaller } from '../../ports/http-caller.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'

const BEAT_MS = MINUTE
/** Soon after the start: a start that fails should not look well for a whole minute. */
const FIRST_MS = 10 * SECOND
const TIMEOUT_MS = 10 * SECOND

type HeartbeatNeeds = {
  readonly url: string
  /** The reasons why the service is not ready, as in `/readyz`. Never rejects. */
  readonly readiness: () => Promise<readonly string[]>
  readonly caller: Pick<HttpCaller, 'post'>
  readonly clock: Pick<Clock, 'after' | 'now'>
  readonly log: Log
  readonly meter: Meter
}

/**
 * Tells an external monitor every minute that this service is well, so that the monitor notices when the calls stop:
 * `…/start` at the start, the URL itself while all is well, `…/fail` with the reasons in the body. One call at a time,
 * and none is repeated: the next one is newer. docs/operating.md#heartbeat. Returns a function that ends it.
 */
export function beat({ url, readiness, caller, clock, log, meter }: HeartbeatNeeds): () => Promise<void> {
  let isStopped = false
  let isHeard = true
  let hasBegun = false

  const call = async (word: 'start' | 'fail' | null, body: string): Promise<void> => {
    const about = { channel: 'heartbeat', incidentId: '', attemptId: '' }
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    const answer = await caller.post({ url: heartbeatUrl(url, word), body, headers, timeoutMs: TIMEOUT_MS, about })
    if (answer.kind === 'stopped') return
    const heard = answer.kind === 'answered' && answer.status >= 200 && answer.status < 300
    meter.count('heartbeats_total', { result: heard ? 'heard' : 'failed' })
    // Logged once, not every minute: the counter tells how long.
    if (heard !== isHeard) {
      const why = answer.kind === 'answered' ? `status ${answer.status}` : answer.error
      if (heard) log.info({}, 'the heartbeat is accepted again')
      else log.warn({ reason: why }, 'the heartbeat is not accepted; the monitor will report this service as down')
    }
    isHeard = heard
  }

  const look = async (): Promise<void> => {
    const reasons = await readiness()
    if (!isStopped) await call(reasons.length === 0 ? null : 'fail', reasons.join('\n'))
  }

  const stop = repeatedly(clock, 0, async () => {
    const began = clock.now()
    const [work, thenMs] = hasBegun ? [look, BEAT_MS] : [() => call('start', ''), FIRST_MS]
    hasBegun = true
    await work().catch((error) => log.error({ err: error }, 'could not send the heartbeat'))
    return Math.max(SECOND, thenMs - Math.max(0, clock.now() - began))
  })
  return () => {
    isStopped = true
    return stop()
  }
}

/** `word` is added to the path: the address may have a query. */
function heartbeatUrl(url: string, word: 'start' | 'fail' | null): string {
  if (word === null) return url
  const address = new URL(url)
  address.pathname = `${address.pathname.endsWith('/') ? address.pathname.slice(0, -1) : address.pathname}/${word}`
  return address.href
}
