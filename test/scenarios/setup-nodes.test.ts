import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { secret } from '../../src/config/fields.ts'
import { NO_WEB_APP } from '../../src/core/account/web-app.ts'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { settingChange } from '../../src/core/operator/site-setting.ts'
import type { Log } from '../../src/ports/log.ts'
import { type Service, startService } from '../../src/service.ts'
import { applicationCalled } from '../contract/site.ts'
import { freshDatabase, withoutPostgres } from '../fixtures/postgres-place.ts'
import { quiet } from '../fixtures/store-place.ts'
import { consoleAdmin } from '../harness/console-admin.ts'
import type { Ending } from '../harness/ending.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { listen } from '../harness/listener.ts'
import { PhoneUser } from '../harness/phone-user.ts'
import { sharedPostgres } from '../harness/postgres.ts'
import { PostgresGate } from '../harness/postgres-gate.ts'
import { newSiteDatabase } from '../harness/site-database.ts'
import { lookInto } from '../harness/site-store.ts'
import { testConfig } from '../harness/test-config.ts'
import { until } from '../harness/wait.ts'

const SECRET = 'the secret of a site that is set up in the console'

/** A node on the database; `key`: of its sealed values, by default that of the other nodes, null for none. */
async function node(t: Ending, url: string, id: string, key?: Buffer | null, log: Log = quiet): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-setup-'))
  endsLastFirst(t, () => rm(dataDir, { recursive: true, force: true }))
  const more = { store: { url }, node: { id }, publicUrl: 'https://sos.example.org' }
  const config = testConfig(dataDir, more)
  const own = key === undefined ? config : { ...config, secretsKey: key && secret<Uint8Array>(key) }
  const service = await startService(own, { log })
  endsLastFirst(t, () => service.stop())
  return service
}

test('what is set on one node is in force on the others; one without the key takes alarms and leaves them to those', {
  skip: withoutPostgres,
}, async (t) => {
  const [url, gateway] = [await freshDatabase(t), await listen(t)]
  const [north, south] = [await node(t, url, 'north'), await node(t, url, 'south')]
  const called = applicationCalled('Hut', { settings: { graceSeconds: 0, voice: false, rounds: 1 } })
  const application = { ...called, webApp: { ...NO_WEB_APP, isOn: true } }
  await north.store.createApplication(application, SECRET)
  const eva = await consoleAdmin(north.store, north.listeners.http!, Date.now)
  const values = { 'gateway.url': gateway.url }
  const path = '/setup/providers/http'
  // The test leaves through one node, and is confirmed at the other.
  const { json } = await eva.ask('POST', `${path}/test`, { values, to: '+436601234567', proof: eva.proof() })
  const code = /\d{4} \d{4}/.exec(gateway.requests[0]!.json.text)![0]
  const confirmed = { values, ticket: json.ticket, code, proof: eva.proof() }
  const done = await eva.ask('POST', `${path}/confirm`, confirmed, south.listeners.http!)
  assert.equal(done.status, 200, done.text)
  const placeAt = async (service: Service) =>
    (await eva.ask('GET', '/setup', undefined, service.listeners.http!)).json.providers[1]
  await until('north has the provider in force', async () => (await placeAt(north)).place === 1)

  const west = await node(t, url, 'west', null)
  const ready = await fetch(`${west.listeners.http}/readyz`)
  const reasons = JSON.stringify(await ready.json())
  assert.equal(ready.status, 503)
  assert.match(reasons, /this node cannot send through http: this node has no TOCSIN_SECRETS_KEY/)
  const noNews = /phones with the app in the box get no news by Web Push: this node has no TOCSIN_SECRETS_KEY: set it/
  await until('it says that phones get no news', async () =>
    noNews.test(await (await fetch(`${west.listeners.http}/readyz`)).text()),
  )
  assert.doesNotMatch(await (await fetch(`${north.listeners.http}/readyz`)).text(), noNews)
  assert.equal((await placeAt(west)).place, 1)
  assert.match((await placeAt(west)).problem, /TOCSIN_SECRETS_KEY/)
  const { http = '', mqtt = '' } = west.listeners
  const mia = new PhoneUser({ http, mqtt, appId: application.id, secret: SECRET, externalUserId: 'mia' })
  endsLastFirst(t, () => mia.disconnect())
  await mia.introduce({ name: 'Mia' })
  await mia.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436600000001' })
  const pressed = await mia.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })
  assert.equal(pressed.status, 201)
  await until('a node with the key has sent it', () => gateway.requests.length > 1)
  assert.deepEqual([gateway.requests.length, gateway.requests[1]!.json.to], [2, '+436600000001'])

  // Alone, it holds the message instead of failing it.
  await mia.ends('cancel')
  await Promise.all([north.stop(), south.stop()])
  await mia.rest('POST', '/v1/sdk/sos', { timestamp: new Date(Date.now() + 1000).toISOString() })
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const [contact] = (await mia.rest('GET', '/v1/sdk/sos')).body.incident.actuators.items[0].contacts
  assert.equal(contact.channels[0].status, 'scheduled')
})

test('of two nodes that start together with different keys, one refuses every change, takes alarms and sends nothing through what it cannot read', {
  skip: withoutPostgres,
}, async (t) => {
  const [url, gateway] = [await freshDatabase(t), await listen(t)]
  const both = await Promise.all([node(t, url, 'north', randomBytes(32)), node(t, url, 'south', randomBytes(32))])
  const readyAt = async ({ listeners }: Service) => {
    const answer = await fetch(`${listeners.http}/readyz`)
    return { status: answer.status, text: await answer.text() }
  }
  const found = await Promise.all(both.map(readyAt))
  assert.deepEqual(found.map(({ status }) => status).sort(), [200, 503], JSON.stringify(found))
  const [ours, other] = found[0]!.status === 200 ? both : both.toReversed()
  assert.match(
    (await readyAt(other!)).text,
    /this node has another TOCSIN_SECRETS_KEY than the site: give it the one of/,
  )

  const application = applicationCalled('Hut', { settings: { graceSeconds: 0, voice: false, rounds: 1 } })
  await ours!.store.createApplication(application, SECRET)
  const eva = await consoleAdmin(ours!.store, ours!.listeners.http!, Date.now)
  const atOther = (method: string, path: string, body: object) => eva.ask(method, path, body, other!.listeners.http!)
  const tested = { values: { 'gateway.url': gateway.url }, to: '+436601234567', proof: eva.proof() }
  for (const [method, path, body] of [
    ['PUT', '/setup/time', { values: { timeZone: 'UTC' } }],
    ['POST', '/setup/providers/http/test', tested],
    ['POST', '/setup/providers/http/remove', {}],
    ['POST', '/setup/undo', { change: 'any' }],
  ] as const) {
    const { status, json } = await atOther(method, path, body)
    assert.deepEqual([status, json.error.reason], [409, 'other_secrets_key'], path)
    assert.match(json.error.message, /^Nothing can be changed here: this node has another TOCSIN_SECRETS_KEY/)
  }
  assert.deepEqual([await ours!.store.siteSettings(), gateway.requests.length], [[], 0])

  const { json } = await eva.ask('POST', '/setup/providers/http/test', tested)
  const code = /\d{4} \d{4}/.exec(gateway.requests[0]!.json.text)![0]
  const confirmed = { values: tested.values, ticket: json.ticket, code, proof: eva.proof() }
  assert.equal(
    (await atOther('POST', '/setup/providers/http/confirm', confirmed)).status,
    400,
    'it cannot read the test',
  )
  const done = await eva.ask('POST', '/setup/providers/http/confirm', confirmed)
  assert.equal(done.status, 200, done.text)
  // Until it has read of the change, it sends through the provider that it knows.
  await until('the other node has read it', async () => {
    const { providers } = (await atOther('GET', '/setup', undefined as never)).json
    return /sealed with the key/.test(providers.find((one: any) => one.place === 1)?.problem)
  })
  const { http = '', mqtt = '' } = other!.listeners
  const mia = new PhoneUser({ http, mqtt, appId: application.id, secret: SECRET, externalUserId: 'mia' })
  endsLastFirst(t, () => mia.disconnect())
  await mia.introduce({ name: 'Mia' })
  await mia.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436600000001' })
  assert.equal((await mia.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })).status, 201)
  await until('the node with the key has sent it', () => gateway.requests.length === 2)
})

test('a node that is cut off while the provider changes sends nothing meanwhile, and has the change when it is back', {
  skip: withoutPostgres,
}, async (t) => {
  const [server, name] = await Promise.all([sharedPostgres(), newSiteDatabase()])
  endsLastFirst(t, () => server.dropDatabase(name))
  const [gate, former, now] = [await PostgresGate.before(t, server), await listen(t), await listen(t)]
  const inForce: string[] = []
  const info = (_: object, message: string) => void (/are in force/.test(message) && inForce.push(message))
  const south = await node(t, server.url(name), 'south', undefined, { ...quiet, info })
  const north = await node(t, `postgresql://tocsin@${gate.host}/${name}`, 'north')
  const application = applicationCalled('Hut', { settings: { graceSeconds: 0, voice: false, rounds: 1 } })
  await south.store.createApplication(application, SECRET)
  const eva = await consoleAdmin(south.store, south.listeners.http!, Date.now)
  const row = entry({ at: Date.now(), actor: COMMAND, action: 'setup.change' })
  const sendsThrough = async (id: string, url: string) => {
    const values = { 'gateway.url': url, 'notifications.providers': ['http'] }
    const after = Object.entries(values).map(([key, value]) => ({ key, value: JSON.stringify(value), sealed: false }))
    const about = { id, at: Date.now(), author: 'Eva', section: 'provider/http', after }
    // As another process does: a node hears of its own changes otherwise.
    await lookInto({ dataDir: '', url: server.url(name) }, async (store) =>
      store.changeSettings(settingChange(await store.siteSettings(), about), row),
    )
  }
  const changesAt = async ({ listeners }: Service) => {
    const { settings } = (await eva.ask('GET', '/setup', undefined, listeners.http!)).json
    return settings.find(({ key }: any) => key === 'gateway.url').changedAt
  }
  const sendsAt = async ({ listeners }: Service) => {
    const { text } = await eva.ask('GET', '/setup', undefined, listeners.http!)
    return JSON.parse(text).providers?.[1].place === 1
  }
  await sendsThrough('first', former.url)
  await until('both have it in force', async () => (await sendsAt(north)) && (await sendsAt(south)))
  const before = await changesAt(north)

  gate.becomes('black hole')
  const { http = '', mqtt = '' } = south.listeners
  const mia = new PhoneUser({ http, mqtt, appId: application.id, secret: SECRET, externalUserId: 'mia' })
  endsLastFirst(t, () => mia.disconnect())
  await sendsThrough('second', now.url)
  await until('south has it in force', () => inForce.length === 2)
  await mia.introduce({ name: 'Mia' })
  await mia.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436600000001' })
  assert.equal((await mia.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })).status, 201)
  await until('south has sent it', () => now.requests.length > 0)
  const ready = await fetch(`${north.listeners.http}/readyz`)
  assert.equal(ready.status, 503)

  gate.becomes('open')
  await until('north has the change', async () => (await changesAt(north)) > before)
  await until('north is ready', async () => (await fetch(`${north.listeners.http}/readyz`)).ok)
  await south.stop()
  await mia.disconnect()
  const later = new PhoneUser({
    http: north.listeners.http!,
    mqtt: north.listeners.mqtt!,
    ...{ appId: application.id, secret: SECRET, externalUserId: 'ivo' },
  })
  endsLastFirst(t, () => later.disconnect())
  await later.introduce({ name: 'Ivo' })
  await later.rest('POST', '/v1/sdk/contacts', { name: 'Ben', phone: '+436600000002' })
  assert.equal((await later.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })).status, 201)
  await until('north sends through the new gateway', () => now.requests.length > 1)
  assert.deepEqual(
    now.requests.map(({ json }) => json.to),
    ['+436600000001', '+436600000002'],
  )
  assert.equal(former.requests.length, 0)
})
