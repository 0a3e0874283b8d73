import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Service, startService } from '../../src/service.ts'
import { applicationCalled } from '../contract/site.ts'
import { freshDatabase, withoutPostgres } from '../fixtures/postgres-place.ts'
import { quiet } from '../fixtures/store-place.ts'
import { chirpStackUp, twelve } from '../fixtures/uplinks.ts'
import { consoleAdmin } from '../harness/console-admin.ts'
import type { Ending } from '../harness/ending.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { listen } from '../harness/listener.ts'
import { EUI, mosquitto } from '../harness/mosquitto.ts'
import { type Site, startSite } from '../harness/site.ts'
import { testConfig } from '../harness/test-config.ts'
import { until } from '../harness/wait.ts'

// setup.md: network servers

const SECRET = 'the secret of a site whose network servers are set in the console'
const SERVERS = 'lorawan.servers'
const TOKEN = 'a token of the network server'

type Admin = Awaited<ReturnType<typeof consoleAdmin>>

/** Sets the network servers in the console; null: none. */
const setServers = async ({ ask, proof }: Admin, servers: object | null, at?: string) => {
  const answer = await ask('PUT', '/setup/lorawan', { values: { [SERVERS]: servers }, proof: proof() }, at)
  assert.equal(answer.status, 200, answer.text)
  return answer
}

async function pairTracker({ store }: Pick<Service, 'store'>, appId: string, userId: string, now: number) {
  const hardwareId = 'A8:40:41:FF:FF:18:51:23'
  await store.registerHardware(appId, [{ hardwareId, codeHash: 'x', model: 'tocsin-12' }], now)
  const pairing = { id: randomUUID(), appId, userId, hardwareId, firmwareVersion: null, hardwareModel: null }
  await store.pair({ ...pairing, now, limit: 5 })
}

/** A site without a network server, whose user has a tracker. */
async function serverless(t: TestContext, config: Record<string, unknown> = {}) {
  const site = await startSite(t, { contacts: ['Ana'], settings: { graceSeconds: 0, voice: false }, config })
  const { store, listeners } = site.service
  const { appId } = site.user.account
  await pairTracker(site.service, appId, site.user.userId, site.clock.now())
  const eva = await consoleAdmin(store, listeners.http!, () => site.clock.now())
  const set = async (servers: object | null) => {
    const answer = await setServers(eva, servers)
    await site.advance('30 s')
    return answer
  }
  return { site, eva, set, server: { type: 'chirpstack', application: appId } }
}

let counter = 0
const pressAt = (now: number): string => {
  counter += 1
  const at = new Date(now).toISOString()
  return JSON.stringify(chirpStackUp({ devEui: EUI, at, counter, port: 3, bytes: twelve({ press: counter % 16 }) }))
}
const post = async (http: string, token: string, body: string, name = 'hut'): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return (await fetch(`${http}/v1/lorawan/${name}?event=up`, { method: 'POST', headers, body })).status
}

const connectedTo = async (http: string, name: string): Promise<string | undefined> =>
  new RegExp(`tocsin_lorawan_connected\\{server="${name}"\\} (\\d)`).exec(
    await (await fetch(`${http}/metrics`)).text(),
  )?.[1]
const isConnected = async (http: string, name: string) => (await connectedTo(http, name)) === '1' || undefined
const incidentsOf = async ({ service }: Site) => (await service.store.incidents({ openOnly: false })).length

test('the SOS of the first network server of a running service alarms; a changed token and a removal count at once', async (t) => {
  const { site, eva, set, server } = await serverless(t)
  const http = site.service.listeners.http!
  const press = (token: string) => post(http, token, pressAt(site.clock.now()))
  assert.equal(await press(TOKEN), 401)
  const unproved = await eva.ask('PUT', '/setup/lorawan', {
    values: { [SERVERS]: { hut: { ...server, token: TOKEN } } },
  })
  assert.equal(unproved.json.error.reason, 'proofs_needed')
  const added = await set({ hut: { ...server, token: TOKEN } })
  assert.ok(!added.text.includes(TOKEN), 'the token does not come back')
  for (const { value } of await site.service.store.siteSettings()) assert.ok(!value.includes(TOKEN), 'it is sealed')
  assert.equal(await press(TOKEN), 204)
  await site.advance('1 min')
  await site.phone('Ana').receivesSms(/Mia Moser/)
  await site.user.ends('cancel')
  await site.advance('1 min')

  // Admitted with the former token before the change, complete after it.
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const slow = request(`${http}/v1/lorawan/hut?event=up`, { method: 'POST', headers })
  const body = pressAt(site.clock.now())
  const answered = new Promise<number>((resolve) => slow.once('response', (response) => resolve(response.statusCode!)))
  slow.write(body.slice(0, 20))
  const before = await incidentsOf(site)
  await set({ hut: { ...server, token: `${TOKEN} 2` } })
  slow.end(body.slice(20))
  assert.equal(await answered, 204)
  assert.equal(await incidentsOf(site), before + 1)
  assert.deepEqual([await press(TOKEN), await press(`${TOKEN} 2`)], [401, 204])

  const removed = await set(null)
  assert.equal(await press(`${TOKEN} 2`), 401)
  const undone = await eva.ask('POST', '/setup/undo', { change: removed.json.changes[0].id, proof: eva.proof() })
  assert.equal(undone.status, 200, undone.text)
  assert.equal(await press(`${TOKEN} 2`), 204)

  // A profile of the console decides from here on which uplink is a press.
  await site.user.ends('cancel')
  await site.advance('30 s')
  const profiles = (typed: string, proof = { password: 'not', code: 'asked' }) =>
    eva.ask('PUT', '/setup/trackers', { values: { 'lorawan.profiles': typed }, proof })
  const buttonAt9 = 'lorawan:\n  profiles:\n    Tocsin-12:\n      sos: { ports: [9] }\n'
  const report = async () => {
    counter += 1
    const at = new Date(site.clock.now()).toISOString()
    const bytes = twelve({ press: counter % 16, sos: false })
    const taken = await post(
      http,
      `${TOKEN} 2`,
      JSON.stringify(chirpStackUp({ devEui: EUI, at, counter, port: 9, bytes })),
    )
    assert.equal(taken, 204)
    return (await incidentsOf(site)) - known
  }
  const known = await incidentsOf(site)
  assert.equal(await report(), 0)
  const bomb = `a: &a [${'1,'.repeat(90)}]\nb: &b [${'*a,'.repeat(90)}]\nc: [${'*b,'.repeat(90)}]`
  for (const [wrong, message] of [
    ['a: [', 'is not valid YAML'],
    ['none', 'must be profiles by name, as in docs/lorawan.md'],
    [bomb, 'is not valid YAML'],
    [
      Array.from({ length: 51 }, (_, n) => `p${n}: {}`).join('\n'),
      'must have at most 50 profiles, and 65536 characters together',
    ],
    ['a: { sos: { ports: [0] } }', 'must be at least 1'],
  ] as const) {
    assert.equal((await profiles(wrong)).json.error.fields[0].message, message)
  }
  const put = await profiles(buttonAt9, eva.proof())
  assert.equal(put.status, 200, put.text)
  assert.deepEqual(put.json.settings.find(({ key }: any) => key === 'lorawan.profiles').value, {
    'Tocsin-12': { sos: { ports: [9] } },
  })
  assert.equal(await report(), 1)
})

test('a broker is connected to when it is set, again with a corrected password, and left when it goes; others stay connected', async (t) => {
  const [broker, other] = await Promise.all([mosquitto(t, { password: 'right' }), mosquitto(t)])
  const { site, set, server } = await serverless(t)
  const http = site.service.listeners.http!
  const valley = { ...server, mqtt: { url: other.url } }
  const hut = (password: string) => ({ ...server, mqtt: { url: broker.url, username: 'tocsin', password } })
  await set({ valley, hut: hut('wrong') })
  await until('the other one is connected', () => isConnected(http, 'valley'))
  await until('it is refused', () => site.logged(/cannot be reached.*hut|hut.*cannot be reached/)[0])
  assert.equal(await connectedTo(http, 'hut'), '0')
  await set({ valley, hut: hut('right') })
  await until('connected', () => isConnected(http, 'hut'))
  await broker.uplink(3, new Date(site.clock.now()).toISOString())
  await until('an incident', async () => (await incidentsOf(site)) === 1 || undefined)
  await set({ valley })
  assert.equal(await connectedTo(http, 'hut'), undefined)
  assert.equal(await connectedTo(http, 'valley'), '1')
  await broker.uplink(3, new Date(site.clock.now()).toISOString())
  // What its broker kept meanwhile arrives once it is back.
  await set({ valley, hut: hut('right') })
  const taken = async () => {
    const metrics = await (await fetch(`${http}/metrics`)).text()
    return [...metrics.matchAll(/lorawan_events_total\{server="hut",.*\} (\d)/g)].reduce(
      (sum, [, n]) => sum + Number(n),
      0,
    )
  }
  await until('both uplinks', async () => (await taken()) === 2 || undefined)
  assert.equal(site.logged(/"server":"valley".*"message":"connected to the network server"/).length, 1)
})

test('a node that cannot read the network servers goes on with the former ones, and is not ready', async (t) => {
  const { site, set, server } = await serverless(t)
  const { store, listeners } = site.service
  await set({ hut: { ...server, token: TOKEN } })
  const [row] = await store.siteSettings()
  const damaged = { key: SERVERS, value: 'tocsin1:AAAAAAAAAAAA:AAAA', sealed: true }
  const change = { id: 'damage', at: 1, author: 'Eva', section: 'lorawan', before: [row!], after: [damaged] }
  await store.changeSettings(change, (await store.auditRows({ after: null, limit: 1 })).items[0]!)
  const eva = await consoleAdmin(store, listeners.http!, () => site.clock.now(), 'Ivo')
  // Any change rereads, as a start does.
  assert.equal((await eva.ask('PUT', '/setup/time', { values: { timeZone: 'UTC' } })).status, 200)
  assert.match(await (await fetch(`${listeners.http}/readyz`)).text(), /this node cannot read lorawan.servers/)
  assert.equal(await post(listeners.http!, TOKEN, pressAt(site.clock.now())), 204)
})

test('a message to a tracker that is under way ends at the former network server; the next one goes to the new one', async (t) => {
  const held: ServerResponse[] = []
  const former = createServer((_request, response) => void held.push(response)).listen(0, '127.0.0.1')
  await once(former, 'listening')
  t.after(() => former.close())
  const downlinks = { received: { port: 7, hex: '01' }, coming: { port: 7, hex: '02' } }
  const next = await listen(t)
  const { site, set, server } = await serverless(t, { lorawan: { profiles: { 'tocsin-12': { downlinks } } } })
  const http = site.service.listeners.http!
  const hut = (url: string, key: string) => ({ hut: { ...server, token: TOKEN, downlink: { url, key } } })
  await set(hut(`http://127.0.0.1:${(former.address() as AddressInfo).port}`, 'old'))
  assert.equal(await post(http, TOKEN, pressAt(site.clock.now())), 204)
  await site.advance('5 s')
  const [response] = await until('it is being handed over', () => (held.length > 0 ? held : undefined))
  await set(hut(next.url, 'new'))
  response!.writeHead(200, { connection: 'close' }).end('{"id":"11111111-1111-4111-8111-111111111111"}')
  await until('it is recorded', () => site.logged(/a message to a tracker waits at its network server/)[0])
  assert.deepEqual([held.length, next.requests.length], [1, 0])
  await site.phone('Ana').pressesTheButton()
  await site.advance('1 min')
  const { headers, json } = await until('the tracker is told that help is coming', () => next.requests[0])
  assert.deepEqual([headers['grpc-metadata-authorization'], json.queueItem.data], ['Bearer new', 'Ag=='])
  assert.equal(held.length, 1)
})

test('messages to trackers do not follow an address of the console into this machine', async (t) => {
  const inside = await listen(t)
  const downlinks = { received: { port: 7, hex: '01' } }
  const config = { notifications: {}, lorawan: { profiles: { 'tocsin-12': { downlinks } } } }
  const { site, eva, set, server } = await serverless(t, config)
  const mqtt = { url: 'mqtt://broker.example', username: 'a\r\nFLUSHALL\r\n' }
  const lines = { values: { [SERVERS]: { hut: { ...server, mqtt } } }, proof: eva.proof() }
  const [problem] = (await eva.ask('PUT', '/setup/lorawan', lines)).json.error.fields
  assert.deepEqual(problem, { field: 'lorawan.servers.hut.mqtt.username', message: 'must be one line' })
  await set({ hut: { ...server, token: TOKEN, downlink: { url: inside.url, key: 'k' } } })
  assert.equal(await post(site.service.listeners.http!, TOKEN, pressAt(site.clock.now())), 204)
  await site.advance('5 s')
  await until('it is refused', () => site.logged(/did not take a message to a tracker.*|blocked address/)[0])
  assert.ok(site.logged(/blocked address/).length > 0)
  assert.deepEqual(inside.requests, [])
})

/** A node of a site with an application and a tracker. */
async function node(t: Ending, dataDir: string, more: Record<string, unknown> = {}): Promise<Service> {
  const service = await startService(testConfig(dataDir, more), { log: quiet })
  endsLastFirst(t, () => service.stop())
  return service
}

async function folder(t: Ending): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tocsin-lorawan-'))
  endsLastFirst(t, () => rm(path, { recursive: true, force: true }))
  return path
}

async function hutWithTracker({ store }: Service): Promise<string> {
  const application = applicationCalled('Hut', { settings: { graceSeconds: 0, voice: false, rounds: 1 } })
  await store.createApplication(application, SECRET)
  const user = await store.ensureUser({
    appId: application.id,
    externalUserId: 'mia',
    id: randomUUID(),
    now: Date.now(),
  })
  await pairTracker({ store }, application.id, user.id, Date.now())
  return application.id
}

test('a restart has the same network servers', async (t) => {
  const [broker, dataDir] = [await mosquitto(t), await folder(t)]
  const first = await startService(testConfig(dataDir), { log: quiet })
  const application = await hutWithTracker(first)
  const eva = await consoleAdmin(first.store, first.listeners.http!, Date.now)
  const server = { type: 'chirpstack', application, token: TOKEN }
  await setServers(eva, { hut: { ...server, mqtt: { url: broker.url } } })
  await until('connected', () => isConnected(first.listeners.http!, 'hut'))
  await first.stop()
  const second = await node(t, dataDir)
  const http = second.listeners.http!
  await until('connected again', () => isConnected(http, 'hut'))
  assert.equal(await post(http, TOKEN, pressAt(Date.now())), 204)
})

test('network servers set on one node are in force on the others', { skip: withoutPostgres }, async (t) => {
  const [url, broker] = [await freshDatabase(t), await mosquitto(t)]
  const start = async (id: string) =>
    node(t, await folder(t), { store: { url }, node: { id }, publicUrl: 'https://sos.example.org' })
  const [north, south] = [await start('north'), await start('south')]
  const [atNorth, atSouth] = [north.listeners.http!, south.listeners.http!]
  const application = await hutWithTracker(north)
  const eva = await consoleAdmin(north.store, atNorth, Date.now)
  const server = { type: 'chirpstack', application, token: TOKEN }
  await setServers(eva, { hut: { ...server, mqtt: { url: broker.url } } })
  for (const http of [atNorth, atSouth]) await until('connected', () => isConnected(http, 'hut'))
  // Both receive it, and it counts once.
  await broker.uplink(3, new Date().toISOString())
  await until('an incident', async () => (await north.store.incidents({ openOnly: true }))[0])
  assert.equal(await post(atSouth, TOKEN, pressAt(Date.now())), 204)
  assert.equal((await south.store.incidents({ openOnly: false })).length, 1)
  await setServers(eva, null, atSouth)
  await until(
    'north refuses it, too',
    async () => (await post(atNorth, TOKEN, pressAt(Date.now()))) === 401 || undefined,
  )
  for (const http of [atNorth, atSouth]) assert.equal(await connectedTo(http, 'hut'), undefined)
})
