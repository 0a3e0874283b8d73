import assert from 'node:assert/strict'
import { test } from 'node:test'
import { microsBetween, readThread, threadSecondsOf } from '../../bench/threads.ts'

const stat = (name: string) =>
  `21980 (${name}) S 21940 21936 19784 0 -1 4194624 9580 0 0 0 36 3 0 0 20 0 12 0 2809958 19427917824`

test('a thread has its name, whatever is in it, and user and system time', () => {
  assert.deepEqual(readThread(stat('store writer')), { name: 'store writer', seconds: 0.39 })
  assert.deepEqual(readThread(stat('a) S (b')), { name: 'a) S (b', seconds: 0.39 })
})

test('the time a message takes, by thread', () => {
  const before = { main: 1, writer: 2 }
  const after = { main: 1.5, writer: 2, 'GC helpers': 0.1 }
  assert.deepEqual(microsBetween(before, after, 100_000), { main: 5, writer: 0, 'GC helpers': 1 })
})

test('this process has a main thread', { skip: process.platform !== 'linux' }, () => {
  assert.ok(threadSecondsOf(process.pid)!.main! > 0)
  assert.equal(threadSecondsOf(-1), null)
})
