import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { releaseMemory } from '../../src/lib/release-memory.ts'

const unused = (): WeakRef<object> => new WeakRef({ of: 'the start' })

test('what nothing needs any more is collected', async () => {
  const garbage = unused()
  // A reference that was just made keeps its object until the end of the turn.
  await turn()
  assert.equal(await releaseMemory(Number.POSITIVE_INFINITY), true)
  assert.equal(garbage.deref(), undefined)
})

test('a heap that would take long stays as it is: an alarm does not wait for a saving', async () => {
  const garbage = unused()
  await turn()
  assert.equal(await releaseMemory(1024), false)
  assert.notEqual(garbage.deref(), undefined)
})
