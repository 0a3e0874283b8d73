import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Closers } from '../../src/service/closers.ts'

test('closes newest first, all of them, and at once what comes after the close', async () => {
  const closed: string[] = []
  const closers = new Closers()
  const failing = () => {
    closed.push('failing')
    throw new Error('could not be closed')
  }
  closers.add(
    () => closed.push('first'),
    failing,
    () => closed.push('last'),
  )
  await assert.rejects(closers.closeAll(), /could not be closed/)
  assert.deepEqual(closed, ['last', 'failing', 'first'])

  closers.add(() => closed.push('late'))
  assert.equal(closed.at(-1), 'late')
  closers.add(failing)
})
