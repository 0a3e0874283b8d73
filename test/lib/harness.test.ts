import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { endsLastFirst } from '../harness/last-first.ts'

// In a thread of its own: on this one, the runner reports other tests meanwhile. Kernels count in steps of 4 or 10 ms:
// the bound is above them.
const measured = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { setTimeout: sleep } = require('node:timers/promises')
  const compute = () => {
    const began = process.threadCpuUsage().user
    while (process.threadCpuUsage().user - began < 30_000);
  }
  import(workerData).then(async ({ processorMs }) => {
    const waiting = await processorMs(25, () => sleep(30))
    parentPort.postMessage({ waiting, computing: await processorMs(25, compute) })
  })
`

test('waiting takes no processor time, computing does', async () => {
  const workerData = new URL('../harness/processor-time.ts', import.meta.url).href
  const [{ waiting, computing }] = await once(new Worker(measured, { eval: true, workerData }), 'message')
  assert.ok(waiting < 25, `${waiting} ms`)
  assert.ok(computing >= 25, `${computing} ms`)
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

test('a process that ends before its last test fails', async () => {
  const args = ['--import', './test/harness/no-leaks.ts', '--test', '--test-isolation=none']
  const codeOf = async (file: URL): Promise<unknown> => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const child = spawn(process.execPath, [...args, fileURLToPath(file)], { env, stdio: 'ignore' })
    const [code] = await once(child, 'close')
    return code
  }
  const early = codeOf(new URL('../fixtures/ends-early.ts', import.meta.url))
  const whole = codeOf(new URL('./csv.test.ts', import.meta.url))
  assert.deepEqual(await Promise.all([early, whole]), [1, 0])
})
