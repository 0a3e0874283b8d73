import { signal } from '@preact/signals'
import { poll } from '../api/client.ts'
import type { FirstSteps } from '../api/types.ts'

/** The set-up state of this site, as last read from the service. Null: not asked yet. */
export const firstSteps = signal<FirstSteps | null>(null)

/** Asks the service. Rejects as `poll` does. */
export async function readFirstSteps(): Promise<void> {
  firstSteps.value = await poll<FirstSteps>('/first-steps')
}
