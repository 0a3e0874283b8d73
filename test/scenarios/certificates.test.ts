import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import mqtt, { type MqttClient } from 'mqtt'
import { userHash } from '../../src/core/account/user-hash.ts'
import { HOUR, MINUTE } from '../../src/lib/durations.ts'
import { type Service, startService } from '../../src/service.ts'
import { applicationCalled } from '../contract/site.ts'
import { freshDatabase, withoutPostgres } from '../fixtures/postgres-place.ts'
import { type AcmeCa, startAcmeCa } from '../harness/acme-ca.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { openStoreHere } from '../harness/site.ts'
import { testConfig } from '../harness/test-config.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'
import { until } from '../harness/wait.ts'

const DOMAIN = 'sos.example.org'
const SECRET = 'the secret of a site with a certificate'
const LIFE_HOURS = 12
const here = { host: '127.0.0.1', port: 0 }

/** Where port 80 of the domain leads: a node's listener for challenges, unless the test says otherwise. */
class Internet {
  port80 = 0
  readonly clock = new VirtualClock(Date.now())
  readonly nodes: Service[] = []
  readonly lines: string[] = []

  leadsTo = () => ({ address: '127.0.0.1', port: this.port80 })

  /** Lets time pass until something is so. */
  passes(what: string, isSo: () => unknown, step = '1 s'): Promise<unknown> {
    return until(what, async () => {
      await this.clock.advance(step, this.#settled)
      return isSo()
    })
  }

  hours(hours: number): Promise<void> {
    return this.clock.advance(`${hours} h`, this.#settled, 5 * MINUTE)
  }

  readonly #settled = async (): Promise<void> => {
    await Promise.all(this.nodes.map((node) => node.settled()))
  }

  logged(pattern: RegExp): boolean {
    return this.lines.some((line) => pattern.test(line))
  }
}

async function internetAndCa(t: TestContext): Promise<{ readonly net: Internet; readonly ca: AcmeCa }> {
  const net = new Internet()
  const ca = await startAcmeCa(
    { after: (end) => endsLastFirst(t, async () => void (await end())) },
    { now: () => net.clock.now(), port80: () => net.port80, lifeMs: LIFE_HOURS * HOUR },
  )
  return { net, ca }
}

async function newDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-acme-'))
  endsLastFirst(t, () => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

/** A node with a certificate from the CA, or on the way to one. It becomes the one at the domain. */
async function startNode(
  t: TestContext,
  { net, ca }: { readonly net: Internet; readonly ca: AcmeCa },
  more: Record<string, unknown> = {},
  given?: string,
): Promise<Service> {
  const dataDir = given ?? (await newDataDir(t))
  const { http, ...others } = more
  const config = testConfig(dataDir, {
    mqtts: here,
    https: here,
    http: { ...here, acmePort: 0, ...(http as object) },
    publicUrl: `https://${DOMAIN}`,
    acme: { enabled: true, directory: ca.directory },
    ...others,
  })
  const note = (fields: object, message: string): void => void net.lines.push(JSON.stringify({ ...fields, message }))
  // As every node of a site has it.
  const secretsKey = { reveal: () => Buffer.alloc(32, 7) }
  const service = await startService(
    { ...config, secretsKey },
    {
      clock: net.clock,
      log: { info: note, warn: note, error: note },
      isSynchronised: async () => false,
      openStore: openStoreHere,
      certificates: { leadsTo: net.leadsTo },
    },
  )
  endsLastFirst(t, () => service.stop())
  net.nodes.push(service)
  if (service.listeners.acme !== undefined) net.port80 = Number(new URL(service.listeners.acme).port)
  return service
}

const portOf = (url: string): number => Number(new URL(url).port)

async function secured(t: TestContext, url: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port: portOf(url),
    rejectUnauthorized: false,
    servername: DOMAIN,
    ...options,
  })
  t.after(() => socket.destroy())
  await once(socket, 'secureConnect')
  return socket.on('error', () => {})
}

const issuerOf = (socket: TLSSocket): string | undefined => socket.getPeerX509Certificate()?.issuer

/** Whether a client that asks for the domain sees a certificate of the CA. */
async function isFromCa(t: TestContext, url: string, ca: AcmeCa, options: ConnectionOptions = {}): Promise<boolean> {
  const socket = await secured(t, url, options)
  const isIssued = issuerOf(socket) === new X509Certificate(ca.authority.cert).subject
  socket.destroy()
  return isIssued
}

/** Clients of one user, over MQTTS and WSS, which ask for the domain. */
async function connectedClients(t: TestContext, service: Service, count: number): Promise<readonly MqttClient[]> {
  const application = applicationCalled('Hut')
  await service.store.createApplication(application, SECRET)
  const { mqtts = '', https = '' } = service.listeners
  const clients = await Promise.all(
    Array.from({ length: count }, (_, n) => {
      const isWss = n % 10 === 0
      const tls = { rejectUnauthorized: false, servername: DOMAIN }
      return mqtt.connectAsync(isWss ? `${https.replace('https', 'wss')}/mqtt` : mqtts, {
        ...tls,
        wsOptions: tls,
        username: `sdk:${application.id}:mia`,
        password: userHash(SECRET, 'mia'),
        clientId: `phone-${n}`,
        reconnectPeriod: 0,
      })
    }),
  )
  t.after(() => Promise.all(clients.map((client) => client.endAsync(true))))
  return clients
}

test('a site gets a certificate and renews it, and no connection is closed', async (t) => {
  const { net, ca } = await internetAndCa(t)
  const service = await startNode(t, { net, ca })
  const { mqtts = '', https = '' } = service.listeners
  assert.equal(await isFromCa(t, mqtts, ca), false)
  const clients = await connectedClients(t, service, 55)

  const connects = async (when: string): Promise<void> => {
    for (const url of [mqtts, https]) {
      for (const protocol of ['http/1.1', 'h2', 'mqtt', null]) {
        const offer = protocol === null ? {} : { ALPNProtocols: [protocol] }
        const socket = await secured(t, url, offer)
        assert.equal(socket.alpnProtocol, false, when)
        socket.destroy()
      }
    }
  }
  await connects('before')
  let during = 0
  ca.interfere = async (step) => {
    if (step !== 'finalize') return
    await connects('during')
    during += 1
  }
  for (const url of [mqtts, https]) await net.passes('the certificate is in use', () => isFromCa(t, url, ca))
  await connects('after')
  // Those that connect by address, and trust the local CA, keep it.
  assert.equal(await isFromCa(t, mqtts, ca, { servername: '' }), false)
  assert.equal(await isFromCa(t, https, ca, { servername: 'hut.local' }), false)

  const first = (await secured(t, mqtts)).getPeerX509Certificate()!.fingerprint256
  await net.hours(LIFE_HOURS / 2)
  assert.equal(ca.orders.size, 1)
  await net.hours(LIFE_HOURS / 6 - 0.1)
  await net.passes('it is renewed', () => ca.orders.size === 2, '10 s')
  await net.passes('the new one is in use', async () => {
    const socket = await secured(t, mqtts)
    const { fingerprint256 } = socket.getPeerX509Certificate()!
    socket.destroy()
    return fingerprint256 !== first
  })
  await connects('after the renewal')
  assert.equal(during, 2)
  await Promise.all(clients.map((client) => client.subscribeAsync('sos/events/none').catch(() => {})))
  assert.ok(clients.every(({ connected }) => connected))
  assert.equal(ca.accounts.size, 1)
})

test('an order goes on after a restart in its middle, and the certificate is there at the next start', async (t) => {
  const { net, ca } = await internetAndCa(t)
  const dataDir = await newDataDir(t)
  ca.decides = false
  const first = await startNode(t, { net, ca }, {}, dataDir)
  await net.passes('the CA has been asked', () => ca.count('challenge') > 0)
  net.nodes.pop()
  await first.stop()

  ca.decides = true
  const second = await startNode(t, { net, ca }, {}, dataDir)
  await net.passes('there is a certificate', () => net.logged(/got a certificate from the CA/))
  assert.deepEqual([ca.orders.size, ca.accounts.size], [1, 1])
  net.nodes.pop()
  await second.stop()

  const third = await startNode(t, { net, ca }, {}, dataDir)
  assert.equal(await isFromCa(t, third.listeners.https!, ca), true)
})

test('a domain that leads elsewhere is told, and costs one order a day', async (t) => {
  const { net, ca } = await internetAndCa(t)
  const elsewhere = createServer((_, response) => void response.writeHead(404).end('old server'))
  elsewhere.listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  t.after(() => {
    elsewhere.closeAllConnections()
    elsewhere.close()
  })
  const service = await startNode(t, { net, ca })
  net.port80 = (elsewhere.address() as AddressInfo).port
  await net.passes('it is told', () => net.logged(/no certificate from the CA this time/))
  const readyz = async (): Promise<string> => (await fetch(`${service.listeners.http}/readyz`)).text()
  await net.passes('operators see it', async () => /gives another answer than this site/.test(await readyz()))
  assert.match(
    await readyz(),
    /there is no certificate from the CA yet.*127\.0\.0\.1.*\(HTTP 404\): set http\.acmePort/,
  )
  assert.equal(ca.orders.size, 0)
  assert.equal(await isFromCa(t, service.listeners.https!, ca), false)
})

test('a port that is taken stops no start', async (t) => {
  const { net, ca } = await internetAndCa(t)
  const other = createServer()
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const { port } = other.address() as AddressInfo
  const service = await startNode(t, { net, ca }, { http: { acmePort: port } })
  assert.equal(service.listeners.acme, undefined)
  const readyz = await (await fetch(`${service.listeners.http}/readyz`)).text()
  assert.match(readyz, /cannot listen on https\.host 127\.0\.0\.1, http\.acmePort \d+: the port is in use/)
  await net.passes('it is tried', () => net.logged(/no certificate from the CA this time.*/))
  assert.deepEqual(ca.steps, [])
})

test('of two nodes one orders, and both answer the CA and load the certificate', {
  skip: withoutPostgres,
}, async (t) => {
  const { net, ca } = await internetAndCa(t)
  const url = await freshDatabase(t)
  const nodes: Service[] = []
  for (const id of ['north', 'south']) nodes.push(await startNode(t, { net, ca }, { store: { url }, node: { id } }))
  const answers: (readonly string[])[] = []
  ca.interfere = async (step) => {
    if (step !== 'challenge') return
    const [order] = ca.orders.values()
    const { token } = order!.authorizations[0]!.challenges[0]!
    const asked = nodes.map(({ listeners }) => fetch(`${listeners.acme}/.well-known/acme-challenge/${token}`))
    answers.push(await Promise.all(asked.map(async (answer) => (await answer).text())))
  }
  for (const { listeners } of nodes) {
    await net.passes('it has the certificate', () => isFromCa(t, listeners.https!, ca))
  }
  assert.equal(ca.orders.size, 1)
  const [north, south] = answers[0]!
  assert.match(north!, /^[\w-]+\.[\w-]{43}$/)
  assert.equal(south, north)
})
