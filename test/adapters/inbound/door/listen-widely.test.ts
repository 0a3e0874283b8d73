import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { LISTENING_SOCKETS, listenWidely } from '../../../../src/adapters/inbound/door/listen-widely.ts'
import { freePort } from '../../../harness/free-port.ts'
import { until } from '../../../harness/wait.ts'

const AT = { host: '127.0.0.1', port: 0 }
const CONNECTIONS = 256

/** Counts the connections that it ends. */
function counting() {
  const count = { accepted: 0 }
  const accept = (socket: Socket): void => {
    count.accepted += 1
    socket.destroy()
  }
  return { count, accept }
}

/** The turns of the event loop in which connections are accepted that all wait already. */
async function turnsToAccept(t: TestContext, count: { readonly accepted: number }, port: number): Promise<number> {
  for (let n = 0; n < CONNECTIONS; n += 1) {
    const client = connect({ host: AT.host, port }).on('error', () => {})
    t.after(() => client.destroy())
  }
  let turns = 0
  for (; count.accepted < CONNECTIONS; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  return turns
}

test('connections that wait are accepted in a few turns of the event loop', async (t) => {
  const { count, accept } = counting()
  const { port, close } = await listenWidely(AT, {}, accept)
  const turns = await turnsToAccept(t, count, port)
  // The system spreads them by a hash: some sockets get twice their share.
  assert.ok(turns <= (4 * CONNECTIONS) / LISTENING_SOCKETS, `${turns} turns`)
  await close()
})

test('control: with one socket, each takes a turn', async (t) => {
  const { count, accept } = counting()
  const server = createServer(accept).listen(AT)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const turns = await turnsToAccept(t, count, port)
  assert.ok(turns >= CONNECTIONS / 2, `${turns} turns`)
  await new Promise((resolve) => server.close(resolve))
})

test('nobody else may listen on the port, and once it is closed anybody may', async () => {
  // Not any: between the two, that port could become somebody else's.
  const at = { ...AT, port: await freePort() }
  const { port, close } = await listenWidely(at, {}, () => {})
  await assert.rejects(
    listenWidely(at, {}, () => {}),
    { code: 'EADDRINUSE' },
  )
  await close()
  const again = await listenWidely(at, {}, () => {})
  assert.equal(again.port, port)
  await again.close()
})

test('accepted sockets have the options given, and closing waits for their end', async (t) => {
  const marks: number[] = []
  const { port, close } = await listenWidely(AT, { highWaterMark: 77 }, (socket) => {
    marks.push(socket.readableHighWaterMark)
    socket.resume().once('end', () => socket.end())
  })
  const clients = Array.from({ length: 64 }, () => connect({ host: AT.host, port }))
  t.after(() => clients.map((client) => client.destroy()))
  await until('all accepted', () => marks.length === clients.length)
  let isClosed = false
  const closing = close().then(() => {
    isClosed = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isClosed, false)
  for (const client of clients) client.end()
  await closing
  assert.deepEqual(new Set(marks), new Set([77]))
})
