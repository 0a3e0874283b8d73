import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Service, startService } from '../../src/service.ts'
import { applicationCalled } from '../contract/site.ts'
import { freshDatabase, withoutPostgres } from '../fixtures/postgres-place.ts'
import { quiet } from '../fixtures/store-place.ts'
import { consoleAdmin } from '../harness/console-admin.ts'
import type { Ending } from '../harness/ending.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { listen } from '../harness/listener.ts'
import { PhoneUser } from '../harness/phone-user.ts'
import { testConfig } from '../harness/test-config.ts'
import { until } from '../harness/wait.ts'

const SECRET = 'the secret of a site that is set up in the console'

/** A node on the database; `key`: of its sealed values, null for none. */
async function node(t: Ending, url: string, id: string, key: 'shared' | 'none' = 'shared'): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-setup-'))
  endsLastFirst(t, () => rm(dataDir, { recursive: true, force: true }))
  const more = { store: { url }, node: { id }, publicUrl: 'https://sos.example.org' }
  const config = testConfig(dataDir, more)
  const own = key === 'none' ? { ...config, secretsKey: null } : config
  const service = await startService(own, { log: quiet })
  endsLastFirst(t, () => service.stop())
  return service
}

test('what is set on one node is in force on the others; one without the key takes alarms and leaves them to those', {
  skip: withoutPostgres,
}, async (t) => {
  const [url, gateway] = [await freshDatabase(t), await listen(t)]
  const [north, south] = [await node(t, url, 'north'), await node(t, url, 'south')]
  const application = applicationCalled('Hut', { settings: { graceSeconds: 0, voice: false, rounds: 1 } })
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

  const west = await node(t, url, 'west', 'none')
  const ready = await fetch(`${west.listeners.http}/readyz`)
  const reasons = JSON.stringify(await ready.json())
  assert.equal(ready.status, 503)
  assert.match(reasons, /this node cannot send through http: this node has no TOCSIN_SECRETS_KEY/)
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
