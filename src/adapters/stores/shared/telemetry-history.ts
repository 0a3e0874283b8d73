import type { PositionSource } from '../../../core/ingest/position.ts'
import type { Log } from '../../../ports/log.ts'
import type { Page, TelemetryQuery, TelemetryRow } from '../../../ports/store.ts'
import { columnsBut, selected } from './columns.ts'
import { cursorOf, readCursor } from './cursor.ts'
import type { TelemetryTable } from './expired.ts'
import { readRow, type StoredTelemetry } from './stored-telemetry.ts'
import { BEFORE_ALL, BEYOND_ALL, type TelemetryKey } from './telemetry-row.ts'

export type HistoryRow = StoredTelemetry & {
  readonly receivedAt: number
  readonly source: PositionSource | null
}

/** Both databases' columns of a `HistoryRow`. */
export const ofHistory = (table: TelemetryTable): string => selected(table, columnsBut(table, 'user_number'))

/** The rows of a page lie from `first`, inclusive, to `end`. */
export type HistoryRange = {
  readonly first: TelemetryKey
  readonly end: TelemetryKey
  /** The last row shown was one of the owner's own, at `end`: one that another user sent under that key comes next. */
  readonly isBehindOwn: boolean
}

/** Cursors of the owner's own rows, and of those that other users sent. */
const OWN = 'telemetry'
const RELAYED = 'telemetry-relayed'

const isBefore = (a: TelemetryKey, b: TelemetryKey): boolean =>
  (a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1)) < 0

/** Null for a cursor of another list. */
export function historyRange({ after, from, to }: TelemetryQuery): HistoryRange | null {
  const read = (list: string) => (after === null ? null : readCursor(after, list, ['number', 'number', 'string']))
  const own = read(OWN)
  const place = after === null ? BEYOND_ALL : (own ?? read(RELAYED))
  if (place === null) return null
  const first: TelemetryKey = from === null ? BEFORE_ALL : [from.ms, from.nanos, '']
  // Both ends are inclusive: the first place after `to` is that of the next nanosecond.
  const end: TelemetryKey = to === null ? BEYOND_ALL : [to.ms, to.nanos + 1, '']
  const behind = place as TelemetryKey
  return isBefore(behind, end) ? { first, end: behind, isBehindOwn: own !== null } : { first, end, isBehindOwn: false }
}

type HistoryNeeds = { readonly userId: string; readonly limit: number; readonly log: Log }

/**
 * The page of two lists, both newest first and one row longer than the page where there are more. A row that cannot be
 * read is left out, and the log says so: in an emergency the user's other rows are what there is.
 */
export function historyPage(
  own: readonly HistoryRow[],
  others: readonly HistoryRow[],
  { userId, limit, log }: HistoryNeeds,
): Page<TelemetryRow> {
  const rows: HistoryRow[] = []
  for (let [a, b] = [0, 0]; rows.length <= limit; ) {
    const [one, other] = [own[a], others[b]]
    if (one === undefined && other === undefined) break
    if (other === undefined || (one !== undefined && !isBefore(keyOf(one), keyOf(other)))) rows.push(own[a++]!)
    else rows.push(others[b++]!)
  }
  const last = rows.length > limit ? rows[limit - 1] : undefined
  const list = last?.source === 'other' ? RELAYED : OWN
  const items: TelemetryRow[] = []
  for (const row of rows.slice(0, limit)) {
    try {
      items.push(rowOf(row))
    } catch (error) {
      const { ms, nanos } = row
      log.error({ userId, ms, nanos, err: error }, UNREADABLE, UNREADABLE)
    }
  }
  return { items, after: last === undefined ? null : cursorOf(list, keyOf(last)) }
}

const UNREADABLE = 'a telemetry row cannot be read and is left out: it is damaged, or of a newer version'

const keyOf = ({ ms, nanos, deviceId }: HistoryRow): TelemetryKey => [ms, nanos, deviceId]

const rowOf = ({ receivedAt, source, ...row }: HistoryRow): TelemetryRow => ({ ...readRow(row), receivedAt, source })
