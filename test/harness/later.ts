import type { Environment } from './command-line.ts'
import { LATER_CLOCK, preloading } from './preloaded.ts'

/**
 * For a start as it is after a power cut of that length: the test need not wait for messages to become due. Only for
 * the last start of a service, because other processes keep the real time, and time does not go back.
 */
export const later = (byMs: number): Environment => ({
  ...preloading(LATER_CLOCK),
  LATER_MS: String(byMs),
})
