import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSite } from '../harness/site.ts'

test('a contact outside the country prefixes cannot be saved; one stored before is notified, with a warning', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  const [{ appId }] = (await site.service.store.applications()).map(({ id }) => ({ appId: id })) as [{ appId: string }]
  await site.service.store.updateApplication(appId, { allowedPrefixes: ['+49'] })

  const refused = await site.user.rest('POST', '/v1/sdk/contacts', { name: 'Ben', phone: '+436601234567' })
  assert.equal(refused.status, 400)
  assert.equal(refused.body.error.code, 'E_SDK_CONTACTS_VALIDATION')
  assert.deepEqual(
    refused.body.error.fields.map(({ field }: { field: string }) => field),
    ['phone'],
  )
  const [ana] = (await site.user.rest('GET', '/v1/sdk/contacts')).body
  const changed = await site.user.rest('PUT', `/v1/sdk/contacts/${ana.id}`, { phone: '+436601234567' })
  assert.deepEqual([changed.status, changed.body.error.fields[0].field], [400, 'phone'])
  assert.equal((await site.user.rest('PUT', `/v1/sdk/contacts/${ana.id}`, { name: 'Anna' })).status, 200)

  await site.user.presses()
  await site.advance('10 s')
  await site.phone('Ana').receivesSms(/needs help/)
  const [warning, ...more] = site.logged(/outside the allowed country prefixes/)
  assert.deepEqual(more, [])
  const { incidentId, attemptId, country } = JSON.parse(warning!)
  assert.ok(attemptId.startsWith(incidentId))
  assert.equal(country, 'AT')
  assert.doesNotMatch(warning!, /\+43|660000/)

  const metrics = await (await fetch(`${site.service.listeners.http}/metrics`)).text()
  assert.match(metrics, /^tocsin_messages_total\{channel="sms",country="AT"\} 1$/m)
})

test('contacts read and hear the texts of their application', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  const [application] = await site.service.store.applications()
  await site.service.store.setText(application!.id, 'en', 'alarm', 'HUT RESCUE: help for {who}!')
  await site.service.store.setText(application!.id, 'en', 'spokenAlarm', 'Hut rescue calling about {who}.')
  await site.user.presses()
  await site.advance('10 s')
  await site.phone('Ana').receivesSms(/^HUT RESCUE: help for Mia Moser! Tap to respond: http/)
  await site.advance('60 s')
  const calls = (await site.service.store.outbox({ incidentId: null })).filter(({ channel }) => channel === 'voice')
  assert.match(calls[0]!.text, /^Hut rescue calling about Mia Moser\. /)
})
