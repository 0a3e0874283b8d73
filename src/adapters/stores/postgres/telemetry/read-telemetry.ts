import type { TelemetryRow, TelemetryStore } from '../../../../ports/store.ts'
import { cursorOf, readCursor } from '../../shared/cursor.ts'
import { BEFORE_ALL, BEYOND_ALL, eventTimeOf, type TelemetryKey } from '../../shared/telemetry-row.ts'
import type { Reader } from '../engine/reader.ts'

type StoredRow = {
  readonly ms: number
  readonly nanos: number
  readonly deviceId: string
  readonly at: string | null
  readonly receivedAt: number
  readonly payload: string
}

/** `bigint` also for the nanoseconds: a forged cursor may hold any number. */
const NEWEST_FIRST = {
  name: 'telemetry-history',
  text: `SELECT ms, nanos, device_id AS "deviceId", at, received_at AS "receivedAt", payload FROM telemetry
    WHERE user_number = (SELECT number FROM users WHERE id = $1)
      AND (ms, nanos, device_id) >= ($2::bigint, $3::bigint, $4)
      AND (ms, nanos, device_id) < ($5::bigint, $6::bigint, $7)
      AND (ms, nanos, device_id) < ($8::bigint, $9::bigint, $10)
    ORDER BY ms DESC, nanos DESC, device_id DESC LIMIT $11`,
}

function rowOf({ payload: json, ms, nanos, at, receivedAt }: StoredRow): TelemetryRow {
  const payload = JSON.parse(json)
  return { payload, at: eventTimeOf(payload, { ms, nanos, at }), receivedAt }
}

export const telemetryReads = ({ rows }: Reader): Pick<TelemetryStore, 'telemetryHistory'> => ({
  async telemetryHistory(userId, { after, limit, from, to }) {
    const behind = after === null ? BEYOND_ALL : readCursor(after, 'telemetry', ['number', 'number', 'string'])
    if (behind === null) return { refused: 'bad_cursor' }
    const first: TelemetryKey = from === null ? BEFORE_ALL : [from.ms, from.nanos, '']
    // Both ends are inclusive: the first place after `to` is that of the next nanosecond.
    const end: TelemetryKey = to === null ? BEYOND_ALL : [to.ms, to.nanos + 1, '']
    const found = await rows<StoredRow>(NEWEST_FIRST, [userId, ...first, ...behind, ...end, limit + 1])
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return {
      items: shown.map(rowOf),
      after: last === undefined ? null : cursorOf('telemetry', [last.ms, last.nanos, last.deviceId]),
    }
  },
})
