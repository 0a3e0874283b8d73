import assert from 'node:assert/strict'
import { mkdir, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { settableKeys } from '../../src/config/settable.ts'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { consoleAdmin } from '../harness/console-admin.ts'
import { listen } from '../harness/listener.ts'
import { type SiteOptions, startSite } from '../harness/site.ts'
import { newSpool } from '../harness/spool.ts'

// access.md#setup, for somebody at the unlocked browser of an administrator.

async function settingUp(t: TestContext, options: SiteOptions = {}) {
  const site = await startSite(t, options)
  const { store, listeners } = site.service
  const eva = await consoleAdmin(store, listeners.http!, () => site.clock.now())
  const tried = async (values: object) => {
    const asked = { values, to: '+436601234567', language: 'en', proof: eva.proof() }
    const answer = await eva.ask('POST', '/setup/providers/http/test', asked)
    // The next code of the authenticator app.
    await site.advance('30 s')
    return answer
  }
  /** Puts the gateway of these values in front. */
  const setUp = async (values: object, text: () => string) => {
    const { json } = await tried(values)
    const code = /\d{4} \d{4}/.exec(text())![0]
    const done = await eva.ask('POST', '/setup/providers/http/confirm', {
      ...{ values, ticket: json.ticket, code },
      proof: eva.proof(),
    })
    assert.equal(done.status, 200, done.text)
    await site.advance('30 s')
    return done
  }
  return { site, eva, tried, setUp }
}

test('no stored secret goes to an address for which it was not entered', async (t) => {
  const [own, foreign] = [await listen(t), await listen(t)]
  const { tried, setUp } = await settingUp(t)
  const values = { 'gateway.url': own.url, 'gateway.headers': { 'X-Key': 'hush' } }
  await setUp(values, () => own.requests.at(-1)!.json.text)
  const fields = async (more: object) =>
    (await tried({ 'gateway.url': foreign.url, ...more })).json.error?.fields?.map(({ field }: any) => field)
  assert.deepEqual(await fields({}), ['gateway.headers'])
  assert.deepEqual(await fields({ 'gateway.headers': '[secret]' }), ['gateway.headers'])
  assert.deepEqual(await fields({ 'gateway.headers': { 'X-Key': '[secret]' } }), ['gateway.headers'])
  assert.equal(foreign.requests.length, 0)
  // The control: the same header at the same address, and another one at the other address.
  assert.equal((await tried({ ...values, 'gateway.headers': { 'X-Key': '[secret]' } })).status, 200)
  assert.equal(await fields({ 'gateway.headers': { 'X-Key': 'another' } }), undefined)
  assert.deepEqual([own.requests.at(-1)!.headers['x-key'], foreign.requests[0]!.headers['x-key']], ['hush', 'another'])
})

test('a secret of the file goes to no address of the console', async (t) => {
  const foreign = await listen(t)
  const { tried } = await settingUp(t, { config: { gateway: { headers: { 'X-Key': 'hush' } } } })
  const { json } = await tried({ 'gateway.url': foreign.url })
  assert.match(json.error.fields[0].message, /^goes with gateway.headers: /)
  assert.equal(foreign.requests.length, 0)
})

test('a gateway of the console is no way to this machine, and tells no open port from a closed one', async (t) => {
  const open = await listen(t)
  const { site, eva, tried } = await settingUp(t, { config: { notifications: { allowPrivateTargets: false } } })
  const allowed = { values: { 'notifications.lanHosts': ['192.168.4.7', 'localhost'] }, proof: eva.proof() }
  const listed = await eva.ask('PUT', '/setup/lan', allowed)
  assert.equal(listed.status, 200)
  await site.advance('30 s')
  const { port } = new URL(open.url)
  const targets = [open.url, 'http://127.0.0.1:9', `http://localhost:${port}`]
  for (const url of [...targets, 'http://169.254.169.254/', 'http://192.168.4.8/']) {
    const { json } = await tried({ 'gateway.url': url })
    assert.deepEqual([json.error.reason, json.error.error], ['test_failed', 'blocked address'], url)
  }
  assert.equal(open.requests.length, 0)
  assert.equal(site.logged(/could not be tried/).length, 0)

  // A gateway in the local network is in use: nor does an undo take its host away.
  const { store } = site.service
  const at = site.clock.now()
  const after = [
    { key: 'gateway.url', value: '"http://192.168.4.7/"', sealed: false },
    { key: 'notifications.providers', value: '["http"]', sealed: false },
  ]
  const audit = (await store.auditRows({ after: null, limit: 1 })).items[0]!
  await store.changeSettings({ id: 'near', at, author: 'Eva', section: 'provider/http', before: [], after }, audit)
  const undone = await eva.ask('POST', '/setup/undo', { change: listed.json.changes[0].id, proof: eva.proof() })
  assert.deepEqual([undone.status, undone.json.error.fields?.[0].field], [400, 'notifications.lanHosts'])
})

test('a gateway of the file may be on this machine', async (t) => {
  const gateway = await listen(t)
  const site = await startSite(t, {
    contacts: ['Ana'],
    config: { notifications: { allowPrivateTargets: false, providers: ['http'] }, gateway: { url: gateway.url } },
  })
  await site.user.presses()
  await site.advance('15 s')
  assert.equal(gateway.requests.length, 1)
})

test('a modem writes into a spool of gammu-smsd and nowhere else', async (t) => {
  const spool = await newSpool(t)
  const { site, eva } = await settingUp(t)
  const { dataDir } = site
  const fields = async (values: object) => {
    const { json } = await eva.ask('POST', '/setup/providers/modem/test', { values, to: '+436601234567' })
    return json.error.fields
  }
  const inData = join(dataDir, 'spool')
  for (const folder of ['inbox', 'outbox', 'sent', 'error']) await mkdir(join(inData, folder), { recursive: true })
  const link = join(dataDir, 'link')
  await symlink(spool.path, link)
  for (const path of [
    dataDir,
    inData,
    link,
    `${spool.path}/`,
    `${spool.path}/../${basename(spool.path)}`,
    '/nowhere',
  ]) {
    assert.match((await fields({ 'modem.spool': path }))[0].message, /^must be the spool of gammu-smsd/, path)
  }
  // The control.
  const [only] = await fields({ 'modem.spool': spool.path, 'modem.timeoutSeconds': 1 })
  assert.equal(only.field, 'modem.timeoutSeconds')
})

test('what names files, programs and listeners of the machine cannot be set in the console', () => {
  const never =
    /^(dataDir|store|backup|listeners?|mqtts?|https?|node|log|metrics)\b|hook|after|smsdConfig|baseUrl|overlays|basemap|^tls\.(key|cert)$/i
  // A port that answers challenges alone, and map files in the data directory.
  assert.deepEqual(
    settableKeys().filter((key) => never.test(key)),
    ['http.acmePort', 'map.basemap', 'map.overlays'],
  )
})

test('a provider changes by its test alone, under whatever path', async (t) => {
  const [own, foreign] = [await listen(t), await listen(t)]
  const { site, eva, setUp } = await settingUp(t)
  await setUp({ 'gateway.url': own.url }, () => own.requests.at(-1)!.json.text)
  const before = await site.service.store.siteSettings()
  const change = { values: { 'gateway.url': foreign.url }, proof: eva.proof() }
  for (const path of ['/setup/provider%2Fhttp', '/setup/gateway', '/setup/messages']) {
    assert.notEqual((await eva.ask('PUT', path, change)).status, 200, path)
  }
  assert.deepEqual(await site.service.store.siteSettings(), before)
})

test('an undo restores a provider whole or not at all, and only what can be in force', async (t) => {
  const [first, second] = [await listen(t), await listen(t)]
  const { site, eva, setUp } = await settingUp(t)
  const text = ({ requests }: typeof first) => requests.at(-1)!.json.text
  await setUp({ 'gateway.url': first.url, 'gateway.headers': { 'X-Key': 'hush' } }, () => text(first))
  const removed = await setUp({ 'gateway.headers': null }, () => text(first))
  assert.deepEqual(removed.json.changes[0].keys, ['gateway.headers'])
  const undo = async (change: string) => {
    const answer = await eva.ask('POST', '/setup/undo', { change, proof: eva.proof() })
    await site.advance('30 s')
    return answer
  }
  await setUp({ 'gateway.url': second.url }, () => text(second))
  // The header would go to the second address.
  assert.equal((await undo(removed.json.changes[0].id)).json.error.reason, 'settings_changed')

  // An order that names a provider without its values.
  const { store } = site.service
  const plain = (value: string) => ({ key: 'notifications.providers', value, sealed: false })
  const audit = (await store.auditRows({ after: null, limit: 1 })).items[0]!
  const at = site.clock.now()
  const odd = { id: 'odd', at, author: 'Eva', section: 'messages' }
  const change = { ...odd, before: [plain('["http","modem"]')], after: [plain('["http"]')] }
  await store.changeSettings({ ...change, before: [], after: change.before }, audit)
  await store.changeSettings({ ...change, id: 'odder' }, audit)
  const { status, json } = await undo('odder')
  assert.equal(status, 400)
  assert.match(json.error.fields[0].message, /modem.spool is required with the provider modem/)
  assert.equal((await eva.ask('GET', '/setup')).json.providers[1].place, 1)
})

test('of two administrators who change the same part at once, one is refused; one who is disabled changes nothing', async (t) => {
  const { site, eva } = await settingUp(t)
  const { store, listeners } = site.service
  const ivo = await consoleAdmin(store, listeners.http!, () => site.clock.now(), 'Ivo')
  const hosts = (...names: string[]) => ({ values: { 'notifications.lanHosts': names } })
  const both = await Promise.all([
    eva.ask('PUT', '/setup/lan', { ...hosts('10.0.0.1'), proof: eva.proof() }),
    ivo.ask('PUT', '/setup/lan', { ...hosts('10.0.0.2'), proof: ivo.proof() }),
  ])
  // Either may come first, or one after the other.
  const changes = await store.settingChanges()
  assert.equal(changes.length, both.filter(({ status }) => status === 200).length)
  assert.ok(both.every(({ status, json }) => status === 200 || json.error.reason === 'settings_changed'))

  await site.advance('30 s')
  const asked = { values: { 'gateway.url': 'https://gateway.example' }, to: '+436601234567', proof: ivo.proof() }
  const audit = entry({ at: site.clock.now(), actor: COMMAND, action: 'operator.manage' })
  await store.updateOperator(ivo.id, { disabled: true }, { keepAdmin: true }, audit)
  for (const [method, path, body] of [
    ['PUT', '/setup/lan', { ...hosts('10.0.0.3'), proof: ivo.proof() }],
    ['POST', '/setup/providers/http/test', asked],
    ['POST', '/setup/undo', { change: changes[0]!.id, proof: ivo.proof() }],
    ['GET', '/setup/news', undefined],
  ] as const) {
    assert.equal((await ivo.ask(method, path, body)).status, 401, path)
  }
  assert.equal((await store.settingChanges()).length, changes.length)
})

test('a session whose proof ends meanwhile finishes nothing without another', async (t) => {
  const gateway = await listen(t)
  const { site, eva, tried } = await settingUp(t)
  const values = { 'gateway.url': gateway.url }
  const { json } = await tried(values)
  const code = /\d{4} \d{4}/.exec(gateway.requests.at(-1)!.json.text)![0]
  await site.advance('11 min')
  const given = { values, ticket: json.ticket, code }
  const confirms = async (body: object) =>
    (await eva.ask('POST', '/setup/providers/http/confirm', body)).json.error.reason
  assert.equal(await confirms(given), 'proof_needed')
  assert.equal(await confirms({ ...given, proof: eva.proof() }), 'proof_needed')
  assert.deepEqual(await site.service.store.siteSettings(), [])
})
