import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Primary } from '../../src/adapters/stores/postgres/engine/connect.ts'
import { targetOf } from '../../src/adapters/stores/postgres/engine/target.ts'
import { nodeIdentity } from '../../src/adapters/stores/postgres/node-id.ts'
import { emptyDatabase, freshDatabase, openPostgresAt, withoutPostgres } from '../fixtures/postgres-place.ts'
import { storeEnvironment } from '../harness/site-store.ts'
import { commandLine } from './command-line.ts'

test('the nodes of a database are listed, and one is let go', { skip: withoutPostgres }, async (t) => {
  const url = await freshDatabase(t)
  const { dataDir, tocsin, answer } = await commandLine(t, storeEnvironment(url))
  assert.match((await tocsin('node', 'list')).stdout, /No node has been started yet\./)
  assert.match(
    (await tocsin('node', 'drain', 'north')).stderr,
    /there is no node north; list them with: tocsin node list/,
  )
  const { nodes } = await openPostgresAt(t, url)
  const { id, place } = nodeIdentity(dataDir, null)
  const start = async (node: { id: string; place: string }, lengthMs = 60_000) => {
    const identity = { ...node, process: node.id, version: '1.2.3' }
    const started = await nodes.lease(identity, { lengthMs, token: null, isStart: true })
    assert.ok(!('refused' in started))
    return started.lease
  }
  await start({ id, place })
  const alone = await tocsin('node', 'drain')
  assert.match(alone.stdout, new RegExp(`No other node is sending, so ${id} goes on until one does`))
  await start({ id: 'another', place: 'elsewhere' })
  await start({ id: 'crashed', place: 'nowhere' }, -60_000)
  await nodes.endLease(await start({ id: 'ended', place: 'there' }))

  const states = async () => (await answer('node', 'list')).map((node: Record<string, string>) => [node.id, node.state])
  const others = [
    ['another', 'sending'],
    ['crashed', 'gone'],
    ['ended', 'stopped'],
  ]
  const sorted = (own: string) => [...others, [id, own]].toSorted(([a], [b]) => (a! < b! ? -1 : 1))
  assert.deepEqual(await states(), sorted('draining'))
  assert.match((await tocsin('node', 'list')).stdout, /crashed +1\.2\.3 +gone +\S+Z +ended 1 min ago/)
  assert.deepEqual(await answer('node', 'drain', '--undo'), { id, draining: false })
  assert.deepEqual(await states(), sorted('sending'))
  assert.match((await tocsin('node', 'drain', 'another')).stdout, /Within 5 s another stops claiming messages/)

  // While nodes are upgraded one by one, the command line of either version has to drain them.
  const connection = await new Primary(targetOf(url), {}).connect()
  t.after(() => connection.close())
  for (const version of [1, 1000]) {
    await connection.run('UPDATE schema_version SET version = $1', [version])
    assert.deepEqual(await answer('node', 'drain'), { id, draining: true })
    assert.deepEqual(
      (await states()).find(([node]: string[]) => node === id),
      [id, 'draining'],
    )
    assert.deepEqual(await answer('node', 'drain', '--undo'), { id, draining: false })
    assert.deepEqual(await connection.rows('SELECT version FROM schema_version'), [{ version }])
  }
})

test('a database without a schema has no nodes, and stays as it is', { skip: withoutPostgres }, async (t) => {
  const { tocsin } = await commandLine(t, storeEnvironment(await emptyDatabase(t)))
  assert.match((await tocsin('node', 'list')).stdout, /No node has been started yet\./)
  assert.match((await tocsin('node', 'drain', 'north')).stderr, /there is no node north/)
})

test('with SQLite there is one node, and both commands say so', async (t) => {
  const { tocsin } = await commandLine(t)
  for (const args of [['list'], ['drain'], ['drain', 'north', '--undo']]) {
    const { code, stderr } = await tocsin('node', ...args)
    assert.deepEqual([code, /there is one node: the data is in SQLite/.test(stderr)], [1, true])
  }
})
