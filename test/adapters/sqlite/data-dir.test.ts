import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { holdDataDir } from '../../../src/adapters/sqlite/hold-data-dir.ts'
import { skipWithout } from '../../fixtures/requires.ts'
import { freshDir, openAt } from '../../fixtures/store-place.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

async function used(t: Parameters<typeof freshDir>[0], dataDir: string): Promise<readonly string[]> {
  t.after(await holdDataDir(dataDir))
  await (await openAt(t, dataDir)).checkWritable()
  const files = readdirSync(dataDir).filter((name) => name.startsWith('tocsin.'))
  assert.deepEqual(files.sort(), ['tocsin.db', 'tocsin.db-shm', 'tocsin.db-wal', 'tocsin.lock'])
  return files.map((name) => join(dataDir, name))
}

test('a missing data directory is made, for its owner only, and so is every file', async (t) => {
  const dataDir = join(await freshDir(t), 'deep', 'data')
  const files = await used(t, dataDir)
  assert.equal(modeOf(dataDir), '700')
  for (const file of files) assert.equal(modeOf(file), '600', file)
})

test('an empty directory is closed to others, one that holds something else is not', async (t) => {
  const parent = await freshDir(t)
  const [empty, shared] = [join(parent, 'empty'), join(parent, 'shared')]
  for (const dataDir of [empty, shared]) {
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o755)
  }
  writeFileSync(join(empty, '.gitkeep'), '')
  writeFileSync(join(shared, 'notes.txt'), '')
  await used(t, empty)
  const files = await used(t, shared)
  assert.equal(modeOf(empty), '700')
  assert.equal(modeOf(shared), '755')
  for (const file of files) assert.equal(modeOf(file), '600', file)
})

test('what root makes belongs to the owner of the directory', async (t) => {
  if (skipWithout(t, 'root', process.getuid?.() === 0)) return
  const [uid, gid] = [12_345, 23_456]
  const dataDir = join(await freshDir(t), 'data')
  mkdirSync(dataDir)
  chownSync(dataDir, uid, gid)
  for (const file of await used(t, dataDir)) {
    const owner = statSync(file)
    assert.deepEqual([owner.uid, owner.gid], [uid, gid], file)
  }
})

test('a directory that cannot be made is refused', async (t) => {
  const parent = await freshDir(t)
  writeFileSync(join(parent, 'file'), '')
  await assert.rejects(openAt(t, join(parent, 'file', 'data')), /has to be a directory/)
})
