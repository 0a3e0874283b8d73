import { signal } from '@preact/signals'
import { poll } from '../api/client.ts'
import type { FirstSteps } from '../api/types.ts'

/** How far this site is set up, as the service last said it. Null: not asked yet. */
export const firstSteps = signal<FirstSteps | null>(null)

/** Asks the service. Rejects as `poll` does. */
export async function readFirstSteps(): Promise<void> {
  firstSteps.value = await poll<FirstSteps>('/first-steps')
}
