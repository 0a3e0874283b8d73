import type { Environment } from './command-line.ts'

const PRELOAD = new URL('../fixtures/later-clock.ts', import.meta.url).href

/**
 * For a start as it is after a power cut of that length: the test need not wait for messages to become due. Only for
 * the last start of a service, because other processes keep the real time, and time does not go back.
 */
export const later = (byMs: number): Environment => ({
  NODE_OPTIONS: `--import=${PRELOAD}`,
  LATER_MS: String(byMs),
})
