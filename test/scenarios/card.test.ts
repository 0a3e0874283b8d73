import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { adminOf } from '../harness/operator-client.ts'
import { type Site, startSite } from '../harness/site.ts'

const PATH = '/v1/sdk/me/card'
const SAID = {
  languages: ['de', 'en'],
  hearing: 'hard_of_hearing',
  yearOfBirth: 1961,
  peopleWithMe: 'Two children',
  vehicle: 'Green VW bus',
  note: 'Insulin in the <red> bag\nLeft pocket',
}
const calm = { voice: false, contactIntervalSeconds: 0 }

let tokens = 0

/** Contacts who have confirmed, by name. */
async function confirmed(site: Site, ...names: readonly string[]): Promise<Record<string, string>> {
  const { store } = site.service
  const contacts = await store.contacts(site.user.userId)
  for (const { id, name } of contacts) {
    if (!names.includes(name)) continue
    tokens += 1
    const token = `token-of-a-contact-${tokens}`
    await store.requestVerification(site.user.userId, id, { token, now: site.clock.now(), perDay: 10 })
    await store.answerVerification(token, 'confirmed', site.clock.now())
  }
  return Object.fromEntries(contacts.map(({ id, name }) => [name, id]))
}

const pageOf = async (site: Site, name: string): Promise<string> => (await fetch(await site.phone(name).link())).text()
const answers = async (site: Site, name: string, answer: string): Promise<string> =>
  (await fetch(`${await site.phone(name).link()}/${answer}`, { method: 'POST' })).text()

// rules.md#card.
suite('the card of a person', () => {
  test('is written field by field, seen by the person, and removed', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'] })
    const { user } = site
    const none = { languages: [], hearing: null, yearOfBirth: null, peopleWithMe: null, vehicle: null, note: null }
    const empty = { ...none, contactIds: [], updatedAt: null }
    assert.deepEqual((await user.rest('GET', PATH)).body, empty)
    assert.equal((await user.rest('PUT', PATH, SAID)).status, 200)
    const { status, body } = await user.rest('PUT', PATH, { vehicle: null, yearOfBirth: 1962 })
    assert.equal(status, 200)
    const now = { ...SAID, vehicle: null, yearOfBirth: 1962, contactIds: [] }
    assert.deepEqual({ ...(body as object), updatedAt: null }, { ...now, updatedAt: null })
    assert.deepEqual((await user.rest('GET', PATH)).body, body)
    const bad = await user.rest('PUT', PATH, { yearOfBirth: 1800, contactIds: [user.userId] })
    assert.equal(bad.status, 400)
    const other = await user.rest('PUT', PATH, { contactIds: [user.userId] })
    assert.deepEqual([other.status, other.body.error.fields[0].field], [400, 'contactIds'])
    assert.deepEqual((await user.rest('GET', PATH)).body, body, 'a refused change changes nothing')
    assert.equal((await user.rest('DELETE', PATH)).status, 204)
    assert.equal((await user.rest('DELETE', PATH)).status, 204)
    assert.deepEqual((await user.rest('GET', PATH)).body, empty)
    const { items } = await site.service.store.auditRows({ after: null, limit: 100 })
    const rows = items.filter(({ action }) => action === 'card.changed').map(({ details }) => details)
    assert.deepEqual(rows, [
      { fields: ['removed'] },
      { fields: ['yearOfBirth', 'vehicle'] },
      { fields: ['languages', 'hearing', 'yearOfBirth', 'peopleWithMe', 'vehicle', 'note'] },
    ])
    await user.rest('PUT', PATH, { note: 'x' })
    await user.rest('PUT', PATH, { note: null })
    assert.deepEqual((await user.rest('GET', PATH)).body, empty, 'with nothing on it there is none')
  })

  test('is sealed in the store, and in no log line', async (t) => {
    const site = await startSite(t)
    await site.user.rest('PUT', PATH, SAID)
    const stored = await site.service.store.card(site.user.userId)
    assert.match(stored!.value, /^tocsin1:/)
    const sealed = Buffer.from(stored!.value.split(':').at(-1)!, 'base64url').toString('latin1')
    for (const text of [stored!.value, sealed]) assert.doesNotMatch(text, /Insulin|VW bus/)
    assert.deepEqual(site.logged(/Insulin|VW bus|1961/), [])
  })

  test('operators see it in a real open alarm, and each look is in the audit log', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'], settings: calm })
    const { user } = site
    const ask = await adminOf(site)
    await user.rest('PUT', PATH, SAID)
    await user.presses({})
    await site.advance('1 s')
    const { incidentId } = await user.openIncident()
    const path = `/incidents/${incidentId}`
    const found = await ask('GET', path)
    assert.equal(found.json.hasCard, true)
    assert.doesNotMatch(found.text, /VW bus/)
    for (const one of ['/export.json', '/report'])
      assert.doesNotMatch((await ask('GET', `${path}${one}`)).text, /VW bus/)
    for (let looks = 0; looks < 2; looks += 1) {
      const shown = await ask('POST', `${path}/card`)
      assert.equal(shown.status, 200)
      assert.deepEqual({ ...shown.json, updatedAt: null }, { ...SAID, updatedAt: null })
    }
    const { items } = await site.service.store.auditRows({ after: null, limit: 100 })
    const looked = items.filter(({ action }) => action === 'incident.card')
    assert.deepEqual(
      looked.map(({ userId, subject, details }) => [userId, subject, details]),
      Array(2).fill([user.userId, incidentId, {}]),
    )
    const { timeline } = (await ask('GET', path)).json
    assert.deepEqual(
      timeline.filter(({ action }: { action?: string }) => action === 'card'),
      [],
      'looks push nothing out of the timeline',
    )
    await user.ends('cancel')
    const over = await ask('POST', `${path}/card`)
    assert.deepEqual([over.status, over.json.error.reason], [409, 'card_hidden'])
    assert.equal((await ask('GET', path)).json.hasCard, false)
    await user.presses({})
    await site.advance('1 s')
    await user.rest('DELETE', PATH)
    const again = await ask('POST', `/incidents/${(await user.openIncident()).incidentId}/card`)
    assert.deepEqual([again.status, again.json.error.reason], [404, 'no_card'])
  })

  test('nobody sees it in a drill', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'], settings: calm })
    const ask = await adminOf(site)
    const { Ana } = await confirmed(site, 'Ana')
    await site.user.rest('PUT', PATH, { ...SAID, contactIds: [Ana] })
    const { appId, externalUserId } = site.user.account
    const drill = await ask('POST', '/drills', { app: appId, user: externalUserId, contacts: true })
    const { incidentId } = drill.json.started[0]
    await site.advance('15 s')
    assert.equal((await ask('POST', `/incidents/${incidentId}/card`)).json.error.reason, 'card_hidden')
    await answers(site, 'Ana', 'ack?coming=10')
    assert.doesNotMatch(await pageOf(site, 'Ana'), /VW bus/)
  })

  test('nobody sees it while only another user’s gateway has raised the alarm', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'], settings: { ...calm, graceSeconds: 0 } })
    const ask = await adminOf(site)
    const { store } = site.service
    const { appId } = site.user.account
    const { Ana } = await confirmed(site, 'Ana')
    await site.user.rest('PUT', PATH, { ...SAID, contactIds: [Ana] })
    const device = { id: site.user.userId, appId, userId: site.user.userId, hardwareId: 'TRK-1' }
    await store.pair({ ...device, firmwareVersion: null, hardwareModel: null, now: site.clock.now(), limit: 5 })
    const stranger = await site.newUser('hiker-2').introduce()
    const timestamp = () => new Date(site.clock.now()).toISOString()
    await stranger.rest('POST', '/v1/sdk/sos', { deviceId: 'TRK-1', timestamp: timestamp() })
    await site.advance('1 s')
    const path = `/incidents/${(await site.user.openIncident()).incidentId}/card`
    await answers(site, 'Ana', 'ack?coming=10')
    await ask('POST', path.replace(/card$/, 'take'))
    assert.equal((await ask('POST', path)).json.error.reason, 'card_hidden')
    assert.doesNotMatch(await pageOf(site, 'Ana'), /VW bus/)
    await site.user.rest('POST', '/v1/sdk/sos', { timestamp: timestamp() })
    assert.equal((await ask('POST', path)).status, 200, 'her own press makes it hers')
    assert.match(await pageOf(site, 'Ana'), /VW bus/)
  })

  test('a contact sees it who is ticked, confirmed and coming', async (t) => {
    const site = await startSite(t, { contacts: ['Ana', 'Ben', 'Cleo'], settings: calm })
    const { user } = site
    const ids = await confirmed(site, 'Ana', 'Cleo')
    await user.rest('PUT', PATH, { ...SAID, contactIds: [ids.Ana, ids.Ben] })
    await user.rest('PUT', `/v1/sdk/contacts/${ids.Ana}`, { name: 'Ana', email: 'ana@example.org', language: 'de' })
    await user.presses({})
    await site.advance('15 s')
    assert.doesNotMatch(await pageOf(site, 'Ana'), /VW bus/, 'not before the answer')
    assert.doesNotMatch(await answers(site, 'Ana', 'ack?calling'), /VW bus/)
    await site.advance('10 s')
    const page = await answers(site, 'Ana', 'ack?coming=10')
    assert.match(page, /<section id="card"><h2>Was Helfende über <bdi>Mia Moser<\/bdi> wissen sollen<\/h2>/)
    assert.match(page, /Deutsch, Englisch/)
    assert.match(page, /<bdi>Insulin in the &lt;red&gt; bag\nLeft pocket<\/bdi>/)
    for (const name of ['Ben', 'Cleo']) {
      assert.doesNotMatch(await answers(site, name, 'ack?coming=10'), /VW bus/, name)
    }
    await user.rest('PUT', PATH, { vehicle: 'Red Fiat', contactIds: [ids.Ana, ids.Cleo] })
    for (const name of ['Ana', 'Cleo']) assert.match(await pageOf(site, name), /Red Fiat/)
    await user.rest('PUT', PATH, { contactIds: [ids.Cleo] })
    assert.doesNotMatch(await pageOf(site, 'Ana'), /Red Fiat/, 'the tick was taken away')
    await site.advance('10 s')
    await answers(site, 'Cleo', 'decline')
    assert.doesNotMatch(await pageOf(site, 'Cleo'), /Red Fiat/, 'not coming any more')
    await site.advance('10 s')
    await answers(site, 'Cleo', 'ack?coming=5')
    assert.match(await pageOf(site, 'Cleo'), /Red Fiat/)
    await user.ends('cancel')
    assert.doesNotMatch(await pageOf(site, 'Cleo'), /Red Fiat/, 'not after the end')
  })

  test('a tick does not follow a contact to another number', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'], settings: calm })
    const { user } = site
    const { Ana } = await confirmed(site, 'Ana')
    await user.rest('PUT', PATH, { ...SAID, contactIds: [Ana] })
    const [before] = await site.service.store.contacts(user.userId)
    await user.rest('PUT', `/v1/sdk/contacts/${Ana}`, { phone: '+436609999999' })
    await confirmed(site, 'Ana')
    assert.deepEqual((await user.rest('GET', PATH)).body.contactIds, [])
    await user.rest('PUT', PATH, { note: 'changed' })
    await user.rest('PUT', `/v1/sdk/contacts/${Ana}`, { phone: before!.phone })
    assert.deepEqual((await user.rest('GET', PATH)).body.contactIds, [], 'nor comes back with the old one')
  })
})
