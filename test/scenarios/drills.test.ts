import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { type Drills, operatorDrills } from '../../src/app/operator/drills.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import { type Site, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

/** Works as the command line beside the service does. */
const beside = <R>(site: Site, work: (drills: Drills, appId: string) => Promise<R>): Promise<R> =>
  site.beside((store) => {
    const door = { change: store.changeIncident.bind(store) }
    return work(operatorDrills({ store, door, ids: createIds() }), site.user.account.appId)
  })

/** Starts an exercise for the user, and waits until the service has heard of it. */
async function startDrill(site: Site, given: Parameters<Drills['start']>[1]): Promise<string> {
  const started = await beside(site, (drills, appId) => drills.start(appId, given, by(site)))
  assert.ok('started' in started)
  const { incidentId } = started.started[0]!
  await until('the news of the exercise', async () => site.logged(new RegExp(`${incidentId}.*incident changed`))[0])
  return incidentId
}

const by = (site: Site) => ({ actor: COMMAND, address: null, now: site.clock.now() })

// preparing.md#drills.
test('an exercise is answered on the page, a real SOS ends it and alarms, and the report says who answered', async (t) => {
  const settings = { graceSeconds: 10, contactIntervalSeconds: 20, ackTimeoutSeconds: 120 }
  const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings, chat: true, webhook: true })
  const given = { externalUserId: 'hiker-1', toContacts: false }
  const incidentId = await startDrill(site, given)
  await site.advance('10 s')
  const text = await site.phone('Ana').receivesSms(/^EXERCISE: SOS: Mia Moser needs help!/)
  assert.match(text, /maps\.google\.com\/\?q=0\.0000,0\.0000 \(not real\)/)
  assert.match(JSON.stringify(site.chat.requests), /EXERCISE: SOS/)
  const [opened] = site.webhook.requests.map(({ json }) => json as any)
  assert.deepEqual([opened.type, opened.drill, opened.data.incident.drill], ['drill.opened', true, true])

  // The app knows nothing of it.
  const shown = async () => JSON.stringify((await site.user.rest('GET', '/v1/sdk/sos')).body)
  assert.doesNotMatch(await shown(), /incidentId/)
  assert.doesNotMatch(JSON.stringify((await site.user.rest('GET', '/v1/sdk/incidents')).body), /drill|active/)

  const link = await site.phone('Ana').link()
  const page = await (await fetch(link)).text()
  assert.match(page, /<title>EXERCISE: Mia Moser needs help<\/title>/)
  assert.match(page, /<p class="drill"><strong>EXERCISE:<\/strong> There is no emergency\./)
  await site.phone('Ana').pressesTheButton()
  assert.match(await (await fetch(link)).text(), /<p class="drill"><strong>EXERCISE:.*Thank you/s)

  await site.user.presses({ latitude: 47.07, longitude: 11.4 })
  await site.advance('11 s')
  await site.phone('Ana').receivesSms(/^SOS: Mia Moser needs help!.*47\.0700/)
  assert.match(
    await (await fetch(link)).text(),
    /EXERCISE: The exercise is over.*Any SOS without the word EXERCISE is real/s,
  )
  await site.advance('21 s')
  await site.phone('Ben').receivesSms(/^SOS: /)
  const told = (await site.phone('Ana').messages()).map((message) => message.text)
  assert.deepEqual(
    told.filter((sent) => sent.includes('is over')),
    [],
    'beside a real alarm nobody reads that something is over',
  )
  assert.match(await shown(), /"status":"active"/)
  assert.ok(!(await shown()).includes(incidentId))

  const [report] = await beside(site, (drills, appId) => drills.reports(appId, 0))
  assert.deepEqual([report!.incidentId, report!.overtaken, report!.status], [incidentId, true, 'resolved'])
  const [ana, ben] = report!.contacts
  assert.deepEqual(
    [ana!.name, ana!.answer, ana!.channels[0]!.channel, ana!.channels[0]!.status],
    ['Ana', 'helping', 'sms', 'sent'],
  )
  assert.equal(report!.firstAnswerSeconds, ana!.afterSeconds)
  assert.deepEqual([ben!.name, ben!.answer], ['Ben', null])

  const again = await beside(site, (drills, appId) => drills.start(appId, given, by(site)))
  assert.ok('passedOver' in again)
  assert.deepEqual(
    again.passedOver.map(({ reason }) => reason),
    ['incident_open'],
  )
})

test('an exercise to the outbox rings no phone, asks no gateway, ends after 30 minutes and says so', async (t) => {
  const settings = { graceSeconds: 0, contactIntervalSeconds: 20, ackTimeoutSeconds: 60 }
  // A provider that would fail: nothing of the exercise gets there.
  const config = { notifications: { providers: ['http'] }, gateway: { url: 'http://127.0.0.1:9/' } }
  const site = await startSite(t, { contacts: ['Ana'], settings, contactGateway: true, config })
  await startDrill(site, { externalUserId: null, toContacts: false })
  await site.advance('5 s')
  await site.phone('Ana').receivesSms(/^EXERCISE: SOS/)
  await site.advance('2 min')
  const call = (await site.phone('Ana').messages()).find(({ channel }) => channel === 'voice')
  assert.match(call!.text, /^EXERCISE: .*EXERCISE: there is no emergency\.$/)
  assert.deepEqual(site.gateway.requests, [])
  const link = await site.phone('Ana').link()
  await site.advance('29 min')
  const last = (await site.phone('Ana').messages()).at(-1)!
  assert.match(
    last.text,
    /^EXERCISE: The SOS exercise for Mia Moser is over\. Any SOS without the word EXERCISE is real!/,
  )
  assert.equal((await fetch(link)).status, 410)
  const figures = await (await fetch(`${site.service.listeners.http}/metrics`)).text()
  for (const name of ['tocsin_attempts_total', 'tocsin_messages_total', 'tocsin_cascades_exhausted_total']) {
    assert.doesNotMatch(figures, new RegExp(`^${name}\\{[^\\n]*\\} [1-9]`, 'm'), name)
  }
  await startDrill(site, { externalUserId: 'hiker-1', toContacts: true })
  const ended = await beside(site, (drills, appId) => drills.end(appId, null, by(site)))
  assert.equal(ended.length, 1)
  const lately = await beside(site, (drills, appId) =>
    drills.start(appId, { externalUserId: 'hiker-1', toContacts: true }, by(site)),
  )
  assert.ok('passedOver' in lately)
  assert.deepEqual(
    lately.passedOver.map(({ reason }) => reason),
    ['drilled_lately'],
  )
})
