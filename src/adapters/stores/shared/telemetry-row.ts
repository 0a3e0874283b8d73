import type { TelemetryStored } from '../../../ports/store.ts'

/** A telemetry row, flat and with its payload as bytes: thousands of them pass between threads every second. */
export type FlatRow = {
  readonly appId: string
  readonly reporterId: string
  readonly deviceId: string | null
  readonly byDevice: boolean
  readonly ms: number
  readonly nanos: number
  /** The event time as text. */
  readonly text: string
  /** The event time is the arrival; otherwise the payload has it. */
  readonly isArrival: boolean
  readonly receivedAt: number
  /** The payload, as `compactPayload` writes it. */
  readonly compact: Uint8Array
  /** Null without a fix, like the longitude. */
  readonly latitude: number | null
  readonly longitude: number | null
  readonly altitude: number | null
  readonly accuracy: number | null
}

/** A place in a user's telemetry, in sort order. */
export type TelemetryKey = readonly [ms: number, nanos: number, deviceId: string]

export const BEFORE_ALL: TelemetryKey = [Number.MIN_SAFE_INTEGER, 0, '']
export const BEYOND_ALL: TelemetryKey = [Number.MAX_SAFE_INTEGER, 0, '']

/** The outcomes of nearly every row. */
export const STORED: TelemetryStored = { duplicate: false, incidentId: null, unknownDevice: false }
export const DUPLICATE: TelemetryStored = { ...STORED, duplicate: true }
export const BARRED: TelemetryStored = { ...STORED, isBarred: true }

/** The approximate size of a row besides its payload. */
export const OVERHEAD_BYTES = 64
export const ROW_SIZE = `coalesce(length(compact), length(payload)) + ${OVERHEAD_BYTES}`
