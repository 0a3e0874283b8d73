import { decideErasure } from '../../../../core/account/decide-user.ts'
import type { Incident } from '../../../../core/incident/incident.ts'
import { asCurrent } from '../../../../core/incident/incident-record.ts'
import type { ErasureStore } from '../../../../ports/store.ts'
import type { Connection } from '../engine/connection.ts'
import { leaveNotice, writesOf } from '../engine/write.ts'
import { removeIncident } from '../incidents/remove-incident.ts'
import { recordAudit } from '../operators/record-audit.ts'

type ErasedUser = {
  readonly number: number
  readonly id: string
  readonly phone: string | null
  readonly isOpen: boolean
  readonly isToTell: boolean
}

const USER = `SELECT number, id, phone,
    EXISTS (SELECT 1 FROM incidents WHERE user_id = users.id AND open) AS "isOpen",
    EXISTS (
      SELECT 1 FROM incidents CROSS JOIN LATERAL json_array_elements(record -> 'deliveries') AS delivery
      WHERE user_id = users.id AND (next_action_at IS NOT NULL OR held) AND delivery ->> 'status' = 'scheduled'
    ) AS "isToTell"
  FROM users WHERE app_id = $1 AND external_user_id = $2`
const LOCK = 'SELECT 1 FROM users WHERE app_id = $1 AND external_user_id = $2 FOR UPDATE'
const TELEMETRY = (['relayed_telemetry', 'telemetry'] as const).map(
  (table) => `DELETE FROM ${table} WHERE user_number = $1 AND (ms, nanos, device_id) IN (
    SELECT ms, nanos, device_id FROM ${table} WHERE user_number = $1 LIMIT $2
  )`,
)
const TEST_TEXTS = `DELETE FROM outbox WHERE incident_id = ''
  AND (recipient IN (SELECT phone FROM contacts WHERE user_id = $1 UNION SELECT phone FROM verifications WHERE user_id = $1)
    OR recipient = $2)`
const ORPHANS = `DELETE FROM outbox WHERE created_at >= $1 AND incident_id <> ''
  AND NOT EXISTS (SELECT 1 FROM incidents WHERE id = outbox.incident_id)`

/** Rows without an owner, left by a message in flight: telemetry has no foreign key. */
const STRAY_TELEMETRY = ['relayed_telemetry', 'telemetry'].map(
  (table) => `DELETE FROM ${table} WHERE user_number IN (
    SELECT number FROM erased WHERE user_id = $1
  )`,
)

const OWN = [
  ['cards', 'user_id'],
  ['push_subscriptions', 'device_id'],
  ['removal_texts', 'id'],
  ['app_devices', 'id'],
  ['app_invitations', 'id'],
  ['timer_texts', 'id'],
  ['timers', 'id'],
  ['feedback', 'id'],
  ['devices', 'id'],
  ['contacts', 'id'],
  ['verifications', 'token'],
  ['phone_proofs', 'user_id'],
  ['phone_codes', 'id'],
  ['sms_alerts', 'id'],
] as const
const own = (table: string, key: string): string =>
  `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE user_id = $1 LIMIT $2)`

async function forgetMentions(connection: Connection, userId: string): Promise<void> {
  await connection.run('DELETE FROM dead_letters WHERE user_id = $1', [userId])
  await connection.run("UPDATE operator_audit SET user_id = NULL, subject = NULL, details = '{}' WHERE user_id = $1", [
    userId,
  ])
  // No index: rows of this table live for about a minute.
  await connection.run('DELETE FROM notices WHERE strpos(notice, $1) > 0', [userId])
  const relayed = await connection.rows<{ number: number; record: Incident }>(
    'SELECT number, record FROM incidents WHERE relay_user_id = $1 FOR UPDATE',
    [userId],
  )
  for (const { number, record } of relayed) {
    await connection.run('UPDATE incidents SET relay_user_id = NULL, record = $2 WHERE number = $1', [
      number,
      JSON.stringify({ ...asCurrent(record), relayUserId: null }),
    ])
  }
}

type Erasing = Pick<ErasureStore, 'eraseUser'> & {
  /** Erases what a session of the user, or a message in flight, has written since (epoch ms). */
  sweepAfterErasure(userId: string, since: number): Promise<void>
}

export const erasureWrites = writesOf<Erasing>()({
  /** Deletes the large tables first, a bounded number of rows per call; then the rest, which is small, and the user. */
  eraseUser: {
    async run(transaction, appId, externalUserId, max, audit = null) {
      const { connection } = transaction
      await connection.run(LOCK, [appId, externalUserId])
      const [found] = await connection.rows<ErasedUser>(USER, [appId, externalUserId])
      const user = decideErasure(found ?? null)
      if ('refused' in user) return user
      if (audit !== null) await recordAudit(transaction, audit)
      let left = max
      for (const sql of TELEMETRY) left -= await connection.run(sql, [user.number, left])
      while (left > 0) {
        const [next] = await connection.rows<{ number: number; id: string }>(
          'SELECT number, id FROM incidents WHERE user_id = $1 LIMIT 1',
          [user.id],
        )
        if (next === undefined) break
        left -= await removeIncident(connection, next, left)
      }
      if (left > 0) await connection.run(TEST_TEXTS, [user.id, user.phone])
      for (const [table, key] of OWN) {
        if (left > 0) left -= await connection.run(own(table, key), [user.id, left])
      }
      if (left <= 0) return { userId: user.id, done: false }
      await forgetMentions(connection, user.id)
      await connection.run('DELETE FROM awaited_ends WHERE user_number = $1', [user.number])
      await connection.run('INSERT INTO erased (user_id, number) VALUES ($1, $2)', [user.id, user.number])
      await connection.run('DELETE FROM users WHERE number = $1', [user.number])
      await leaveNotice(transaction, { kind: 'admission', appId })
      return { userId: user.id, done: true }
    },
  },

  sweepAfterErasure: {
    async run({ connection }, userId, since) {
      await forgetMentions(connection, userId)
      await connection.run(ORPHANS, [since])
      for (const sql of STRAY_TELEMETRY) await connection.run(sql, [userId])
      await connection.run('DELETE FROM erased WHERE user_id = $1', [userId])
    },
  },
})
