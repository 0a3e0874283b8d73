import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { readerOn } from '../../../../src/adapters/stores/postgres/engine/reader.ts'
import { StoreError } from '../../../../src/ports/store.ts'

/** A pool that gets no session, with this SQLSTATE. */
const refusedWith = (code: string) => {
  const cause = Object.assign(new pg.DatabaseError('no', 0, 'error'), { code })
  return { use: () => Promise.reject(new StoreError('no PostgreSQL primary can be reached', 'unreachable', { cause })) }
}
const spare = { rows: async () => [{ from: 'spare' }], row: async () => null } as unknown as ReturnType<typeof readerOn>

test('a pool that gets no session from a full server reads on the spare reader', async () => {
  const reader = readerOn(refusedWith('53300') as never, spare)
  assert.deepEqual(await reader.row('SELECT 1'), { from: 'spare' })
})

test('no other failure is left to the spare reader', async () => {
  const reader = readerOn(refusedWith('57P03') as never, spare)
  await assert.rejects(reader.row('SELECT 1'), { name: 'StoreError', kind: 'unreachable' })
})
