import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSite } from '../harness/site.ts'

test('a chat post that fails and then succeeds rolls up to delivered and success', async (t) => {
  const site = await startSite(t, { contacts: [], chat: true })
  site.chat.answers(503)
  await site.user.presses()
  await site.advance('10 s')
  const failed = await site.user.receives('sos.actuator_update', (event) =>
    event.actuators!.items.some((item) => item.type === 'chat' && item.deliveries?.length === 2),
  )
  const chat = failed.actuators!.items.find((item) => item.type === 'chat')!
  assert.equal(chat.status, 'scheduled')
  assert.equal(chat.outcome, 'pending')
  assert.deepEqual(
    chat.deliveries!.map((delivery) => [delivery.attempt, delivery.status, delivery.error]),
    [
      [1, 'failed', 'upstream HTTP 503'],
      [2, 'scheduled', undefined],
    ],
  )
  site.chat.answers(200)
  await site.advance('2 s')
  const delivered = (await site.user.openIncident()).actuators.items.find((item: any) => item.type === 'chat')
  assert.deepEqual([delivered.status, delivered.outcome], ['delivered', 'success'])
  assert.equal(site.chat.requests.length, 2)
})

test('a webhook that never answers with success is given up after its attempts, and the snapshot says why', async (t) => {
  const site = await startSite(t, { contacts: [], webhook: true, settings: { httpAttempts: 3 } })
  site.webhook.answers(429)
  await site.user.presses()
  await site.advance('5 min')
  const webhook = (await site.user.openIncident()).actuators.items.find((item: any) => item.type === 'webhook')
  assert.deepEqual([webhook.status, webhook.outcome], ['failed', 'failure'])
  assert.deepEqual(
    webhook.deliveries.map((delivery: any) => [delivery.attempt, delivery.error]),
    [1, 2, 3].map((attempt) => [attempt, 'rate limited (HTTP 429)']),
  )
})

test('chat and webhook still go out after a contact has acknowledged', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], webhook: true })
  site.webhook.answers(500)
  await site.user.presses()
  await site.advance('10 s')
  await site.phone('Ana').pressesTheButton()
  site.webhook.answers(204)
  await site.advance('10 s')
  const webhook = (await site.user.openIncident()).actuators.items.find((item: any) => item.type === 'webhook')
  assert.equal(webhook.status, 'delivered')
})

test('the webhook says who needs help, and where', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], webhook: true })
  await site.user.presses({ timestamp: '2026-03-01T11:59:58.123456789Z', latitude: 47.07, longitude: 12.69 })
  await site.advance('10 s')
  const { json } = site.webhook.requests[0]!
  assert.equal(json.type, 'sos.opened')
  assert.equal(json.data.user.id, site.user.userId)
  assert.equal(json.data.incident.occurredAt, '2026-03-01T11:59:58.123456789Z')
  assert.deepEqual(json.data.incident.lastPosition, {
    latitude: 47.07,
    longitude: 12.69,
    altitude: null,
    at: '2026-03-01T11:59:58.123456789Z',
    source: 'session',
  })
  assert.equal('trackingUrl' in json.data, false)
})

test('a contact’s own gateway gets the link', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], contactGateway: true })
  await site.user.presses()
  await site.advance('10 s')
  const { json } = site.gateway.requests[0]!
  assert.equal(json.data.contact.name, 'Ana')
  assert.match(json.data.trackingUrl, /\/t\/[\w-]{22}$/)
  const [item] = (await site.user.openIncident()).actuators.items
  assert.deepEqual(
    item.contacts[0].channels.map((channel: any) => [channel.channel, channel.status]),
    [
      ['sms', 'sent'],
      ['voice', 'scheduled'],
      ['http', 'delivered'],
    ],
  )
  assert.equal(item.status, 'delivered')
})
