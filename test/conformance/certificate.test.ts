import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import mqtt from 'mqtt'
import { issueAuthority, issueServer, newKey } from '../../src/adapters/platform/tls/issue.ts'
import { startProcessSite, UNHURRIED } from '../harness/process-site.ts'
import { until } from '../harness/wait.ts'

const ANY = { HOST: '127.0.0.1', PORT: '0' }

test('the operator’s certificate is replaced on SIGHUP and automatically; connections over tls and wss stay', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-own-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const key = newKey()
  const authority = { key, cert: await issueAuthority(key, Date.now()) }
  const [certFile, keyFile] = [join(directory, 'own.crt'), join(directory, 'own.key')]
  /** Writes a new pair into the files and returns its fingerprint. */
  const renew = async () => {
    const pair = await issueServer(authority, ['127.0.0.1'], Date.now())
    await writeFile(certFile, pair.cert)
    await writeFile(keyFile, pair.key, { mode: 0o600 })
    return new X509Certificate(pair.cert).fingerprint256
  }
  const first = await renew()
  const site = await startProcessSite(t, {
    settings: UNHURRIED,
    env: {
      TOCSIN_MQTTS_HOST: ANY.HOST,
      TOCSIN_MQTTS_PORT: ANY.PORT,
      TOCSIN_HTTPS_HOST: ANY.HOST,
      TOCSIN_HTTPS_PORT: ANY.PORT,
      TOCSIN_TLS_CERT: certFile,
      TOCSIN_TLS_KEY: keyFile,
    },
  })
  const ready = site.process.lines.find(({ msg }) => msg === 'ready')!
  const ports = [ready.listeners.mqtts, ready.listeners.https].map((url: string) => Number(new URL(url).port))
  const shown = () => Promise.all(ports.map((port) => fingerprintAt(t, port, authority.cert)))
  assert.deepEqual(await shown(), [first, first])

  const user = await site.user('mia')
  const identity = { username: `sdk:${site.appId}:mia`, password: user.hash, reconnectPeriod: 0 }
  const ca = { ca: authority.cert }
  const clients = await Promise.all([
    mqtt.connectAsync(ready.listeners.mqtts, { ...identity, ...ca, clientId: 'tls' }),
    mqtt.connectAsync(`${ready.listeners.https.replace('https:', 'wss:')}/mqtt`, {
      ...identity,
      wsOptions: ca,
      clientId: 'wss',
    }),
  ])
  t.after(() => Promise.all(clients.map((client) => client.endAsync(true))))

  const second = await renew()
  process.kill(ready.pid, 'SIGHUP')
  await until('the new certificate is shown', async () => (await shown()).every((one) => one === second))
  await writeFile(certFile, 'no certificate at all')
  process.kill(ready.pid, 'SIGHUP')
  await until('a complaint', () => site.output.includes('the previous certificate stays in use'))
  assert.deepEqual(await shown(), [second, second])
  // No signal this time.
  const third = await renew()
  await until('the new certificate is shown', async () => (await shown()).every((one) => one === third), 30_000)

  for (const client of clients) {
    await client.publishAsync(`tel/${user.userId}/data`, JSON.stringify({ timestamp: new Date().toISOString() }), {
      qos: 1,
    })
  }
  await site.stillAlarms()
})

async function fingerprintAt(t: TestContext, port: number, ca: string): Promise<string> {
  const socket: TLSSocket = connect({ host: ANY.HOST, port, ca })
  t.after(() => socket.destroy())
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}
