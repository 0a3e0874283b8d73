import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect } from 'node:tls'
import mqtt from 'mqtt'
import { issueServer, newKey } from '../../src/adapters/platform/tls/issue.ts'
import { userHash } from '../../src/core/account/user-hash.ts'
import { HOUR, MINUTE } from '../../src/lib/durations.ts'
import { type Service, startService } from '../../src/service.ts'
import { applicationCalled } from '../contract/site.ts'
import { freshDatabase, withoutPostgres } from '../fixtures/postgres-place.ts'
import { type AcmeCa, startAcmeCa } from '../harness/acme-ca.ts'
import { consoleAdmin } from '../harness/console-admin.ts'
import { freePort } from '../harness/free-port.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { openStoreHere } from '../harness/site.ts'
import { testConfig } from '../harness/test-config.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'
import { until } from '../harness/wait.ts'

// docs/certificates.md, docs/setup.md

const DOMAIN = 'sos.example.org'
const SECRET = 'the secret of a site that gets its certificate from the console'
const here = { host: '127.0.0.1', port: 0 }

const portOf = (url = ''): number => Number(new URL(url).port)

/** A CA, the time, and a port that port 80 of the domain leads to. */
async function world(t: TestContext) {
  const clock = new VirtualClock(Date.now())
  const acmePort = await freePort()
  const ca = await startAcmeCa(
    { after: (end) => endsLastFirst(t, async () => void (await end())) },
    { now: () => clock.now(), port80: () => acmePort, lifeMs: HOUR },
  )
  return { clock, ca, acmePort, port80: acmePort, nodes: [] as Service[], lines: [] as string[] }
}
type World = Awaited<ReturnType<typeof world>>

async function newDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-console-acme-'))
  endsLastFirst(t, () => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

/** A node whose file has nothing about certificates but the directory of the test's CA. */
async function startNode(t: TestContext, net: World, dataDir: string, more: Record<string, unknown> = {}) {
  const tls = { mqtts: here, https: here, acme: { directory: net.ca.directory } }
  const note = (fields: object, message: string): void => void net.lines.push(JSON.stringify({ ...fields, message }))
  const service = await startService(
    { ...testConfig(dataDir, { ...tls, ...more }), secretsKey: { reveal: () => Buffer.alloc(32, 7) } },
    {
      clock: net.clock,
      log: { info: note, warn: note, error: note },
      isSynchronised: async () => false,
      openStore: openStoreHere,
      certificates: { leadsTo: () => ({ address: '127.0.0.1', port: net.port80 }) },
    },
  )
  endsLastFirst(t, () => service.stop())
  net.nodes.push(service)
  return service
}

const settled = (net: World) => async () => void (await Promise.all(net.nodes.map((node) => node.settled())))
const passes = (net: World, what: string, isSo: () => unknown, step = '1 s') =>
  until(what, async () => {
    await net.clock.advance(step, settled(net))
    return isSo()
  })

/** What a new client sees that asks for this name. */
async function seenAt(url: string, servername = DOMAIN): Promise<X509Certificate> {
  const socket = connect({ host: '127.0.0.1', port: portOf(url), rejectUnauthorized: false, servername })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  const seen = socket.getPeerX509Certificate()!
  socket.destroy()
  return seen
}
const isFrom = (ca: AcmeCa, { issuer }: X509Certificate): boolean =>
  issuer === new X509Certificate(ca.authority.cert).subject

async function connectedClients(t: TestContext, { store, listeners }: Service, count: number) {
  const application = applicationCalled('Hut')
  await store.createApplication(application, SECRET)
  const { mqtts = '', https = '' } = listeners
  const clients = await Promise.all(
    Array.from({ length: count }, (_, n) => {
      const tls = { rejectUnauthorized: false, servername: DOMAIN }
      return mqtt.connectAsync(n % 4 === 0 ? `${https.replace('https', 'wss')}/mqtt` : mqtts, {
        ...{ ...tls, wsOptions: tls, reconnectPeriod: 0, clientId: `phone-${n}` },
        ...{ username: `sdk:${application.id}:mia`, password: userHash(SECRET, 'mia') },
      })
    }),
  )
  t.after(() => Promise.all(clients.map((client) => client.endAsync(true))))
  return clients
}

const fieldsOf = ({ json }: { json: any }) => json.error.fields.map(({ field, message }: any) => `${field}: ${message}`)

test('the certificate and the address are set in the console while clients are connected', async (t) => {
  const net = await world(t)
  const dataDir = await newDataDir(t)
  const service = await startNode(t, net, dataDir)
  const { http = '', mqtts = '', https = '' } = service.listeners
  const eva = await consoleAdmin(service.store, http, () => net.clock.now())
  const put = async (section: string, values: object) => {
    const answer = await eva.ask('PUT', `/setup/${section}`, { values, proof: eva.proof() })
    await net.clock.advance('30 s', settled(net))
    return answer
  }
  const works = async (section: string, values: object) => {
    const answer = await put(section, values)
    assert.equal(answer.status, 200, answer.text)
    return answer.json
  }
  const clients = await connectedClients(t, service, 20)
  const on = { 'acme.enabled': true, 'http.acmePort': net.acmePort }

  // What cannot work is refused, and nothing is stored.
  assert.deepEqual(fieldsOf(await put('certificate', on)), [
    'publicUrl: is required with acme.enabled, or acme.domains',
  ])
  await works('address', { publicUrl: 'https://sos.hut.local' })
  const isNamed = async (name: string) => (await seenAt(https, name)).checkHost(name) === name
  await passes(net, 'the local certificate has the new name', () => isNamed('sos.hut.local'))
  await works('certificate', { 'tls.names': ['cabin.lan', '10.1.2.3'] })
  assert.ok(await isNamed('cabin.lan'))
  await works('address', { publicUrl: `https://${DOMAIN}` })
  const taken = createServer((_, response) => void response.writeHead(404).end()).listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => {
    taken.closeAllConnections()
    taken.close()
  })
  const { port } = taken.address() as AddressInfo
  assert.match(
    fieldsOf(await put('certificate', { ...on, 'http.acmePort': port })).join(),
    /^http\.acmePort: cannot listen on https\.host 127\.0\.0\.1, http\.acmePort \d+: the port is in use$/,
  )
  assert.deepEqual(fieldsOf(await put('certificate', { 'acme.enabled': true })), [
    'http.acmePort: is required with acme.enabled (80, where the CA asks), or acme.dnsHook',
  ])
  assert.deepEqual(fieldsOf(await put('certificate', { 'acme.dnsHook': '/bin/sh' })), [
    'acme.dnsHook: is not a setting of this part',
  ])
  assert.equal((await eva.ask('PUT', '/setup/certificate', { values: on })).json.error.reason, 'proofs_needed')
  assert.equal(
    (await service.store.siteSettings()).some(({ key }) => key.startsWith('acme')),
    false,
  )

  const enabled = await works('certificate', on)
  assert.equal(enabled.changes[0].canUndo, true)
  const challengeUrl = `http://127.0.0.1:${net.acmePort}/t/x`
  const led = await fetch(challengeUrl, { redirect: 'manual' })
  assert.equal(led.headers.get('location'), `https://${DOMAIN}/t/x`)
  for (const url of [mqtts, https]) {
    await passes(net, 'the certificate is in use', async () => isFrom(net.ca, await seenAt(url)))
  }
  assert.equal(isFrom(net.ca, await seenAt(mqtts, 'hut.local')), false, 'others keep the local one')

  // A list without the public host is told, and so is a name that leads elsewhere.
  net.port80 = port
  await works('certificate', { 'acme.domains': ['mqtt.example.org'] })
  const shownNow = async () => (await eva.ask('GET', '/setup')).json.certificate
  await passes(net, 'it says that the name leads elsewhere', async () =>
    /gives another answer than this site/.test((await shownNow()).concerns.join()),
  )
  await eva.ask('POST', '/session/proof', { password: eva.proof().password })
  const readyz = async () => (await fetch(`${http}/readyz`)).text()
  await passes(net, 'the concern', async () => /acme\.domains lacks sos\.example\.org/.test(await readyz()), '10 s')
  await works('certificate', { 'acme.domains': null })
  net.port80 = net.acmePort
  assert.deepEqual((await shownNow()).source, 'acme')
  assert.deepEqual((await shownNow()).concerns, [])
  await works('address', { publicUrl: 'https://new.example.org' })
  await passes(net, 'the new name', async () => isFrom(net.ca, await seenAt(https, 'new.example.org')))
  assert.equal(
    (await fetch(challengeUrl, { redirect: 'manual' })).headers.get('location'),
    'https://new.example.org/t/x',
  )
  assert.match(fieldsOf(await put('address', { publicUrl: 'http://new.example.org' })).join(), /^publicUrl: must begin/)

  const orders = net.ca.orders.size
  await net.clock.advance('40 min', settled(net), MINUTE)
  await passes(net, 'it is renewed', () => net.ca.orders.size > orders, '10 s').catch(async (error) => {
    throw new Error(`${error.message}; the site says: ${(await shownNow()).concerns}`)
  })
  await eva.ask('POST', '/session/proof', { password: eva.proof().password })

  // Off again: the local CA, and nobody listens at the port. The undo has it all back.
  const off = await works('certificate', { 'acme.enabled': null, 'http.acmePort': null })
  assert.equal(isFrom(net.ca, await seenAt(https, 'new.example.org')), false)
  await assert.rejects(fetch(challengeUrl))
  const undone = await eva.ask('POST', '/setup/undo', { change: off.changes[0].id, proof: eva.proof() })
  assert.equal(undone.status, 200, undone.text)
  assert.equal(isFrom(net.ca, await seenAt(https, 'new.example.org')), true)
  for (const { value } of await service.store.certificateRecords()) assert.ok(!value.includes('PRIVATE KEY'))

  // One's own in its place, for clients that ask for its name; its key never leaves again.
  const mine = await issueServer(net.ca.authority, ['new.example.org'], net.clock.now())
  const both = { 'tls.pem': mine.cert + mine.key }
  assert.deepEqual(fieldsOf(await put('certificate', both)), [
    'acme.enabled: must be off with tls.pem: a site has one certificate, your own or that of the CA',
  ])
  assert.deepEqual(fieldsOf(await put('certificate', { 'tls.pem': mine.cert + newKey(), 'acme.enabled': null })), [
    'tls.pem: has a private key that belongs to another certificate',
  ])
  await net.clock.advance('2 min', settled(net))
  const pasted = await eva.ask('PUT', '/setup/certificate', {
    values: { ...both, 'acme.enabled': null },
    proof: eva.proof(),
  })
  assert.equal(pasted.status, 200, pasted.text)
  const print = new X509Certificate(mine.cert).fingerprint256
  assert.equal((await seenAt(mqtts, 'new.example.org')).fingerprint256, print)
  assert.notEqual((await seenAt(mqtts, 'hut.local')).fingerprint256, print)
  const shown = [
    pasted.text,
    (await eva.ask('GET', '/setup')).text,
    (await eva.ask('GET', '/audit')).text,
    ...net.lines,
  ]
  for (const text of shown) assert.ok(!text.includes('PRIVATE KEY'))
  await net.clock.advance('30 s', settled(net))
  await works('address', { publicUrl: 'https://other.example.org' })
  assert.match(await readyz(), /tls\.pem does not cover other\.example\.org/)

  // A restart has the same in force.
  assert.ok(
    clients.every(({ connected }) => connected),
    'no connection was closed',
  )
  net.nodes.pop()
  await Promise.all(clients.map((client) => client.endAsync(true)))
  await service.stop()
  const again = await startNode(t, net, dataDir)
  assert.equal((await seenAt(again.listeners.https!, 'new.example.org')).fingerprint256, print)
  assert.equal(portOf(again.listeners.acme), net.acmePort)
})

test('behind a proxy that ends TLS it cannot be switched on, and says why', async (t) => {
  const net = await world(t)
  const service = await startNode(t, net, await newDataDir(t), {
    http: { ...here, trustProxy: true },
    publicUrl: `https://${DOMAIN}`,
  })
  const eva = await consoleAdmin(service.store, service.listeners.http!, () => net.clock.now())
  const values = { 'acme.enabled': true, 'http.acmePort': net.acmePort }
  const answer = await eva.ask('PUT', '/setup/certificate', { values, proof: eva.proof() })
  assert.match(
    fieldsOf(answer).join(),
    /^acme\.enabled: must be off with http\.trustProxy: the proxy in front ends TLS/,
  )
})

test('of two nodes both take it over at once; the public address needs no file there either', {
  skip: withoutPostgres,
}, async (t) => {
  const net = await world(t)
  const url = await freshDatabase(t)
  const nodes: Service[] = []
  for (const id of ['north', 'south']) {
    nodes.push(await startNode(t, net, await newDataDir(t), { store: { url }, node: { id } }))
  }
  const [north, south] = nodes as [Service, Service]
  const eva = await consoleAdmin(north.store, north.listeners.http!, () => net.clock.now())
  const ready = await (await fetch(`${south.listeners.http}/readyz`)).text()
  assert.match(ready, /publicUrl is not set, so each link leads to the node that sent it/)
  const put = async (section: string, values: object) => {
    const answer = await eva.ask('PUT', `/setup/${section}`, { values, proof: eva.proof() })
    assert.equal(answer.status, 200, answer.text)
    await net.clock.advance('30 s', settled(net))
  }
  await put('address', { publicUrl: `https://${DOMAIN}` })
  const addressAt = async ({ listeners: { http } }: Service) =>
    (await eva.ask('GET', '/session', undefined, http)).json.site.publicUrl
  for (const node of nodes) {
    await until('the address is in force', async () => (await addressAt(node)) === `https://${DOMAIN}`)
  }
  // On one machine only one of them can have the port; the other says so, and serves all the same.
  await put('certificate', { 'acme.enabled': true, 'http.acmePort': net.acmePort })
  for (const { listeners } of nodes) {
    await passes(net, 'it has the certificate', async () => isFrom(net.ca, await seenAt(listeners.https!)))
  }
  assert.equal(net.ca.orders.size, 1)
  await put('certificate', { 'acme.enabled': null, 'http.acmePort': null })
  for (const { listeners } of nodes) {
    await until('that of the local CA is back', async () => !isFrom(net.ca, await seenAt(listeners.https!)))
  }
})
