import type { AuditEntry } from '../../core/operator/audit.ts'
import type { AccountStore, ErasureStore, Traces } from '../../ports/store.ts'

/** A batch takes a few milliseconds. In the pause, the service (a separate process) commits new writes. */
const BATCH_ROWS = 500
const PAUSE_MS = 20
/** access.md#sessions: the sessions of a user who is no longer admitted have ended by then. */
const SESSIONS_END_MS = 2_500

export type Erased = {
  readonly userId: string
  readonly traces: Traces
  /** Whether the user exists again, created since by a phone that still has the user hash. */
  readonly cameBack: boolean
}

/**
 * Erases everything stored of a user, leaving no traces on disk. Refused while an incident is open or an all-clear is
 * pending. If that starts half-way, the erasure stops and what is already deleted stays deleted. Sessions that live a
 * moment longer may still store something, so it waits for their end before it finishes.
 */
export async function eraseUser(
  { store, pause }: { readonly store: ErasureStore & Pick<AccountStore, 'userByExternalId'>; readonly pause: Pause },
  { appId, externalUserId, now, audit = null }: Given,
): Promise<Erased | { readonly refused: 'user_not_found' | 'incident_open' | 'all_clear_pending' }> {
  let row = audit
  for (;;) {
    const batch = await store.eraseUser(appId, externalUserId, BATCH_ROWS, row)
    if ('refused' in batch) return batch
    row = null
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

type Given = {
  readonly appId: string
  readonly externalUserId: string
  readonly now: number
  /** Written with the first deletion, so that an erasure that stops half-way has a row, too. */
  readonly audit?: AuditEntry | null
}
type Pause = (ms: number) => Promise<void>
