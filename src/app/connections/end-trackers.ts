import { type ClientSession, isTracker, type TrackerSession } from '../../core/account/session.ts'
import { MINUTE } from '../../lib/durations.ts'
import { repeatedly } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FieldStore } from '../../ports/field-store.ts'
import type { Log } from '../../ports/log.ts'

/** How often every tracker's token is looked up: one read each, in sequence. */
const LOOK_MS = MINUTE

type TrackerEndNeeds = {
  readonly store: Pick<FieldStore, 'deviceByToken'>
  readonly live: {
    sessions(): Iterable<ClientSession>
    closeWhere(predicate: (session: ClientSession) => boolean): number
  }
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
}

/**
 * Ends connections of trackers whose token or pairing is gone, within a minute, whichever process or node removed it.
 * Until then such a connection can do nothing, because each report has its token looked up. Returns a function that
 * stops it.
 */
export function endTrackers({ store, live, clock, log }: TrackerEndNeeds): () => Promise<void> {
  let isStopped = false

  const hasEnded = async ({ userId, tracker }: TrackerSession): Promise<boolean> => {
    const device = await store.deviceByToken(tracker.tokenHash)
    return device === null || device.deviceId !== tracker.deviceId || device.userId !== userId
  }

  const stop = repeatedly(clock, LOOK_MS, async () => {
    try {
      for (const session of [...live.sessions()].filter(isTracker)) {
        if (isStopped) break
        if (await hasEnded(session)) live.closeWhere((one) => one === session)
      }
    } catch (error) {
      log.warn({ err: error }, 'could not check which trackers have to be disconnected; trying again')
    }
    return LOOK_MS
  })
  return () => {
    isStopped = true
    return stop()
  }
}
