import { uptime } from 'node:os'
import { hrtime } from 'node:process'
import { SECOND } from './durations.ts'

/** A moment by both clocks of this machine, in milliseconds. The monotonic one is the same in every thread. */
export type TwoClocks = { readonly wall: number; readonly monotonic: number }

export const bothClocks = (): TwoClocks => ({ wall: Date.now(), monotonic: Number(hrtime.bigint() / 1_000n) / 1_000 })

/** Milliseconds since `from` by the clock that says more: the monotonic one stands still while a machine sleeps. */
export function waitedSince(from: TwoClocks): number {
  const { wall, monotonic } = bothClocks()
  return Math.max(0, wall - from.wall, monotonic - from.monotonic)
}

/**
 * Milliseconds since the machine was started, suspensions included. Only Linux has a usable uptime: elsewhere it
 * follows the wall clock, so setting that would look like a suspension, and suspensions are left out instead.
 */
export const sinceBoot: () => number = process.platform === 'linux' ? () => uptime() * SECOND : () => performance.now()
