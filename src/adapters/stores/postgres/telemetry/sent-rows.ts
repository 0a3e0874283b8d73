import { devEuiOf } from '../../../../core/ingest/device-key.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import type { Reporter, SentTelemetry } from '../../../../ports/store.ts'
import { isArrival } from '../../shared/stored-telemetry.ts'
import { byteas, float8s, int4s, int8s, texts } from '../engine/binary-arrays.ts'

export type RowCall = {
  readonly reporter: Omit<Reporter, 'deviceId'>
  readonly row: SentTelemetry
  /** Compact; as JSON for nodes of another version. */
  readonly payload: Uint8Array | string
}

/** The reporter and the device, from which the owner and the incident of a row follow. */
type Source = {
  readonly appId: string
  readonly reporter: string
  readonly device: string | null
  /** The device itself sent it. */
  readonly byDevice: boolean
}

/** The rows of a batch as parameters of its statement. Sources count from 1. */
export type SentRows = { readonly sourceOf: readonly number[]; readonly columns: readonly unknown[] }

export function sentRows(rows: readonly RowCall[]): SentRows {
  const { sources, sourceOf } = sourcesOf(rows)
  const column = <T>(read: (call: RowCall) => T): readonly T[] => rows.map(read)
  return {
    sourceOf,
    columns: [
      texts(sources.map(({ appId }) => appId)),
      texts(sources.map(({ reporter }) => reporter)),
      texts(sources.map(({ device }) => device)),
      int4s(sourceOf),
      int8s(column(({ row }) => row.at.ms)),
      int4s(column(({ row }) => row.at.nanos)),
      int4s(arrivalsOf(rows)),
      int8s(column(({ row }) => row.receivedAt)),
      texts(column(({ payload }) => (typeof payload === 'string' ? payload : ''))),
      float8s(column(({ row }) => row.payload.latitude ?? null)),
      float8s(column(({ row }) => row.payload.longitude ?? null)),
      float8s(column(({ row }) => row.payload.altitude ?? null)),
      float8s(column(({ row }) => row.payload.accuracy ?? null)),
      texts(column(({ row }) => row.at.text)),
      // Only for a row whose relay's clock may run ahead.
      texts(column(({ row }) => (row.at.ms > row.receivedAt ? isoAt(row.receivedAt) : null))),
      texts(sources.map(({ device }) => devEuiOf(device))),
      int4s(sources.map(({ byDevice }) => Number(byDevice))),
      byteas(column(({ payload }) => (typeof payload === 'string' ? null : payload))),
    ],
  }
}

function sourcesOf(rows: readonly RowCall[]): { readonly sources: readonly Source[]; readonly sourceOf: number[] } {
  const sources: Source[] = []
  const known = new Map<string, number>()
  const sourceOf = rows.map(({ reporter: { appId, userId, byDevice = false }, row: { payload } }) => {
    const device = payload.deviceId ?? null
    // An id of a user has no space, and names the application.
    const name = device === null ? userId : `${userId} ${Number(byDevice)}${device}`
    const found = known.get(name)
    if (found !== undefined) return found
    sources.push({ appId, reporter: userId, device, byDevice })
    known.set(name, sources.length)
    return sources.length
  })
  return { sources, sourceOf }
}

/** Counts the rows of each millisecond whose arrival is their event time, from 0; null for all others. */
function arrivalsOf(rows: readonly RowCall[]): readonly (number | null)[] {
  const counts = new Map<number, number>()
  return rows.map(({ row }) => {
    if (!isArrival(row)) return null
    const before = counts.get(row.at.ms) ?? 0
    counts.set(row.at.ms, before + 1)
    return before
  })
}
