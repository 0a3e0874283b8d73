import { deviceKeyOf } from '../../../../core/ingest/device-key.ts'
import { type PositionSource, sourceOf, trailTimeOf } from '../../../../core/ingest/position.ts'
import type { TelemetryStored } from '../../../../ports/store.ts'
import { oldestOf } from '../../shared/quotas.ts'
import { BARRED, DUPLICATE, type FlatRow, OVERHEAD_BYTES, ROW_SIZE, STORED } from '../../shared/telemetry-row.ts'
import { quotaOf } from '../accounts/quota.ts'
import { ownerLookup } from '../devices/device-owner.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import type { WriteContext } from '../engine/write.ts'
import { trailWrites } from '../incidents/trail.ts'

type OpenRow = {
  readonly number: number
  readonly id: string
  readonly occurred_ms: number
  readonly occurred_nanos: number
}

/** The facts about a user that rows look up. */
type Known = { readonly number: number; readonly open: OpenRow | undefined }

/** The owner of a row, and its place. */
type Placed = { readonly userId: string; readonly source: PositionSource; readonly nanos: number }

/** Users whose rows need no look-up as long as nothing else is written. */
const MAX_KNOWN = 10_000
const MAX_REMOVED = 1000

/**
 * Removes the oldest event times first, even those of an open incident, whose trail is stored separately. What other
 * users sent goes before anything of the owner's own.
 */
function telemetryQuota(context: WriteContext): (userId: string, bytes: number) => void {
  const { db } = context
  const removalFrom = (table: TelemetryTable) => {
    const oldest = `FROM ${table} WHERE user = (SELECT number FROM users WHERE id = +?) ORDER BY ms, nanos, device_id LIMIT +?`
    const sizes = db.prepare<[string, number], number>(`SELECT ${ROW_SIZE} ${oldest}`).pluck()
    const remove = db.prepare<[string, number]>(`DELETE ${oldest}`)
    return (userId: string, bytes: number): number => {
      const { rows, freed } = oldestOf(sizes.all(userId, MAX_REMOVED), bytes)
      remove.run(userId, rows)
      return freed
    }
  }
  const others = removalFrom('relayed_telemetry')
  const own = removalFrom('telemetry')
  return quotaOf(context, {
    column: 'telemetry_bytes',
    quotaBytes: context.quotas.telemetryBytes,
    removeOldest(userId, bytes) {
      const freed = others(userId, bytes)
      return freed < bytes ? freed + own(userId, bytes - freed) : freed
    },
  })
}

type TelemetryTable = 'telemetry' | 'relayed_telemetry'

/** `lastAt`: nanoseconds of the last row at that millisecond. */
function rowsOf(db: SqliteDatabase, table: TelemetryTable) {
  const insert = db.prepare<[number, number, number, string, string | null, number, PositionSource, Uint8Array]>(
    `INSERT OR IGNORE INTO ${table} (user, ms, nanos, device_id, at, received_at, payload, source, compact)
     VALUES (?, ?, ?, ?, ?, ?, '', ?, ?)`,
  )
  const lastAt = db
    .prepare<[number, number], number>(
      `SELECT nanos FROM ${table} WHERE user = +? AND ms = +? ORDER BY nanos DESC, device_id DESC LIMIT 1`,
    )
    .pluck()
  return { insert, lastAt }
}

/** The hot path of the writer: one statement per row, once its user is known. */
export function telemetryRows(context: WriteContext) {
  const { db, atomically, onOutdated } = context
  const ownerOf = ownerLookup(db)
  // Two look-ups, because a joined one takes SQLite and its binding six times as long.
  const userNumber = db.prepare<[string], number>('SELECT number FROM users WHERE id = ?').pluck()
  const openOf = db.prepare<[string], OpenRow>(
    // An alert dated in the future must not keep out rows sent before that date.
    'SELECT number, id, min(occurred_ms, opened_at) AS occurred_ms, occurred_nanos FROM incidents WHERE user_id = ? AND open = 1',
  )
  const own = rowsOf(db, 'telemetry')
  // In a table of their own they never make one of the owner's a duplicate.
  const others = rowsOf(db, 'relayed_telemetry')
  const known = new Map<string, Known>()
  onOutdated(() => known.clear())
  const userOf = (userId: string): Known => {
    const found = known.get(userId)
    if (found !== undefined) return found
    const number = userNumber.get(userId)
    if (number === undefined) throw new Error('telemetry of an unknown user')
    const user = { number, open: openOf.get(userId) }
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(userId, user)
    return user
  }

  const { addPosition } = trailWrites(db)
  const charge = telemetryQuota(context)

  /**
   * Numbers rows that arrive in the same millisecond: if the arrival is the event time, nothing else tells them apart
   * (rules.md#telemetry).
   */
  const nextArrival = (rows: typeof own, user: number, ms: number): number => (rows.lastAt.get(user, ms) ?? -1) + 1

  /** Stores the row itself. Returns whether it was there already. */
  const store = (user: number, { userId, source, nanos }: Placed, row: FlatRow): boolean => {
    const { deviceId, ms, receivedAt, compact } = row
    const at = row.isArrival ? row.text : null
    const { insert } = source === 'other' ? others : own
    const isNew = insert.run(user, ms, nanos, deviceId ?? '', at, receivedAt, source, compact).changes > 0
    if (isNew) charge(userId, compact.byteLength + OVERHEAD_BYTES)
    return !isNew
  }

  return {
    /** As in the port, inside the transaction of a batch. If it throws, it has changed nothing. */
    append(row: FlatRow): TelemetryStored {
      const { appId, reporterId, deviceId, byDevice, ms, text, receivedAt } = row
      const { userId, unknownDevice, isListed, isBarred } = ownerOf({ appId, userId: reporterId, deviceId })
      if (isBarred) return BARRED
      const { number: user, open } = userOf(userId)
      const source = sourceOf({ ownerId: userId, reporterId, byDevice, isListed })
      const nanos = !row.isArrival ? row.nanos : nextArrival(source === 'other' ? others : own, user, ms)
      const placed = { userId, source, nanos }
      // Rows from before the incident are not part of it.
      if (open === undefined || (ms - open.occurred_ms || nanos - open.occurred_nanos) < 0) {
        const duplicate = store(user, placed, row)
        if (unknownDevice) return { duplicate, incidentId: null, unknownDevice }
        return duplicate ? DUPLICATE : STORED
      }
      const { latitude, longitude, altitude, accuracy } = row
      const isRelayed = userId !== reporterId
      // A relay is not told whether somebody is in an SOS.
      const incidentId = isRelayed ? null : open.id
      if (latitude === null || longitude === null) {
        return { duplicate: store(user, placed, row), incidentId, unknownDevice }
      }
      return atomically(() => {
        const duplicate = store(user, placed, row)
        const trailAt = trailTimeOf({ text, ms, nanos }, { receivedAt, isRelayed })
        const position = { latitude, longitude, altitude, ...(accuracy !== null && { accuracy }), source }
        if (!duplicate) addPosition(open.number, trailAt, position, deviceId && deviceKeyOf(deviceId))
        return { duplicate, incidentId, unknownDevice }
      })
    },
  }
}
