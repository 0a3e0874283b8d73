import { CLOCK_TOLERANCE_MS } from '../../../core/ingest/event-time.ts'
import type { DeletedBatch } from '../../../ports/store.ts'

/** The outcome of a batch of at most `max` rows: one that is not full was the last. */
export const batchOf = (deleted: number, max: number): DeletedBatch => ({ deleted, next: deleted < max ? null : '' })

/**
 * Where a look for telemetry that arrived before `before` (epoch ms) may stop, as an event time in epoch ms: later ones
 * arrived later, or belong to the incident that is open since `openSince`, which keeps its telemetry.
 */
export const endOfExpired = (before: number, openSince: number | null | undefined): number =>
  Math.min(before + CLOCK_TOLERANCE_MS, openSince ?? Number.MAX_SAFE_INTEGER)
