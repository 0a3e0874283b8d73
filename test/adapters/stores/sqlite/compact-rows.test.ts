import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { inspect } from 'node:util'
import Database from 'better-sqlite3'
import { compactsTextRows, leavesOutUnreadableRows } from '../../../contract/text-rows.ts'
import { freshDir, openHere, quiet } from '../../../fixtures/store-place.ts'

test('rows of earlier versions become compact, slice by slice, and say the same', async (t) => {
  const dataDir = await freshDir(t)
  const lines: string[] = []
  const error = (fields: object, message: string) => void lines.push(`${message} ${inspect(fields)}`)
  const store = await openHere(t, dataDir, { log: { ...quiet, error } })
  const db = new Database(join(dataDir, 'tocsin.db'))
  t.after(() => db.close())
  const run = async (sql: string) => db.exec(sql)
  await compactsTextRows({
    store,
    run,
    charge: async (bytes) => db.exec(`UPDATE users SET telemetry_bytes = ${bytes}`),
    charged: async () => db.prepare<[], number>('SELECT sum(telemetry_bytes) FROM users').pluck().get()!,
  })
  await leavesOutUnreadableRows({ store, run, lines, bytes: (hex) => `x'${hex}'` })
})

test('a row that was erased meanwhile stays away', async (t) => {
  const store = await openHere(t, await freshDir(t))
  const gone = { isRelayed: false, user: 1, ms: 5, nanos: 0, deviceId: '', compact: new Uint8Array([1, 0]) }
  assert.deepEqual(await store.compactRows([gone]), { rows: 0, bytes: 0 })
})
