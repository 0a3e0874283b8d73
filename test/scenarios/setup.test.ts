import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { consoleAdmin } from '../harness/console-admin.ts'
import { listen } from '../harness/listener.ts'
import { adminOf } from '../harness/operator-client.ts'
import { pmtiles } from '../harness/pmtiles.ts'
import { type Site, type SiteOptions, startSite } from '../harness/site.ts'
import { startTwilio } from '../harness/twilio-stand-in.ts'

// access.md#setup

async function settingUp(t: TestContext, options: SiteOptions = {}) {
  const site = await startSite(t, options)
  const { store, listeners } = site.service
  const eva = await consoleAdmin(store, listeners.http!, () => site.clock.now())
  return { site, eva, setUp: setUpWith(site, eva) }
}

const codeIn = (text: string): string => /\d{4} \d{4}/.exec(text)?.[0] ?? assert.fail(`there is no code in ${text}`)

/** Puts a provider in front, as an administrator does. `heard`: the texts that it has sent. */
const setUpWith =
  (site: Site, eva: Awaited<ReturnType<typeof consoleAdmin>>) =>
  async (provider: string, values: object, heard: () => Promise<readonly string[]> | readonly string[]) => {
    const path = `/setup/providers/${provider}`
    const tried = await eva.ask('POST', `${path}/test`, { values, to: '+436601234567', proof: eva.proof() })
    assert.equal(tried.status, 200, tried.text)
    await site.advance('30 s')
    const code = codeIn((await heard()).at(-1)!)
    const confirmed = { values, ticket: tried.json.ticket, code, proof: eva.proof() }
    const answer = await eva.ask('POST', `${path}/confirm`, confirmed)
    // The next code of the authenticator app.
    await site.advance('30 s')
    return { answer, tried, code }
  }

const named = (answer: { json: any }, key: string) => answer.json.settings.find((one: any) => one.key === key)

test('a provider comes in front once its code is entered, and an open incident goes on through it', async (t) => {
  const [gateway, twilio] = await Promise.all([listen(t), startTwilio(t)])
  const { accountSid, authToken, from, baseUrl, ...rest } = twilio.config() as Record<string, string>
  const { site, eva, setUp } = await settingUp(t, {
    contacts: ['Ana', 'Ben'],
    settings: { contactIntervalSeconds: 60, voice: false, rounds: 1, ackTimeoutSeconds: 600 },
    config: { twilio: { ...rest, baseUrl } },
  })
  const texts = () => gateway.requests.map(({ json }) => json.text)
  const first = await setUp('http', { 'gateway.url': gateway.url }, texts)
  assert.equal(first.answer.status, 200, first.answer.text)
  assert.deepEqual(
    first.answer.json.providers.map(({ provider, place }: any) => [provider, place]),
    [
      ['twilio', null],
      ['http', 1],
      ['modem', null],
    ],
  )
  await site.user.presses()
  await site.advance('15 s')
  assert.deepEqual(
    gateway.requests.slice(1).map(({ json }) => json.to),
    ['+436600000001'],
  )
  const { id, at, author, section } = first.answer.json.changes[0]
  assert.deepEqual((await eva.ask('GET', '/setup/news')).json, { changes: [{ id, at, author, section }] })
  const values = { 'twilio.accountSid': accountSid, 'twilio.authToken': authToken, 'twilio.from': from }
  const second = await setUp('twilio', values, () => twilio.messages.map(({ params }) => String(params.Body)))
  assert.equal(second.answer.status, 200, second.answer.text)
  assert.equal(second.answer.json.providers[0].place, 1)
  await site.advance('5 min')
  assert.equal(gateway.requests.length, 2, 'the test and Ana')
  assert.deepEqual(
    twilio.messages.slice(1).map(({ params }) => params.To),
    ['+436600000002'],
  )
  // Secrets never leave again, in no answer, no audit row and no log line.
  const shown = [
    second.answer.text,
    second.tried.text,
    (await eva.ask('GET', '/setup')).text,
    (await eva.ask('GET', '/audit')).text,
  ]
  for (const text of [...shown, ...site.logged(/./)])
    assert.ok(!text.includes(authToken!) && !text.includes(gateway.url))
  const { changedBy, set, value, source } = named(second.answer, 'twilio.authToken')
  assert.deepEqual({ changedBy, set, value, source }, { changedBy: 'Eva', set: true, value: null, source: 'console' })
  for (const { value: stored, key } of await site.service.store.siteSettings()) {
    assert.ok(!stored.includes(authToken!) && !stored.includes(gateway.url), key)
  }
  const { json: audit } = await eva.ask('GET', '/audit')
  assert.deepEqual(
    audit.items.map(({ action }: any) => action).filter((action: string) => action.startsWith('setup')),
    ['setup.change', 'setup.test', 'setup.change', 'setup.test'],
  )
})

test('the code, the values, the operator and the proofs of a provider have to be right', async (t) => {
  const gateway = await listen(t)
  const { site, eva } = await settingUp(t)
  const path = '/setup/providers/http'
  const values = { 'gateway.url': gateway.url }
  const tested = { values, to: '+436601234567' }
  assert.equal((await eva.ask('POST', `${path}/test`, tested)).json.error.reason, 'proofs_needed')
  const wrong = { ...tested, proof: { ...eva.proof(), password: 'wrong' } }
  assert.equal((await eva.ask('POST', `${path}/test`, wrong)).json.error.reason, 'wrong_password')
  assert.equal(gateway.requests.length, 0)
  const { json } = await eva.ask('POST', `${path}/test`, { ...tested, proof: eva.proof() })
  await site.advance('30 s')
  const code = codeIn(gateway.requests[0]!.json.text)
  const given = { values, ticket: json.ticket, code }
  const reason = async (body: object, as = eva) => (await as.ask('POST', `${path}/confirm`, body)).json.error?.reason
  const now = () => site.clock.now()
  const ivo = await consoleAdmin(site.service.store, site.service.listeners.http!, now, 'Ivo')
  assert.equal(await reason({ ...given, code: '0000 0000', proof: eva.proof() }), 'wrong_test_code')
  assert.equal(
    await reason({ ...given, values: { 'gateway.url': `${gateway.url}2` }, proof: eva.proof() }),
    'wrong_test_code',
  )
  assert.equal(await reason({ ...given, ticket: 'tocsin1:none', proof: eva.proof() }), 'wrong_test_code')
  assert.equal(await reason({ ...given, proof: ivo.proof() }, ivo), 'wrong_test_code')
  assert.equal(await reason(given), 'proofs_needed')
  assert.equal(await reason({ ...given, proof: { ...eva.proof(), password: 'wrong' } }), 'wrong_password')
  await site.advance('30 s')
  assert.equal(await reason({ ...given, proof: { ...eva.proof(), code: '000000' } }), 'wrong_code')
  assert.deepEqual(await site.service.store.siteSettings(), [])
  await site.advance('9 min')
  await eva.ask('POST', '/session/proof', { password: eva.proof().password })
  await site.advance('9 min')
  await eva.ask('POST', '/session/proof', { password: eva.proof().password })
  await site.advance('9 min')
  await eva.ask('POST', '/session/proof', { password: eva.proof().password })
  await site.advance('5 min')
  assert.equal(await reason({ ...given, proof: eva.proof() }), 'test_too_old')
})

test('a call says the code digit by digit, twice; a provider that sends texts too is proved by its text', async (t) => {
  const [gateway, twilio] = await Promise.all([listen(t), startTwilio(t)])
  const { accountSid, authToken, from, ...rest } = twilio.config() as Record<string, string>
  const { site, eva } = await settingUp(t, { config: { twilio: rest } })
  const tryOut = async (provider: string, values: object, channel: string, language = 'de') => {
    const asked = { values, to: '+436601234567', channel, language, proof: eva.proof() }
    const answer = await eva.ask('POST', `/setup/providers/${provider}/test`, asked)
    await site.advance('30 s')
    return answer
  }
  const confirm = async (provider: string, body: object) => {
    const answer = await eva.ask('POST', `/setup/providers/${provider}/confirm`, { ...body, proof: eva.proof() })
    await site.advance('30 s')
    return answer
  }
  const account = { 'twilio.accountSid': accountSid, 'twilio.authToken': authToken }
  const values = { ...account, 'twilio.from': from }
  const texts = { ...account, 'twilio.messagingServiceSid': `MG${'0'.repeat(32)}` }
  assert.equal((await tryOut('twilio', texts, 'voice')).json.error.reason, 'channel_not_served')
  assert.equal(twilio.calls.length, 0)

  const called = await tryOut('twilio', values, 'voice')
  assert.equal(called.status, 200, called.text)
  const { Twiml: twiml, To: to } = twilio.calls[0]!.params as Record<string, string>
  const said = [
    ...twiml!.matchAll(/<Say language="de-DE">Hier ist Tocsin[^<]*: ((?:\d, ){3}\d\. (?:\d, ){3}\d)\.<\/Say>/g),
  ]
  assert.deepEqual([to, said.length], ['+436601234567', 2], twiml)
  const heard = said[0]![1]!.replace(/\D/g, '')
  const ofCall = { ticket: called.json.ticket, code: heard }
  assert.equal((await confirm('twilio', { values, ...ofCall })).json.error.reason, 'text_not_tried')
  const texted = await tryOut('twilio', values, 'sms')
  const ofText = { ticket: texted.json.ticket, code: codeIn(String(twilio.messages[0]!.params.Body)) }
  const wrong = await confirm('twilio', { values, ...ofText, call: { ...ofCall, code: '0000 0000' } })
  assert.equal(wrong.json.error.reason, 'wrong_test_code')
  const done = await confirm('twilio', { values, ...ofText, call: ofCall })
  assert.equal(done.status, 200, done.text)
  const { items } = (await eva.ask('GET', '/audit')).json
  assert.deepEqual(items.find(({ action }: any) => action === 'setup.change').details.tried, ['sms', 'voice'])

  const callsOnly = { 'gateway.url': gateway.url, 'gateway.channels': ['voice'] }
  assert.equal((await tryOut('http', callsOnly, 'sms')).json.error.reason, 'channel_not_served')
  const { json } = await tryOut('http', callsOnly, 'voice', 'en')
  const { channel, text } = gateway.requests[0]!.json
  assert.equal(channel, 'voice')
  const last = await confirm('http', { values: callsOnly, ticket: json.ticket, code: text.replace(/\D/g, '') })
  assert.equal(last.json.providers[1].place, 1, last.text)
})

test('guarded parts need both proofs, a token changes none of them, and others hear of it', async (t) => {
  const { site, eva } = await settingUp(t, { config: { publicUrl: null } })
  const token = await adminOf(site)
  const change = { values: { publicUrl: 'https://sos.example.org/' } }
  const reasonOf = async (asked: Promise<{ json: any }>) => (await asked).json.error.reason
  assert.equal(await reasonOf(eva.ask('PUT', '/setup/address', change)), 'proofs_needed')
  assert.equal(await reasonOf(token('PUT', '/setup/address', change)), 'not_for_tokens')
  assert.equal(
    await reasonOf(token('PUT', '/setup/lan', { values: { 'notifications.lanHosts': ['10.0.0.0/8'] } })),
    'not_for_tokens',
  )
  const done = await eva.ask('PUT', '/setup/address', { ...change, proof: eva.proof() })
  assert.equal(done.status, 200, done.text)
  assert.equal(named(done, 'publicUrl').value, 'https://sos.example.org')
  assert.equal((await eva.ask('GET', '/session')).json.site.publicUrl, 'https://sos.example.org')
  assert.equal(site.logged(/a guarded part of the setup was changed/).length, 1)
  // The proof of ten minutes is still needed for the rest.
  await site.advance('11 min')
  assert.equal(await reasonOf(eva.ask('PUT', '/setup/time', { values: { timeZone: 'UTC' } })), 'proof_needed')
})

test('what the file or the environment sets cannot be changed, and problems name their keys', async (t) => {
  const { site, eva } = await settingUp(t, { config: { timeZone: 'Europe/Rome' } })
  const fields = async (section: string, values: object) =>
    (await eva.ask('PUT', `/setup/${section}`, { values })).json.error.fields
  assert.deepEqual(await fields('time', { timeZone: 'UTC' }), [
    { field: 'timeZone', message: 'is set in the configuration file, which wins: change it there' },
  ])
  assert.deepEqual((await fields('map', { 'map.tileUrl': 'http://tiles' }))[0].field, 'map.tileUrl')
  // As text: the client's own writer would exhaust its stack.
  const nested = `{ "values": { "map.tileUrl": ${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)} } }`
  assert.deepEqual((await eva.ask('PUT', '/setup/map', nested)).json.error.fields, [
    { field: 'values', message: 'must not be nested so deeply' },
  ])
  assert.deepEqual(await fields('emergency', { 'tracking.emergencyNumbers': { AT: 'x', aT: '140' } }), [
    { field: 'tracking.emergencyNumbers.AT', message: 'must be a number to dial' },
    { field: 'tracking.emergencyNumbers.aT', message: 'is not an ISO 3166-1 alpha-2 country code in capitals' },
  ])
  assert.deepEqual(await fields('map', { dataDir: '/tmp' }), [
    { field: 'dataDir', message: 'is not a setting of this part' },
  ])
  assert.deepEqual((await eva.ask('PUT', '/setup/nothing', { values: { a: 1 } })).status, 404)
  assert.deepEqual(
    (await eva.ask('PUT', '/setup/twilio', { values: { 'twilio.from': '+1' } })).status,
    404,
    'only with a test',
  )
  // From before the file had it: both are said.
  const audit = (await site.service.store.auditRows({ after: null, limit: 1 })).items[0]!
  const after = [{ key: 'timeZone', value: '"UTC"', sealed: false }]
  await site.service.store.changeSettings({ id: 'x', at: 1, author: 'Ana', section: 'time', before: [], after }, audit)
  await fields('time', { timeZone: 'Europe/Lisbon' })
  assert.equal(site.logged(/timeZone is set in the file and in the console/).length, 1)
  const { json } = await eva.ask('GET', '/setup')
  const { source, value, overridden } = json.settings.find(({ key }: any) => key === 'timeZone')
  assert.deepEqual([source, value, overridden], ['file', 'Europe/Rome', true])
})

test('an undo restores what was there; a restart has the same in force', async (t) => {
  const { site, eva } = await settingUp(t)
  const set = (timeZone: string | null) => eva.ask('PUT', '/setup/time', { values: { timeZone } })
  assert.equal(named(await set('Europe/Wien'), 'timeZone').value, 'Europe/Vienna')
  const second = await set('Europe/Lisbon')
  const [last, before] = second.json.changes
  assert.deepEqual([last.canUndo, before.canUndo], [true, false])
  assert.deepEqual((await eva.ask('GET', '/setup/news')).json, { changes: [] }, 'no news: it redirects nothing')
  const undone = await eva.ask('POST', '/setup/undo', { change: last.id })
  assert.equal(named(undone, 'timeZone').value, 'Europe/Vienna')
  assert.equal((await eva.ask('POST', '/setup/undo', { change: last.id })).json.error.reason, 'settings_changed')
  assert.equal((await eva.ask('POST', '/setup/undo', { change: 'none' })).json.error.reason, 'change_not_found')
  const applications = (await eva.ask('GET', '/applications')).json.items
  assert.equal(applications[0].timeZone, 'UTC', 'of its own')
  assert.ok(site.logged(/settings of the console are in force/).length >= 0)
})

test('the only provider cannot be removed; one behind it can, with its credentials, and comes back by an undo', async (t) => {
  const [gateway, twilio] = await Promise.all([listen(t), startTwilio(t)])
  const { accountSid, authToken, from, ...rest } = twilio.config() as Record<string, string>
  const { site, eva, setUp } = await settingUp(t, { config: { twilio: rest } })
  await setUp('http', { 'gateway.url': gateway.url }, () => gateway.requests.map(({ json }) => json.text))
  const alone = await eva.ask('POST', '/setup/providers/http/remove', { proof: eva.proof() })
  assert.equal(alone.json.error.reason, 'last_provider')
  const values = { 'twilio.accountSid': accountSid, 'twilio.authToken': authToken, 'twilio.from': from }
  await setUp('twilio', values, () => twilio.messages.map(({ params }) => String(params.Body)))
  await site.advance('30 s')
  const removed = await eva.ask('POST', '/setup/providers/http/remove', { proof: eva.proof() })
  assert.equal(removed.status, 200, removed.text)
  assert.deepEqual([named(removed, 'gateway.url').set, removed.json.providers[1].place], [false, null])
  await site.advance('30 s')
  const back = await eva.ask('POST', '/setup/undo', { change: removed.json.changes[0].id, proof: eva.proof() })
  assert.deepEqual([named(back, 'gateway.url').set, back.json.providers[1].place], [true, 2])
  await site.advance('30 s')
  const order = (names: readonly string[], proof = { password: 'not', code: 'asked' }) =>
    eva.ask('PUT', '/setup/messages', { values: { 'notifications.providers': names }, proof })
  for (const names of [['outbox'], ['modem', 'http'], ['outbox', 'twilio', 'http'], []]) {
    assert.equal((await order(names)).status, 400, `untested: ${names}`)
  }
  assert.equal((await order(['http', 'twilio'], eva.proof())).json.providers[1].place, 1)
  // A secret does not follow to another address unless it is entered again.
  const moved = { values: { 'gateway.url': 'https://elsewhere.example/' }, to: '+436601234567', proof: eva.proof() }
  assert.equal((await eva.ask('POST', '/setup/providers/http/test', moved)).status, 409, 'there is none to follow')
})

test('bad values in the store stop no start: they are left out, named, and the rest counts', async (t) => {
  const { site, eva } = await settingUp(t)
  await eva.ask('PUT', '/setup/time', { values: { timeZone: 'Europe/Rome' } })
  const [row] = await site.service.store.siteSettings()
  const value = (key: string, text: string) => ({ key, value: text, sealed: false })
  const audit = (await site.service.store.auditRows({ after: null, limit: 1 })).items[0]!
  const change = {
    ...{ id: 'x', at: 1, author: 'x', section: 'x' },
    before: [],
    after: [
      value('timeZone', '"Mars"'),
      value('publicUrl', '{broken'),
      value('map.attribution', '"ours"'),
      value('notifications.providers', '["twilio"]'),
      value('dataDir', '"/tmp"'),
      { key: 'twilio.authToken', value: 'tocsin1:AAAAAAAAAAAA:AAAA', sealed: true },
    ],
  }
  assert.equal(row?.key, 'timeZone')
  await site.service.store.changeSettings(change, audit)
  // Any change rereads, as a start does.
  assert.equal((await eva.ask('PUT', '/setup/time', { values: { timeZone: 'Mars' } })).status, 400)
  const { json } = await eva.ask('GET', '/setup')
  const problems = json.settings.filter(({ problem }: any) => problem !== null).map(({ key }: any) => key)
  assert.deepEqual(problems, ['publicUrl', 'timeZone', 'twilio.authToken'])
  const ready = (await (await fetch(`${site.service.listeners.http}/readyz`)).json()) as any
  assert.match(JSON.stringify(ready), /this node cannot send through twilio/)
  assert.ok(json.providers.find(({ provider }: any) => provider === 'twilio').problem !== null)
})

test('the map of the region is chosen from the files in the data directory, at once', async (t) => {
  const { site, eva } = await settingUp(t)
  const folder = (name: string) => join(site.dataDir, name)
  await writeFile(folder('alps.pmtiles'), pmtiles())
  await writeFile(folder('images.pmtiles'), pmtiles({ tileType: 2 }))
  const outside = `${site.dataDir}.pmtiles`
  await writeFile(outside, pmtiles())
  t.after(() => rm(outside))
  const set = async (values: object) => {
    const answer = await eva.ask('PUT', '/setup/map', { values, proof: eva.proof() })
    await site.advance('30 s')
    return answer
  }
  const choose = (name: string | null) => set({ 'map.basemap': name })
  const onMap = async () => (await eva.ask('GET', '/map')).json.sources.basemap
  assert.equal(await onMap(), null)
  const [chosen, ...refused] = [
    await choose('alps.pmtiles'),
    await choose(`../${basename(outside)}`),
    await choose('images.pmtiles'),
    await choose('tocsin.db'),
  ]
  assert.equal(chosen.status, 200, chosen.text)
  assert.deepEqual(chosen.json.mapFiles, ['alps.pmtiles', 'images.pmtiles'])
  assert.deepEqual(
    refused.map(({ json }) => json.error.fields[0].message),
    [
      'must be a PMTiles file in the data directory of this node',
      'must be a PMTiles archive of version 3 with vector tiles',
      'must be a PMTiles file in the data directory of this node',
    ],
  )
  const { archive } = await onMap()
  const headers = { range: 'bytes=0-6' }
  const part = await fetch(`${site.service.listeners.http}${archive}`, { headers })
  assert.deepEqual([part.status, await part.text()], [206, 'PMTiles'])
  const huts = { type: 'Feature', properties: { name: 'Hut' }, geometry: { type: 'Point', coordinates: [11, 47] } }
  await writeFile(folder('huts.geojson'), JSON.stringify(huts))
  await writeFile(folder('bad.geojson'), '{}')
  await writeFile(folder('tokens.json'), JSON.stringify(huts))
  const lay = (names: readonly string[]) => set({ 'map.overlays': names })
  for (const [names, message] of [
    [['huts.geojson', 'tokens.json'], /^must be GeoJSON files \(\.geojson\) in the data directory/],
    [[`../${basename(outside)}`], /^must be GeoJSON files/],
    [['bad.geojson'], /bad\.geojson is not GeoJSON$/],
  ] as const) {
    assert.match((await lay(names)).json.error.fields[0].message, message)
  }
  const laid = await lay(['huts.geojson'])
  assert.equal(laid.status, 200, laid.text)
  assert.deepEqual(laid.json.overlayFiles, ['bad.geojson', 'huts.geojson'])
  const shown = async () => (await eva.ask('GET', '/map')).json.sources.overlays
  const overlays = await fetch(`${site.service.listeners.http}${await shown()}`)
  assert.deepEqual(((await overlays.json()) as any).features, [huts])
  assert.equal((await lay([])).status, 200)
  assert.equal(await shown(), null)
  assert.equal((await choose(null)).status, 200)
  assert.equal(await onMap(), null)
  assert.equal((await fetch(`${site.service.listeners.http}${archive}`, { headers })).status, 404)
})
