import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { releaseMemory } from '../../src/lib/release-memory.ts'

const unused = (): WeakRef<object> => new WeakRef({ of: 'the start' })

test('what nothing needs any more is collected', async () => {
  const garbage = unused()
  // A reference that was just made keeps its object until the end of the turn.
  await turn()
  await releaseMemory()
  assert.equal(garbage.deref(), undefined)
})
