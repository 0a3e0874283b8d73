import { SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DueIncidents } from '../../ports/store.ts'

/** So long before anything of a real incident is due, nothing else begins at a provider. */
const QUIET_MS = 5 * SECOND

/**
 * Whether what is no alarm may begin at a provider: nothing of a real incident is due, waits for its turn, or is about
 * to be due. A whole message could hold it up. Rejects with a StoreError.
 */
export async function isNothingRealDue({
  store,
  clock,
}: {
  readonly store: Pick<DueIncidents, 'nextRealActionAt'>
  readonly clock: Pick<Clock, 'now'>
}): Promise<boolean> {
  const nextAt = await store.nextRealActionAt()
  return nextAt === null || nextAt > clock.now() + QUIET_MS
}
