import type { AccountStore, ErasureStore, Traces } from '../ports/store.ts'

/**
 * A batch is over in a few milliseconds; in the pause the service, which is another process, commits what has come in.
 */
const BATCH_ROWS = 500
const PAUSE_MS = 20
/** rules.md#sessions: by then the sessions of a user who is no longer admitted have ended. */
const SESSIONS_END_MS = 2_500

export type Erased = {
  readonly userId: string
  readonly traces: Traces
  /** A phone that still has its user hash has made the user anew meanwhile. */
  readonly cameBack: boolean
}

/**
 * Erases everything that is kept of a user, without a trace. Refused while an incident is open or an all-clear is on
 * its way, also when that begins in the middle: what was deleted by then stays deleted. A session that lives on for a
 * moment may still leave something; it is waited for.
 */
export async function eraseUser(
  { store, pause }: { readonly store: ErasureStore & Pick<AccountStore, 'userByExternalId'>; readonly pause: Pause },
  { appId, externalUserId, now }: { readonly appId: string; readonly externalUserId: string; readonly now: number },
): Promise<Erased | { readonly refused: 'user_not_found' | 'incident_open' | 'all_clear_pending' }> {
  for (;;) {
    const batch = await store.eraseUser(appId, externalUserId, BATCH_ROWS)
    if ('refused' in batch) return batch
    if (!batch.done) {
      await pause(PAUSE_MS)
      continue
    }
    const { userId } = batch
    await pause(SESSIONS_END_MS)
    const traces = await store.finishErasure(userId, now)
    return { userId, traces, cameBack: (await store.userByExternalId(appId, externalUserId)) !== null }
  }
}

type Pause = (ms: number) => Promise<void>
