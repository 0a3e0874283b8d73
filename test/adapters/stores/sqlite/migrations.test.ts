import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { openWriter } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import { migrate } from '../../../../src/adapters/stores/sqlite/engine/migrate.ts'
import { freshDir, openAt } from '../../../fixtures/store-place.ts'
import { startProcess } from '../../../fixtures/store-process.ts'

const FILES = readdirSync(new URL('../../../../src/adapters/stores/sqlite/migrations/', import.meta.url)).sort()

const schemaOf = (db: Database.Database) => db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()

const NUMBERS = FILES.map((file) => Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(file)?.[1]))
const NEWEST = NUMBERS.at(-1)!

test('the migrations are numbered, each number once', () => {
  assert.ok(NUMBERS.every(Number.isSafeInteger))
  assert.equal(new Set(NUMBERS).size, FILES.length)
})

test('migrating again changes nothing', async (t) => {
  const db = await openWriter(join(await freshDir(t), 'tocsin.db'))
  t.after(() => db.close())
  migrate(db)
  const schema = schemaOf(db)
  assert.equal(db.pragma('user_version', { simple: true }), NEWEST)
  assert.ok(schema.length > 10)
  migrate(db)
  assert.deepEqual(schemaOf(db), schema)
})

test('a file from a newer version is refused in a sentence, and left alone', async (t) => {
  const dataDir = await freshDir(t)
  await (await openAt(t, dataDir)).close()
  const db = new Database(join(dataDir, 'tocsin.db'))
  t.after(() => db.close())
  db.pragma(`user_version = ${NEWEST + 1}`)
  const schema = schemaOf(db)
  await assert.rejects(openAt(t, dataDir), /was written by a newer version of Tocsin .* update Tocsin/)
  assert.deepEqual(schemaOf(db), schema)
})

test('a file that is not a database is refused', async (t) => {
  const dataDir = await freshDir(t)
  const { writeFileSync } = await import('node:fs')
  writeFileSync(join(dataDir, 'tocsin.db'), 'Dear diary, '.repeat(1000))
  await assert.rejects(openAt(t, dataDir), { name: 'StoreError', message: /not a database/ })
})

test('processes that open a new directory together all succeed, and lose nothing', async (t) => {
  const dataDir = await freshDir(t)
  const processes = Array.from({ length: 4 }, () => startProcess(t, [dataDir, 'open']))
  const codes = await Promise.all(processes.map((one) => one.ends()))
  assert.deepEqual(codes, [0, 0, 0, 0])
  const store = await openAt(t, dataDir)
  assert.equal((await store.applications()).length, 4)
})
