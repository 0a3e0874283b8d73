import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOptions } from '../../bench/options.ts'

test('a quick run makes every measurement, a full one leaves out what takes long', () => {
  const usual = readOptions([])!.parts
  const every = readOptions(['--quick'])!.parts
  assert.deepEqual(
    every.filter((part) => !usual.includes(part)),
    ['console', 'apps', 'nodes', 'growth', 'soak'],
  )
  assert.deepEqual(readOptions(['--only', 'soak'])!.parts, ['soak'])
})

test('--minutes and --long change the plan', () => {
  assert.equal(readOptions([])!.plan.soak.minutes, 30)
  assert.equal(readOptions(['--only', 'soak', '--minutes', '2.5'])!.plan.soak.minutes, 2.5)
  assert.deepEqual(readOptions(['--long'])!.plan.growth.storedRows, [10_000, 1_000_000, 10_000_000])
})

for (const args of [['--only', 'nothing'], ['--minutes', '0'], ['--minutes', 'ten'], ['--fast'], ['press']]) {
  test(`${args.join(' ')} is wrong use`, () => assert.equal(readOptions(args), null))
}
