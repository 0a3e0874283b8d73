import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCheckpointer, type LogState } from '../../../../src/adapters/stores/sqlite/engine/checkpointer.ts'
import { openReader, openWriter } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { momentAt } from '../../../core/build.ts'
import { freshDir, openAt, quiet, uncounted } from '../../../fixtures/store-place.ts'
import { mountSmallDisk } from '../../../harness/tmpfs.ts'

const MIB = 1024 * 1024

/** Writes until the log has grown by about this much. */
async function grow(store: Store, megabytes: number): Promise<void> {
  for (let n = 0; n < megabytes; n += 1) {
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
  assert.deepEqual(
    told.map(({ trouble, message }) => [trouble, message]),
    [['disk_full', 'the disk is full']],
  )
  await disk.empty()
  await new Promise((resolve) => setTimeout(resolve, 1100))
  checkpointer.checkpointIfDue(true)
  assert.equal(told.at(-1)?.trouble, null)
})
