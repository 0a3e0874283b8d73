import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { issueServer } from '../../src/adapters/platform/tls/issue.ts'
import { exportConfig } from '../../src/cli/config-export.ts'
import { settable, settableKeys } from '../../src/config/settable.ts'
import { newAuthority } from '../adapters/platform/tls/stand-in.ts'
import { consoleAdmin } from '../harness/console-admin.ts'
import { listen } from '../harness/listener.ts'
import { adminOf } from '../harness/operator-client.ts'
import { startSite } from '../harness/site.ts'
import { isOnPostgres } from '../harness/site-store.ts'
import { testConfig } from '../harness/test-config.ts'

// access.md#setup: secrets leave the service in no answer, log line or audit row, and lie in no copy of the database.

const planted = (name: string): string => `PLANTED-${name}-6f1b`

test('no secret of the setup is in a copy of the database, in an answer, in the log or in a refusal', async (t) => {
  const gateway = await listen(t)
  const site = await startSite(t)
  const { store, listeners } = site.service
  const eva = await consoleAdmin(store, listeners.http!, () => site.clock.now())
  const [application] = await store.applications()
  const seen: string[] = []
  const asks = async (method: string, path: string, body?: object) => {
    const answer = await eva.ask(method, path, body)
    seen.push(answer.text)
    // The next code of the authenticator app.
    if (body !== undefined && 'proof' in body) await site.advance('30 s')
    return answer
  }
  const server = (more: object) => ({
    hut: { type: 'chirpstack', application: application!.id, token: planted('uplink-token'), ...more },
  })
  const values = {
    'gateway.url': `${gateway.url}?key=${planted('url')}`,
    'gateway.headers': { 'X-Key': planted('header') },
    'gateway.template': `{"key":"${planted('template')}","text":"{text}"}`,
  }
  const mail = { 'smtp.url': `smtp://eva:${planted('mail')}@127.0.0.1:9`, 'smtp.from': 'sos@example.org' }
  const http = '/setup/providers/http'
  const to = '+436601234567'
  for (const changed of [values, { ...values, 'gateway.headers': { 'X-Key': planted('second-header') } }]) {
    const tried = await asks('POST', `${http}/test`, { values: changed, to, proof: eva.proof() })
    assert.equal(tried.status, 200, tried.text)
    const code = /\d{4} \d{4}/.exec(gateway.requests.at(-1)!.text)![0]
    const given = { values: changed, ticket: tried.json.ticket, code, proof: eva.proof() }
    assert.equal((await asks('POST', `${http}/confirm`, given)).status, 200)
  }
  assert.equal((await asks('PUT', '/setup/mail', { values: mail, proof: eva.proof() })).status, 200)
  const lorawan = { values: { 'lorawan.servers': server({}) }, proof: eva.proof() }
  assert.equal((await asks('PUT', '/setup/lorawan', lorawan)).status, 200)
  const mqtt = { url: 'mqtts://broker.example.org', username: 'tocsin', password: planted('mqtt') }
  const second = { values: { 'lorawan.servers': server({ token: null, mqtt }) }, proof: eva.proof() }
  assert.equal((await asks('PUT', '/setup/lorawan', second)).status, 200)

  const now = site.clock.now()
  const pair = await issueServer(await newAuthority(now), ['sos.example.org'], now)
  const pasted = { values: { 'tls.pem': pair.cert + pair.key }, proof: eva.proof() }
  const certified = await asks('PUT', '/setup/certificate', pasted)
  assert.equal(certified.status, 200, certified.text)

  // What is refused, and what fails.
  const bad = [
    ['PUT', '/setup/mail', { 'smtp.url': `smpt://eva:${planted('misspelt')}@mail` }],
    ['PUT', '/setup/mail', { 'smtp.from': `${planted('other')}\n` }],
    ['PUT', '/setup/lorawan', { 'lorawan.servers': server({ mqtt: planted('no-mapping') }) }],
    ['PUT', '/setup/lorawan', { 'lorawan.servers': server({ token: [planted('no-text')] }) }],
    ['POST', `${http}/test`, { 'gateway.url': `ftp://${planted('ftp')}` }],
    ['POST', `${http}/test`, { 'gateway.url': gateway.url, 'gateway.headers': { 'X Key': planted('name') } }],
    ['POST', `${http}/test`, { ...values, 'gateway.url': `http://127.0.0.1:9/${planted('refused')}` }],
    ['POST', '/setup/providers/twilio/test', { 'twilio.accountSid': 'SK1', 'twilio.authToken': planted('token') }],
  ] as const
  for (const [method, path, refused] of bad) {
    // All but one are refused before the proofs are asked for.
    const proof = method === 'POST' && 'gateway.template' in refused ? { proof: eva.proof() } : {}
    const answer = await asks(method, path, { values: refused, ...(method === 'POST' && { to }), ...proof })
    assert.equal(answer.status, 'proof' in proof ? 409 : 400, answer.text)
  }
  await site.user.presses()
  await site.advance('15 s')
  const token = await adminOf(site)
  for (const path of ['/setup', '/setup/news', '/audit', '/health', '/doctor', '/session', '/outbox']) {
    await asks('GET', path)
    seen.push((await token('GET', path)).text ?? '')
  }
  for (const path of ['/readyz', '/metrics', '/healthz'])
    seen.push(await (await fetch(`${listeners.http}${path}`)).text())
  seen.push(...site.logged(/./))
  const config = testConfig(site.dataDir)
  const exported = await site.beside((beside) =>
    exportConfig({ store: beside, config, now: site.clock.now() } as never, {}),
  )
  seen.push(JSON.stringify(exported))
  const [settings, changes] = [await store.siteSettings(), await store.settingChanges()]
  seen.push(JSON.stringify([settings, changes, await store.auditRows({ after: null, limit: 100 })]))
  const files = isOnPostgres ? [] : (await readdir(site.dataDir)).filter((name) => /\.db/.test(name))
  for (const name of files) seen.push(await readFile(join(site.dataDir, name), 'latin1'))
  const lineOfKey = pair.key.split('\n')[1]!
  for (const text of seen) {
    assert.doesNotMatch(text, /PLANTED/, text.slice(0, 2000))
    assert.ok(!text.includes(lineOfKey), text.slice(0, 2000))
  }

  // The control: what was planted was stored, in each secret that can be set without an account.
  const stored = settings.filter(({ sealed }) => sealed).map(({ key }) => key)
  const secrets = settableKeys().filter((key) => settable[key]?.isSecret && key !== 'twilio.authToken')
  assert.deepEqual(stored, secrets.toSorted())
  assert.ok(gateway.requests.some(({ text }) => text.includes(planted('template'))))
  assert.ok(isOnPostgres || files.length > 0)
})
