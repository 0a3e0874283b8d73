import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startSite } from '../harness/site.ts'

const OWN_NUMBER = '+436601234567'
const NO_CALL = /Do not call or text Mia Moser: somebody may see it!/

suite('a silent emergency', () => {
  test('texts and page tell nobody to call, the page has no call button, and nothing rings at the person', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'], webhook: true, settings: { voice: false } })
    const { user, clock } = site
    await user.rest('PUT', '/v1/sdk/me', { phone: OWN_NUMBER })
    await user.rest('POST', '/v1/sdk/contacts', { name: 'Own phone', phone: OWN_NUMBER })
    const dueAt = new Date(clock.now() + 16 * 60_000).toISOString()
    await user.rest('POST', '/v1/sdk/timers', { dueAt })
    const reminders: string[] = []
    const client = await user.listen({ clientId: 'silent' })
    client.on('message', (topic) => topic.startsWith('sos/timers/') && reminders.push(topic))
    await client.subscribeAsync(`sos/timers/${user.userId}`, { qos: 1 })
    const raised = await user.rest('POST', '/v1/sdk/sos', {
      timestamp: new Date(clock.now()).toISOString(),
      silent: true,
    })
    assert.deepEqual([raised.status, raised.body.incident.silent], [201, true])
    const processed = (await user.receives('processed')) as unknown as { silent: boolean }
    assert.equal(processed.silent, true)
    await site.advance('10 s')
    await site.phone('Ana').receivesSms(NO_CALL)
    assert.equal(site.webhook.requests[0]?.json.data.incident.silent, true)
    const page = await (await fetch(await site.phone('Ana').link())).text()
    assert.match(page.replace(/<\/?bdi>/g, ''), NO_CALL)
    assert.doesNotMatch(page, /id="calling"|tel:\+436601234567|Call <bdi>/)
    assert.match(page, /id="coming-10"/)
    await site.advance('5 min')
    assert.deepEqual(reminders, [])
    const texts = (await site.service.store.outbox({ incidentId: null })).filter(({ to }) => to === OWN_NUMBER)
    assert.deepEqual(texts, [], 'neither a reminder nor an alarm at their own number')

    await user.ends('cancel')
    await site.advance('1 s')
    await site
      .phone('Ana')
      .receivesSms(/SOS ended from Mia Moser's phone, nobody else confirmed it\. Do not call or text/)
    const closed = (await (await fetch(await site.phone('Ana').link())).text()).replace(/<\/?bdi>/g, '')
    assert.match(closed, NO_CALL)
    assert.doesNotMatch(closed, /Please call|tel:\+43660/)
  })

  test('without it, a control: the page has the button, the person is reminded, and the end says to call', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'], settings: { voice: false } })
    const { user, clock } = site
    await user.rest('PUT', '/v1/sdk/me', { phone: OWN_NUMBER })
    await user.rest('POST', '/v1/sdk/timers', { dueAt: new Date(clock.now() + 16 * 60_000).toISOString() })
    await user.presses({ timestamp: new Date(clock.now()).toISOString(), silent: 'yes' })
    await site.advance('10 s')
    const page = await (await fetch(await site.phone('Ana').link())).text()
    assert.match(page, /id="calling"/)
    assert.match(page, /tel:\+436601234567/)
    await site.advance('2 min')
    const texts = (await site.service.store.outbox({ incidentId: null })).filter(({ to }) => to === OWN_NUMBER)
    assert.equal(texts.length, 1)
    await user.ends('cancel')
    await site.advance('1 s')
    await site.phone('Ana').receivesSms(/call Mia Moser!/)
  })
})
