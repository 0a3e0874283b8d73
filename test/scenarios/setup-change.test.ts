import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { consoleAdmin } from '../harness/console-admin.ts'
import { killPoints } from '../harness/kill-point.ts'
import { listen } from '../harness/listener.ts'
import { startProcessSite } from '../harness/process-site.ts'
import { startSite } from '../harness/site.ts'
import { startTwilio } from '../harness/twilio-stand-in.ts'
import { until } from '../harness/wait.ts'

// rules.md#unknown-outcomes.

/** A site that sends through Twilio, as set up in the console. */
async function onTwilio(t: TestContext) {
  const twilio = await startTwilio(t)
  const { accountSid, authToken, from, ...rest } = twilio.config() as Record<string, string>
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: { graceSeconds: 0, voice: false, rounds: 1, persistHours: 0 },
    config: { twilio: rest },
  })
  const { store, listeners } = site.service
  const eva = await consoleAdmin(store, listeners.http!, () => site.clock.now())
  /** A test message with these values, and what confirms it. */
  const tested = async (values: object) => {
    const asked = { values, to: '+436601234567', proof: eva.proof() }
    const { json, text } = await eva.ask('POST', '/setup/providers/twilio/test', asked)
    const code = /\d{4} \d{4}/.exec(String(twilio.messages.at(-1)?.params.Body))?.[0] ?? assert.fail(text)
    await site.advance('30 s')
    return { values, ticket: json.ticket, code }
  }
  const confirms = async (given: object) => {
    const done = await eva.ask('POST', '/setup/providers/twilio/confirm', { ...given, proof: eva.proof() })
    assert.equal(done.status, 200, done.text)
  }
  const values = { 'twilio.accountSid': accountSid, 'twilio.authToken': authToken, 'twilio.from': from }
  await confirms(await tested(values))
  await site.advance('2 min')
  return { twilio, site, tested, confirms }
}

const texts = ({ messages }: Awaited<ReturnType<typeof startTwilio>>) =>
  messages.filter(({ params }) => params.To === '+436600000001').map(({ params }) => String(params.Body))

const REFUSED = { do: 'refuse', status: 400, code: 21211 } as const

test('a message that a former account may have is told of the end, although the account of now has none of it', async (t) => {
  const { twilio, site, tested, confirms } = await onTwilio(t)
  const other = await tested({ 'twilio.receipts': 'poll' })
  twilio.reacts('create', 'Messages', { do: 'accept, then reset' })
  await site.user.presses()
  await site.advance('1 s')
  assert.match(texts(twilio)[0]!, /needs help/)
  await confirms(other)
  // The account of now does not know what the former one has, and does not take the repeat.
  twilio.messages.splice(0)
  twilio.reacts('create', 'Messages', REFUSED, 5)
  await site.advance('1 min')
  assert.equal(texts(twilio).length, 0)
  twilio.recovers()
  await site.user.ends('cancel')
  await site.advance('1 min')
  assert.match(texts(twilio)[0] ?? '', /ended from Mia Moser's phone/)
})

test('the control: without a change, the account is asked, and who has got nothing is told nothing', async (t) => {
  const { twilio, site } = await onTwilio(t)
  twilio.reacts('create', 'Messages', { do: 'reset' })
  twilio.reacts('create', 'Messages', REFUSED, 5)
  await site.user.presses()
  await site.advance('1 min')
  twilio.recovers()
  await site.user.ends('cancel')
  await site.advance('1 min')
  assert.deepEqual(texts(twilio), [])
})

test('a service that is killed while it stores a provider has all of it afterwards, or nothing, and sends once', async (t) => {
  const [kills, gateway] = [await killPoints(t), await listen(t)]
  const site = await startProcessSite(t, {
    env: {
      ...kills.environment,
      TOCSIN_CONSOLE_ENABLED: 'on',
      TOCSIN_SECRETS_KEY: '5e'.repeat(32),
      TOCSIN_NOTIFICATIONS_ALLOW_PRIVATE_TARGETS: 'on',
    },
    settings: { 'grace-seconds': 0, voice: 'off', rounds: 1, 'persist-hours': 0 },
  })
  const values = { 'gateway.url': gateway.url, 'gateway.headers': { 'X-Key': 'hush' } }
  /** Sets the gateway up, and is killed at the commit. Another administrator each: each code counts once. */
  const killedOn = async (side: 'before' | 'after', name: string) => {
    const admin = await site.look((store) => consoleAdmin(store, site.http, Date.now, name))
    const path = '/setup/providers/http'
    const asked = { values, to: '+436601234567', proof: admin.proof() }
    const { json, text } = await admin.ask('POST', `${path}/test`, asked)
    const code = /\d{4} \d{4}/.exec(gateway.requests.at(-1)?.json.text)?.[0] ?? assert.fail(text)
    await kills.set({ side, table: 'site_settings', nth: 1 })
    const given = { values, ticket: json.ticket, code, proof: admin.proof() }
    await assert.rejects(admin.ask('POST', `${path}/confirm`, given))
    await kills.clear()
    await site.kill()
    await site.start()
    return (await admin.ask('GET', '/setup', undefined, site.http)).json
  }
  const stateOf = ({ settings, providers, changes }: any) => [
    settings.filter(({ source }: any) => source === 'console').map(({ key }: any) => key),
    providers.find(({ provider }: any) => provider === 'http').place,
    changes.length,
  ]
  assert.deepEqual(stateOf(await killedOn('before', 'Eva')), [[], null, 0])
  const all = ['notifications.providers', 'gateway.url', 'gateway.headers']
  assert.deepEqual(stateOf(await killedOn('after', 'Ivo')), [all, 1, 1])
  const tests = gateway.requests.length
  const mia = site.phone('mia')
  await mia.rest('PUT', '/v1/sdk/me', { name: 'Mia' })
  await mia.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436600000001' })
  assert.equal((await mia.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })).status, 201)
  await until('the alarm has left', async () => gateway.requests.length > tests)
  assert.deepEqual(
    gateway.requests.slice(tests).map(({ json, headers }) => [json.to, headers['x-key']]),
    [['+436600000001', 'hush']],
  )
})
