import { type ClientSession, isTracker, type TrackerSession } from '../../core/account/session.ts'
import { MINUTE } from '../../lib/durations.ts'
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
  let looking: Promise<void> = Promise.resolve()
  let cancel = () => {}

  const hasEnded = async ({ userId, tracker }: TrackerSession): Promise<boolean> => {
    const device = await store.deviceByToken(tracker.tokenHash)
    return device === null || device.deviceId !== tracker.deviceId || device.userId !== userId
  }

  const look = async (): Promise<void> => {
    for (const session of [...live.sessions()].filter(isTracker)) {
      if (isStopped) return
      if (await hasEnded(session)) live.closeWhere((one) => one === session)
    }
  }

  const arm = (): void => {
    if (isStopped) return
    cancel = clock.after(LOOK_MS, () => {
      looking = look()
        .catch((error) =>
          log.warn({ err: error }, 'could not check which trackers have to be disconnected; trying again'),
        )
        .then(arm)
    })
  }

  arm()
  return () => {
    isStopped = true
    cancel()
    return looking
  }
}
