import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommitQueue } from '../../../../src/adapters/stores/sqlite/writer/commit-queue.ts'
import { writerThread } from '../../../../src/adapters/stores/sqlite/writer/start-writer.ts'
import type { WriterOptions } from '../../../../src/adapters/stores/sqlite/writer/writer.ts'
import type { Meter } from '../../../../src/ports/meter.ts'
import { uncounted } from '../../../fixtures/store-place.ts'

const SCRIPT = new URL('../../../fixtures/store-writer-that-ends.ts', import.meta.url)

async function queueThat(end: string) {
  const fatal: Error[] = []
  const errors: string[] = []
  const log = { info() {}, warn() {}, error: (_: object, message: string) => void errors.push(message) }
  const counted: string[] = []
  const meter: Meter = {
    ...uncounted,
    count: (name, labels) => void counted.push(`${name} ${Object.values(labels ?? {})}`),
  }
  const parts = { log, meter, onFatal: (error: Error) => void fatal.push(error) }
  const queue = await CommitQueue.open(writerThread({ end } as unknown as WriterOptions, SCRIPT), parts)
  return { queue, fatal, errors, counted }
}

const cases = [
  ['exits', /died: it exited/],
  ['throws', /died: out of its mind/],
  ['fatal', /SQLITE_IOERR_FSYNC/],
] as const

for (const [end, reason] of cases) {
  test(`when the writer ${end === 'fatal' ? 'cannot trust the disk' : end}, every write is refused and the process told once`, async (t) => {
    const { queue, fatal, errors, counted } = await queueThat(end)
    t.after(() => queue.close())
    // Handled from the start: the writer may be gone before the second write.
    const first = Promise.allSettled([queue.write('proveWritable')])
    // Two turns of the event loop: the first write is with the writer, the second one waits.
    for (let k = 0; k < 2; k += 1) await new Promise(setImmediate)
    const second = Promise.allSettled([queue.write('purgeNotices', 1)])
    for (const { status, ...rest } of (await Promise.all([first, second])).flat()) {
      assert.equal(status, 'rejected')
      assert.match(String('reason' in rest && rest.reason), reason)
    }
    await assert.rejects(queue.write('proveWritable'), { name: 'StoreError', kind: 'fault' })
    await queue.close()
    assert.equal(fatal.length, 1)
    assert.match(fatal[0]!.message, reason)
    assert.ok(errors.some((message) => message.includes('stopping this process')))
    assert.deepEqual([...new Set(counted)], ['store_failures_total fault'])
  })
}

test('a writer that cannot start rejects with its own message', async () => {
  await assert.rejects(queueThat('unusable'), { name: 'StoreError', message: 'the file is of cheese' })
  await assert.rejects(queueThat('early'), /exited before it was ready/)
})
