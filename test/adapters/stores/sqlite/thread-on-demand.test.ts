import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadOnDemand } from '../../../../src/adapters/stores/sqlite/engine/thread-on-demand.ts'

const scriptOf = (answer: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort, threadId, workerData } from 'node:worker_threads'
      parentPort.on('message', () => { ${answer} })`)}`,
  )

test('one thread answers all questions, and calls made in the meantime share an answer', async (t) => {
  const thread = threadOnDemand<string>(scriptOf('parentPort.postMessage(workerData + " " + threadId)'), 'test', 'x.db')
  t.after(() => thread.close())
  const [one, other] = [thread.ask(), thread.ask()]
  assert.equal(one, other)
  const answer = await one
  assert.match(answer, /^x\.db \d+$/)
  assert.equal(await thread.ask(), answer)
})

test('a thread that dies rejects the question with the reason, and the next one starts another', async (t) => {
  const failing = threadOnDemand(scriptOf('throw new Error("no such page")'), 'test', '')
  t.after(() => failing.close())
  await assert.rejects(failing.ask(), /no such page/)
  const leaving = threadOnDemand(scriptOf('process.exit()'), 'test', '')
  t.after(() => leaving.close())
  await assert.rejects(leaving.ask(), /its thread exited/)
  await assert.rejects(leaving.ask(), /its thread exited/)
})

test('closing rejects what was asked', async () => {
  const silent = threadOnDemand(scriptOf(''), 'test', '')
  const asked = assert.rejects(silent.ask(), /its thread exited/)
  await silent.close()
  await asked
})
