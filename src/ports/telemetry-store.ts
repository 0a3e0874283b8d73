import type { EventTime } from '../core/ingest/event-time.ts'
import type { Payload } from '../core/ingest/payload.ts'
import type { PositionSource } from '../core/ingest/position.ts'
import type { Reporter } from './incident-store.ts'
import type { Page, PageQuery } from './page.ts'
import type { Settle } from './store-error.ts'

export type TelemetryRow = {
  readonly payload: Payload
  readonly at: EventTime
  /** Arrival, epoch ms. */
  readonly receivedAt: number
  /** Null: from an earlier version. */
  readonly source: PositionSource | null
}

/** A row to store. */
export type SentTelemetry = Omit<TelemetryRow, 'source'>

/**
 * `incidentId`: the open incident that the row belongs to; null for a relay, who is not told. `isBarred`: nothing was
 * stored, because the reporter may not send for the trackers of others.
 */
export type TelemetryStored = {
  readonly duplicate: boolean
  readonly incidentId: string | null
  readonly unknownDevice: boolean
  readonly isBarred?: true
}

export type TelemetryQuery = PageQuery & {
  /** Event times, inclusive. */
  readonly from: EventTime | null
  readonly to: EventTime | null
  /** Only what the owner's own sources sent. */
  readonly isOwn?: true
}

/** A row's place: its table and its key. */
type RowKey = {
  /** Sent by another user, so in a table of its own. */
  readonly isRelayed: boolean
  readonly user: number
  readonly ms: number
  readonly nanos: number
  /** Empty if the payload names none. */
  readonly deviceId: string
}
/**
 * A row that an earlier version stored as JSON text. `at`: the text of its event time if that is not in the payload.
 */
export type TextRow = RowKey & { readonly at: string | null; readonly payload: string }
export type CompactedRow = RowKey & { readonly compact: Uint8Array }

/** A part of all telemetry: at most `max` rows, from where the part before ended; '' for the first. */
export type TelemetrySlice = { readonly from: string; readonly max: number }

export type CompactionStore = {
  /** The rows of the slice that are stored as text. `next`: null after the last slice. */
  textRows(slice: TelemetrySlice): Promise<{ readonly rows: readonly TextRow[]; readonly next: string | null }>
  /**
   * Replaces the texts of rows, behind every other write. A row that is gone, or compact already, stays as it is.
   * Resolves with the number of rows that changed and the bytes that they take less.
   */
  compactRows(rows: readonly CompactedRow[]): Promise<{ readonly rows: number; readonly bytes: number }>
}

export type TelemetryStore = CompactionStore & {
  /**
   * Appends one row to the history of the device's owner and to the trail of the owner's open incident. Telemetry and
   * alerts do not wait for each other. Calls `settle` after the commit; a callback and no promise, because thousands of
   * rows a second share a commit.
   */
  appendTelemetry(reporter: Omit<Reporter, 'deviceId'>, row: SentTelemetry, settle: Settle<TelemetryStored>): void
  /**
   * Whether back-pressure should apply to this user's telemetry: too much is waiting for the disk. A sender that cannot
   * be held back is to be refused.
   */
  isCongested(userId: string): boolean
  /** Newest event time first. */
  telemetryHistory(
    userId: string,
    query: TelemetryQuery,
  ): Promise<Page<TelemetryRow> | { readonly refused: 'bad_cursor' }>
}
