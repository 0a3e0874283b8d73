import assert from 'node:assert/strict'
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { newestVersion } from '../../../../src/adapters/stores/sqlite/engine/migrate.ts'
import { StoreError } from '../../../../src/ports/store.ts'
import { applicationCalled, type StoreUnderTest } from '../../../contract/site.ts'
import { upkeepContract } from '../../../contract/upkeep.ts'
import { momentAt } from '../../../core/build.ts'
import { freshDir, openAt, openHere } from '../../../fixtures/store-place.ts'

const onDemand = { writesOnDemand: true }

/** A directory with an up-to-date database that no process has open. */
async function usedDir(t: TestContext): Promise<string> {
  const dataDir = await freshDir(t)
  await (await openHere(t, dataDir)).close()
  return dataDir
}

/** Counts the threads started from now on. */
function threads(t: TestContext): { readonly started: number } {
  const seen = { started: 0 }
  const note = () => {
    seen.started += 1
  }
  process.on('worker', note)
  t.after(() => process.off('worker', note))
  return seen
}

/** The connections of this process to the database. */
function connections(dataDir: string): number {
  const file = join(dataDir, 'tocsin.db')
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      // The one that has just listed the others.
      return null
    }
  })
  return targets.filter((target) => target === file).length
}

upkeepContract({
  name: 'SQLite, writes on demand',
  async place(t) {
    const dataDir = await usedDir(t)
    return { open: (options = {}) => openAt(t, dataDir, { ...onDemand, ...options }) }
  },
} satisfies StoreUnderTest)

test('reading starts no writer, the first write does, later ones do not, and none of them starts a thread', async (t) => {
  const dataDir = await usedDir(t)
  const seen = threads(t)
  const store = await openAt(t, dataDir, onDemand)
  assert.deepEqual(await store.applications(), [])
  assert.deepEqual([store.trouble(), store.isCongested('mia')], [null, false])
  assert.equal(connections(dataDir), 1)
  const huts = ['Hut', 'Lodge'].map((name) => applicationCalled(name))
  await Promise.all(huts.map((hut) => store.createApplication(hut, 'secret')))
  assert.equal((await store.applications()).length, 2)
  assert.equal(connections(dataDir), 2)
  assert.equal(seen.started, 0)
})

test('a store that was closed without a write refuses one', async (t) => {
  const store = await openAt(t, await usedDir(t), onDemand)
  await store.close()
  await assert.rejects(store.checkWritable(), { name: 'StoreError', kind: 'closed' })
  await assert.rejects(store.applications(), { name: 'StoreError', kind: 'closed' })
})

const unprepared: readonly (readonly [what: string, prepare: (path: string) => void])[] = [
  ['there is none', () => {}],
  ['it is of an earlier version', (path) => change(path, `user_version = ${newestVersion() - 1}`)],
  ['it is not in WAL mode, as a backup is not', (path) => change(path, 'journal_mode = DELETE')],
]

function change(path: string, pragma: string): void {
  const db = new Database(path)
  db.pragma(pragma)
  db.close()
}

for (const [what, prepare] of unprepared) {
  test(`the writer starts immediately and prepares the database if ${what}`, async (t) => {
    const isMissing = what === 'there is none'
    const dataDir = isMissing ? await freshDir(t) : await usedDir(t)
    prepare(join(dataDir, 'tocsin.db'))
    const opening = openAt(t, dataDir, onDemand)
    // The newest migration cannot be applied twice, so the attempt shows that the writer opened the file.
    if (what.includes('earlier')) return assert.rejects(opening, /could not be upgraded/)
    assert.deepEqual(await (await opening).applications(), [])
    assert.equal(connections(dataDir), 2)
  })
}

test("an unusable file is refused with the writer's message", async (t) => {
  const [newer, diary] = [await usedDir(t), await freshDir(t)]
  change(join(newer, 'tocsin.db'), `user_version = ${newestVersion() + 1}`)
  writeFileSync(join(diary, 'tocsin.db'), 'Dear diary, '.repeat(1000))
  await assert.rejects(openAt(t, newer, onDemand), /was written by a newer version of Tocsin .* update Tocsin/)
  await assert.rejects(openAt(t, diary, onDemand), { name: 'StoreError', message: /not a database/ })
})

test('a writer that cannot start refuses the write, and the next write starts another', async (t) => {
  const dataDir = await usedDir(t)
  const store = await openAt(t, dataDir, onDemand)
  change(join(dataDir, 'tocsin.db'), `user_version = ${newestVersion() + 1}`)
  const user = { appId: 'x', externalUserId: 'x', id: 'x', now: momentAt(0) }
  await assert.rejects(store.ensureUser(user), (error) => error instanceof StoreError && /newer/.test(error.message))
  change(join(dataDir, 'tocsin.db'), `user_version = ${newestVersion()}`)
  await store.createApplication(applicationCalled('Hut'), 'secret')
  assert.equal((await store.applications()).length, 1)
})
