import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { adminOf } from '../harness/operator-client.ts'
import { startSite } from '../harness/site.ts'

const PATH = '/v1/sdk/drills'

// preparing.md#drills.
suite('an exercise that the user starts', () => {
  test('tells nobody, shows who would have been told, and ends', async (t) => {
    const settings = { voice: false, graceSeconds: 1, contactIntervalSeconds: 0 }
    const site = await startSite(t, { contacts: ['Ana', 'Ben'], chat: true, webhook: true, settings })
    const { user, chat, webhook } = site
    const started = await user.rest('POST', PATH)
    assert.equal(started.status, 201)
    const { id } = started.body
    assert.deepEqual([started.body.status, started.body.endedAt], ['active', null])
    assert.equal((await user.rest('POST', PATH)).status, 409, 'one at a time')
    assert.deepEqual((await user.rest('GET', '/v1/sdk/sos')).body, { incident: null })
    await site.advance('2 min')
    const { body } = await user.rest('GET', `${PATH}/${id}`)
    const ways = body.contacts.map(({ name, channels }: any) => [name, channels.map((one: any) => one.status)])
    assert.deepEqual(ways, [
      ['Ana', ['sent']],
      ['Ben', ['sent']],
    ])
    assert.doesNotMatch(JSON.stringify(body), /incident|outbox/)
    const ended = await user.rest('DELETE', `${PATH}/${id}`)
    assert.deepEqual([ended.status, ended.body.status], [200, 'resolved'])
    assert.equal((await user.rest('DELETE', `${PATH}/${id.toUpperCase()}`)).status, 200)
    await site.advance('2 min')
    assert.deepEqual([chat.requests.length, webhook.requests.length], [0, 0])
    const { items } = await site.service.store.auditRows({ after: null, limit: 10 })
    assert.ok(items.some(({ action, subject, details }) => action === 'drill.start' && subject === id && details.own))
    const ask = await adminOf(site)
    const { json } = await ask('GET', `/drills/${id}`)
    assert.deepEqual([json.own, json.toContacts, json.status], [true, false, 'resolved'])
    const { findings } = (await user.rest('GET', '/v1/sdk/readiness')).body
    assert.ok(
      findings.some(({ code }: { code: string }) => code === 'no_drill'),
      'it asked nobody',
    )
  })

  test('is no user’s but their own; one of an operator can be looked at and not ended', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'] })
    const { user } = site
    const ask = await adminOf(site)
    const { id } = (await user.rest('POST', PATH)).body
    const other = await site.newUser('hiker-2').introduce()
    for (const method of ['GET', 'DELETE'] as const) {
      for (const asked of [id, 'mine', user.userId]) {
        assert.equal((await other.rest(method, `${PATH}/${asked}`)).status, 404)
      }
    }
    await user.rest('DELETE', `${PATH}/${id}`)
    const { appId, externalUserId } = user.account
    const given = await ask('POST', '/drills', { app: appId, user: externalUserId })
    const { incidentId } = given.json.started[0]
    assert.equal((await user.rest('GET', `${PATH}/${incidentId}`)).status, 200)
    assert.equal((await user.rest('DELETE', `${PATH}/${incidentId}`)).status, 404)
    await user.presses({})
    const sos = await user.openIncident()
    for (const method of ['GET', 'DELETE'] as const) {
      assert.equal((await user.rest(method, `${PATH}/${sos.incidentId}`)).status, 404, 'an alarm is no exercise')
    }
    assert.equal((await user.openIncident()).status, 'active')
    const refused = await user.rest('POST', PATH)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'E_SDK_DRILLS_CONFLICT'])
    assert.equal((await user.rest('GET', `${PATH}/${incidentId}`)).body.overtaken, true)
  })

  test('three in a day, and a press while one runs is an alarm', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'], settings: { graceSeconds: 0, voice: false } })
    const { user } = site
    for (let n = 0; n < 3; n += 1) {
      const { body } = await user.rest('POST', PATH)
      await user.rest('DELETE', `${PATH}/${body.id}`)
    }
    const { status, body } = await user.rest('POST', PATH)
    assert.deepEqual([status, body.error.code], [429, 'E_SDK_DRILLS_RATE_LIMITED'])
    await site.advance('24 h')
    await site.advance('1 min')
    const again = await user.rest('POST', PATH)
    assert.equal(again.status, 201)
    await user.presses({})
    await site.advance('1 s')
    assert.equal((await user.rest('GET', `${PATH}/${again.body.id}`)).body.overtaken, true)
    const text = await site.phone('Ana').receivesSms(/needs help/)
    assert.doesNotMatch(text, /EXERCISE/)
  })
})
