import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminOf } from '../harness/operator-client.ts'
import { type Site, startSite } from '../harness/site.ts'

type Finding = { readonly code: string; readonly text: string }

// rules.md#contacts.
test('contacts that were changed from the own session are in the audit log and, for a week, in readiness', async (t) => {
  const site = await startSite(t)
  const { user } = site
  const { store } = site.service
  const finding = async () => {
    const { body } = await user.rest('GET', '/v1/sdk/readiness')
    return (body as { findings: Finding[] }).findings.find(({ code }) => code === 'contacts_changed')
  }
  assert.equal(await finding(), undefined)
  const added = await user.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436601234567' })
  const { id } = added.body as { id: string }
  const path = `/v1/sdk/contacts/${id}`
  await user.rest('PUT', path, { name: 'Ana', phone: '+436601234567', priority: 1 })
  await user.rest('PUT', path, { name: 'Ana', phone: '+436601234568' })
  await user.rest('DELETE', path)
  await user.rest('DELETE', path)
  const { items } = await store.auditRows({ after: null, limit: 100 })
  const about = { action: 'contacts.changed', userId: user.userId, subject: id, address: null }
  assert.deepEqual(
    items.map(({ action, userId, subject, address, details }) => ({ action, userId, subject, address, details })),
    [
      { ...about, details: { change: 'removed' } },
      { ...about, details: { change: 'changed', fields: ['phone'] } },
      { ...about, details: { change: 'added' } },
    ],
  )
  assert.match(
    (await finding())?.text ?? '',
    /^The emergency contacts were changed on \w+ \d+, \d{4}, from your phone\.$/,
  )
  await site.advance('168 h')
  assert.equal(await finding(), undefined)
})

// people.md.
test('what an operator changes during an alarm is a line in its timeline', async (t) => {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'] })
  const ask = await adminOf(site)
  const { user } = site
  await user.presses()
  const [ana, ben] = await site.service.store.contacts(user.userId)
  const path = `/users/${user.userId}`
  const asked = async (method: string, at: string, body?: object) =>
    assert.equal((await ask(method, at, body)).status, 200)
  await asked('PATCH', path, { notes: 'Deaf' })
  await asked('PATCH', `${path}/contacts/${ana!.id}`, { phone: '+436601234569' })
  await asked('DELETE', `${path}/contacts/${ben!.id}`)
  const { incident } = (await site.service.store.openIncident(user.userId))!
  const { timeline } = (await ask('GET', `/incidents/${incident.id}`)).json
  assert.deepEqual(
    timeline.filter(({ kind }: any) => kind === 'action').map(({ action, contactId }: any) => [action, contactId]),
    [
      ['person_changed', null],
      ['contact_changed', ana!.id],
      ['contact_removed', ben!.id],
    ],
  )
})

test('rows about contacts are bounded, the changes themselves are not', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  const { user } = site
  const [ana] = await site.service.store.contacts(user.userId)
  for (let k = 0; k < 40; k += 1) {
    assert.equal((await user.rest('PUT', `/v1/sdk/contacts/${ana!.id}`, { name: `Ana ${k}` })).status, 200)
  }
  const { items } = await site.service.store.auditRows({ after: null, limit: 100 })
  assert.equal(items.length, 30)
})

// rules.md#profile.
test('another name or number from the own session is in the audit log and, for a week, in readiness', async (t) => {
  const site = await startSite(t)
  const { user } = site
  const finding = async () => {
    const { body } = await user.rest('GET', '/v1/sdk/readiness')
    return (body as { findings: Finding[] }).findings.find(({ code }) => code === 'account_changed')?.text
  }
  const puts = async (fields: object) => assert.equal((await user.rest('PUT', '/v1/sdk/me', fields)).status, 200)
  await puts({ address: 'Hut' })
  await puts({ name: 'Mia Moser', phone: '+436601110000' })
  await puts({ email: 'mia@example.org' })
  assert.equal(await finding(), undefined, 'a first number replaces none')
  for (let k = 0; k < 2; k += 1) await puts({ name: 'Mia', phone: '+436601110001' })
  const { items } = await site.service.store.auditRows({ after: null, limit: 100 })
  assert.deepEqual(
    items.map(({ action, userId, details }) => [action, userId, details.fields]),
    [['account.changed', user.userId, ['name', 'phone']]],
  )
  assert.match(
    (await finding()) ?? '',
    /^Your name, number or devices were changed on \w+ \d+, \d{4}, from your phone\.$/,
  )
})

const position = { latitude: 47.26543, longitude: 11.39321 }
const pageOf = async (site: Site, name: string): Promise<string> =>
  (await (await fetch(await site.phone(name).link())).text()).replace(/<\/?bdi>/g, '').replaceAll('&#39;', "'")

// rules.md#position-access.
test('a contact added from the own session is alarmed without a position, until someone of the opening lets them', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], chat: true, settings: { voice: false } })
  const { user, clock } = site
  await user.presses({ timestamp: new Date(clock.now()).toISOString(), ...position })
  await site.advance('10 s')
  await site.phone('Ana').receivesSms(/47\.26/)
  await site.addContact('Mallory')
  await site.advance('30 s')
  const text = await site.phone('Mallory').receivesSms(/needs help/)
  assert.doesNotMatch(text, /47\.|unknown/)
  assert.match(await pageOf(site, 'Mallory'), /You can't see the location because you became Mia Moser's contact/)
  assert.doesNotMatch(await pageOf(site, 'Mallory'), /47\.26/)
  const trail = await (await fetch(`${await site.phone('Mallory').link()}/trail`)).json()
  assert.deepEqual(trail, { positions: [] })

  await site.phone('Ana').receivesSms(/^Contacts were changed from Mia Moser's phone during the alert\. http/)
  assert.ok(site.chat.requests.some(({ json }) => /Contacts were changed from/.test(json.text)))
  const shown = await pageOf(site, 'Ana')
  assert.match(shown, /Let Mallory see the location/)
  const [, path] = /action="\/t\/[\w-]+(\/show-position\/[\w-]+)"/.exec(shown)!
  const link = await site.phone('Mallory').link()
  assert.equal((await fetch(`${link}${path}`, { method: 'POST' })).status, 200)
  assert.doesNotMatch(await pageOf(site, 'Mallory'), /47\.26/, 'they cannot let themselves')
  await fetch(`${await site.phone('Ana').link()}${path}`)
  assert.doesNotMatch(await pageOf(site, 'Mallory'), /47\.26/, 'a GET changes nothing')
  await fetch(`${await site.phone('Ana').link()}${path}`, { method: 'POST' })
  assert.match(await pageOf(site, 'Mallory'), /47\.26/)

  await user.rest('PUT', '/v1/sdk/me', { name: 'Nobody', phone: '+436601110000' })
  await user.rest('PUT', '/v1/sdk/me', { name: 'Somebody' })
  await site.advance('1 s')
  const told = /Name, number or devices were changed from Mia Moser's phone during the alert\./
  const texts = (await site.phone('Ana').messages()).filter((message) => told.test(message.text))
  assert.equal(texts.length, 1, 'by the name that Ana knows, once')
  assert.equal(site.chat.requests.filter(({ json }) => told.test(json.text)).length, 1)
  assert.match(await pageOf(site, 'Ana'), told)
  assert.doesNotMatch(await pageOf(site, 'Mallory'), told)
})

test('an operator lets a corrected number see the position; one who was removed sees the end of an alarm', async (t) => {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { voice: false, contactIntervalSeconds: 0 } })
  const { user, clock } = site
  const { store } = site.service
  const ask = await adminOf(site)
  await user.presses({ timestamp: new Date(clock.now()).toISOString(), ...position })
  await site.advance('10 s')
  const [ana, ben] = await store.contacts(user.userId)
  await user.rest('PUT', `/v1/sdk/contacts/${ana!.id}`, { phone: '+436609999999' })
  await user.rest('DELETE', `/v1/sdk/contacts/${ben!.id}`)
  await site.advance('1 s')
  const texts = (await store.outbox({ incidentId: null })).filter(({ to }) => to === '+436609999999')
  assert.deepEqual(
    texts.map(({ text }) => /47\.26/.test(text)),
    [false],
  )
  const path = `/incidents/${(await user.openIncident()).incidentId}`
  const { contacts, incident } = (await ask('GET', path)).json
  assert.equal(typeof incident.contactsChangedAt, 'string')
  const states = contacts.map((one: any) => [one.name, one.phone, one.position, one.joined])
  assert.deepEqual(states, [
    ['Ana', ana!.phone, 'shown', undefined],
    ['Ben', ben!.phone, 'over', undefined],
    ['Ana', '+436609999999', 'withheld', 'session'],
  ])
  const over = await pageOf(site, 'Ben')
  assert.match(over, /Mia Moser's alert is over/)
  assert.doesNotMatch(over, /47\.26|id="answers"|removed/)
  await fetch(`${await site.phone('Ben').link()}/ack`, { method: 'POST' })
  assert.equal((await user.openIncident()).status, 'active', 'nobody answers from that page')
  const shown = await ask('POST', `${path}/contacts/${contacts[2].contactId}/show-position`)
  assert.deepEqual([shown.status, shown.json.contacts[2].position], [200, 'shown'])
  for (const id of [ana!.id.replace(/^./, 'f'), ben!.id]) {
    const refused = await ask('POST', `${path}/contacts/${id}/show-position`)
    assert.deepEqual([refused.status, refused.json.error.reason], [404, 'contact_not_found'], id)
  }
})

// sms.md#wrong-number.
test('a wrong number says so on the page: nothing more, no place, the next one is alarmed, and later comes last', async (t) => {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { voice: false } })
  const { user, clock } = site
  const { store } = site.service
  await user.presses({ timestamp: new Date(clock.now()).toISOString(), ...position })
  await site.advance('10 s')
  assert.match(await pageOf(site, 'Ana'), /I don't know this person/)
  const link = await site.phone('Ana').link()
  assert.equal((await fetch(`${link}/stranger`)).status, 405)
  assert.equal((await fetch(`${link}/stranger`, { method: 'POST' })).status, 200)
  const page = await pageOf(site, 'Ana')
  assert.match(page, /You will get no more messages about this alert/)
  assert.doesNotMatch(page, /Mia Moser|47\.26|id="coming/)
  await site.advance('1 s')
  await site.phone('Ben').receivesSms(/needs help/)
  const marked = async () => (await store.contacts(user.userId)).find(({ name }) => name === 'Ana')
  assert.equal(typeof (await marked())?.declinedAt, 'number')
  await fetch(`${link}/start`, { method: 'POST' })
  assert.equal((await marked())?.declinedAt, null)
  assert.match(await pageOf(site, 'Ana'), /47\.26/)
  await fetch(`${link}/stranger`, { method: 'POST' })
  await user.ends('cancel')
  await site.advance('20 min')
  const texts = (await site.phone('Ana').messages()).filter(({ text }) => /ended from/.test(text))
  assert.equal(texts.length, 1)
  assert.doesNotMatch(texts[0]!.text, /\/t\//)
})
