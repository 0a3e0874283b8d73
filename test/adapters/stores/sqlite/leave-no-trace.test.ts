import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { openWriter } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import { leaveNoTrace } from '../../../../src/adapters/stores/sqlite/files/leave-no-trace.ts'
import { freshDir } from '../../../fixtures/store-place.ts'

const MARK = 'the-mark-of-what-is-deleted'

/** A database with a row that contains the mark, and the connection of a running service. */
async function marked(t: TestContext) {
  const path = join(await freshDir(t), 'tocsin.db')
  const db = await openWriter(path)
  t.after(() => db.close())
  db.exec('CREATE TABLE things (id INTEGER PRIMARY KEY, text TEXT)')
  db.prepare('INSERT INTO things (text) VALUES (?), (?)').run(`${MARK}-1`, 'something else')
  const isIn = (file: string): boolean => readFileSync(file).includes(MARK)
  return { db, path, isIn, log: `${path}-wal`, remove: () => db.exec('DELETE FROM things WHERE id = 1') }
}

test('deleted content is overwritten in the file, and the log is emptied beside an open connection', async (t) => {
  const { db, path, log, isIn, remove } = await marked(t)
  db.pragma('wal_checkpoint(FULL)')
  remove()
  assert.deepEqual([isIn(path), isIn(log)], [true, true], 'the control: it is there before')
  assert.equal(await leaveNoTrace(path, MARK), 'none')
  assert.deepEqual([isIn(path), statSync(log).size], [false, 0])
  assert.equal(db.prepare('SELECT count(*) FROM things').pluck().get(), 1)
})

test('a copy left behind in the file is removed by rebuilding it', async (t) => {
  const { db, path, isIn, remove } = await marked(t)
  db.pragma('secure_delete = OFF')
  remove()
  db.pragma('wal_checkpoint(TRUNCATE)')
  assert.equal(isIn(path), true, 'the control: it is deleted and still there')
  assert.equal(await leaveNoTrace(path, MARK), 'none')
  assert.equal(isIn(path), false)
  assert.equal(db.prepare('SELECT text FROM things').pluck().get(), 'something else')
})

test('content that is not deleted is detected', async (t) => {
  const { path } = await marked(t)
  assert.equal(await leaveNoTrace(path, MARK), 'left')
})

test('a reader that stays is reported; one that leaves is waited for', async (t) => {
  const { path, log, isIn, remove } = await marked(t)
  const reader = new Database(path, { readonly: true })
  t.after(() => reader.close())
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM things').get()
  remove()
  assert.equal(await leaveNoTrace(path, MARK, 0), 'in_use')
  const emptied = leaveNoTrace(path, MARK)
  setImmediate(() => reader.exec('COMMIT'))
  assert.equal(await emptied, 'none')
  assert.deepEqual([isIn(path), isIn(log)], [false, false])
})
