import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listen } from '../harness/listener.ts'
import { metric } from '../harness/metric.ts'
import { type Site, type SiteOptions, startSite } from '../harness/site.ts'
import { startTwilio } from '../harness/twilio-stand-in.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'

const ANA = '+436600000001'

type Options = SiteOptions & { readonly twilio?: Record<string, unknown>; readonly providers?: readonly string[] }

/** The words of a text depend on its length. */
const SHORT_URL = 'http://sos.example.org'

/** A site that sends through the stand-in. */
async function start(t: TestContext, { twilio: more = {}, providers = ['twilio'], ...options }: Options = {}) {
  const opened: { site?: Site } = {}
  const beginning = new VirtualClock().now()
  const ahead = { ms: 0 }
  const twilio = await startTwilio(t, { now: () => (opened.site?.clock.now() ?? beginning) + ahead.ms })
  const site = await startSite(t, {
    contacts: ['Ana'],
    ...options,
    config: {
      notifications: { providers, allowPrivateTargets: true },
      // To ask about a message costs as much as to send it: tests about that ask more often.
      twilio: twilio.config({ pollSeconds: 60, ...more }),
      ...options.config,
    },
  })
  opened.site = site
  const channels = async (contact = 0) => {
    const incident = await site.user.openIncident()
    const list = incident.actuators.items[0].contacts[contact].channels
    return Object.fromEntries(list.map((one: any) => [one.channel, one.status]))
  }
  /** Sets the clock of the site; Twilio's clock runs on. */
  const setClock = (byMs: number) => {
    site.clock.set(byMs)
    ahead.ms -= byMs
  }
  return { site, twilio, channels, setClock }
}

test('an SMS and then a call leave, to the right person and with the right text', async (t) => {
  const { site, twilio, channels } = await start(t, { config: { publicUrl: SHORT_URL } })
  await site.user.presses({ latitude: 47.07, longitude: 12.69 })
  await site.advance('9.9 s')
  assert.deepEqual(twilio.requests, [])
  await site.advance('0.1 s')
  const [sms] = twilio.smsTo(ANA)
  assert.match(String(sms!.params.Body), /^SOS: Mia Moser needs help!.* http:\/\/\S+\/t\/[\w-]{22}/)
  assert.equal(sms!.params.ValidityPeriod, '600')
  assert.deepEqual(await channels(), { sms: 'sent', voice: 'scheduled' })
  await site.advance('60 s')
  const [call] = twilio.callsTo(ANA)
  assert.equal(call!.params.From, '+12025550123')
  const { said, ended } = await twilio.answerCall(call!.sid)
  assert.ok(said.some((words) => words.includes('Mia Moser needs help')))
  assert.notEqual(ended, 'error')
  assert.deepEqual(await channels(), { sms: 'sent', voice: 'sent' })
})

test('after a cancel within the grace window nothing is sent', async (t) => {
  const { site, twilio } = await start(t)
  await site.user.presses()
  await site.advance('5 s')
  await site.user.ends('cancel')
  await site.advance('10 min')
  assert.deepEqual(twilio.requests, [])
})

test('everyone who was notified hears once that it is over', async (t) => {
  const { site, twilio } = await start(t)
  await site.user.presses()
  await site.advance('10 s')
  await site.user.ends('cancel')
  await site.advance('10 min')
  assert.equal(twilio.smsTo(ANA).length, 2)
  assert.match(String(twilio.smsTo(ANA)[1]!.params.Body), /^SOS ended from/)
})

test('a 429 is waited out', async (t) => {
  const { site, twilio, channels } = await start(t)
  twilio.reacts('create', 'Messages', { do: 'refuse', status: 429, code: 20429, retryAfter: '20' })
  await site.user.presses()
  await site.advance('29 s')
  assert.equal(twilio.messages.length, 0)
  assert.equal((await channels()).sms, 'scheduled')
  await site.advance('1 s')
  assert.equal(twilio.messages.length, 1)
  assert.equal((await channels()).sms, 'sent')
})

test("an SMS beyond the account's daily limit ends at the first answer, so nothing spins or waits", async (t) => {
  const { site, twilio, channels } = await start(t, { contacts: ['Ana', 'Ben'] })
  twilio.reacts('create', 'Messages', { do: 'refuse', status: 429, code: 63038, retryAfter: '3600' }, 1000)
  await site.user.presses()
  await site.advance('15 s')
  assert.equal(twilio.creations('Messages').length, 1)
  assert.equal((await channels()).sms, 'failed')
  assert.equal(twilio.callsTo(ANA).length, 1)
  await site.advance('30 min')
  const [open] = await site.service.store.incidents({ openOnly: true })
  const texts = (await site.service.store.attempts(open!.incident.id)).filter(
    ({ channel, status }) => channel === 'sms' && status !== 'scheduled',
  )
  assert.ok(texts.length > 2)
  assert.ok(texts.every(({ status, error }) => status === 'failed' && error === 'provider error 63038'))
  assert.equal(twilio.creations('Messages').length, texts.length)
})

test('a late response is waited for', async (t) => {
  const { site, twilio, channels } = await start(t)
  twilio.reacts('create', 'Messages', { do: 'late', ms: 500 })
  await site.user.presses()
  await site.advance('10 s')
  assert.equal((await channels()).sms, 'sent')
  assert.equal(twilio.creations('Messages').length, 1)
})

test('after a 500 the message is looked up, and retried as long as needed', async (t) => {
  const { site, twilio, channels } = await start(t)
  twilio.reacts('create', 'Messages', { do: 'refuse', status: 500, code: 20500 }, 4)
  await site.user.presses()
  await site.advance('10 min')
  assert.equal(twilio.messages.length, 1)
  assert.ok(twilio.requests.some(({ asks }) => asks === 'list'))
  assert.equal((await channels()).sms, 'sent')
})

test('two 503 answers cost an SMS the look-ups and 1 and 5 s, not 85 s', async (t) => {
  const { site, twilio } = await start(t, { settings: { graceSeconds: 0 } })
  twilio.reacts('create', 'Messages', { do: 'refuse', status: 503 }, 2)
  const pressedAt = site.clock.now()
  await site.user.presses()
  await site.advance('90 s')
  const seconds = twilio.creations('Messages').map(({ at }) => Math.round((at - pressedAt) / 1000))
  assert.deepEqual(seconds, [0, 11, 26])
})

test('with another provider after it, a 503 is not waited for', async (t) => {
  const gateway = await listen(t)
  const { site, twilio, channels } = await start(t, {
    providers: ['twilio', 'http'],
    config: { gateway: { url: gateway.url } },
  })
  twilio.reacts('create', 'Messages', { do: 'refuse', status: 503 })
  await site.user.presses()
  await site.advance('10 s')
  assert.equal((await channels()).sms, 'sent')
  assert.deepEqual([twilio.creations('Messages').length, gateway.requests.length], [1, 1])
})

test('a 500 after accepting is found, and the message is not sent twice', async (t) => {
  const { site, twilio, channels } = await start(t)
  twilio.reacts('create', 'Messages', { do: 'accept, then fail', status: 500 })
  await site.user.presses()
  await site.advance('20 s')
  assert.equal((await channels()).sms, 'sent')
  assert.equal(twilio.creations('Messages').length, 1)
})

test('a connection that breaks after accepting doubles neither the SMS nor the call', async (t) => {
  const { site, twilio, channels } = await start(t, { settings: { rounds: 1 } })
  twilio.reacts('create', 'Messages', { do: 'accept, then reset' })
  twilio.reacts('create', 'Calls', { do: 'accept, then reset' })
  await site.user.presses()
  await site.advance('5 min')
  assert.deepEqual(await channels(), { sms: 'sent', voice: 'sent' })
  assert.deepEqual([twilio.creations('Messages').length, twilio.creations('Calls').length], [1, 1])
})

for (const byMs of [-3_600_000, -30_000, 3_600_000]) {
  test(`an accepted message is found even if the clock was set by ${byMs / 1000} s in between`, async (t) => {
    const { site, twilio, channels, setClock } = await start(t, { settings: { rounds: 1, voiceAttempts: 1 } })
    twilio.reacts('create', 'Messages', { do: 'accept, then reset' })
    twilio.reacts('create', 'Calls', { do: 'accept, then reset' })
    await site.user.presses()
    await site.advance('11 s')
    setClock(byMs)
    await site.advance('60 s')
    setClock(byMs)
    await site.advance('5 min')
    assert.deepEqual(await channels(), { sms: 'sent', voice: 'sent' })
    assert.deepEqual([twilio.creations('Messages').length, twilio.creations('Calls').length], [1, 1])
  })
}

test('a contact whom two incidents call gets both calls, even if it is unknown which call was whose', async (t) => {
  const { site, twilio } = await start(t, { settings: { rounds: 1, voiceAttempts: 1 } })
  const other = await site.newUser('hiker-2').introduce({ name: 'Max' })
  await other.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: ANA })
  await other.listen()
  twilio.reacts('create', 'Calls', { do: 'accept, then reset' })
  await site.user.presses()
  await other.presses()
  await site.advance('5 min')
  assert.equal(twilio.calls.length, 2)
})

test('a connection that breaks before accepting loses neither', async (t) => {
  const { site, twilio } = await start(t, { settings: { rounds: 1 } })
  twilio.reacts('create', 'Messages', { do: 'reset' })
  twilio.reacts('create', 'Calls', { do: 'reset' })
  await site.user.presses()
  await site.advance('5 min')
  assert.deepEqual([twilio.messages.length, twilio.calls.length], [1, 1])
})

test('a call whose outcome stays unknown is repeated once', async (t) => {
  const { site, twilio } = await start(t, { settings: { rounds: 1, voiceAttempts: 1 } })
  twilio.reacts('create', 'Calls', { do: 'reset' }, 10)
  await site.user.presses()
  await site.advance('5 min')
  assert.equal(twilio.creations('Calls').length, 2)
})

test('an SMS that can never arrive moves the call forward', async (t) => {
  const { site, twilio, channels } = await start(t)
  twilio.reacts('create', 'Messages', { do: 'refuse', status: 400, code: 21610 })
  await site.user.presses()
  await site.advance('10 s')
  assert.equal(twilio.callsTo(ANA).length, 1)
  assert.deepEqual(await channels(), { sms: 'failed', voice: 'sent' })
})

test('if Twilio is unreachable or refuses, the next provider is tried immediately', async (t) => {
  const gateway = await listen(t)
  const { site, twilio, channels } = await start(t, {
    providers: ['twilio', 'http'],
    config: { gateway: { url: gateway.url } },
  })
  twilio.reacts('create', 'Messages', { do: 'refuse', status: 401, code: 20003 })
  await site.user.presses()
  await site.advance('10 s')
  assert.equal(gateway.requests[0]!.json.to, ANA)
  assert.equal((await channels()).sms, 'sent')
  await twilio.close()
  await site.advance('60 s')
  assert.deepEqual([gateway.requests[1]!.json.to, gateway.requests[1]!.json.channel], [ANA, 'voice'])
})

test('while Twilio rate-limits, the next provider gets everything immediately', async (t) => {
  const gateway = await listen(t)
  const { site, twilio } = await start(t, {
    providers: ['twilio', 'http'],
    contacts: ['Ana', 'Ben', 'Cleo'],
    settings: { contactIntervalSeconds: 20, voice: false, rounds: 1 },
    config: { gateway: { url: gateway.url } },
  })
  twilio.reacts('create', 'Messages', { do: 'refuse', status: 429, code: 20429, retryAfter: '300' })
  await site.user.presses()
  for (const [passed, tos] of [
    ['10 s', [ANA]],
    ['20 s', [ANA, BEN]],
    ['20 s', [ANA, BEN, CLEO]],
  ] as const) {
    await site.advance(passed)
    assert.deepEqual(
      gateway.requests.map(({ json }) => json.to),
      tos,
    )
  }
  assert.equal(twilio.creations('Messages').length, 1)
})

const BEN = '+436600000002'
const CLEO = '+436600000003'
const slow = { smsPerSecond: 1, callsPerSecond: 1 }

test('Twilio is asked about a receipt that is a minute overdue', async (t) => {
  const { site, twilio, channels } = await start(t, {
    twilio: { receipts: 'callback' },
    settings: { voice: false },
    config: { publicUrl: 'https://sos.example.org' },
  })
  await site.user.presses()
  await site.advance('10 s')
  twilio.becomes(twilio.smsTo(ANA)[0]!.sid, 'delivered')
  await site.advance('59 s')
  assert.equal((await channels()).sms, 'sent')
  await site.advance('1 s')
  assert.equal((await channels()).sms, 'delivered')
  assert.equal(twilio.requests.filter(({ asks }) => asks === 'fetch').length, 1)
  const series = 'tocsin_receipts_total{provider="twilio",channel="sms",status="delivered"}'
  assert.equal(await metric(site.service, series), 1)
})

test('if Twilio cannot call back, it is asked about messages, and an SMS that failed moves the call forward', async (t) => {
  const { site, twilio, channels } = await start(t, { twilio: { receipts: 'poll', pollSeconds: 5 } })
  await site.user.presses()
  await site.advance('10 s')
  assert.equal(twilio.smsTo(ANA)[0]!.params.StatusCallback, undefined)
  await site.advance('4 s')
  assert.deepEqual(
    twilio.requests.filter(({ asks }) => asks === 'fetch'),
    [],
  )
  twilio.becomes(twilio.smsTo(ANA)[0]!.sid, 'undelivered', 30003)
  await site.advance('1 s')
  assert.deepEqual(await channels(), { sms: 'failed', voice: 'sent' })
  twilio.becomes(twilio.callsTo(ANA)[0]!.sid, 'in-progress')
  await site.advance('5 s')
  assert.deepEqual(await channels(), { sms: 'failed', voice: 'delivered' })
})

test('Twilio is asked about a message for a limited time only', async (t) => {
  const { site, twilio } = await start(t, {
    twilio: { receipts: 'poll', pollSeconds: 5 },
    settings: { voice: false, rounds: 1, persistHours: 0 },
  })
  await site.user.presses()
  await site.advance('1 h')
  const asked = twilio.requests.filter(({ asks }) => asks === 'fetch').length
  assert.ok(asked > 10 && asked < 100, `asked ${asked} times`)
  await site.advance('1 h')
  assert.equal(twilio.requests.filter(({ asks }) => asks === 'fetch').length, asked)
})

test('a message waiting for its turn when the SOS is cancelled never leaves, and only those who were notified hear of the end', async (t) => {
  const { site, twilio } = await start(t, {
    twilio: slow,
    contacts: ['Ana', 'Ben', 'Cleo'],
    settings: { contactIntervalSeconds: 0 },
  })
  await site.user.presses()
  await site.advance('10 s')
  assert.deepEqual(
    twilio.messages.map(({ params }) => params.To),
    [ANA],
  )
  await site.user.ends('cancel')
  await site.advance('10 min')
  assert.deepEqual(
    twilio.messages.map(({ params }) => params.To),
    [ANA, ANA],
  )
  const { body } = await site.user.rest('GET', '/v1/sdk/sos/history')
  assert.deepEqual(
    body.items[0].actuators.items[0].contacts.map(({ channels: [sms] }: any) => sms.status),
    ['sent', 'skipped', 'skipped'],
  )
  assert.equal(await metric(site.service, 'tocsin_attempts_total{channel="sms",outcome="not_wanted"}'), 2)
})

test('messages leave one after the other at the account’s rate, and calls have a separate rate', async (t) => {
  const { site, twilio } = await start(t, {
    twilio: slow,
    contacts: ['Ana', 'Ben', 'Cleo'],
    settings: { contactIntervalSeconds: 0, ackTimeoutSeconds: 1, rounds: 1 },
  })
  await site.user.presses()
  await site.advance('10 s')
  const begun = site.clock.now()
  await site.advance('10 s')
  const seconds = (kind: 'Messages' | 'Calls') =>
    twilio.creations(kind).map(({ params, at }) => [params.To, Math.round((at - begun) / 1000)])
  assert.deepEqual(seconds('Messages'), [
    [ANA, 0],
    [BEN, 1],
    [CLEO, 2],
  ])
  assert.deepEqual(seconds('Calls'), [
    [ANA, 1],
    [BEN, 2],
    [CLEO, 3],
  ])
})

test('a message that had to wait gives the position’s age at the time it leaves', async (t) => {
  const { site, twilio } = await start(t, {
    twilio: { ...slow, smsPerSecond: 0.005 },
    contacts: ['Ana', 'Ben'],
    settings: { contactIntervalSeconds: 0 },
    config: { publicUrl: SHORT_URL },
  })
  await site.user.presses({ latitude: 47.07, longitude: 12.69 })
  await site.advance('10 s')
  await site.advance('100 s')
  await site.user.moves({ timestamp: new Date(site.clock.now()).toISOString(), latitude: 47.08, longitude: 12.7 })
  await site.advance('110 s')
  const [first, second] = twilio.creations('Messages').map(({ params }) => String(params.Body))
  assert.match(first!, /Location just now: \S+47\.07/)
  assert.match(second!, /\?q=47\.08\S+ \(1 min ago\)/)
})

test('an answer stops the contact’s waiting messages', async (t) => {
  const { site, twilio } = await start(t, {
    twilio: slow,
    contacts: ['Ana', 'Ben', 'Cleo'],
    settings: { contactIntervalSeconds: 0 },
  })
  await site.user.presses()
  await site.advance('11 s')
  assert.equal(twilio.messages.length, 2)
  const link = /\/t\/[\w-]{22}/.exec(String(twilio.messages[0]!.params.Body))![0]
  const { status } = await fetch(`${site.service.listeners.http}${link}/ack`, { method: 'POST', redirect: 'manual' })
  assert.equal(status, 303)
  await site.advance('10 min')
  assert.deepEqual([twilio.messages.length, twilio.calls.length], [2, 0])
})

test('the log contains no number, no text and no token', async (t) => {
  const { site, twilio } = await start(t)
  twilio.reacts('create', 'Messages', { do: 'refuse', status: 400, code: 21610 })
  await site.user.presses()
  await site.advance('5 min')
  const link = /\/t\/([\w-]{22})/.exec(String(twilio.creations('Messages')[0]!.params.Body))![1]!
  for (const secret of [ANA, link, 'Mia Moser', twilio.authToken]) {
    assert.deepEqual(site.logged(new RegExp(secret.replace('+', '\\+'))), [])
  }
})
