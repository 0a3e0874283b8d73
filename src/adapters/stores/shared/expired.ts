import { CLOCK_TOLERANCE_MS } from '../../../core/ingest/event-time.ts'
import type { DeletedBatch } from '../../../ports/store.ts'

/** The outcome of a batch of at most `max` rows: one that is not full was the last. */
export const batchOf = (deleted: number, max: number): DeletedBatch => ({ deleted, next: deleted < max ? null : '' })

/**
 * The latest event time (epoch ms) that telemetry received before `before` (epoch ms) can have; scanning stops there.
 * Later ones arrived later, or belong to the incident that is open since `openSince`, which keeps its telemetry.
 */
export const endOfExpired = (before: number, openSince: number | null | undefined): number =>
  Math.min(before + CLOCK_TOLERANCE_MS, openSince ?? Number.MAX_SAFE_INTEGER)

/** A user's rows are in two tables. Those that other users sent come second. */
export type TelemetryTable = 'telemetry' | 'relayed_telemetry'
const RELAYED = 'relayed:'

/** The table that this batch walks through, and its place there. */
export const telemetryWalk = (from: string): { readonly table: TelemetryTable; readonly from: string } =>
  from.startsWith(RELAYED)
    ? { table: 'relayed_telemetry', from: from.slice(RELAYED.length) }
    : { table: 'telemetry', from }

/** The start of the next batch. `next`: the place in that table. */
export function nextOfWalk(table: TelemetryTable, next: string | null): string | null {
  if (table === 'telemetry') return next ?? RELAYED
  return next === null ? null : RELAYED + next
}
