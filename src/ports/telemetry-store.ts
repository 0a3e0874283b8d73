import type { EventTime } from '../core/ingest/event-time.ts'
import type { Payload } from '../core/ingest/payload.ts'
import type { Reporter } from './incident-store.ts'
import type { Page, PageQuery } from './page.ts'

export type TelemetryRow = {
  readonly payload: Payload
  readonly at: EventTime
  /** Arrival, epoch ms. */
  readonly receivedAt: number
}

/** `incidentId`: the open incident that the row belongs to. */
export type TelemetryStored = {
  readonly duplicate: boolean
  readonly incidentId: string | null
  readonly unknownDevice: boolean
}

export type TelemetryQuery = PageQuery & {
  /** Event times, inclusive. */
  readonly from: EventTime | null
  readonly to: EventTime | null
}

export type TelemetryStore = {
  /**
   * Appends one row to the history of the device's owner and to the trail of the owner's open incident. Telemetry and
   * alerts do not wait for each other. `isHeldBack` (the default): the sender is not read while `isCongested`
   * (back-pressure). Rows from other senders are refused then, as `overloaded`.
   */
  appendTelemetry(
    reporter: Omit<Reporter, 'deviceId'>,
    row: TelemetryRow,
    sender?: { readonly isHeldBack: boolean },
  ): Promise<TelemetryStored>
  /** Whether back-pressure should apply to this user's telemetry: too much is waiting for the disk. */
  isCongested(userId: string): boolean
  /** Newest event time first. */
  telemetryHistory(
    userId: string,
    query: TelemetryQuery,
  ): Promise<Page<TelemetryRow> | { readonly refused: 'bad_cursor' }>
}
