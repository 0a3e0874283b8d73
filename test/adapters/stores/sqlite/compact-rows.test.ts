import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { compactsTextRows } from '../../../contract/text-rows.ts'
import { freshDir, openHere } from '../../../fixtures/store-place.ts'

test('rows of earlier versions become compact, slice by slice, and say the same', async (t) => {
  const dataDir = await freshDir(t)
  const store = await openHere(t, dataDir)
  const db = new Database(join(dataDir, 'tocsin.db'))
  t.after(() => db.close())
  await compactsTextRows({
    store,
    run: async (sql) => db.exec(sql),
    charge: async (bytes) => db.exec(`UPDATE users SET telemetry_bytes = ${bytes}`),
    charged: async () => db.prepare<[], number>('SELECT sum(telemetry_bytes) FROM users').pluck().get()!,
  })
})

test('a row that was erased meanwhile stays away', async (t) => {
  const store = await openHere(t, await freshDir(t))
  const gone = { isRelayed: false, user: 1, ms: 5, nanos: 0, deviceId: '', compact: new Uint8Array([1, 0]) }
  assert.deepEqual(await store.compactRows([gone]), { rows: 0, bytes: 0 })
})
