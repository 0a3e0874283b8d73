import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { consoleAdmin } from '../harness/console-admin.ts'
import { listen } from '../harness/listener.ts'
import { type SiteOptions, startSite } from '../harness/site.ts'

// access.md#setup, for somebody at the unlocked browser of an administrator.

async function settingUp(t: TestContext, options: SiteOptions = {}) {
  const site = await startSite(t, options)
  const { store, listeners } = site.service
  const eva = await consoleAdmin(store, listeners.http!, () => site.clock.now())
  const tried = (values: object) =>
    eva.ask('POST', '/setup/providers/http/test', { values, to: '+436601234567', language: 'en' })
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
