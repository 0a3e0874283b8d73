import { SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DueIncidents } from '../../ports/store.ts'

/** This long before a message of a real incident is due, nothing else is handed to a provider. */
const QUIET_MS = 5 * SECOND

/**
 * Whether a message that is not an alarm may go to a provider: no message of a real incident is due, about to be due,
 * or waiting for its turn. Otherwise the alarm could have to wait for that message. Rejects with a StoreError.
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

/** One answer for every question during a look: a hundred drills must not cause a hundred queries. */
export function answeredOnce(ask: () => Promise<boolean>): () => Promise<boolean> {
  let answer: Promise<boolean> | null = null
  return () => {
    answer ??= ask()
    return answer
  }
}
