import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type ProcessSite, startProcessSite, UNHURRIED } from '../harness/process-site.ts'

/** Far fewer than on a real site, so that a few hundred connections are too many. */
const OPEN_FILES = 200
const HOSTILE = '127.0.0.9'

const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: hut\r\n\r\n'
const HALF = 'POST /v1/sdk/sos HTTP/1.1\r\nHost: hut\r\nContent-Length: 9\r\n\r\n{'
const UPGRADE = `GET /mqtt HTTP/1.1\r\nHost: hut\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n`

/** What one address holds open, and what each connection sends. */
const attacks: readonly (readonly [string, 'http' | 'mqtt', string])[] = [
  ['HTTP connections that are idle after a good request', 'http', REQUEST],
  ['HTTP connections that never bring one', 'http', ''],
  ['HTTP requests whose body does not come', 'http', HALF],
  ['MQTT connections that never log in', 'mqtt', ''],
  ['WebSockets that never log in', 'http', UPGRADE],
]

async function holdAll(t: TestContext, site: ProcessSite, listener: 'http' | 'mqtt', bytes: string): Promise<void> {
  const { hostname, port } = new URL(site[listener])
  const dial = async (): Promise<void> => {
    const socket: Socket = connect({ host: hostname, port: Number(port), localAddress: HOSTILE })
    t.after(() => socket.destroy())
    await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve))
    socket.on('error', () => {})
    socket.resume().write(bytes)
  }
  for (let n = 0; n < OPEN_FILES + 100; n += 50) await Promise.all(Array.from({ length: 50 }, dial))
  // Long enough for the service to read what was written.
  await wait(300)
}

test('while one address holds everything it can, of every kind, others raise alarms', async (t) => {
  const site = await startProcessSite(t, { settings: UNHURRIED, launcher: ['prlimit', `--nofile=${OPEN_FILES}`] })
  for (const [what, listener, bytes] of attacks) {
    t.diagnostic(what)
    await holdAll(t, site, listener, bytes)
    await site.stillAlarms()
  }
})
