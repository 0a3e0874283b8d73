import { uptime } from 'node:os'
import { SECOND } from './durations.ts'

/**
 * Milliseconds since the machine was started, suspensions included. Only Linux has a usable uptime: elsewhere it
 * follows the wall clock, so setting that would look like a suspension, and suspensions are left out instead.
 */
export const sinceBoot: () => number = process.platform === 'linux' ? () => uptime() * SECOND : () => performance.now()
