import { mayDo } from '../../core/operator/role.ts'
import { endOf } from '../../core/operator/session.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'

/** Names that a person is shown. */
const MAX_NAMES = 20
/** A read looks at every operator: an app that asks all the time must not cost more than this. */
const KEPT_MS = SECOND
const MAX_KEPT = 1_000

/** The staff of the rescue desk. `isStaffed`: somebody signed in now may take an alarm of this application. */
type Desk = { readonly names: readonly string[]; readonly isStaffed: boolean }
export type DeskOf = (appId: string) => Promise<Desk>

/** The operators who are signed in and may see the application's alarms. Rejects only with a StoreError. */
export const deskOf = ({
  store,
  clock,
}: {
  readonly store: Pick<OperatorStore, 'operators' | 'operatorSessions'>
  readonly clock: Pick<Clock, 'now'>
}): DeskOf => {
  const kept = new BoundedMap<string, { readonly at: number; readonly desk: Promise<Desk> }>(MAX_KEPT)
  const read = async (appId: string): Promise<Desk> => {
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
  return (appId) => {
    const known = kept.get(appId)
    if (known !== undefined && performance.now() - known.at < KEPT_MS) return known.desk
    const desk = read(appId)
    kept.set(appId, { at: performance.now(), desk })
    desk.catch(() => kept.delete(appId))
    return desk
  }
}
