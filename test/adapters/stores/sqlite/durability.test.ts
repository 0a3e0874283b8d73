import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { openWriter } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import { hasProgram, skipWithout } from '../../../fixtures/requires.ts'
import { freshDir, openAt } from '../../../fixtures/store-place.ts'
import { type StoreProcess, startProcess } from '../../../fixtures/store-process.ts'
import { effort } from '../../../harness/effort.ts'
import { seeded } from '../../../harness/random.ts'
import { until } from '../../../harness/wait.ts'

const MIB = 1024 * 1024

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

/** What the process reported to be on disk and is not in the database, which must be sound. */
function lostOf({ lines }: StoreProcess, path: string): readonly string[] {
  const db = new Database(path)
  assert.equal(db.pragma('integrity_check', { simple: true }), 'ok')
  const stored = new Set(db.prepare<[], string>('SELECT user_id FROM dead_letters').pluck().all())
  db.close()
  const acknowledged = lines.filter((line) => line.startsWith('user-'))
  assert.ok(acknowledged.length > 0)
  return acknowledged.filter((id) => !stored.has(id))
}

test('everything is there too if it was killed while another thread copied the log', async (t) => {
  const random = seeded()
  let copied = 0
  for (let n = 0; n < effort(2, 3); n += 1) {
    const dataDir = await freshDir(t)
    const path = join(dataDir, 'tocsin.db')
    const writer = startProcess(t, [dataDir, 'fill'])
    // The log is due for a copy at 32 MB, which is 125 of them. How soon the thread begins depends on the machine: the
    // first process is killed in any case while it copies.
    await writer.says(n === 0 ? /^user-125$/ : new RegExp(`^user-${125 + Math.floor(60 * random())}$`))
    if (n === 0) await until('the log is being copied', () => statSync(path).size > MIB)
    writer.kill()
    await writer.ended()
    if (statSync(path).size > MIB) copied += 1
    assert.deepEqual(lostOf(writer, path), [])
  }
  assert.ok(copied > 0, 'the control: the log was being copied')
})

const STRACE = hasProgram('strace')
/** With all threads, and stopping only at what is asked for. */
const STRACED = ['strace', '-f', '--seccomp-bpf']
const SYNCS = ['-e', 'trace=fsync,fdatasync']

/**
 * Where the process dies in a copy of some 8,000 pages: before the first one is written, in the middle, and when they
 * are to be synced.
 */
const COPY_STEPS = ['pwrite64:when=1', 'pwrite64:when=4000', 'fsync:when=1'] as const

for (const step of COPY_STEPS.slice(-effort(1, COPY_STEPS.length, COPY_STEPS.length))) {
  test(`everything is there too if it died at this step of a copy: ${step}`, async (t) => {
    if (skipWithout(t, 'strace', STRACE)) return
    const dataDir = await freshDir(t)
    // Created beforehand: now only a copy of the log writes to the database itself.
    await (await openAt(t, dataDir)).close()
    const path = join(dataDir, 'tocsin.db')
    const [call, when] = step.split(':')
    // strace 6.1 injects no signals under --seccomp-bpf.
    const fault = ['-P', path, '-e', `trace=${call}`, '-e', `inject=${call}:signal=KILL:${when}`]
    const writer = startProcess(t, [dataDir, 'fill'], ['strace', '-f', '-o', '/dev/null', ...fault])
    // Nine copies, 300 MB: by then it should be dead, however slow strace makes the thread that copies.
    const lives = writer.says(/^user-1200$/).then(
      () => writer.kill(),
      () => {},
    )
    assert.equal(await writer.ended(), 'SIGKILL')
    await lives
    assert.ok(writer.lines.length < 1_200, 'it dies by itself')
    assert.deepEqual(lostOf(writer, path), [])
  })
}

test('a commit that was acknowledged was synced first', async (t) => {
  if (skipWithout(t, 'strace', STRACE)) return
  const dataDir = await freshDir(t)
  const trace = join(dataDir, 'trace')
  const writer = startProcess(
    t,
    [dataDir, 'write'],
    [...STRACED, '-o', trace, '-s', '12', '-e', 'trace=fsync,fdatasync,write'],
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
    [...STRACED, '-o', '/dev/null', ...SYNCS, '-e', 'inject=fsync,fdatasync:error=EIO:when=20+'],
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

test('the thread that copies the log reports its own failed fsync as fatal', async (t) => {
  if (skipWithout(t, 'strace', STRACE)) return
  const told = async (...fault: readonly string[]): Promise<unknown> => {
    const dataDir = await freshDir(t)
    const path = join(dataDir, 'copied.db')
    // Created beforehand: now only a copy of the log syncs the database itself.
    const db = await openWriter(path)
    db.exec('CREATE TABLE t (a)').close()
    const onDatabase = ['-P', path, ...SYNCS, ...fault]
    const copier = startProcess(t, [dataDir, 'copy'], [...STRACED, '-o', '/dev/null', ...onDatabase])
    return JSON.parse(await copier.says(/./))
  }
  assert.equal(await told(), null, 'the control')
  assert.deepEqual(await told('-e', 'inject=fsync,fdatasync:error=EIO'), {
    kind: 'fault',
    message: 'the disk failed (SQLITE_IOERR_FSYNC)',
    fatal: true,
  })
})

test('a failed fsync of the thread that copies the log is fatal too, and nothing acknowledged is lost', async (t) => {
  if (skipWithout(t, 'strace', STRACE)) return
  const dataDir = await freshDir(t)
  await (await openAt(t, dataDir)).close()
  const path = join(dataDir, 'tocsin.db')
  // Commits sync the log; only a copy of the log syncs the database itself.
  const fault = ['-P', path, ...SYNCS, '-e', 'inject=fsync,fdatasync:error=EIO']
  const writer = startProcess(t, [dataDir, 'fill'], [...STRACED, '-o', '/dev/null', ...fault])
  assert.equal(await writer.ended(), 1)
  assert.ok(
    writer.lines.some((line) => /^error: .*can no longer be trusted.*SQLITE_IOERR_FSYNC/.test(line)),
    writer.lines.filter((line) => line.startsWith('error')).join('\n'),
  )
  assert.deepEqual(lostOf(writer, path), [])
})
