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

export type TelemetryStore = {
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
