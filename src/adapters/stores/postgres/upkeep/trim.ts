import type { EnrolledBy } from '../../../../core/account/app-invitation.ts'
import type { TelemetryTable } from '../../shared/expired.ts'
import { MAX_ATTEMPTS, MAX_IDENTITIES, SHOWN_POSITIONS } from '../../shared/limits.ts'
import {
  LETTER_BYTES,
  MAX_DRILLS_KEPT,
  MAX_INCIDENT_ROWS,
  oldestOf,
  quotaFor,
  type UsageColumn,
} from '../../shared/quotas.ts'
import { ROW_SIZE } from '../../shared/telemetry-row.ts'
import type { Connection, Statement } from '../engine/connection.ts'
import { type Transaction, writesOf } from '../engine/write.ts'
import { removeIncident } from '../incidents/remove-incident.ts'

/** Limits that are enforced a moment after the rows that exceed them, so that no alarm waits for it. */
type Trimming = {
  /** Removes the oldest alerts, positions and folded attempts of an incident beyond its limits. */
  trimIncident(incidentNumber: number): Promise<void>
  /** Removes the oldest closed incidents of a user who has too many, a few at a time, and the oldest drills. */
  trimIncidents(userId: string): Promise<void>
  /** Adds to the recorded size of a user's telemetry, and removes the oldest rows beyond the quota. */
  chargeTelemetry(userNumber: number, bytes: number): Promise<void>
  /** The same for dead letters; the newest stays, however large. */
  chargeLetters(userId: string, bytes: number): Promise<void>
}

/** Rows removed at a time. */
const MAX_REMOVED = 1000
/** Each trim follows one more incident and removes up to two, so those that an earlier trim left go later. */
const MAX_INCIDENTS_REMOVED = 2

const trimSql = (table: string, key: string, order: string, kept: number): string =>
  `DELETE FROM ${table} WHERE incident_number = $1 AND (${key}) IN (
     SELECT ${key} FROM ${table} WHERE incident_number = $1 ORDER BY ${order} OFFSET ${kept} LIMIT ${MAX_REMOVED}
   )`
const TRIMS = [
  trimSql('trail', 'ms, nanos', 'ms DESC, nanos DESC', SHOWN_POSITIONS),
  trimSql('relayed_trail', 'ms, nanos', 'ms DESC, nanos DESC', SHOWN_POSITIONS),
  trimSql('alerts', 'user_number, ms, nanos, device_id', 'received_at DESC, ms DESC, nanos DESC', MAX_IDENTITIES),
  trimSql('timeline', 'n', 'n DESC', MAX_ATTEMPTS),
]

const oldestClosed = (kind: string): string =>
  `SELECT number, id FROM incidents WHERE user_id = $1 AND ${kind} AND NOT open AND next_action_at IS NULL
    ORDER BY opened_at, number LIMIT greatest(0, least(${MAX_INCIDENTS_REMOVED},
      (SELECT count(*) FROM incidents WHERE user_id = $1 AND ${kind}) - 1 - $2))`
const OLDEST_CLOSED = oldestClosed('NOT drill')
/** A user's own exercises and an operator's are told apart: nobody practises until the operator's are gone. */
const IS_OWN = "coalesce((record -> 'drill' ->> 'isOwn')::boolean, false)"
const OLDEST_DRILL = oldestClosed(`drill AND NOT ${IS_OWN}`)
const OLDEST_OWN_DRILL = oldestClosed(`drill AND ${IS_OWN}`)
/**
 * Locks the incident, not its owner: a press of theirs would wait for this commit, and the claim of their first message
 * with it. A late receipt may have something sent about the incident meanwhile: then it stays.
 */
const STILL_OVER = `SELECT 1 FROM incidents WHERE number = $1 AND NOT open AND next_action_at IS NULL
  FOR UPDATE SKIP LOCKED`

/** The kind of invitation that created a user, by number or id. */
const ENROLLED = 'SELECT enrolled_by AS "enrolledBy" FROM users WHERE'
type Enrolled = { readonly enrolledBy: EnrolledBy | null }

const moveSql = (column: UsageColumn) => ({
  name: `move-${column}`,
  text: `INSERT INTO usage AS known (user_number, ${column}) SELECT number, greatest(0, $2::bigint) FROM users WHERE number = $1
     ON CONFLICT (user_number) DO UPDATE SET ${column} = greatest(0, known.${column} + $2) RETURNING ${column} AS total`,
})
/** Prepared: a user who sends much is charged with every few batches. */
const MOVE = {
  telemetry_bytes: moveSql('telemetry_bytes'),
  dead_letter_bytes: moveSql('dead_letter_bytes'),
} as const satisfies Record<UsageColumn, Statement>

/** Adds to the recorded bytes of a user's rows and returns the new total; 0 if there is no such user. */
export async function moveUsage(
  connection: Connection,
  { userNumber, column, bytes }: { userNumber: number; column: UsageColumn; bytes: number },
): Promise<number> {
  const [row] = await connection.rows<{ total: number }>(MOVE[column], [userNumber, bytes])
  return row?.total ?? 0
}

type Sized = { readonly size: number }
type TelemetrySize = Sized & { readonly ms: number; readonly nanos: number; readonly deviceId: string }

export const trimWrites = writesOf<Trimming>()({
  trimIncident: {
    async run({ connection }, incidentNumber) {
      for (const sql of TRIMS) await connection.run(sql, [incidentNumber])
    },
  },

  trimIncidents: {
    async run({ connection, quotas }, userId) {
      if (!Number.isFinite(quotas.incidents)) return
      const [user] = await connection.rows<Enrolled>(`${ENROLLED} id = $1`, [userId])
      for (const [sql, max] of [
        [OLDEST_CLOSED, Math.ceil(quotaFor(quotas.incidents, quotas.incidents, () => user?.enrolledBy ?? null))],
        [OLDEST_DRILL, MAX_DRILLS_KEPT],
        [OLDEST_OWN_DRILL, MAX_DRILLS_KEPT],
      ] as const) {
        for (const oldest of await connection.rows<{ number: number; id: string }>(sql, [userId, max])) {
          if ((await connection.run(STILL_OVER, [oldest.number])) === 0) continue
          await removeIncident(connection, oldest, MAX_INCIDENT_ROWS)
        }
      }
    },
  },

  chargeTelemetry: {
    async run({ connection, quotas }, userNumber, bytes) {
      const column = 'telemetry_bytes'
      const used = await moveUsage(connection, { userNumber, column, bytes })
      const [user] = await connection.rows<Enrolled>(`${ENROLLED} number = $1`, [userNumber])
      let over = used - quotaFor(quotas.telemetryBytes, used, () => user?.enrolledBy ?? null)
      // Rows that other users sent go before any of the owner's own.
      for (const table of ['relayed_telemetry', 'telemetry'] as const) {
        if (over <= 0) return
        const freed = await removeOldestRows(connection, table, { userNumber, bytes: over })
        if (freed > 0) await moveUsage(connection, { userNumber, column, bytes: -freed })
        over -= freed
      }
    },
  },

  chargeLetters: {
    run: chargeLetters,
  },
})

/** Removes about `bytes` of a user's oldest rows, a bounded number at a time. Returns the bytes freed. */
async function removeOldestRows(
  connection: Connection,
  table: TelemetryTable,
  { userNumber, bytes }: { readonly userNumber: number; readonly bytes: number },
): Promise<number> {
  const oldest = await connection.rows<TelemetrySize>(
    `SELECT ms, nanos, device_id AS "deviceId", ${ROW_SIZE} AS size FROM ${table}
         WHERE user_number = $1 ORDER BY ms, nanos, device_id LIMIT ${MAX_REMOVED}`,
    [userNumber],
  )
  const { rows, freed } = oldestOf(
    oldest.map(({ size }) => size),
    bytes,
  )
  const last = oldest[rows - 1]
  if (last === undefined) return 0
  await connection.run(`DELETE FROM ${table} WHERE user_number = $1 AND (ms, nanos, device_id) <= ($2, $3, $4)`, [
    userNumber,
    last.ms,
    last.nanos,
    last.deviceId,
  ])
  return freed
}

async function chargeLetters({ connection, quotas }: Transaction, userId: string, bytes: number): Promise<void> {
  const [user] = await connection.rows<Enrolled & { number: number }>(
    'SELECT number, enrolled_by AS "enrolledBy" FROM users WHERE id = $1',
    [userId],
  )
  if (user === undefined) return
  const about = { userNumber: user.number, column: 'dead_letter_bytes' } as const
  const used = await moveUsage(connection, { ...about, bytes })
  const over = used - quotaFor(quotas.deadLetterBytes, used, () => user.enrolledBy)
  if (over <= 0) return
  const oldest = await connection.rows<Sized & { id: number }>(
    `SELECT id, octet_length(payload) + ${LETTER_BYTES} AS size FROM dead_letters WHERE user_id = $1 ORDER BY id
     LIMIT ${MAX_REMOVED}`,
    [userId],
  )
  const { rows, freed } = oldestOf(oldest.map(({ size }) => size).slice(0, -1), over)
  const last = oldest[rows - 1]
  if (last === undefined) return
  await connection.run('DELETE FROM dead_letters WHERE user_id = $1 AND id <= $2', [userId, last.id])
  await moveUsage(connection, { ...about, bytes: -freed })
}
