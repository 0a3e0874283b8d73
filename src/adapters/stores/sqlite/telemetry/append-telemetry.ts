import type { TelemetryStored } from '../../../../ports/store.ts'
import { ownerLookup } from '../devices/device-owner.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { ROW_BYTES, type WriteContext, writesOf } from '../engine/write.ts'
import { trailTimeOf, trailWrites } from '../incidents/trail.ts'
import { oldestOf, type QuotaParts, quotaOf } from './quota.ts'
import { eventTimeOf, type FlatRow, OVERHEAD_BYTES, ROW_SIZE } from './telemetry-row.ts'

type OpenRow = {
  readonly number: number
  readonly id: string
  readonly occurred_ms: number
  readonly occurred_nanos: number
}

// The usual answers, one object each: what is the same object in a batch crosses to the other thread once.
const STORED: TelemetryStored = { duplicate: false, incidentId: null, unknownDevice: false }
const DUPLICATE: TelemetryStored = { ...STORED, duplicate: true }

const MAX_REMOVED = 1000

/** The oldest event times go first, those of an open incident too: its trail is kept beside them. */
function telemetryQuota(db: SqliteDatabase, { quotas, onUndone }: QuotaParts): (userId: string, bytes: number) => void {
  const oldest =
    'FROM telemetry WHERE user = (SELECT number FROM users WHERE id = ?) ORDER BY ms, nanos, device_id LIMIT ?'
  const sizes = db.prepare<[string, number], number>(`SELECT ${ROW_SIZE} ${oldest}`).pluck()
  const remove = db.prepare<[string, number]>(`DELETE ${oldest}`)
  return quotaOf(
    db,
    {
      column: 'telemetry_bytes',
      quotaBytes: quotas.telemetryBytes,
      removeOldest(userId, bytes) {
        const { rows, freed } = oldestOf(sizes.all(userId, MAX_REMOVED), bytes)
        remove.run(userId, rows)
        return freed
      },
    },
    onUndone,
  )
}

function telemetryRows({ db, atomically, quotas, onUndone }: WriteContext) {
  const ownerOf = ownerLookup(db)
  // Two look-ups, because SQLite and the binding take six times as long for one that joins them.
  const userNumber = db.prepare<[string], number>('SELECT number FROM users WHERE id = ?').pluck()
  const openOf = db.prepare<[string], OpenRow>(
    // An alert that claims to come from the future must not keep out what is sent until then.
    'SELECT number, id, min(occurred_ms, opened_at) AS occurred_ms, occurred_nanos FROM incidents WHERE user_id = ? AND open = 1',
  )
  const insert = db.prepare<[number, number, number, string, string | null, number, string]>(
    `INSERT OR IGNORE INTO telemetry (user, ms, nanos, device_id, at, received_at, payload)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const lastAt = db
    .prepare<[number, number], number>(
      'SELECT nanos FROM telemetry WHERE user = ? AND ms = ? ORDER BY nanos DESC, device_id DESC LIMIT 1',
    )
    .pluck()
  const { addPosition } = trailWrites(db)
  const charge = telemetryQuota(db, { quotas, onUndone })

  /**
   * Rows that came together are as many arrivals: where the arrival is the event time, nothing else tells them apart.
   * rules.md#telemetry.
   */
  const nextArrival = (user: number, ms: number): number => (lastAt.get(user, ms) ?? -1) + 1

  return { atomically, ownerOf, userNumber, openOf, insert, nextArrival, addPosition, charge }
}

/** As the port has it, with the row flat. */
type Appending = { appendTelemetry(...row: FlatRow): Promise<TelemetryStored> }

/** The hot path: three statements for a row, or four. */
export const telemetryWrites = writesOf<Appending>()(telemetryRows, {
  appendTelemetry: {
    lane: 'bulk',
    reserve: 'spares',
    atomic: true,
    moment: (_appId, _reporterId, _deviceId, _ms, _nanos, _at, receivedAt) => receivedAt,
    sender: (_appId, reporterId) => reporterId,
    bytes: (_appId, _reporterId, _deviceId, _ms, _nanos, _at, _receivedAt, payload) => ROW_BYTES + payload.length,
    run(rows, appId, reporterId, deviceId, ms, sentNanos, at, receivedAt, payload, latitude, longitude, altitude) {
      const { userId, unknownDevice } = rows.ownerOf({ appId, userId: reporterId, deviceId })
      const user = rows.userNumber.get(userId)
      if (user === undefined) throw new Error('telemetry of an unknown user')
      const nanos = at === null ? sentNanos : rows.nextArrival(user, ms)
      const store = (): boolean => {
        const isNew = rows.insert.run(user, ms, nanos, deviceId ?? '', at, receivedAt, payload).changes > 0
        if (isNew) rows.charge(userId, payload.length + OVERHEAD_BYTES)
        return !isNew
      }
      const open = rows.openOf.get(userId)
      // What happened before the incident is no part of it.
      if (open === undefined || (ms - open.occurred_ms || nanos - open.occurred_nanos) < 0) {
        const duplicate = store()
        if (unknownDevice) return { duplicate, incidentId: null, unknownDevice }
        return duplicate ? DUPLICATE : STORED
      }
      const incidentId = open.id
      if (latitude === null || longitude === null) return { duplicate: store(), incidentId, unknownDevice }
      return rows.atomically(() => {
        const duplicate = store()
        const { text } = eventTimeOf(JSON.parse(payload), { ms, nanos, at })
        const trailAt = trailTimeOf({ text, ms, nanos }, { receivedAt, isRelayed: userId !== reporterId })
        if (!duplicate) rows.addPosition(open.number, trailAt, { latitude, longitude, altitude })
        return { duplicate, incidentId, unknownDevice }
      })
    },
  },
})
