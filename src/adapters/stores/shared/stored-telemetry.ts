import type { EventTime } from '../../../core/ingest/event-time.ts'
import type { Payload } from '../../../core/ingest/payload.ts'
import { compactPayload, eventTextOf, payloadOf } from '../../../core/ingest/stored-payload.ts'
import type { Reporter, SentTelemetry } from '../../../ports/store.ts'
import type { FlatRow } from './telemetry-row.ts'

export function flatRow({ appId, userId, byDevice = false }: Omit<Reporter, 'deviceId'>, row: SentTelemetry): FlatRow {
  const { payload, at, receivedAt } = row
  const { latitude = null, longitude = null, altitude = null, accuracy = null } = payload
  return {
    appId,
    reporterId: userId,
    deviceId: payload.deviceId ?? null,
    byDevice,
    ms: at.ms,
    nanos: at.nanos,
    text: at.text,
    isArrival: isArrival(row),
    receivedAt,
    compact: compactOf(row),
    latitude,
    longitude,
    altitude,
    accuracy,
  }
}

/** Whether the event time is the arrival, because the payload has none that counts. */
export const isArrival = ({ payload, at }: SentTelemetry): boolean =>
  at.text !== payload.timestamp && at.text !== payload.occurredAt

/** The payload as the row keeps it. */
export const compactOf = (row: SentTelemetry): Uint8Array =>
  compactPayload(row.payload, { time: isArrival(row) ? null : row.at, deviceId: row.payload.deviceId ?? null })

/** A stored row. Rows of earlier versions have their payload as JSON text; in the others that is empty. */
export type StoredTelemetry = {
  readonly ms: number
  readonly nanos: number
  /** Empty if the payload names none. */
  readonly deviceId: string
  readonly at: string | null
  readonly payload: string
  readonly compact: Uint8Array | null
}

/** Throws an error for a row that is damaged, or of a newer version. It quotes nothing of the payload. */
export function readRow({ ms, nanos, deviceId, at, payload: json, compact }: StoredTelemetry): {
  readonly payload: Payload
  readonly at: EventTime
} {
  const time = at === null ? { ms, nanos } : null
  const payload =
    compact === null ? parsed(json) : payloadOf(compact, { time, deviceId: deviceId === '' ? null : deviceId })
  return { payload, at: { text: at ?? eventTextOf(payload, { ms, nanos }), ms, nanos } }
}

function parsed(json: string): Payload {
  try {
    return JSON.parse(json)
  } catch {
    // The error of `JSON.parse` quotes the text, which may be a position, and the log must not have one.
    throw new Error('a payload is no JSON')
  }
}
