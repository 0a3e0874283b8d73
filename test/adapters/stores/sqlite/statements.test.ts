import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { openReader, openWriter } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import { migrate } from '../../../../src/adapters/stores/sqlite/engine/migrate.ts'
import { freshDir } from '../../../fixtures/store-place.ts'
import { processorMs } from '../../../harness/processor-time.ts'

const CONTACTS = 'SELECT * FROM contacts WHERE user_id = ? ORDER BY priority'
const TIMES = 2000

async function emptySite(t: TestContext) {
  const path = join(await freshDir(t), 'tocsin.db')
  const writer = await openWriter(path)
  migrate(writer)
  const reader = openReader(path)
  const bare = new Database(path, { readonly: true })
  for (const db of [writer, reader, bare]) t.after(() => db.close())
  return { writer, reader, bare }
}

const cost = (db: Database.Database, boundMs: number): Promise<number> => {
  const read = db.prepare<[string]>(CONTACTS)
  return processorMs(boundMs, () => {
    for (let n = 0; n < TIMES; n += 1) read.all(`user-${n}`)
  })
}

test('a statement is not planned anew for each value of its parameters', async (t) => {
  const { writer, reader, bare } = await emptySite(t)
  // The control: SQLite by itself does so, at about ten times the cost.
  const boundMs = (await cost(bare, 0)) / 2
  for (const db of [writer, reader]) assert.ok((await cost(db, boundMs)) < boundMs)
})

test('what statements say and the indexes that they use stay the same', async (t) => {
  const { reader, bare } = await emptySite(t)
  const plan = (db: Database.Database) => db.prepare(`EXPLAIN QUERY PLAN ${CONTACTS}`).all('mia')
  assert.deepEqual(plan(reader), plan(bare))
  const values = reader.prepare('SELECT ? AS a, @b AS b, typeof(?) AS c').get(1n, Buffer.from('x'), { b: 'text' })
  assert.deepEqual(values, { a: 1, b: 'text', c: 'blob' })
})
