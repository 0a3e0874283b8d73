import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openWriter } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import { hasProgram, skipWithout } from '../../../fixtures/requires.ts'
import { freshDir, openAt } from '../../../fixtures/store-place.ts'
import { startProcess } from '../../../fixtures/store-process.ts'

test('the writer waits for the disk: WAL, synchronous FULL, foreign keys on', async (t) => {
  const db = await openWriter(join(await freshDir(t), 'tocsin.db'))
  t.after(() => db.close())
  const pragma = (name: string) => db.pragma(name, { simple: true })
  assert.equal(pragma('journal_mode'), 'wal')
  assert.equal(pragma('synchronous'), 2)
  assert.equal(pragma('foreign_keys'), 1)
  assert.equal(pragma('wal_autocheckpoint'), 0)
})

test('everything that a process acknowledged is there after it was killed', async (t) => {
  const dataDir = await freshDir(t)
  const writer = startProcess(t, [dataDir, 'write'])
  await writer.says(/^user-25$/)
  writer.kill()
  await writer.ended()
  const acknowledged = writer.lines.filter((line) => line.startsWith('user-'))
  const store = await openAt(t, dataDir)
  const [application] = await store.applications()
  const stored = new Set((await store.users(application!.id)).map(({ id }) => id))
  assert.ok(acknowledged.length >= 25)
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  )
})

const STRACE = hasProgram('strace')

test('a commit that was acknowledged was synced first', async (t) => {
  if (skipWithout(t, 'strace', STRACE)) return
  const dataDir = await freshDir(t)
  const trace = join(dataDir, 'trace')
  const writer = startProcess(
    t,
    [dataDir, 'write'],
    ['strace', '-f', '-o', trace, '-s', '12', '-e', 'trace=fsync,fdatasync,write'],
  )
  await writer.says(/^user-5$/)
  writer.kill()
  await writer.ended()
  const calls = readFileSync(trace, 'utf8').split('\n')
  for (let k = 2; k <= 5; k += 1) {
    const said = (user: number) => calls.findIndex((call) => call.includes(`write(1, "user-${user}\\n"`))
    const between = calls.slice(said(k - 1), said(k))
    assert.ok(
      between.some((call) => /f(data)?sync\(.*\) += 0|f(data)?sync resumed.*= 0/.test(call)),
      `before user-${k}`,
    )
  }
})

test('a failed fsync is fatal: nothing more is acknowledged, and the process ends', async (t) => {
  if (skipWithout(t, 'strace', STRACE)) return
  const dataDir = await freshDir(t)
  // Created beforehand, so that the first syncs of the process are commits.
  await (await openAt(t, dataDir)).close()
  const writer = startProcess(
    t,
    [dataDir, 'write'],
    [
      'strace',
      '-f',
      '-o',
      '/dev/null',
      '-e',
      'trace=fsync,fdatasync',
      '-e',
      'inject=fsync,fdatasync:error=EIO:when=20+',
    ],
  )
  const code = await writer.ended()
  assert.equal(code, 1)
  assert.ok(
    writer.lines.some((line) => /^error: .*can no longer be trusted.*SQLITE_IOERR_FSYNC/.test(line)),
    writer.lines.join('\n'),
  )
  const acknowledged = writer.lines.filter((line) => line.startsWith('user-'))
  const store = await openAt(t, dataDir)
  const [application] = await store.applications()
  const stored = new Set((await store.users(application!.id)).map(({ id }) => id))
  assert.ok(acknowledged.length > 0)
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  )
})
