import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createCheckpointer, type LogState } from '../../../../src/adapters/stores/sqlite/engine/checkpointer.ts'
import { openReader, openWriter, writeAheadLogOf } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import type { StoreFailure } from '../../../../src/adapters/stores/sqlite/engine/failure.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { momentAt } from '../../../core/build.ts'
import { freshDir, openAt, quiet, uncounted } from '../../../fixtures/store-place.ts'
import { mountSmallDisk } from '../../../harness/tmpfs.ts'
import { until } from '../../../harness/wait.ts'

const MIB = 1024 * 1024

/** Stops this thread's clock, so that no pause of the machine counts; returns a function that advances it. */
function stopClock(t: TestContext): (ms: number) => void {
  let now = 1_000_000
  t.mock.method(performance, 'now', () => now)
  return (ms) => {
    now += ms
  }
}

/** Writes until the log has grown by about this much. */
async function grow(store: Store, megabytes: number, from = 0): Promise<void> {
  for (let n = from; n < from + megabytes; n += 1) {
    // Each for another user, so that no quota makes room.
    const letter = { userId: `user-${n}`, topic: 't', reason: 'r', receivedAt: momentAt(0) }
    await store.addDeadLetter({ ...letter, payload: new Uint8Array(MIB) })
  }
}

test('a reader that holds on to the log causes a log line, a count and a reason, until it leaves', async (t) => {
  const dataDir = await freshDir(t)
  const lines: [string, unknown][] = []
  const note = (fields: { kind?: unknown }, message: string) => void lines.push([message, fields.kind])
  const counted: unknown[] = []
  const store = await openAt(t, dataDir, {
    log: { ...quiet, info: note, error: note },
    meter: {
      ...uncounted,
      count: (name, labels) => void (name === 'checkpoint_failures_total' && counted.push(labels)),
    },
  })
  await grow(store, 40)
  assert.deepEqual(lines, [], 'the control: the log is copied')

  const reader = openReader(join(dataDir, 'tocsin.db'))
  t.after(() => reader.close())
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM users').get()
  await grow(store, 110)
  assert.deepEqual(lines[0], ['the database log (WAL) cannot be checkpointed and is growing', 'in_use'])
  assert.ok(lines.length <= 2, `${lines.length} lines`)
  assert.deepEqual(counted[0], { kind: 'in_use' })
  const [, megabytes] =
    /^the database log \(WAL\) has grown to (\d+) MB: another process is still reading it$/.exec(
      store.trouble() ?? '',
    ) ?? []
  assert.ok(Number(megabytes) * 1e6 > 90 * MIB, `${store.trouble()}`)

  reader.exec('COMMIT')
  // The checkpoint is retried once a second.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await grow(store, 2)
  await store.checkWritable()
  assert.equal(store.trouble(), null)
  assert.deepEqual(lines.at(-1), ['the database log (WAL) can be checkpointed again', undefined])
})

test('a checkpoint without disk space is reported, retried at most once a second, and made when there is space', async (t) => {
  const disk = mountSmallDisk(t, 16)
  if (disk === null) return
  const passes = stopClock(t)
  const db = await openWriter(join(disk.path, 'tocsin.db'))
  t.after(() => db.close())
  const told: LogState[] = []
  const checkpointer = createCheckpointer(db, {
    report: (state) => void told.push(state),
    fatal: (failure) => assert.fail(failure.message),
  })
  db.exec('CREATE TABLE letters (payload BLOB)')
  const insert = db.prepare('INSERT INTO letters VALUES (zeroblob(1048576))')
  for (let n = 0; n < 4; n += 1) insert.run()
  await disk.fill()
  for (let n = 0; n < 5; n += 1) checkpointer.checkpointIfDue(true)
  passes(999)
  checkpointer.checkpointIfDue(true)
  assert.deepEqual(
    told.map(({ trouble, message }) => [trouble, message]),
    [['disk_full', 'the disk is full']],
  )
  await disk.empty()
  passes(1)
  checkpointer.checkpointIfDue(true)
  assert.equal(told.at(-1)?.trouble, null)
})

/** A database whose log is due for a checkpoint, and a checkpointer whose background is a stand-in. */
async function longLog(t: TestContext) {
  const db = await openWriter(join(await freshDir(t), 'tocsin.db'))
  t.after(() => db.close())
  db.exec('CREATE TABLE letters (id INTEGER PRIMARY KEY, payload BLOB)')
  const insert = db.prepare('INSERT OR REPLACE INTO letters VALUES (?, randomblob(1048576))')
  const write = (count: number): void => {
    // A rewrite is two megabytes of log: what is deleted is overwritten.
    for (let n = 0; n < count; n += 1) insert.run(n % 4)
  }
  write(20)
  const told: LogState[] = []
  const fatal: StoreFailure[] = []
  const waiting: ((failed: StoreFailure | null) => void)[] = []
  const checkpointer = createCheckpointer(db, {
    report: (state) => void told.push(state),
    fatal: (failure) => void fatal.push(failure),
    background: { run: (done) => void waiting.push(done), close: async () => {} },
  })
  const log = writeAheadLogOf(db)
  return { db, log, write, checkpointer, told, fatal, waiting, due: () => checkpointer.checkpointIfDue(false) }
}

test('a long log is copied in the background, and the writer copies what was committed meanwhile', async (t) => {
  const { log, write, due, waiting, told } = await longLog(t)
  due()
  due()
  assert.equal(waiting.length, 1)
  assert.ok(log.state().uncopied > 8000, 'the writer copied nothing itself')
  // What the thread does, on a connection of its own.
  log.checkpoint()
  write(1)
  waiting[0]?.(null)
  assert.ok(log.state().uncopied > 0)
  due()
  assert.equal(log.state().uncopied, 0)
  write(1)
  assert.ok(log.state().pages < 1000, 'the log started again from its beginning')
  assert.deepEqual(told, [])
})

test('a background checkpoint that never ends does not let the log grow beyond 64 MiB', async (t) => {
  const { log, write, due, waiting } = await longLog(t)
  due()
  for (let n = 0; n < 60; n += 1) {
    write(1)
    due()
  }
  assert.equal(waiting.length, 1)
  assert.ok(log.state().pages * 4096 < 64 * MIB, `${log.state().pages} pages`)
})

/** Another process that is in the middle of a checkpoint, which it never ends by itself. */
async function startCopying(t: TestContext, path: string): Promise<() => Promise<void>> {
  // Byte 121 is SQLite's lock of whoever makes a checkpoint: https://www.sqlite.org/walformat.html#wal_locks
  const hold = `import fcntl, sys
file = open(sys.argv[1], 'r+b')
fcntl.lockf(file, fcntl.LOCK_EX, 1, 121)
print('held', flush=True)
sys.stdin.read()`
  const child = spawn('python3', ['-c', hold, `${path}-shm`], { stdio: ['pipe', 'pipe', 'inherit'] })
  const gone = once(child, 'close')
  t.after(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return async () => {
    child.stdin.end()
    await gone
  }
}

test('the own thread is still copying: the writer cannot, which is no trouble yet', async (t) => {
  const { db, log, write, due, waiting, told } = await longLog(t)
  due()
  const end = await startCopying(t, db.name)
  while (log.state().pages * 4096 < 70 * MIB) write(1)
  due()
  write(1)
  due()
  assert.deepEqual([waiting.length, told], [1, []])
  await end()
  waiting[0]?.(null)
  due()
  write(1)
  assert.ok(log.state().pages < 1000, 'the log started again from its beginning')
  assert.deepEqual(told, [])
})

test('another process is copying a long log: that is reported, and over when it has ended', async (t) => {
  const passes = stopClock(t)
  const { db, log, write, due, waiting, told } = await longLog(t)
  const end = await startCopying(t, db.name)
  due()
  waiting[0]?.(null)
  while (log.state().pages * 4096 < 70 * MIB) write(1)
  due()
  assert.deepEqual(told.at(-1)?.message, 'another process is copying it into the database')
  await end()
  passes(1000)
  due()
  assert.equal(told.at(-1)?.trouble, null)
})

test('disk space runs short: the writer makes the checkpoint itself', async (t) => {
  const { log, checkpointer, waiting } = await longLog(t)
  checkpointer.checkpointIfDue(true)
  assert.deepEqual([waiting.length, log.state().uncopied], [0, 0])
})

test('a background checkpoint that fails is reported and retried; a failed fsync ends the process', async (t) => {
  const passes = stopClock(t)
  const { due, waiting, told, fatal } = await longLog(t)
  due()
  waiting[0]?.({ kind: 'disk_full', message: 'the disk is full', fatal: false })
  due()
  assert.deepEqual([waiting.length, told.at(-1)?.trouble, told.at(-1)?.tried], [1, 'disk_full', true])
  passes(999)
  due()
  assert.equal(waiting.length, 1)
  passes(1)
  due()
  assert.deepEqual([waiting.length, fatal.length], [2, 0])
  waiting[1]?.({ kind: 'fault', message: 'the disk failed (SQLITE_IOERR_FSYNC)', fatal: true })
  assert.equal(fatal.length, 1)
})

test('the thread copies the log of a store that is being written to, and ends with it', async (t) => {
  const dataDir = await freshDir(t)
  const store = await openAt(t, dataDir, { backgroundCheckpoints: true })
  await grow(store, 100)
  assert.equal(store.trouble(), null)
  // The thread may be late on a busy machine. Once it has copied the log, the next commits shorten it.
  let count = 100
  await until('the log is short again', async () => {
    await grow(store, 1, count)
    count += 1
    return (await store.files()).logBytes < 80 * MIB
  })
  await store.close()
  const db = openReader(join(dataDir, 'tocsin.db'))
  t.after(() => db.close())
  assert.equal(db.prepare('SELECT count(*) FROM dead_letters').pluck().get(), count)
})
