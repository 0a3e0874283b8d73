import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { endsLastFirst } from '../harness/last-first.ts'
import { processorMs } from '../harness/processor-time.ts'

test('waiting takes no processor time, computing does', async () => {
  assert.ok((await processorMs(10, () => sleep(20))) < 10)
  const compute = () => {
    const began = process.threadCpuUsage().user
    while (process.threadCpuUsage().user - began < 11_000);
  }
  assert.ok((await processorMs(10, compute)) >= 10)
})

test('what began last ends first, in one hook, also if one end fails', async () => {
  const hooks: (() => unknown)[] = []
  const t = { after: (work: () => unknown) => void hooks.push(work) }
  const ended: string[] = []
  endsLastFirst(t, () => ended.push('directory'))
  endsLastFirst(t, async () => {
    throw new Error('the store is stuck')
  })
  endsLastFirst(t, () => ended.push('process'))
  assert.equal(hooks.length, 1)
  await assert.rejects(async () => hooks[0]!(), /the store is stuck/)
  assert.deepEqual(ended, ['process', 'directory'])
})
