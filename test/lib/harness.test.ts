import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { endsLastFirst } from '../harness/last-first.ts'

// In a thread of its own: on this one, the runner reports other tests meanwhile.
const measured = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { setTimeout: sleep } = require('node:timers/promises')
  const compute = () => {
    const began = process.threadCpuUsage().user
    while (process.threadCpuUsage().user - began < 11_000);
  }
  import(workerData).then(async ({ processorMs }) => {
    const waiting = await processorMs(10, () => sleep(20))
    parentPort.postMessage({ waiting, computing: await processorMs(10, compute) })
  })
`

test('waiting takes no processor time, computing does', async () => {
  const workerData = new URL('../harness/processor-time.ts', import.meta.url).href
  const [{ waiting, computing }] = await once(new Worker(measured, { eval: true, workerData }), 'message')
  assert.ok(waiting < 10, `${waiting} ms`)
  assert.ok(computing >= 10, `${computing} ms`)
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
