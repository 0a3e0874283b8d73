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
