import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import mqtt, { type Packet } from 'mqtt-packet'
import { issueAuthority, issueServer, newKey } from '../../src/adapters/platform/tls/issue.ts'
import { canaryPress } from '../../src/service/canary.ts'

const PRESS = { username: 'sdk:a:b', password: 'hash', topic: 'sos/alerts/u', payload: '{}' }

/** A listener that answers each packet as told. */
async function listens(
  t: TestContext,
  answer: (packet: Packet, socket: Socket) => void,
  tls: { readonly key: string; readonly cert: string } | null = null,
): Promise<string> {
  const sockets = new Set<Socket>()
  const takes = (socket: Socket): void => {
    sockets.add(socket)
    const parser = mqtt.parser()
    parser.on('packet', (packet: Packet) => answer(packet, socket))
    socket.on('data', (bytes) => void parser.parse(bytes))
    socket.on('error', () => {})
  }
  const server = tls === null ? createServer(takes) : createTlsServer(tls, takes)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  t.after(close)
  return `${tls === null ? 'mqtt' : 'mqtts'}://127.0.0.1:${(server.address() as { port: number }).port}`
}

const never = () => new AbortController().signal
const pressAt = (url: string, signal = never()) => canaryPress(() => ({ mqtt: url }), null)(PRESS, signal)
const connack = (returnCode: number) => mqtt.generate({ cmd: 'connack', returnCode, sessionPresent: false })

test('a press is a login and a publish with QoS 1, and is done with its PUBACK', async (t) => {
  const seen: Packet[] = []
  const url = await listens(t, (packet, socket) => {
    seen.push(packet)
    if (packet.cmd === 'connect') socket.write(connack(0))
    if (packet.cmd === 'publish') socket.write(mqtt.generate({ cmd: 'puback', messageId: packet.messageId! }))
  })
  assert.equal(await pressAt(url), null)
  const [connect, publish] = seen
  assert.ok(connect?.cmd === 'connect' && publish?.cmd === 'publish')
  assert.equal(connect.username, PRESS.username)
  assert.equal(String(connect.password), PRESS.password)
  assert.deepEqual([publish.topic, String(publish.payload), publish.qos], [PRESS.topic, '{}', 1])
})

test('it presses with TLS where that is on, as trackers do: one that does not work shows', async (t) => {
  const answers = (packet: Packet, socket: Socket): void => {
    if (packet.cmd === 'connect') socket.write(connack(0))
    if (packet.cmd === 'publish') socket.write(mqtt.generate({ cmd: 'puback', messageId: packet.messageId! }))
  }
  const plain = await listens(t, answers)
  const key = newKey()
  const issued = await issueServer({ key, cert: await issueAuthority(key, Date.now()) }, ['127.0.0.1'], Date.now())
  const secure = await listens(t, answers, issued)
  assert.equal(await canaryPress(() => ({ mqtt: 'mqtt://127.0.0.1:9', mqtts: secure }), null)(PRESS, never()), null)
  const withoutKey = await listens(t, (_packet, socket) => socket.destroy(), { key: '', cert: '' })
  assert.equal((await canaryPress(() => ({ mqtt: plain, mqtts: withoutKey }), null)(PRESS, never()))?.failed, 'connect')
})

test('a listener that is gone, refuses or closes is named with the step', async (t) => {
  const gone = await pressAt('mqtt://127.0.0.1:9')
  assert.equal(gone?.failed, 'connect')
  const refusing = await listens(t, (_packet, socket) => void socket.write(connack(5)))
  assert.deepEqual(await pressAt(refusing), { failed: 'login', error: 'CONNACK 5' })
  const closing = await listens(t, (packet, socket) => {
    if (packet.cmd === 'connect') socket.write(connack(0))
    else socket.end()
  })
  assert.deepEqual(await pressAt(closing), { failed: 'puback', error: 'the connection was closed' })
  assert.equal((await canaryPress(() => ({}), null)(PRESS, never()))?.failed, 'connect')
})

test('a stop ends a press that nobody answers', async (t) => {
  const stopping = new AbortController()
  const silent = await listens(t, () => stopping.abort())
  assert.deepEqual(await pressAt(silent, stopping.signal), { failed: 'login', error: 'the service is stopping' })
})
