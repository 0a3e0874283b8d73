import type { Log } from '../../../../ports/log.ts'
import type { TelemetryStore } from '../../../../ports/store.ts'
import type { TelemetryTable } from '../../shared/expired.ts'
import { type HistoryRow, historyPage, historyRange, ofHistory } from '../../shared/telemetry-history.ts'
import type { Reader } from '../engine/reader.ts'

/** `bigint` also for the nanoseconds: a forged cursor may hold any number. */
const newestFirst = (table: TelemetryTable, compared: '<' | '<=') => ({
  name: `telemetry-history-${table}${compared}`,
  text: `SELECT ${ofHistory(table)} FROM ${table}
    WHERE user_number = (SELECT number FROM users WHERE id = $1)
      AND (ms, nanos, device_id) >= ($2::bigint, $3::bigint, $4)
      AND (ms, nanos, device_id) ${compared} ($5::bigint, $6::bigint, $7)
    ORDER BY ms DESC, nanos DESC, device_id DESC LIMIT $8`,
})
const OWN = newestFirst('telemetry', '<')
const OTHERS = newestFirst('relayed_telemetry', '<')
const OTHERS_FROM = newestFirst('relayed_telemetry', '<=')

export const telemetryReads = ({ rows }: Reader, log: Log): Pick<TelemetryStore, 'telemetryHistory'> => ({
  async telemetryHistory(userId, query) {
    const range = historyRange(query)
    if (range === null) return { refused: 'bad_cursor' }
    const { first, end, isBehindOwn } = range
    const { limit, isOwn = false } = query
    const read = (statement: typeof OWN) => rows<HistoryRow>(statement, [userId, ...first, ...end, limit + 1])
    const [own, others] = await Promise.all([read(OWN), isOwn ? [] : read(isBehindOwn ? OTHERS_FROM : OTHERS)])
    return historyPage(own, others, { userId, limit, log })
  },
})
