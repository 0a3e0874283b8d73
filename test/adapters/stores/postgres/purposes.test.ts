import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Connection, wireTo } from '../../../../src/adapters/stores/postgres/engine/connection.ts'
import { connectFor } from '../../../../src/adapters/stores/postgres/engine/purposes.ts'
import { withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'

async function session(): Promise<Connection> {
  const { directory } = await sharedPostgres()
  const wire = wireTo({ host: directory, user: 'tocsin', database: 'postgres' })
  await wire.client.connect()
  return new Connection(wire)
}

suite('sessions for a purpose', { skip: withoutPostgres }, () => {
  test('have its settings', async () => {
    const connection = await connectFor({ enable_sort: 'off' }, session)
    assert.deepEqual(await connection.rows('SHOW enable_sort'), [{ enable_sort: 'off' }])
    await connection.close()
  })

  test('a session that does not take them is ended, and nobody gets it', async () => {
    const opened: Connection[] = []
    const connect = async () => {
      opened.push(await session())
      return opened[0]!
    }
    await assert.rejects(connectFor({ enable_magic: 'on' }, connect), /unrecognized configuration parameter/)
    assert.equal(opened[0]?.isUsable, false)
  })
})
