import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { holdDataDir } from '../../../../src/adapters/stores/sqlite/files/hold-data-dir.ts'
import { freshDir, openHere } from '../../../fixtures/store-place.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

async function used(t: Parameters<typeof freshDir>[0], dataDir: string): Promise<readonly string[]> {
  t.after(await holdDataDir(dataDir))
  await (await openHere(t, dataDir)).checkWritable()
  const files = readdirSync(dataDir).filter((name) => name.startsWith('tocsin.'))
  assert.deepEqual(files.sort(), ['tocsin.db', 'tocsin.db-shm', 'tocsin.db-wal', 'tocsin.lock'])
  return files.map((name) => join(dataDir, name))
}

test('a missing data directory is created for its owner only, and so is every file', async (t) => {
  const dataDir = join(await freshDir(t), 'deep', 'data')
  const files = await used(t, dataDir)
  assert.equal(modeOf(dataDir), '700')
  for (const file of files) assert.equal(modeOf(file), '600', file)
})

test('an empty directory is closed to others, one with other files is not', async (t) => {
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

test('a link, a directory or a pipe under the name of one of its files is refused, and its target is not touched', async (t) => {
  const parent = await freshDir(t)
  const victim = join(parent, 'victim')
  writeFileSync(victim, 'mine')
  for (const name of ['tocsin.db', 'tocsin.db-wal', 'tocsin.db-shm', 'tocsin.lock']) {
    for (const target of [victim, join(parent, 'not there')]) {
      const dataDir = await freshDir(t)
      symlinkSync(target, join(dataDir, name))
      const opening = name === 'tocsin.lock' ? holdDataDir(dataDir) : openHere(t, dataDir)
      await assert.rejects(
        opening,
        new RegExp(`${name} is a symbolic link; Tocsin needs a file of its own under this name`),
      )
    }
  }
  const dataDir = await freshDir(t)
  mkdirSync(join(dataDir, 'tocsin.db'))
  execFileSync('mkfifo', [join(dataDir, 'tocsin.lock')])
  await assert.rejects(openHere(t, dataDir), /tocsin\.db is not a regular file/)
  await assert.rejects(holdDataDir(dataDir), /tocsin\.lock is not a regular file/)
  assert.equal(readFileSync(victim, 'utf8'), 'mine')
  assert.deepEqual(readdirSync(parent), ['victim'])
})

test('a directory that cannot be created is refused', async (t) => {
  const parent = await freshDir(t)
  writeFileSync(join(parent, 'file'), '')
  await assert.rejects(openHere(t, join(parent, 'file', 'data')), /must be a directory/)
})
