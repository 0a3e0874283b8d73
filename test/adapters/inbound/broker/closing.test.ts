import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { Certificate } from '../../../../src/adapters/inbound/door/secure.ts'
import { newAuthority, ownPair } from '../../platform/tls/stand-in.ts'
import { firstRecord } from '../door/writing-records.ts'
import { quiet, startBroker, stopClock, until } from './harness.ts'

const authority = await newAuthority()
const pair = ownPair(authority)

/** Far less than a client may take for its handshake, and than one may take to read its last packets. */
const AT_ONCE_MS = 1000

for (const [where, begins] of [
  ['before its first message', async () => {}],
  ['after a part of its first message', async (socket: Socket) => void socket.write(Buffer.from([22, 3, 1]))],
  [
    'in the middle of its handshake',
    async (socket: Socket) => {
      socket.write(await firstRecord())
      await once(socket, 'data')
    },
  ],
] as const) {
  test(`close ends a client ${where} at once`, async (t) => {
    const { broker } = await startBroker(t)
    const certificate = new Certificate(await pair)
    const { url } = await broker.listen({ host: '127.0.0.1', port: 0 }, certificate)
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
    t.after(() => socket.destroy())
    await once(socket, 'connect')
    await begins(socket)
    // Accepted, and read from.
    await quiet()
    const closed = once(socket.resume(), 'close')
    const began = performance.now()
    await broker.close()
    await closed
    assert.ok(performance.now() - began < AT_ONCE_MS, `${performance.now() - began} ms`)
  })
}

test('a client has 10 s until its CONNECT is complete, its TLS handshake included', async (t) => {
  const clock = stopClock(t)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { broker } = await startBroker(t, { limits: { connectMs: 10_000 } })
  const { url } = await broker.listen({ host: '127.0.0.1', port: 0 }, new Certificate(await pair))
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  await quiet()
  clock.passes(9000)
  const secured = connectTls({ socket, ca: authority.cert }).on('error', () => {})
  await once(secured, 'secureConnect')
  t.mock.timers.tick(1000)
  await quiet()
  assert.equal(secured.closed, false)
  clock.passes(1000)
  t.mock.timers.tick(1000)
  secured.resume()
  await until(() => secured.closed, 'it is closed')
})
