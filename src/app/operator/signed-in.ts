import { mayDo } from '../../core/operator/role.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'

/** A session that ended this recently still counts. */
const LATELY_MS = 15 * MINUTE

/**
 * Whether anybody who may take an alarm of the application has been signed in within the last 15 min. devices.md#flags.
 * Rejects only with a StoreError.
 */
export const signedIn =
  ({ store, clock }: { store: Pick<OperatorStore, 'operatorsSignedIn'>; clock: Pick<Clock, 'now'> }) =>
  async (appId: string): Promise<boolean> => {
    const now = clock.now()
    return (await store.operatorsSignedIn(now, now - LATELY_MS)).some((one) => mayDo(one, 'incident.take', appId))
  }
