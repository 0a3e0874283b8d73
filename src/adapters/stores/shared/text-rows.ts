import type { TelemetrySlice, TextRow } from '../../../ports/store.ts'
import { nextOfWalk, type TelemetryTable, telemetryWalk } from './expired.ts'
import { BEFORE_ALL, type TelemetryKey } from './telemetry-row.ts'

/** A row of either form, as both databases read it. */
export type AnyRow = Omit<TextRow, 'isRelayed'> & { readonly isText: boolean | number }
export type SlicePlace = readonly [user: number, ...TelemetryKey]

/** The table and the place behind which the slice begins. */
export function sliceOf(slice: TelemetrySlice): { readonly table: TelemetryTable; readonly place: SlicePlace } {
  const { table, from } = telemetryWalk(slice.from)
  return { table, place: from === '' ? [0, ...BEFORE_ALL] : JSON.parse(from) }
}

/** The texts among the rows of a slice, and where the next one begins. */
export function textsOf(table: TelemetryTable, found: readonly AnyRow[], max: number) {
  const last = found.length < max ? undefined : found.at(-1)
  const place = last === undefined ? null : JSON.stringify([last.user, last.ms, last.nanos, last.deviceId])
  const isRelayed = table === 'relayed_telemetry'
  const rows = found
    .filter(({ isText }) => Boolean(isText))
    .map(({ isText, ...row }): TextRow => ({ isRelayed, ...row }))
  return { rows, next: nextOfWalk(table, place) }
}

export const tableOf = ({ isRelayed }: Pick<TextRow, 'isRelayed'>): TelemetryTable =>
  isRelayed ? 'relayed_telemetry' : 'telemetry'

/** The columns of an `AnyRow`; `user`: what the table calls the user's number. */
export const anyRow = (user: string): string =>
  `${user} AS "user", ms, nanos, device_id AS "deviceId", at, payload, compact IS NULL AS "isText"`
