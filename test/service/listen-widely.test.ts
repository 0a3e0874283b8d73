import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { LISTENING_SOCKETS, listenWidely } from '../../src/lib/listen-widely.ts'
import { until } from '../harness/wait.ts'

const AT = { host: '127.0.0.1', port: 0 }
const CONNECTIONS = 256

/** The turns of the event loop in which this server accepts connections that all wait already. */
async function turnsToAccept(t: TestContext, server: Server, port: number): Promise<number> {
  let accepted = 0
  server.on('connection', (socket) => {
    accepted += 1
    socket.destroy()
  })
  for (let n = 0; n < CONNECTIONS; n += 1) {
    const client = connect({ host: AT.host, port }).on('error', () => {})
    t.after(() => client.destroy())
  }
  let turns = 0
  for (; accepted < CONNECTIONS; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  return turns
}

test('connections that wait are accepted in a few turns of the event loop', async (t) => {
  const server = createServer()
  const { address, close } = await listenWidely(server, AT, {})
  const turns = await turnsToAccept(t, server, address.port)
  // The system spreads them by a hash: some sockets get twice their share.
  assert.ok(turns <= (4 * CONNECTIONS) / LISTENING_SOCKETS, `${turns} turns`)
  await close()
})

test('control: with one socket, each takes a turn', async (t) => {
  const server = createServer().listen(AT)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const turns = await turnsToAccept(t, server, port)
  assert.ok(turns >= CONNECTIONS / 2, `${turns} turns`)
  await new Promise((resolve) => server.close(resolve))
})

test('nobody else may listen on the port, and once it is closed anybody may', async () => {
  const first = createServer()
  const { address, close } = await listenWidely(first, AT, {})
  const { port } = address
  await assert.rejects(listenWidely(createServer(), { ...AT, port }, {}), { code: 'EADDRINUSE' })
  await close()
  assert.equal(first.listening, false)
  const again = await listenWidely(createServer(), { ...AT, port }, {})
  assert.equal(again.address.port, port)
  await again.close()
})

test('accepted sockets have the options given, and closing waits for their end', async (t) => {
  const server = createServer()
  const { address, close } = await listenWidely(server, AT, { highWaterMark: 77 })
  const marks: number[] = []
  server.on('connection', (socket) => {
    marks.push(socket.readableHighWaterMark)
    socket.resume().once('end', () => socket.end())
  })
  const clients = Array.from({ length: 64 }, () => connect({ host: AT.host, port: address.port }))
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
  assert.ok(marks.includes(77))
})
