import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { newApplication } from '../../src/core/account/new-application.ts'
import { alertFrom } from '../../src/core/ingest/alert.ts'
import type { Store } from '../../src/ports/store.ts'
import { openHere } from '../fixtures/store-place.ts'
import { commandLine } from './command-line.ts'

const APP_ID = '01900000-0000-7000-8000-00000000000a'
const USER_ID = '01900000-0000-7000-8000-00000000000b'
const INCIDENT_ID = '01900000-0000-7000-8000-00000000000c'

test('tocsin incident resume resumes an incident of a restored file', async (t) => {
  const { dataDir, tocsin, answer } = await commandLine(t)
  const inStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openHere(t, dataDir, { leaveNotices: true })
    return work(store).finally(() => store.close())
  }
  const nextActionAt = () => inStore((store) => store.nextActionAt())

  const now = Date.now()
  await inStore(async (store) => {
    await store.createApplication(
      newApplication({ id: APP_ID, name: 'Hut', language: 'en', createdAt: now }),
      'a secret',
    )
    await store.ensureUser({ appId: APP_ID, externalUserId: 'hiker', id: USER_ID, now })
    await store.changeIncident(
      { reporter: { appId: APP_ID, userId: USER_ID, deviceId: null } },
      {
        type: 'raise',
        now,
        alert: alertFrom({ timestamp: new Date(now).toISOString() }, now),
        reporterId: USER_ID,
        incidentId: INCIDENT_ID,
        linkSecret: 'a secret of links',
      },
    )
  })
  assert.notEqual(await nextActionAt(), null)
  // The state after a restore.
  const db = new Database(join(dataDir, 'tocsin.db'))
  db.exec("UPDATE incidents SET record = json_set(record, '$.held', json('true')), next_action_at = NULL")
  db.close()
  assert.equal(await nextActionAt(), null)

  const { incidentId, status, snapshotVersion } = await answer('incident', 'resume', INCIDENT_ID)
  assert.deepEqual([incidentId, status, snapshotVersion], [INCIDENT_ID, 'active', 1])
  assert.notEqual(await nextActionAt(), null)

  await answer('incident', 'resume', INCIDENT_ID)
  const unknown = await tocsin('incident', 'resume', USER_ID)
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /^error: there is no incident with this id/)
})
