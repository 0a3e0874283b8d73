import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Bell } from '../../../../src/adapters/stores/postgres/notices/bell.ts'
import { StoreError } from '../../../../src/ports/store-error.ts'
import { quiet } from '../../../fixtures/store-place.ts'

/** What is logged when the bell rings and gets this error. */
async function logged(error: Error): Promise<readonly string[]> {
  const lines: string[] = []
  const tried = Promise.withResolvers<void>()
  const log = { ...quiet, warn: (_fields: object, line: string) => void lines.push(line) }
  const bell = new Bell(
    () => {
      tried.resolve()
      return Promise.reject(error)
    },
    { origin: 'north', log },
  )
  bell.ring()
  await tried.promise
  await new Promise((resolve) => setImmediate(resolve))
  await bell.close()
  return lines
}

test('a server that cannot be reached is no reason to do without NOTIFY; one that refuses it is', async () => {
  assert.deepEqual(await logged(new StoreError('connection terminated', 'unreachable')), [])
  assert.deepEqual(await logged(new Error('permission denied for function pg_notify')), [
    'NOTIFY failed; other nodes hear of changes by polling (store.notify: off)',
  ])
})
