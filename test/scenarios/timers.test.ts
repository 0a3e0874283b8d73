import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metric } from '../harness/metric.ts'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

const OWN_NUMBER = '+436601234567'
const NOTE = 'Over the Glungezer'

test('who does not report back is reminded, and then their contacts are alarmed', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], webhook: true })
  const { user, clock } = site
  await user.rest('PUT', '/v1/sdk/me', { phone: OWN_NUMBER })
  const dueAt = new Date(clock.now() + 2 * 3_600_000).toISOString()
  const came: string[] = []
  const client = await user.listen({ clientId: 'timers' })
  client.on('message', (topic) => came.push(topic))
  await client.subscribeAsync(`sos/timers/${user.userId}`, { qos: 1 })
  const here = { latitude: 47.2692, longitude: 11.4041 }
  const set = await user.rest('POST', '/v1/sdk/timers', { dueAt, note: NOTE, position: here })
  assert.deepEqual([set.status, set.body.status, set.body.dueAt], [201, 'running', dueAt])
  const again = await user.rest('POST', '/v1/sdk/timers', { dueAt, note: NOTE })
  assert.deepEqual([again.status, again.body.id], [200, set.body.id], 'a retry sets no second one')

  await site.advance('104 min')
  assert.equal(user.events.length, 0)
  await site.advance('2 min')
  const reminder = (await user.receives('timer.reminder')) as unknown as { timerId: string; dueAt: string }
  assert.deepEqual([reminder.timerId, reminder.dueAt], [set.body.id, dueAt])
  assert.deepEqual(came, [`sos/timers/${user.userId}`], 'and nothing on the events')
  const texts = async () =>
    (await site.service.store.outbox({ incidentId: null })).filter(({ to }) => to === OWN_NUMBER)
  assert.match(
    (await until('the SMS', async () => (await texts())[0])).text,
    /^Hut: please report back by \d\d:\d\d UTC/,
  )

  await site.advance('18 min')
  assert.equal(await user.openIncident(), null, 'not before 5 min after the moment')
  await site.phone('Ana').hasNothing()
  await site.advance('2 min')
  const incident = await user.openIncident()
  assert.equal(incident.reason, 'overdue')
  assert.deepEqual(incident.overdue, { dueAt, note: NOTE })
  assert.equal(incident.lastPosition.latitude, here.latitude)
  const [sms] = await site.phone('Ana').messages()
  assert.match(sms!.text, /^SOS: Mia Moser did not report back by \d\d:\d\d UTC! Note: Over the Glungezer\./)
  assert.match(sms!.text, /2 h ago/, 'the position says how old it is')
  assert.doesNotMatch(sms!.text, /Pressed/)
  assert.equal(site.webhook.requests[0]?.json.reason, 'overdue')
  assert.deepEqual(site.webhook.requests[0]?.json.data.overdue, { dueAt, note: NOTE })
  const processed = (await user.receives('processed')) as unknown as { reason: string; overdue: object }
  assert.deepEqual([processed.reason, processed.overdue], ['overdue', { dueAt, note: NOTE }])
  assert.equal((await texts()).length, 1, 'one reminder')
  assert.equal(await metric(site.service, 'tocsin_timers_total{did="raised"}'), 1)
  const gone = await user.rest('DELETE', `/v1/sdk/timers/${set.body.id}`)
  assert.equal(gone.status, 409)
})

test('timers over MQTT are set, extended and ended by the device that is due next; nonsense is kept', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  const { user, clock } = site
  const topic = `sos/timers/${user.userId}`
  const inMinutes = (minutes: number) => new Date(clock.now() + minutes * 60_000).toISOString()
  await user.publishes(topic, { action: 'set', dueAt: inMinutes(30), note: NOTE })
  await user.publishes(topic, { action: 'extend', dueAt: inMinutes(60) })
  await site.advance('40 min')
  assert.equal(await user.openIncident(), null)
  await user.publishes(topic, { action: 'end' })
  await site.advance('60 min')
  assert.equal(await user.openIncident(), null)
  const bad = [
    '{',
    { action: 'set', dueAt: inMinutes(-1) },
    { action: 'set', dueAt: inMinutes(60 * 24 * 31) },
    { action: 'set', dueAt: 'tomorrow' },
    { action: 'set', dueAt: inMinutes(60), note: 'x'.repeat(201) },
    { action: 'set' },
    { action: 'stop' },
    { action: 'extend', dueAt: inMinutes(60) },
  ]
  for (const payload of bad) await user.publishes(topic, payload)
  const letters = await site.service.store.deadLetters()
  assert.deepEqual(
    letters.map(({ reason }) => reason),
    [
      'no JSON object',
      'dueAt must be in the future',
      'dueAt must be at most 30 days ahead',
      'invalid fields: dueAt',
      'invalid fields: note',
      'invalid fields: dueAt',
      'invalid fields: action',
      'timer_not_found',
    ],
  )
})

test('a timer that runs out while an SOS is open counts as a press; somebody else’s is nobody’s business', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  const { user, clock } = site
  const dueAt = new Date(clock.now() + 60 * 60_000).toISOString()
  const { body: timer } = await user.rest('POST', '/v1/sdk/timers', { dueAt, note: NOTE })
  const stranger = await site.newUser('stranger').introduce()
  assert.equal((await stranger.rest('DELETE', `/v1/sdk/timers/${timer.id}`)).status, 404)
  assert.equal((await stranger.rest('PATCH', `/v1/sdk/timers/${timer.id}`, { dueAt })).status, 404)
  assert.deepEqual((await stranger.rest('GET', '/v1/sdk/timers')).body, [])
  await user.presses({ timestamp: new Date(clock.now()).toISOString() })
  await site.advance('20 s')
  const { incidentId } = await user.openIncident()
  await site.service.store.changeIncident({ incidentId }, { type: 'acknowledge', now: clock.now(), contactId: null })
  await site.advance('66 min')
  const last = (await site.phone('Ana').messages()).findLast(({ channel }) => channel === 'sms')!
  assert.match(last.text, /^SOS: Mia Moser did not report back by/, 'alarms again, and says why')
  assert.equal((await user.openIncident()).incidentId, incidentId)
  const [over] = (await user.rest('GET', '/v1/sdk/timers')).body
  assert.deepEqual([over.status, over.incidentId], ['raised', incidentId])
})
