import type { EventTime } from '../../../core/ingest/event-time.ts'
import type { Reporter, SentTelemetry, TelemetryRow, TelemetryStored } from '../../../ports/store.ts'

/** A telemetry row, flat and with its payload as text: thousands of them pass between threads every second. */
export type FlatRow = {
  readonly appId: string
  readonly reporterId: string
  readonly deviceId: string | null
  readonly byDevice: boolean
  readonly ms: number
  readonly nanos: number
  /** Null if the payload has it; otherwise the arrival is the event time. */
  readonly at: string | null
  readonly receivedAt: number
  readonly payload: string
  /** Null without a fix, like the longitude. */
  readonly latitude: number | null
  readonly longitude: number | null
  readonly altitude: number | null
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
export const ROW_SIZE = `length(payload) + ${OVERHEAD_BYTES}`

export function flatRow({ appId, userId, byDevice = false }: Omit<Reporter, 'deviceId'>, row: SentTelemetry): FlatRow {
  const { payload, at, receivedAt, json } = row
  const { latitude = null, longitude = null, altitude = null } = payload
  return {
    appId,
    reporterId: userId,
    deviceId: payload.deviceId ?? null,
    byDevice,
    ms: at.ms,
    nanos: at.nanos,
    at: at.text === (payload.timestamp ?? payload.occurredAt) ? null : at.text,
    receivedAt,
    payload: json ?? JSON.stringify(payload),
    latitude,
    longitude,
    altitude,
  }
}

/** The event time of a stored row. */
export function eventTimeOf(
  payload: TelemetryRow['payload'],
  { ms, nanos, at }: { readonly ms: number; readonly nanos: number; readonly at: string | null },
): EventTime {
  return { text: at ?? payload.timestamp ?? payload.occurredAt ?? '', ms, nanos }
}
