import type { DeletedBatch, Expired, ExpiringKind, RetentionStore } from '../../../../ports/store.ts'
import { PAST } from '../../shared/enrolments.ts'
import { batchOf, endOfExpired, nextOfWalk, type TelemetryTable, telemetryWalk } from '../../shared/expired.ts'
import { BEFORE_ALL, ROW_SIZE, type TelemetryKey } from '../../shared/telemetry-row.ts'
import { usageOf } from '../accounts/quota.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { incidentRemoval } from '../incidents/remove-incident.ts'
import { LETTER_SIZE } from '../mail/keep-mail.ts'

/** A row; the next one to look at comes behind it. */
type UserTelemetryKey = readonly [user: number, ...TelemetryKey]
type Telemetry = { readonly ms: number; readonly nanos: number; readonly deviceId: string }

type ByKind = Readonly<Record<ExpiringKind, (expired: Expired) => DeletedBatch>>

const expiring = ({ db }: WriteContext): ByKind => ({
  telemetry: everyTelemetry(db),
  incidents: oldIncidents(db),
  outbox: oldTexts(db),
  deadLetters: oldLetters(db),
  audit: oldRows(db, 'DELETE FROM operator_audit WHERE at < ? ORDER BY at LIMIT ?'),
  feedback: oldRows(db, 'DELETE FROM feedback WHERE created_at < ? ORDER BY created_at LIMIT ?'),
  timers: oldRows(db, 'DELETE FROM timers WHERE over_at < ? ORDER BY over_at LIMIT ?'),
  unnamedEnds: oldRows(db, 'DELETE FROM unnamed_ends WHERE day < ? LIMIT ?'),
  settingChanges: oldRows(db, 'DELETE FROM setting_changes WHERE at < ? LIMIT ?'),
  appInvitations: oldRows(db, `DELETE FROM app_invitations WHERE ${PAST} < ? LIMIT ?`),
  awaitedEnds: oldRows(db, 'DELETE FROM awaited_ends WHERE at < ? ORDER BY at LIMIT ?'),
})

/** Deletes expired rows: each batch examines at most `max` rows, inside one transaction. */
export const retentionWrites = writesOf<RetentionStore>()(expiring, {
  deleteExpired: {
    lane: 'bulk',
    reserve: 'uses',
    run: (byKind, kind, expired) => byKind[kind](expired),
  },
})

function oldRows(db: SqliteDatabase, sql: string): (expired: Expired) => DeletedBatch {
  const remove = db.prepare<[number, number]>(sql)
  return ({ before, max }) => batchOf(remove.run(before, max).changes, max)
}

/** Returns their bytes to the quotas of their users. */
function oldLetters(db: SqliteDatabase): (expired: Expired) => DeletedBatch {
  const remove = db.prepare<[number, number], { userId: string; bytes: number }>(
    `DELETE FROM dead_letters WHERE received_at < ?
     RETURNING user_id AS userId, ${LETTER_SIZE} AS bytes ORDER BY received_at LIMIT ?`,
  )
  const give = usageOf(db, 'dead_letter_bytes')
  return ({ before, max }) => {
    const removed = remove.all(before, max)
    for (const { userId, bytes } of removed) give(userId, -bytes)
    return batchOf(removed.length, max)
  }
}

/** Keeps the texts of an incident that is open or still has notifications to send. */
function oldTexts(db: SqliteDatabase): (expired: Expired) => DeletedBatch {
  return oldRows(
    db,
    `DELETE FROM outbox WHERE created_at < ? AND NOT EXISTS (
       SELECT 1 FROM incidents WHERE id = outbox.incident_id AND (open = 1 OR next_action_at IS NOT NULL)
     ) ORDER BY created_at LIMIT ?`,
  )
}

function oldIncidents(db: SqliteDatabase): (expired: Expired) => DeletedBatch {
  const oldest = db.prepare<[number], { number: number; id: string }>(
    `SELECT number, id FROM incidents WHERE closed_at < ? AND open = 0 AND next_action_at IS NULL
     ORDER BY closed_at LIMIT 1`,
  )
  const remove = incidentRemoval(db)
  return ({ before, max }) => {
    let deleted = 0
    while (deleted < max) {
      const incident = oldest.get(before)
      if (incident === undefined) break
      deleted += remove(incident, max - deleted).deleted
    }
    return batchOf(deleted, max)
  }
}

function everyTelemetry(db: SqliteDatabase): (expired: Expired) => DeletedBatch {
  const walks = { telemetry: oldTelemetry(db, 'telemetry'), relayed_telemetry: oldTelemetry(db, 'relayed_telemetry') }
  return (expired) => {
    const { table, from } = telemetryWalk(expired.from)
    const { deleted, next } = walks[table]({ ...expired, from })
    return { deleted, next: nextOfWalk(table, next) }
  }
}

/**
 * Walks through the users and, for each, through the rows in order. An index by arrival would save the walk, but every
 * incoming row would pay for it. Keeps the telemetry of an open incident.
 */
function oldTelemetry(db: SqliteDatabase, table: TelemetryTable): (expired: Expired) => DeletedBatch {
  const nextUser = db.prepare<[number], { number: number; id: string }>(
    'SELECT number, id FROM users WHERE number >= ? ORDER BY number LIMIT 1',
  )
  const openSince = db
    .prepare<[string], number>('SELECT occurred_ms FROM incidents WHERE user_id = ? AND open = 1')
    .pluck()
  const rows = db.prepare<[...UserTelemetryKey, number, number], Telemetry>(
    `SELECT ms, nanos, device_id AS deviceId FROM ${table}
     WHERE user = ? AND (ms, nanos, device_id) > (?, ?, ?) AND ms < ? ORDER BY ms, nanos, device_id LIMIT ?`,
  )
  const expired = `FROM ${table}
     WHERE user = ? AND (ms, nanos, device_id) > (?, ?, ?) AND (ms, nanos, device_id) <= (?, ?, ?) AND received_at < ?`
  const takes = db
    .prepare<[...UserTelemetryKey, number, number, string, number], number>(`SELECT sum(${ROW_SIZE}) ${expired}`)
    .pluck()
  const remove = db.prepare<[...UserTelemetryKey, number, number, string, number]>(`DELETE ${expired}`)
  const give = usageOf(db, 'telemetry_bytes')
  return ({ before, max, from }) => {
    let place: UserTelemetryKey = from === '' ? [0, ...BEFORE_ALL] : JSON.parse(from)
    let deleted = 0
    // A user that is skipped counts as one row.
    for (let left = max; left > 0; left -= 1) {
      const user = nextUser.get(place[0])
      if (user === undefined) return { deleted, next: null }
      if (user.number !== place[0]) place = [user.number, ...BEFORE_ALL]
      const end = endOfExpired(before, openSince.get(user.id))
      const found = rows.all(...place, end, left)
      const last = found.at(-1)
      if (last !== undefined) {
        const range = [...place, last.ms, last.nanos, last.deviceId, before] as const
        give(user.id, -(takes.get(...range) ?? 0))
        deleted += remove.run(...range).changes
      }
      if (last !== undefined && found.length === left) place = [user.number, last.ms, last.nanos, last.deviceId]
      else place = [user.number + 1, ...BEFORE_ALL]
      left -= found.length
    }
    return { deleted, next: JSON.stringify(place) }
  }
}
