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

/** `incidentId`: the open incident that the row fed. */
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
   * Appends one row to the history of whoever owns the device, and to the trail of that user's open incident. Waits for
   * no alert, alerts do not wait for it. `isHeldBack` (the default): the sender is not read on while `isCongested`; the
   * row of any other is refused then, as `overloaded`.
   */
  appendTelemetry(
    reporter: Omit<Reporter, 'deviceId'>,
    row: TelemetryRow,
    sender?: { readonly isHeldBack: boolean },
  ): Promise<TelemetryStored>
  /** Whether this user's telemetry had better wait where it is: too much waits for the disk. */
  isCongested(userId: string): boolean
  /** Newest event time first. */
  telemetryHistory(
    userId: string,
    query: TelemetryQuery,
  ): Promise<Page<TelemetryRow> | { readonly refused: 'bad_cursor' }>
}
