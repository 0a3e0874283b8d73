import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

const linkIn = (text: string): string => new URL(/https?:\/\/\S+/.exec(text)![0]).pathname

// preparing.md#verification.
test('a contact is asked, reads the page as often as a messenger likes, and says that they do not know the user', async (t) => {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { contactIntervalSeconds: 30 } })
  const { user } = site
  const { body: contacts } = await user.rest('GET', '/v1/sdk/contacts')
  const { body: readiness } = await user.rest('GET', '/v1/sdk/readiness')
  assert.equal((readiness as { status: string }).status, 'not_ready')
  assert.match(JSON.stringify(readiness), /messages_stay_here.*contact_unverified.*Ana has not confirmed yet/)
  const [ana] = contacts as { id: string; verifiedAt?: string }[]
  assert.ok(!('verifiedAt' in ana!))
  const ask = () => user.rest('POST', `/v1/sdk/contacts/${ana!.id}/verify`)
  const asked = await ask()
  assert.deepEqual([asked.status, asked.body], [202, { status: 'requested' }])
  const [message] = await until('the question', async () => {
    const sent = await site.phone('Ana').messages()
    return sent.length > 0 ? sent : null
  })
  assert.match(message!.text, /^Hut: Mia Moser named you as an emergency contact\. Tap to confirm: http\S+$/)
  assert.equal((await ask()).status, 429)

  const page = (path: string, init?: RequestInit) =>
    fetch(new URL(path, site.service.listeners.http), { redirect: 'manual', ...init })
  const link = linkIn(message!.text)
  const shown = await page(link)
  assert.equal(shown.status, 200)
  assert.match(await shown.text(), /<h1>Are you an emergency contact of Mia Moser\?<\/h1>/)
  assert.equal((await page(`${link}/confirm`)).status, 405)
  const stored = async () => ((await user.rest('GET', '/v1/sdk/contacts')).body as object[])[0] as typeof ana
  assert.ok(!('verifiedAt' in (await stored())!))
  assert.equal((await page(`${link}/confirm`, { method: 'POST' })).status, 303)
  assert.ok('verifiedAt' in (await stored())!)
  assert.equal((await page(`${link}/decline`, { method: 'POST' })).status, 303)
  assert.ok('declinedAt' in (await stored())!)
  assert.equal((await page('/v/AAAAAAAAAAAAAAAAAAAAAA')).status, 404)

  await user.presses({ latitude: 47, longitude: 11 })
  await site.advance('10 s')
  await site.phone('Ben').receivesSms(/Mia Moser needs help.*\/t\/.*47/)
  await site.advance('30 s')
  const texts = await site.phone('Ana').messages()
  assert.match(texts.at(-1)!.text, /Mia Moser needs help/)
  assert.doesNotMatch(texts.at(-1)!.text, /http|47|Location \w+ ago/)
})

test('nobody is asked while anything of an incident is due, and the request is not lost', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], settings: { graceSeconds: 4 } })
  const { user } = site
  const { body: contacts } = await user.rest('GET', '/v1/sdk/contacts')
  await user.presses({})
  const { id } = (contacts as { id: string }[])[0]!
  assert.equal((await user.rest('POST', `/v1/sdk/contacts/${id}/verify`)).status, 202)
  await site.advance('5 s')
  const sent = await site.phone('Ana').messages()
  assert.deepEqual(
    sent.map(({ text }) => /needs help/.test(text)),
    [true],
  )
  await user.ends('cancel')
  await site.advance('3 min')
  const [asked] = await until('the question', async () => {
    const found = (await site.phone('Ana').messages()).filter(({ text }) => text.includes('/v/'))
    return found.length > 0 ? found : null
  })
  assert.match(asked!.text, /named you/)
})

test('a new contact is asked when it is added, where the application wants that', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'] })
  const { store } = site.service
  const appId = (await store.applications())[0]!.id
  await store.updateApplication(appId, { verifyContacts: true })
  await site.addContact('Ben')
  const asked = await until('the question', async () => {
    const sent = await site.phone('Ben').messages()
    return sent.length > 0 ? sent : null
  })
  assert.match(asked[0]!.text, /Mia Moser named you as an emergency contact/)
  assert.deepEqual(await site.phone('Ana').messages(), [], 'who was there before is not asked')
  const [ana] = await store.contacts(site.user.userId)
  const alsoAna = { name: 'Anna', phone: ana!.phone }
  for (const expected of [201, 201]) {
    assert.equal(
      (await site.user.rest('POST', '/v1/sdk/contacts', alsoAna)).status,
      expected,
      'a limit adds it all the same',
    )
  }
})
