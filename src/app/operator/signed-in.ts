import { mayDo } from '../../core/operator/role.ts'
import { endOf } from '../../core/operator/session.ts'
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
  ({ store, clock }: { store: Pick<OperatorStore, 'operators' | 'operatorSessions'>; clock: Pick<Clock, 'now'> }) =>
  async (appId: string): Promise<boolean> => {
    const now = clock.now()
    for (const { id, role, applications, disabled } of await store.operators()) {
      if (disabled || !mayDo({ role, applications }, 'incident.take', appId)) continue
      const sessions = await store.operatorSessions(id)
      if (sessions.some((session) => session.createdAt <= now && endOf(session) > now - LATELY_MS)) return true
    }
    return false
  }
