import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { openStore } from '../../src/adapters/stores/sqlite/open-store.ts'
import { defaultSettings } from '../../src/core/incident/settings.ts'
import { alertFrom } from '../../src/core/ingest/alert.ts'
import type { Store } from '../../src/ports/store.ts'

const BIN = new URL('../../bin/tocsin.js', import.meta.url).pathname
const APP_ID = '01900000-0000-7000-8000-00000000000a'
const USER_ID = '01900000-0000-7000-8000-00000000000b'
const INCIDENT_ID = '01900000-0000-7000-8000-00000000000c'

test('tocsin incident resume lets an incident of a restored file go on', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-cli-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const nobody = () => {}
  const inStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openStore({
      dataDir,
      defaults: defaultSettings,
      leaveNotices: true,
      log: { info: nobody, warn: nobody, error: nobody },
      meter: { count: nobody, observe: nobody },
    })
    return work(store).finally(() => store.close())
  }
  const nextActionAt = () => inStore((store) => store.nextActionAt())
  const tocsin = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [BIN, ...args, '--json'], {
      env: { PATH: process.env.PATH, TOCSIN_CONFIG: '', TOCSIN_DATA_DIR: dataDir },
    })

  const now = Date.now()
  await inStore(async (store) => {
    await store.createApplication(
      {
        id: APP_ID,
        name: 'Hut',
        language: 'en',
        legacy: false,
        disabled: false,
        settings: {},
        actuators: { emergency_contacts: {} },
        texts: {},
        allowedPrefixes: [],
        timeZone: null,
        corsOrigins: [],
        fallbackContact: null,
        createdAt: now,
      },
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
  // What a restore leaves behind.
  const db = new Database(join(dataDir, 'tocsin.db'))
  db.exec("UPDATE incidents SET record = json_set(record, '$.held', json('true')), next_action_at = NULL")
  db.close()
  assert.equal(await nextActionAt(), null)

  const { stdout } = await tocsin('incident', 'resume', INCIDENT_ID)
  const { incidentId, status, snapshotVersion } = JSON.parse(stdout)
  assert.deepEqual([incidentId, status, snapshotVersion], [INCIDENT_ID, 'active', 1])
  assert.notEqual(await nextActionAt(), null)

  await tocsin('incident', 'resume', INCIDENT_ID)
  await assert.rejects(tocsin('incident', 'resume', USER_ID), {
    code: 1,
    stderr: /^error: there is no incident with this id/,
  })
})
