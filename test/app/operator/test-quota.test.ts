import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testQuota } from '../../../src/app/operator/test-quota.ts'
import { MINUTE } from '../../../src/lib/durations.ts'

suite('how many test messages may leave', () => {
  function counting() {
    let now = 0
    const quota = testQuota(() => now)
    return {
      passes: (ms: number) => {
        now += ms
      },
      take: (app: string) => quota.take(app),
      /** How many of `times` tries went through. */
      sends: (app: string, times: number) =>
        Array.from({ length: times }, () => quota.take(app)).filter((one) => one === null).length,
    }
  }

  test('ten of one application in ten minutes', () => {
    const { sends, take, passes } = counting()
    assert.equal(sends('a', 4), 4)
    passes(MINUTE)
    assert.equal(sends('a', 30), 6)
    assert.equal(take('a'), 9 * MINUTE)
    passes(9 * MINUTE - 1)
    assert.equal(take('a'), 1)
    passes(1)
    assert.equal(sends('a', 30), 4)
  })

  test('however many others send, an application has its first five', () => {
    const { sends, take, passes } = counting()
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e'].map((app) => sends(app, 100)),
      [10, 10, 10, 10, 5],
    )
    passes(MINUTE)
    assert.equal(sends('f', 100), 5, 'the last one to come')
    assert.equal(take('e'), 9 * MINUTE)
    passes(9 * MINUTE)
    assert.deepEqual(
      ['f', 'e'].map((app) => sends(app, 100)),
      [5, 10],
    )
  })

  test('a refused try counts for nothing', () => {
    const { sends, passes } = counting()
    assert.equal(sends('a', 10), 10)
    for (let n = 0; n < 10; n += 1) {
      passes(MINUTE)
      if (n < 9) assert.equal(sends('a', 3), 0)
    }
    assert.equal(sends('a', 100), 10)
  })
})
