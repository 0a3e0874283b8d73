import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSite } from '../harness/site.ts'

test('an SOS reaches the first contact after the grace window, with a link that acknowledges', async (t) => {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'] })
  await site.user.presses()
  const plan = await site.user.receives('processed')
  assert.equal(plan.snapshotVersion, 1)
  assert.deepEqual(
    plan.actuators?.items.map((item) => [item.type, item.status, item.outcome]),
    [['emergency_contacts', 'scheduled', 'pending']],
  )

  await site.advance('9.9 s')
  await site.phone('Ana').hasNothing()
  await site.advance('0.2 s')
  await site.phone('Ana').receivesSms(/needs help/)
  await site.phone('Ben').hasNothing()
  await site.user.receives('sos.actuator_update', (event) => event.actuators?.items[0]?.status === 'sent')

  await site.phone('Ana').pressesTheButton()
  const acknowledged = await site.user.receives('acknowledged')
  assert.equal(acknowledged.status, 'acknowledged')
  assert.equal(acknowledged.actuators, undefined)
  assert.equal('snapshotVersion' in acknowledged, false)

  await site.advance('10 min')
  await site.phone('Ana').gotOnly(['sms'])
  await site.phone('Ben').hasNothing()
  const incident = await site.user.openIncident()
  assert.equal(incident.status, 'acknowledged')
  const [item] = incident.actuators.items
  assert.equal(item.contacts[0].channels[1].status, 'skipped')
  assert.equal(item.contacts[1].status, 'skipped')
  assert.equal(typeof item.contacts[0].acknowledgedAt, 'string')
})

test('a contact who does not answer is called, then the next one', async (t) => {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'] })
  await site.user.presses()
  await site.advance('10 s')
  await site.phone('Ana').gotOnly(['sms'])
  await site.advance('30 s')
  await site.phone('Ben').gotOnly(['sms'])
  await site.advance('30 s')
  await site.phone('Ana').gotOnly(['sms', 'voice'])
  await site.phone('Ben').gotOnly(['sms'])
  await site.advance('30 s')
  await site.phone('Ben').gotOnly(['sms', 'voice'])
})

test('nobody hears of an SOS cancelled within the grace window', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], chat: true, webhook: true })
  await site.user.presses()
  await site.advance('9 s')
  const { status, body } = await site.user.ends('cancel')
  assert.equal(status, 200)
  assert.deepEqual(body, { incident: null, ended: true })
  await site.user.receives('cancelled', (event) => event.status === 'cancelled')
  const last = await site.user.receives('sos.actuator_update')
  assert.deepEqual(
    last.actuators?.items.map((item) => item.status),
    ['skipped', 'skipped', 'skipped'],
  )
  await site.advance('30 min')
  await site.phone('Ana').hasNothing()
  assert.equal(site.chat.requests.length, 0)
  assert.equal(site.webhook.requests.length, 0)
})

test('the first contact acknowledges between SMS and call: nobody is called, the second is not texted', async (t) => {
  const site = await startSite(t, {
    contacts: ['Ana', 'Ben'],
    settings: { contactIntervalSeconds: 45, watchMinutes: 0 },
  })
  await site.user.presses()
  await site.advance('40 s')
  await site.phone('Ana').gotOnly(['sms'])
  await site.phone('Ana').pressesTheButton()
  await site.advance('30 min')
  await site.phone('Ana').gotOnly(['sms'])
  await site.phone('Ben').hasNothing()
})

test('a second contact may answer too: one actuator update, no second acknowledged event, the first time stays', async (t) => {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { contactIntervalSeconds: 0 } })
  await site.user.presses()
  await site.advance('10 s')
  await site.phone('Ana').pressesTheButton()
  const first = await site.user.receives('acknowledged')
  await site.advance('5 s')
  const version = (await site.user.openIncident()).snapshotVersion
  await site.phone('Ben').pressesTheButton()
  await site.user.receives('sos.actuator_update', (event) => event.snapshotVersion === version + 1)
  const incident = await site.user.openIncident()
  assert.equal(incident.acknowledgedAt, first.acknowledgedAt)
  assert.equal(incident.snapshotVersion, version + 1)
  assert.equal(
    incident.actuators.items[0].contacts.every((contact: any) => contact.acknowledgedAt),
    true,
  )
  assert.equal(site.user.events.filter((event) => event.type === 'acknowledged').length, 1)
})

test('nobody acknowledges: the cascade runs twice, then logs that and stops', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  await site.user.presses()
  // 10 s of grace, the call at 70 s, and the round ends one acknowledgement time-out later.
  await site.advance('131 s')
  await site.phone('Ana').gotOnly(['sms', 'voice', 'sms'])
  await site.advance('10 min')
  await site.phone('Ana').gotOnly(['sms', 'voice', 'sms', 'voice'])
  assert.equal(site.logged(/NOBODY ACKNOWLEDGED/).length, 1)
  const figures = await (await fetch(`${site.service.listeners.http}/metrics`)).text()
  assert.match(figures, /^tocsin_cascades_exhausted_total 1$/m)
  assert.match(figures, /^tocsin_commit_seconds_count [1-9]/m)
  assert.equal((await site.user.openIncident()).status, 'active')
})

test('a user without contacts: scheduled in the plan, skipped from the end of the grace window', async (t) => {
  const site = await startSite(t, { contacts: [] })
  await site.user.presses()
  const plan = await site.user.receives('processed')
  assert.deepEqual(
    plan.actuators?.items.map((item) => [item.status, item.contacts]),
    [['scheduled', []]],
  )
  await site.advance('10 s')
  const update = await site.user.receives('sos.actuator_update')
  assert.deepEqual(
    update.actuators?.items.map((item) => [item.status, item.outcome]),
    [['skipped', 'skipped']],
  )
  await site.advance('1 h')
  assert.equal((await site.user.openIncident()).snapshotVersion, 2)
})

test('a contact added while the incident is active joins at the end, and is notified now if the cascade has passed that place', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  await site.user.presses()
  await site.advance('50 s')
  await site.addContact('Cleo')
  await site.user.receives('sos.actuator_update', (event) => event.actuators?.items[0]?.contacts?.length === 2)
  await site.advance('0.1 s')
  await site.phone('Cleo').gotOnly(['sms'])
  await site.advance('60 s')
  await site.phone('Cleo').gotOnly(['sms', 'voice'])
})

test('everyone who was notified hears that it is over, and nobody else does', async (t) => {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'], chat: true, webhook: true })
  await site.user.presses()
  await site.advance('10 s')
  await site.user.ends('resolve')
  await site.user.receives('resolved', (event) => event.status === 'resolved')
  await site.advance('1 s')
  await site.phone('Ana').gotOnly(['sms', 'sms'])
  await site.phone('Ben').hasNothing()
  assert.equal(site.chat.requests.length, 2)
  assert.deepEqual(
    site.webhook.requests.map((request) => request.json.type),
    ['sos.opened', 'sos.closed'],
  )
  const [item] = (await site.user.history())[0].actuators.items
  assert.deepEqual(
    item.contacts.map((contact: any) => contact.status),
    ['sent', 'skipped'],
  )
})

test('the helper gets a check-in; while they stay silent the others are alarmed, and any answer ends that', async (t) => {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { voice: false } })
  await site.user.presses()
  await site.advance('10 s')
  await site.phone('Ana').pressesTheButton()
  await site.advance('30 min')
  await site.phone('Ana').receivesSms(/Are you still helping/)
  await site.phone('Ben').hasNothing()
  await site.advance('5 min')
  await site.phone('Ben').receivesSms(/still needs help/)
  await site.phone('Ben').pressesTheButton()
  await site.advance('10 min')
  await site.phone('Ben').gotOnly(['sms'])
  assert.equal((await site.user.openIncident())?.status, 'acknowledged')
})

test('the system resolves a forgotten incident, and a press that came too early alarms when its time has come', async (t) => {
  // A day would be no harder to forget, but nodes on one database look once a second.
  const site = await startSite(t, { contacts: ['Ana'], settings: { watchMinutes: 0, autoResolveHours: 0.25 } })
  await site.user.presses({ timestamp: '2026-03-01T11:59:58Z' })
  await site.advance('10 s')
  await site.phone('Ana').pressesTheButton()
  await site.advance('4 min')
  await site.user.presses({ timestamp: '2026-03-01T12:04:10Z' })
  await site.advance('10 s')
  await site.phone('Ana').gotOnly(['sms'])
  await site.advance('55 s')
  await site.phone('Ana').gotOnly(['sms', 'sms'])
  await site.phone('Ana').receivesSms(/pressed again/)
  await site.phone('Ana').pressesTheButton()
  await site.advance('10 min')
  await site.phone('Ana').gotOnly(['sms', 'sms'])
  assert.notEqual(await site.user.openIncident(), null)
  await site.advance('6 min')
  await site.user.receives('resolved')
  assert.equal((await site.user.history()).length, 1)
  assert.equal(await site.user.openIncident(), null)
})

test('stray bytes that firmware puts around a payload cost no alarm', async (t) => {
  for (const [before, after] of [
    ['\uFEFF', ''],
    ['', '\u0000'],
    ['', '\u0000\u0000\u0000'],
  ] as const) {
    const site = await startSite(t, { contacts: [] })
    const payload = JSON.stringify({ timestamp: '2026-03-01T11:59:58Z' })
    await site.user.publishes(`sos/alerts/${site.user.userId}`, Buffer.from(`${before}${payload}${after}`))
    await site.user.receives('processed')
  }
})
