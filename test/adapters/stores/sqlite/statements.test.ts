import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { contactsInOrder } from '../../../../src/adapters/stores/shared/accounts.ts'
import { ownerLookup } from '../../../../src/adapters/stores/sqlite/devices/device-owner.ts'
import { fieldReads } from '../../../../src/adapters/stores/sqlite/devices/field-devices.ts'
import { openWriter, type SqliteDatabase } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import { migrate } from '../../../../src/adapters/stores/sqlite/engine/migrate.ts'
import { planLookup } from '../../../../src/adapters/stores/sqlite/incidents/alarm-plan.ts'
import { alertIdentities } from '../../../../src/adapters/stores/sqlite/incidents/alert-identity.ts'
import { dueReads } from '../../../../src/adapters/stores/sqlite/incidents/due-incidents.ts'
import { namedEnds } from '../../../../src/adapters/stores/sqlite/incidents/ends.ts'
import { timelineReads, timelineWrites } from '../../../../src/adapters/stores/sqlite/incidents/timeline.ts'
import { trailReads } from '../../../../src/adapters/stores/sqlite/incidents/trail.ts'
import { defaultSettings } from '../../../../src/core/account/settings.ts'
import { freshDir } from '../../../fixtures/store-place.ts'

/** Planning anew costs two and a half times as much and more, and the rest is alike. */
const NOISE = 2
/** A round takes some 0.2 ms, so that nothing comes between in the fastest of them, however busy the machine is. */
const ROUNDS = 40
const TIMES_A_ROUND = 50

async function emptySite(t: TestContext): Promise<SqliteDatabase> {
  const db = await openWriter(join(await freshDir(t), 'tocsin.db'))
  t.after(() => db.close())
  migrate(db)
  return db
}

/** The texts of what runs for each message, position, attempt or end. */
function frequent(db: SqliteDatabase): readonly string[] {
  const texts = new Set<string>()
  const recording = new Proxy(db, {
    get: (_, name) =>
      name === 'prepare'
        ? (sql: string) => {
            texts.add(sql)
            return db.prepare(sql)
          }
        : Reflect.get(db, name),
  })
  planLookup(recording, () => defaultSettings)
  for (const prepare of [ownerLookup, fieldReads, alertIdentities, dueReads, namedEnds, trailReads]) prepare(recording)
  for (const prepare of [timelineReads, timelineWrites]) prepare(recording)
  return [...texts].filter((sql) => /[?@]/.test(sql) && db.prepare(sql).reader)
}

const withPlus = (sql: string): string => sql.replaceAll(/\+?([?@])/g, '+$1')
const withoutPlus = (sql: string): string => sql.replaceAll(/\+([?@])/g, '$1')

/** How many times as long the first takes as the second, round by round in turn; the fastest round of each counts. */
function ratio(db: SqliteDatabase, ...sqls: readonly [string, string]): number {
  const rounds = sqls.map((sql) => roundOf(db, sql))
  const least = rounds.map(() => Number.POSITIVE_INFINITY)
  for (let n = 0; n < ROUNDS; n += 1) {
    rounds.forEach((round, i) => {
      const began = performance.now()
      round()
      least[i] = Math.min(least[i]!, performance.now() - began)
    })
  }
  return least[0]! / least[1]!
}

/** Runs the statement with other values each time. */
function roundOf(db: SqliteDatabase, sql: string): () => void {
  const read = db.prepare(sql)
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => name!)
  const places = [...sql.matchAll(/\?/g)]
  const isLimit = /(LIMIT|OFFSET) \+?\?/.test(sql)
  // JSON, for the list of one of them.
  const text = (n: number) => JSON.stringify(`user-${n}`)
  return () => {
    for (let n = 0; n < TIMES_A_ROUND; n += 1) {
      const values: unknown[] = places.map(() => (isLimit ? n : text(n)))
      read.all(...values, ...(names.length > 0 ? [Object.fromEntries(names.map((name) => [name, text(n)]))] : []))
    }
  }
}

test('a frequent statement is not planned anew for each value of its parameters', async (t) => {
  const db = await emptySite(t)
  const anew = frequent(db).filter((sql) => sql !== withPlus(sql) && ratio(db, sql, withPlus(sql)) >= NOISE)
  assert.deepEqual(anew, [])
})

test('control: without the plus sign, some are', async (t) => {
  const db = await emptySite(t)
  const contacts = contactsInOrder('+?')
  assert.ok(frequent(db).includes(contacts))
  assert.ok(ratio(db, withoutPlus(contacts), contacts) > NOISE)
})

test('the plus sign changes neither values nor the indexes that are used', async (t) => {
  const db = await emptySite(t)
  const plan = (sql: string) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all('mia')
  const contacts = contactsInOrder('+?')
  assert.deepEqual(plan(contacts), plan(withoutPlus(contacts)))
  const bare = new Database(':memory:')
  t.after(() => bare.close())
  const values = bare.prepare('SELECT +? AS a, +@b AS b, typeof(+?) AS c').get(1n, Buffer.from('x'), { b: 'text' })
  assert.deepEqual(values, { a: 1, b: 'text', c: 'blob' })
})
