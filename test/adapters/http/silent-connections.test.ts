import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { createListener } from '../../../src/adapters/http/listener.ts'
import { boundSilent, SILENT_PER_ADDRESS } from '../../../src/adapters/http/silent-connections.ts'
import { newAuthority, ownPair } from '../tls/stand-in.ts'

const authority = await newAuthority()
const pair = await ownPair(authority)
const answer: RequestListener = (_request, response) => void response.end('ok')
const GET = 'GET / HTTP/1.1\r\nHost: hut\r\n\r\n'

async function startedOn(t: TestContext, server: Server): Promise<() => Promise<Socket>> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  return async () => {
    const socket = connect(port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    await Promise.all([once(socket, 'connect'), once(server, 'connection')])
    return socket
  }
}

function bounded(t: TestContext, most: number, handler = answer): Promise<() => Promise<Socket>> {
  const server = createServer(handler)
  boundSilent(server, most)
  return startedOn(t, server)
}

/** Whether it is reset or ended. */
const ended = (socket: Socket) => new Promise((resolve) => void socket.resume().once('close', resolve))

/** What the connection says next to `bytes`. */
async function said(socket: Socket, bytes: string): Promise<string> {
  socket.write(bytes)
  return String((await once(socket, 'data'))[0])
}

test('of too many silent connections of an address the oldest is closed', async (t) => {
  const dial = await bounded(t, 2)
  const [first, second] = [await dial(), await dial()]
  const third = await dial()
  await ended(first)
  for (const one of [second, third]) assert.match(await said(one, GET), /^HTTP\/1\.1 200/)
})

test('connections that brought a request, and those that are closed, do not count', async (t) => {
  const dial = await bounded(t, 2)
  const asked = [await dial(), await dial(), await dial()].slice(1)
  for (const one of asked) assert.match(await said(one, GET), /^HTTP\/1\.1 200/)
  const silent = await dial()
  await dial()
  for (const one of asked) assert.match(await said(one, GET), /^HTTP\/1\.1 200/)
  await dial()
  await ended(silent)
})

test('a request whose answer takes its time counts no longer, one whose body does not end does', async (t) => {
  const dial = await bounded(t, 1, (request) => void request.resume())
  const body = 'POST / HTTP/1.1\r\nHost: hut\r\nContent-Length: 2\r\n\r\n{'
  const slow = await dial()
  slow.write(body)
  await dial()
  await ended(slow)

  const asks = await bounded(t, 1, (request, response) => {
    request.resume()
    request.once('end', () => response.write('begun'))
  })
  const waiting = await asks()
  assert.match(await said(waiting, `${body}}`), /begun/)
  const next = await asks()
  await asks()
  await ended(next)
  assert.equal(waiting.destroyed, false)
})

test('over TLS a connection is known again after its handshake', async (t) => {
  const server = createSecureServer(pair, answer)
  boundSilent(server, 2)
  const dial = await startedOn(t, server)
  const silent = await dial()
  const { port } = server.address() as AddressInfo
  const asks = connectTls({ host: '127.0.0.1', port, ca: authority.cert })
  t.after(() => asks.destroy())
  assert.match(await said(asks, GET), /^HTTP\/1\.1 200/)
  const shaken = connectTls({ host: '127.0.0.1', port, ca: authority.cert })
  t.after(() => shaken.destroy())
  shaken.on('error', () => {})
  await once(shaken, 'secureConnect')
  assert.equal(silent.destroyed, false)
  await dial()
  await ended(silent)
  await dial()
  await ended(shaken)
  assert.match(await said(asks, GET), /^HTTP\/1\.1 200/)
})

test('the listener bounds them, and a WebSocket is none of them', { timeout: 60_000 }, async (t) => {
  const server = createListener(answer)
  server.on('upgrade', (_request, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  const dial = await startedOn(t, server)
  const upgraded = await dial()
  t.after(() => upgraded.destroy())
  const handshake = 'GET /mqtt HTTP/1.1\r\nHost: hut\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  assert.match(await said(upgraded, handshake), /^HTTP\/1\.1 101/)
  const first = await dial()
  for (let n = 0; n < SILENT_PER_ADDRESS; n++) await dial()
  await ended(first)
  assert.equal(upgraded.destroyed, false)
})
