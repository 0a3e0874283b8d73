import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { adminOf, tokenOf } from '../harness/operator-client.ts'
import { signedIn } from '../harness/signed-in.ts'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

suite('the operator API of a running service', () => {
  test('simulates an SOS the whole way to the outbox, sends a test, and closes the connection of a disabled user', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'], chat: true })
    const ask = await adminOf(site)
    const simulated = await ask('POST', '/simulate')
    assert.equal(simulated.status, 201, JSON.stringify(simulated.json))
    assert.deepEqual(site.logged(/invalid fields/), [])
    await site.advance('1 s')
    await site.phone('Ana').hasNothing()
    assert.deepEqual(site.chat.requests, [])
    const { items } = (await ask('GET', '/outbox')).json
    assert.deepEqual(
      items.map((one: any) => [one.to, one.incidentId]),
      [['+99900000000', simulated.json.incidentId]],
    )
    assert.match(items[0].text, /SIMULATION/)
    const { incident } = (await ask('GET', `/incidents/${simulated.json.incidentId}`)).json
    assert.deepEqual([incident.position.latitude, incident.position.longitude, incident.drill], [30, -40, true])
    const report = await ask('GET', `/incidents/${simulated.json.incidentId}/report?language=en`)
    assert.match(report.text, /30\.00000, -40\.00000 .* · not real</)

    const [application] = (await ask('GET', '/applications')).json.items.filter((one: any) => one.name === 'Hut')
    const tested = await ask('POST', `/applications/${application.applicationId}/test`, {
      channel: 'sms',
      to: '+4366022222222',
    })
    assert.deepEqual([tested.json.status, tested.json.provider], ['sent', 'outbox'])

    const [user] = (await ask('GET', `/users?app=${application.applicationId}`)).json.items
    assert.equal((await ask('GET', `/users/${user.id}`)).json.contacts.length, 1)
    const client = await site.newUser(user.externalUserId).connect()
    assert.equal((await ask('POST', `/users/${user.id}/disable`)).json.disabled, true)
    await until('the connection of the disabled user is closed', () => !client.connected)
    const { keepsMessages, administrators } = (await ask('GET', '/health')).json
    assert.deepEqual([keepsMessages, administrators], [true, []])
    await signedIn(site, 'Eva', { role: 'admin' })
    await signedIn(site, 'Leo', { role: 'admin', applications: [] })
    const tom = await signedIn(site, 'Tom')
    assert.deepEqual((await tom.ask('GET', '/health')).json.administrators, ['Eva'])
  })

  test('a console hears of a further press while the contacts are still being told', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'] })
    const ends = new AbortController()
    t.after(() => ends.abort())
    const { body } = await fetch(`${site.service.listeners.http}/v1/operator/events`, {
      headers: { authorization: `Bearer ${await tokenOf(site)}` },
      signal: ends.signal,
    })
    let heard = ''
    const reads = async (): Promise<void> => {
      for await (const part of body!.pipeThrough(new TextDecoderStream())) heard += part
    }
    void reads().catch(() => undefined)
    await site.user.presses({ timestamp: isoAt(site.clock.now()) })
    await until('the console hears of the alarm', () => heard.includes('"presses":1'))
    await site.advance('3 s')
    await site.user.presses({ timestamp: isoAt(site.clock.now()) })
    await until('the console hears of the further press', () => heard.includes('"presses":2'))

    // In a major incident and counted as safe: the alarm goes on, and a further press takes the count back.
    const [eva, ivo] = [await signedIn(site, 'Eva'), await signedIn(site, 'Ivo')]
    const [{ incidentId: id }] = (await eva.ask('GET', '/incidents')).json.items
    const major = (body: object) => eva.ask('POST', `/incidents/${id}/major`, { id, ...body })
    assert.equal((await major({ assignedTo: 'Team 2', head: 'safe', presses: 1 })).json.error.reason, 'pressed_again')
    assert.equal((await major({ assignedTo: 'Team 2', head: 'safe', presses: 2 })).status, 200)
    await until('other screens hear of it', () => heard.includes('"assignedTo":"Team 2"'))
    await site.advance('10 s')
    await site.phone('Ana').receivesSms(/needs help/)
    const counted = (await ivo.ask('GET', `/major-incidents/${id}`)).json
    assert.deepEqual(
      [counted.count, counted.items[0].major.head.name],
      [{ pressed: 1, answered: 0, safe: 1, handedOver: 0, ended: 0 }, 'Eva'],
    )
    await site.user.presses({ timestamp: isoAt(site.clock.now()) })
    await until('the count is taken back', async () => {
      return (await ivo.ask('GET', `/major-incidents/${id}`)).json.count.safe === 0
    })
    const resolves = (presses: number) =>
      ivo.ask('POST', `/incidents/${id}/major/resolve`, { major: id, presses, outcome: 'found_safe' })
    assert.equal((await resolves(2)).json.error.reason, 'pressed_again')
    assert.equal((await resolves(3)).json.error.reason, 'not_counted')
    assert.equal((await major({ head: 'safe', presses: 3 })).status, 200)
    const ended = await resolves(3)
    assert.deepEqual([ended.status, ended.json.incident.closing.outcome], [200, 'found_safe'])
    const token = { headers: { authorization: `Bearer ${await tokenOf(site)}` } }
    const report = await fetch(`${site.service.listeners.http}/v1/operator/incidents/${id}/report?language=en`, token)
    const table = await fetch(`${site.service.listeners.http}/v1/operator/major-incidents/${id}/people.csv`, token)
    assert.match(await table.text(), /^incidentId,.*\r\n.*,resolved,.*,safe,Eva,.*,Team 2,.*,0,found_safe,\r\n$/)
    assert.match(String(table.headers.get('content-disposition')), new RegExp(`major-incident-${id}\\.csv`))
    assert.match(await report.text(), /Major incident<\/dt><dd>since .*, Team 2, safe: .*, Eva/)
  })
})
