import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinedCalls } from '../../src/lib/shared-reads.ts'

test('those who ask while a call is under way get its answer; the next one is asked anew, also after a failure', async () => {
  const calls: PromiseWithResolvers<number>[] = []
  const ask = joinedCalls(() => {
    const call = Promise.withResolvers<number>()
    calls.push(call)
    return call.promise
  })
  const together = [ask(), ask()]
  assert.equal(calls.length, 1)
  calls[0]!.resolve(7)
  assert.deepEqual(await Promise.all(together), [7, 7])

  const failing = [ask(), ask()]
  assert.equal(calls.length, 2)
  calls[1]!.reject(new Error('not today'))
  const outcomes = await Promise.allSettled(failing)
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  )

  const again = ask()
  calls[2]!.resolve(8)
  assert.equal(await again, 8)
})
