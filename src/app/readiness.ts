import { SECOND } from '../core/event-time.ts'
import type { StoreUpkeep } from '../ports/store.ts'

/** How long the store may take to show that it writes. */
const WRITE_PATIENCE_MS = 3 * SECOND
/** The dispatcher is late when something has been due for longer than this. */
const LATE_MS = 5 * SECOND

type Parts = {
  readonly store: StoreUpkeep
  readonly brokerIsUp: () => boolean
  readonly overdueMs: () => Promise<number>
}

/** Why the service is not ready to save lives: nothing when it is. Decisions 6, `/readyz`. */
export const readiness =
  ({ store, brokerIsUp, overdueMs }: Parts) =>
  async (): Promise<readonly string[]> => {
    const [unwritable, late] = await Promise.all([whyUnwritable(store), whyLate(overdueMs)])
    const down = brokerIsUp() ? null : 'the MQTT broker takes no connections'
    return [unwritable, down, late].filter((reason) => reason !== null)
  }

async function whyUnwritable(store: StoreUpkeep): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, WRITE_PATIENCE_MS, 'the store does not answer')
  })
  const check = store.checkWritable().then(
    () => null,
    (error: Error) => `the store cannot write: ${error.message}`,
  )
  const reason = await Promise.race([check, patience])
  clearTimeout(timer)
  return reason
}

async function whyLate(overdueMs: () => Promise<number>): Promise<string | null> {
  const late = await overdueMs()
  return late > LATE_MS ? `the dispatcher is ${Math.round(late / SECOND)} s late` : null
}
