import type { DeletedBatch, Expired, ExpiringKind, RetentionStore } from '../../../../ports/store.ts'
import { PAST } from '../../shared/enrolments.ts'
import { batchOf, endOfExpired, nextOfWalk, type TelemetryTable, telemetryWalk } from '../../shared/expired.ts'
import { LETTER_BYTES } from '../../shared/quotas.ts'
import { BEFORE_ALL, ROW_SIZE, type TelemetryKey } from '../../shared/telemetry-row.ts'
import { type Transaction, writesOf } from '../engine/write.ts'
import { removeIncident } from '../incidents/remove-incident.ts'
import { moveUsage } from './trim.ts'

type Delete = (transaction: Transaction, expired: Expired) => Promise<DeletedBatch>

/** `expired`: the ids of expired rows, oldest first. */
const rowsOf =
  (table: string, key: string, expired: string): Delete =>
  async ({ connection }, { before, max }) =>
    batchOf(
      await connection.run(
        `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${expired} LIMIT $2)`,
        [before, max],
      ),
      max,
    )

/** Keeps the texts of an incident that is open or still has notifications to send. */
const texts = rowsOf(
  'outbox',
  'id',
  `created_at < $1 AND NOT EXISTS (
     SELECT 1 FROM incidents WHERE id = outbox.incident_id AND (open OR next_action_at IS NOT NULL)
   ) ORDER BY created_at`,
)

/** Returns their bytes to the quotas of their users. */
const letters: Delete = async ({ connection }, { before, max }) => {
  const removed = await connection.rows<{ number: number | null; bytes: number }>(
    `WITH removed AS (
       DELETE FROM dead_letters WHERE id IN (
         SELECT id FROM dead_letters WHERE received_at < $1 ORDER BY received_at LIMIT $2
       ) RETURNING user_id, octet_length(payload) + ${LETTER_BYTES} AS bytes
     ) SELECT users.number, bytes FROM removed LEFT JOIN users ON users.id = removed.user_id`,
    [before, max],
  )
  const freed = new Map<number, number>()
  for (const { number, bytes } of removed) if (number !== null) freed.set(number, (freed.get(number) ?? 0) + bytes)
  for (const [userNumber, bytes] of freed) {
    await moveUsage(connection, { userNumber, column: 'dead_letter_bytes', bytes: -bytes })
  }
  return batchOf(removed.length, max)
}

const incidents: Delete = async ({ connection }, { before, max }) => {
  const oldest = `SELECT number, id FROM incidents WHERE closed_at < $1 AND NOT open AND next_action_at IS NULL
    ORDER BY closed_at, number LIMIT 1`
  let deleted = 0
  while (deleted < max) {
    const [incident] = await connection.rows<{ number: number; id: string }>(oldest, [before])
    if (incident === undefined) break
    deleted += await removeIncident(connection, incident, max - deleted)
  }
  return batchOf(deleted, max)
}

/** A row; the next one to look at comes behind it. */
type Place = readonly [user: number, ...TelemetryKey]

/**
 * Walks through the users and, for each, through the rows in order: there is no index by arrival, which every row would
 * have to pay for. Keeps the telemetry of an open incident.
 */
const NEXT_USER = `SELECT number, id, (
    SELECT occurred_ms FROM incidents WHERE user_id = users.id AND open
  ) AS "openSince" FROM users WHERE number >= $1 ORDER BY number LIMIT 1`
const rowsSql = (table: TelemetryTable): string => `SELECT ms, nanos, device_id AS "deviceId" FROM ${table}
  WHERE user_number = $1 AND (ms, nanos, device_id) > ($2, $3, $4) AND ms < $5 ORDER BY ms, nanos, device_id LIMIT $6`
const removeSql = (table: TelemetryTable): string => `WITH removed AS (
    DELETE FROM ${table} WHERE user_number = $1 AND (ms, nanos, device_id) > ($2, $3, $4)
      AND (ms, nanos, device_id) <= ($5, $6, $7) AND received_at < $8
    RETURNING ${ROW_SIZE} AS bytes
  ) SELECT count(*) AS count, coalesce(sum(bytes), 0)::bigint AS bytes FROM removed`

type User = { readonly number: number; readonly openSince: number | null }
type Row = { readonly ms: number; readonly nanos: number; readonly deviceId: string }

const telemetry: Delete = async (transaction, expired) => {
  const { table, from } = telemetryWalk(expired.from)
  const { deleted, next } = await oldTelemetry(table)(transaction, { ...expired, from })
  return { deleted, next: nextOfWalk(table, next) }
}

const oldTelemetry =
  (table: TelemetryTable): Delete =>
  async ({ connection }, { before, max, from }) => {
    let place: Place = from === '' ? [0, ...BEFORE_ALL] : JSON.parse(from)
    let deleted = 0
    // A user that is skipped counts as one row.
    for (let left = max; left > 0; left -= 1) {
      const [user] = await connection.rows<User>(NEXT_USER, [place[0]])
      if (user === undefined) return { deleted, next: null }
      if (user.number !== place[0]) place = [user.number, ...BEFORE_ALL]
      const end = endOfExpired(before, user.openSince)
      const found = await connection.rows<Row>(rowsSql(table), [...place, end, left])
      const last = found.at(-1)
      if (last !== undefined) {
        const to = [last.ms, last.nanos, last.deviceId] as const
        const [removed] = await connection.rows<{ count: number; bytes: number }>(removeSql(table), [
          ...place,
          ...to,
          before,
        ])
        const { count, bytes } = removed!
        deleted += count
        if (bytes > 0) {
          await moveUsage(connection, { userNumber: user.number, column: 'telemetry_bytes', bytes: -bytes })
        }
        place = found.length === left ? [user.number, ...to] : [user.number + 1, ...BEFORE_ALL]
      } else place = [user.number + 1, ...BEFORE_ALL]
      left -= found.length
    }
    return { deleted, next: JSON.stringify(place) }
  }

const byKind: Readonly<Record<ExpiringKind, Delete>> = {
  telemetry,
  incidents,
  outbox: texts,
  deadLetters: letters,
  audit: rowsOf('operator_audit', 'id', 'at < $1 ORDER BY at'),
  feedback: rowsOf('feedback', 'number', 'created_at < $1 ORDER BY created_at'),
  timers: rowsOf('timers', 'id', 'over_at < $1 ORDER BY over_at'),
  unnamedEnds: rowsOf('unnamed_ends', 'app_id, day', 'day < $1'),
  settingChanges: rowsOf('setting_changes', 'id', 'at < $1'),
  appInvitations: rowsOf('app_invitations', 'id', `${PAST} < $1`),
  awaitedEnds: rowsOf('awaited_ends', 'user_number, ms, nanos, device_id', 'at < $1 ORDER BY at'),
}

/** Deletes expired rows: each batch examines at most `max` rows, inside one transaction. */
export const retentionWrites = writesOf<RetentionStore>()({
  deleteExpired: {
    run: (transaction, kind, expired) => byKind[kind](transaction, expired),
  },
})
