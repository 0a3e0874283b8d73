import { entry, OWN_APP } from '../../core/operator/audit.ts'
import { MINUTE } from '../../lib/durations.ts'
import { interruptibleWait } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { AccountStore, EnrolmentStore, ErasureStore, RemovalTextStore } from '../../ports/store.ts'
import { eraseUser } from '../user/erase-user.ts'
import type { RemovalNews } from '../user/removal-news.ts'

/** In one transaction, and between two looks. */
const AT_ONCE = 100
/** Erasing takes seconds, and a search through the whole database. */
const ERASED_AT_ONCE = 5

type RemovalNeeds = {
  readonly store: Pick<EnrolmentStore, 'nextAppRemoval' | 'removeDueAppDevices' | 'dueErasures'> &
    Pick<RemovalTextStore, 'dueRemovalTexts'> &
    ErasureStore &
    Pick<AccountStore, 'userByExternalId'>
  readonly clock: Clock
  readonly log: Log
  readonly endSessions: (appId: string) => void
  /** Whether the date can be trusted (keeping.md#clock) and this is the node that deletes. */
  readonly mayDelete: () => boolean
  /** Loaded when there is something to tell. */
  readonly news: () => Promise<Pick<RemovalNews, 'look'>>
}

/**
 * Removes devices and erases users once the 72 h have passed that a person has to undo it, and sends the texts about
 * that which have not left yet. Looks every minute; three reads where nothing is due. Returns a function that stops
 * it. app.md#removing.
 */
export function keepRemovals({ store, clock, log, endSessions, mayDelete, news }: RemovalNeeds): () => Promise<void> {
  let stopped = false
  const { wait, interrupt } = interruptibleWait(clock)

  const look = async (): Promise<void> => {
    const now = clock.now()
    const next = await store.nextAppRemoval()
    if (next !== null && next <= now) {
      for (const appId of await store.removeDueAppDevices(now, AT_ONCE)) endSessions(appId)
    }
    let erasedNow = 0
    for (const user of await store.dueErasures(now, AT_ONCE)) {
      if (stopped || erasedNow === ERASED_AT_ONCE) return
      const pause = async (ms: number): Promise<void> => {
        endSessions(user.appId)
        await wait(ms)
      }
      const { appId, externalUserId } = user
      // The row says that a user was erased, never which one.
      const audit = entry({ at: now, actor: OWN_APP, action: 'user.change', appId, details: { change: 'erased' } })
      const erased = await eraseUser({ store, pause }, { appId, externalUserId, now, audit })
      // An open incident, or a closing text on its way: at a later look.
      if ('refused' in erased) continue
      erasedNow += 1
      log.info({}, 'a user was erased, as they had asked 72 h ago')
    }
  }

  const run = (async () => {
    while (!stopped) {
      try {
        if ((await store.dueRemovalTexts(clock.now(), 1)).length > 0) await (await news()).look()
        if (mayDelete()) await look()
      } catch (error) {
        if (!stopped)
          log.error({ err: error }, 'could not remove what people had asked to remove; trying again in a minute')
      }
      if (!stopped) await wait(MINUTE)
    }
  })()
  return () => {
    stopped = true
    interrupt()
    return run
  }
}
