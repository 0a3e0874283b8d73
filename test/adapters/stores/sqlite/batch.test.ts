import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { batchRunner } from '../../../../src/adapters/stores/sqlite/engine/batch.ts'
import { openWriter } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import { migrate } from '../../../../src/adapters/stores/sqlite/engine/migrate.ts'
import { UNLIMITED } from '../../../../src/adapters/stores/sqlite/telemetry/quota.ts'
import type { WriteCall } from '../../../../src/adapters/stores/sqlite/writes.ts'
import { defaultSettings } from '../../../../src/core/incident/settings.ts'
import { freshDir } from '../../../fixtures/store-place.ts'

const letter = (topic: string): WriteCall => [
  'addDeadLetter',
  0,
  [{ userId: 'u', topic, reason: 'r', payload: new Uint8Array(1), receivedAt: 0 }],
]

test('a fault of the file undoes the whole batch, and the next one is committed', async (t) => {
  const db = await openWriter(join(await freshDir(t), 'tocsin.db'))
  t.after(() => db.close())
  migrate(db)
  db.function('fault', () => {
    throw new Database.SqliteError('database disk image is malformed', 'SQLITE_CORRUPT')
  })
  db.exec(
    `CREATE TEMP TRIGGER faults BEFORE INSERT ON dead_letters WHEN new.topic = 'faulty' BEGIN SELECT fault(); END`,
  )
  const reserve = { room: () => 'enough' as const, giveUp() {} }
  const run = batchRunner(db, { reserve, leaveNotices: false, defaults: defaultSettings, quotas: UNLIMITED })
  const topics = () => db.prepare('SELECT topic FROM dead_letters ORDER BY id').pluck().all()

  const faulty = run([letter('before'), letter('faulty'), letter('behind')])
  assert.equal('failed' in faulty && faulty.failed.kind, 'fault')
  assert.deepEqual(topics(), [])

  const next = run([letter('next')])
  assert.deepEqual('failures' in next && next.failures, [])
  assert.deepEqual(topics(), ['next'])
})
