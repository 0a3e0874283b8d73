import { mayDo } from '../../core/operator/role.ts'
import { endOf } from '../../core/operator/session.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'

/** Names that a person is shown. */
const MAX_NAMES = 20

/** Who sits at the rescue desk. `isStaffed`: somebody signed in now may take an alarm of this application. */
type Desk = { readonly names: readonly string[]; readonly isStaffed: boolean }
export type DeskOf = (appId: string) => Promise<Desk>

/** The operators who are signed in and may see the application's alarms. Rejects only with a StoreError. */
export const deskOf =
  ({
    store,
    clock,
  }: {
    readonly store: Pick<OperatorStore, 'operators' | 'operatorSessions'>
    readonly clock: Pick<Clock, 'now'>
  }): DeskOf =>
  async (appId) => {
    const now = clock.now()
    const names: string[] = []
    let isStaffed = false
    for (const { id, name, role, applications, disabled } of await store.operators()) {
      if (disabled || !mayDo({ role, applications }, 'incident.view', appId)) continue
      const sessions = await store.operatorSessions(id)
      if (!sessions.some((session) => session.createdAt <= now && endOf(session) > now)) continue
      if (names.length < MAX_NAMES) names.push(name)
      isStaffed ||= mayDo({ role, applications }, 'incident.message', appId)
    }
    return { names, isStaffed }
  }
