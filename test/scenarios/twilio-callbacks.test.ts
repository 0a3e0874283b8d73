import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { phrases } from '../../src/core/text/phrases.ts'
import { StoreError } from '../../src/ports/store.ts'
import { type SiteOptions, startSite } from '../harness/site.ts'
import { startTwilio, type TwilioStandIn } from '../harness/twilio-stand-in.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'

const PUBLIC_URL = 'https://sos.example.org:8443/alarm'
const ANA = '+436600000001'
const BEN = '+436600000002'
const en = phrases.en

type Options = SiteOptions & { readonly publicUrl?: string; readonly receipts?: 'callback' | 'poll' }

/** A site behind a proxy that Twilio reaches at `publicUrl`, whose SMS has left. */
async function start(
  t: TestContext,
  { publicUrl = PUBLIC_URL, receipts = 'callback', ...options }: Options = {},
  prepare: (twilio: TwilioStandIn) => void = () => {},
) {
  let now = () => new VirtualClock().now()
  const twilio = await startTwilio(t, { now: () => now() })
  const site = await startSite(t, {
    contacts: ['Ana'],
    ...options,
    config: {
      publicUrl,
      notifications: { providers: ['twilio'], allowPrivateTargets: true },
      twilio: twilio.config({ receipts }),
      ...options.config,
    },
  })
  now = () => site.clock.now()
  twilio.reaches(publicUrl, site.service.listeners.http!)
  prepare(twilio)
  await site.user.presses()
  await site.advance('10 s')
  const channel = async (name: string, contact = 0) => {
    const incident = await site.user.openIncident()
    return incident.actuators.items[0].contacts[contact].channels.find((one: any) => one.channel === name)
  }
  const sms = twilio.smsTo(ANA)[0]!
  const address = String(sms.params.StatusCallback)
  return { site, twilio, channel, sms, address }
}

const receiptOf = (sid: string, status: string) => ({ MessageSid: sid, MessageStatus: status, To: ANA })

/** As `start`, a minute later, when Ana is being called. `press`: she takes the call and presses these keys. */
async function startCall(t: TestContext, options: Options = {}) {
  const started = await start(t, options)
  await started.site.advance('60 s')
  const call = started.twilio.callsTo(ANA)[0]!
  const press = (keys: readonly (string | null)[]) => started.twilio.answerCall(call.sid, { keys })
  return { ...started, call, press }
}

for (const publicUrl of [
  'https://sos.example.org',
  'https://sos.example.org:8443',
  PUBLIC_URL,
  'http://sos.local:80',
]) {
  test(`a receipt signed for ${publicUrl} is accepted, whatever the Host`, async (t) => {
    const { site, twilio, channel, sms, address } = await start(t, { publicUrl })
    assert.ok(address.startsWith(`${publicUrl}/twilio/`))
    assert.deepEqual(await twilio.reports(sms.sid, 'delivered'), [204])
    assert.equal((await channel('sms')).status, 'delivered')
    const metrics = await (await fetch(`${site.service.listeners.http}/metrics`)).text()
    assert.match(metrics, /^tocsin_receipts_total{provider="twilio",channel="sms",status="delivered"} 1$/m)
  })
}

test('a callback not signed by Twilio for publicUrl is refused and changes nothing', async (t) => {
  const { site, twilio, channel, sms, address } = await start(t)
  const reached = address.replace(PUBLIC_URL, site.service.listeners.http!)
  const params = receiptOf(sms.sid, 'delivered')
  for (const signed of [
    { signature: null },
    { signature: '' },
    { signature: 'x'.repeat(28) },
    { authToken: 'another' },
    { url: reached },
    { url: address.replace('/status', '/call') },
    { url: `${address}?x=1` },
  ]) {
    assert.equal((await twilio.post(address, params, signed)).status, 403, JSON.stringify(signed))
  }
  const call = address.replace('/status', '/call')
  assert.equal((await twilio.post(call, { Digits: '1' }, { signature: null })).status, 403)
  assert.equal((await channel('sms')).status, 'sent')
  assert.equal((await site.user.openIncident()).status, 'active')
  assert.equal(site.logged(/refused a callback/).length, 1)
  // Control: the same with the right signature succeeds, so only the signature caused the refusals.
  assert.equal((await twilio.post(address, params)).status, 204)
  assert.equal((await channel('sms')).status, 'delivered')
})

test('without a Twilio token these paths do not exist', async (t) => {
  const site = await startSite(t)
  for (const path of ['status', 'call']) {
    const answer = await fetch(`${site.service.listeners.http}/twilio/0190.1/${path}`, { method: 'POST' })
    assert.equal(answer.status, 404)
  }
})

test('receipts may come reversed and doubled', async (t) => {
  const { twilio, channel, sms } = await start(t)
  for (const status of ['delivered', 'sent', 'queued', 'failed', 'delivered']) {
    assert.deepEqual(await twilio.reports(sms.sid, status, { times: 2 }), [204, 204])
    assert.equal((await channel('sms')).status, 'delivered')
  }
})

test('a receipt may overtake the response to its own request', async (t) => {
  const { site, twilio, channel, sms } = await start(t, {}, (one) =>
    one.reacts('create', 'Messages', { do: 'call back first', statuses: ['sent', 'delivered'] }),
  )
  assert.equal((await channel('sms')).status, 'delivered')
  const [row] = (await site.service.store.incidents({ openOnly: true }))[0]!.incident.deliveries
  assert.equal(row!.providerRef, sms.sid)
  assert.equal(twilio.creations('Messages').length, 1)
})

test('a receipt identifies a message whose response was lost, and it is neither repeated nor looked up', async (t) => {
  const { site, twilio, channel, sms } = await start(t, {}, (one) =>
    one.reacts('create', 'Messages', { do: 'accept, then reset' }),
  )
  assert.deepEqual(await twilio.reports(sms.sid, 'sent'), [204])
  assert.equal((await channel('sms')).status, 'sent')
  await site.advance('50 s')
  assert.equal(twilio.creations('Messages').length, 1)
})

test('of a doubled message, only the arrival of one counts', async (t) => {
  const { twilio, channel, address } = await start(t)
  const other = 'SM00000000000000000000000000000099'
  assert.equal((await twilio.post(address, { ...receiptOf(other, 'failed'), ErrorCode: '30003' })).status, 204)
  assert.equal((await channel('sms')).status, 'sent')
  assert.equal((await twilio.post(address, receiptOf(other, 'delivered'))).status, 204)
  assert.equal((await channel('sms')).status, 'delivered')
})

test('a text that the network returns moves the call forward, with its code', async (t) => {
  const { site, twilio, channel, sms } = await start(t)
  await twilio.reports(sms.sid, 'undelivered', { errorCode: 30003 })
  await site.advance('1 s')
  assert.equal((await channel('sms')).status, 'failed')
  const [row] = (await site.service.store.incidents({ openOnly: true }))[0]!.incident.deliveries
  assert.equal(row!.error, 'provider error 30003')
  assert.equal(twilio.callsTo(ANA).length, 1)
})

test('a call that nobody answers has failed', async (t) => {
  const { twilio, channel, call } = await startCall(t, { settings: { voiceAttempts: 1 } })
  assert.deepEqual(await twilio.reports(call.sid, 'ringing'), [204])
  assert.equal((await channel('voice')).status, 'sent')
  await twilio.reports(call.sid, 'no-answer')
  assert.equal((await channel('voice')).status, 'failed')
})

test('a receipt that cannot be stored is requested again', async (t) => {
  const { site, twilio, channel, sms } = await start(t)
  const { store } = site.service
  const change = store.changeIncident
  store.changeIncident = () => Promise.reject(new StoreError('no', 'busy'))
  assert.deepEqual(await twilio.reports(sms.sid, 'delivered'), [503])
  store.changeIncident = change
  assert.deepEqual(await twilio.reports(sms.sid, 'delivered'), [204])
  assert.equal((await channel('sms')).status, 'delivered')
})

test('receipts for unknown attempts, or with unknown statuses, do nothing', async (t) => {
  const { site, twilio, channel, sms, address } = await start(t)
  const params = receiptOf(sms.sid, 'delivered')
  const unknown = address.replace(/twilio\/.*\.(\d+)/, 'twilio/0190aaaa-0000-7000-8000-0000000000ff.$1')
  assert.equal((await twilio.post(unknown, params)).status, 204)
  assert.equal((await twilio.post(address.replace(/\.(\d+)\/status/, '.999/status'), params)).status, 204)
  assert.equal((await twilio.post(address.replace(/\.(\d+)\/status/, '/status'), params)).status, 404)
  assert.equal((await twilio.post(address, receiptOf(sms.sid, 'teleported'))).status, 204)
  assert.equal((await twilio.post(address, { ...params, Padding: 'x'.repeat(20_000) })).status, 413)
  assert.equal((await channel('sms')).status, 'sent')
  assert.equal(site.logged(/receipt for an unknown attempt/).length, 2)
})

test('requests of one address are limited, but receipts are not', async (t) => {
  const { site, twilio, sms } = await start(t, { config: { limits: { requestsPerMinutePerAddress: 20 } } })
  for (let time = 0; time < 30; time++) assert.deepEqual(await twilio.reports(sms.sid, 'sent'), [204])
  const statuses: number[] = []
  for (let time = 0; time < 30; time++) statuses.push((await site.user.rest('GET', '/v1/sdk/contacts')).status)
  assert.ok(statuses.includes(429))
  assert.deepEqual(await twilio.reports(sms.sid, 'delivered'), [204])
})

test('1 acknowledges like the button', async (t) => {
  const { site, channel, press } = await startCall(t)
  const { said, ended } = await press(['1'])
  assert.deepEqual(said.slice(-3), [en.spokenThanks, en.spokenLink, en.spokenGoodbye])
  assert.equal(ended, 'hung up')
  const incident = await site.user.openIncident()
  assert.equal(incident.status, 'acknowledged')
  assert.equal((await channel('voice')).status, 'delivered')
})

test('taking the call alone acknowledges nothing', async (t) => {
  const { site, channel, press } = await startCall(t)
  const { said, ended } = await press([])
  assert.deepEqual(said.slice(-3), [en.spokenNoKey, en.spokenLink, en.spokenGoodbye])
  assert.equal(ended, 'hung up')
  assert.equal((await channel('voice')).status, 'delivered')
  assert.equal((await site.user.openIncident()).status, 'active')
})

test('2 repeats the message, as often as it is pressed', async (t) => {
  const { site, press } = await startCall(t)
  const { said } = await press(['2', '2', '2', '2', '2', '1'])
  assert.equal(said.filter((text) => text.includes('Mia Moser needs help')).length, 6)
  assert.equal((await site.user.openIncident()).status, 'acknowledged')
})

test('any other key is invalid, and after three rounds the call says goodbye', async (t) => {
  const { site, press } = await startCall(t)
  const { said, ended } = await press(['7', '*', '#', '1'])
  assert.equal(said.filter((text) => text === en.spokenWrongKey).length, 3)
  assert.equal(said.filter((text) => text.includes('Mia Moser needs help')).length, 3)
  assert.equal(said.at(-1), en.spokenGoodbye)
  assert.equal(ended, 'hung up')
  assert.equal((await site.user.openIncident()).status, 'active')
})

test('after the end the call says that it is over', async (t) => {
  const { site, press } = await startCall(t)
  await site.user.ends('cancel')
  for (const key of ['1', '2', '5']) {
    const { said, ended } = await press([key])
    assert.match(said.at(-2)!, /^SOS ended from Mia Moser's phone, nobody else confirmed it/)
    assert.ok(!said.includes(en.spokenThanks))
    assert.equal(ended, 'hung up')
  }
})

test('a second helper hears of the first, and is recorded too', async (t) => {
  const { site, twilio, press } = await startCall(t, { contacts: ['Ana', 'Ben'] })
  const link = /https\S+\/t\/[\w-]+/.exec(String(twilio.smsTo(BEN)[0]!.params.Body))![0]
  await fetch(`${link.replace(PUBLIC_URL, site.service.listeners.http!)}/ack`, { method: 'POST', redirect: 'manual' })
  const { said } = await press(['2', '1'])
  assert.ok(said.includes(en.spokenThanks))
  assert.equal(said.filter((text) => text === en.spokenOthers).length, 2)
  const [incident] = await site.service.store.incidents({ openOnly: true })
  assert.ok(incident!.incident.contacts.every(({ acknowledgedAt }) => acknowledgedAt !== null))
})

test('a failing store leads to spoken words, and the next key press counts', async (t) => {
  const { site, press, twilio } = await startCall(t)
  const { store } = site.service
  const change = store.changeIncident
  let left = 1
  store.changeIncident = (key, command) => {
    if (command.type !== 'acknowledge' || left-- <= 0) return change.call(store, key, command)
    return Promise.reject(new StoreError('no', 'disk_full'))
  }
  const { said, asked } = await press(['1', '1'])
  assert.ok(said.includes(en.spokenFault))
  assert.deepEqual([...new Set(asked.map(({ status }) => status))], [200])
  assert.equal((await site.user.openIncident()).status, 'acknowledged')
  assert.equal(twilio.calledBack.filter(({ status }) => status >= 500).length, 0)
})

test('a store that keeps failing ends the call with a mention of the link', async (t) => {
  const { site, press } = await startCall(t)
  const { store } = site.service
  const read = store.incident
  store.incident = () => Promise.reject(new Error('broken'))
  const { said, ended } = await press(['1', '1', '1'])
  store.incident = read
  assert.deepEqual(said.slice(-3), [en.spokenFault, en.spokenLink, en.spokenGoodbye])
  assert.equal(ended, 'hung up')
  assert.equal((await site.user.openIncident()).status, 'active')
})

test('with polling a call has neither addresses nor keys', async (t) => {
  const { twilio, call } = await startCall(t, { receipts: 'poll' })
  assert.equal(call.params.StatusCallback, undefined)
  const { said, asked } = await twilio.answerCall(call.sid, { keys: ['1'] })
  assert.deepEqual(asked, [])
  const [text] = said
  assert.ok(text!.endsWith(en.spokenLink))
  assert.deepEqual(said, [text, en.spokenKeyless, text, en.spokenKeyless])
})

for (const language of ['de', 'fr', 'es', 'it'] as const) {
  test(`a contact who speaks ${language} hears it, even while the store is broken`, async (t) => {
    const twilio = await startTwilio(t)
    const publicUrl = PUBLIC_URL
    const site = await startSite(t, {
      config: { publicUrl, notifications: { providers: ['twilio'] }, twilio: twilio.config({ receipts: 'callback' }) },
    })
    twilio.reaches(publicUrl, site.service.listeners.http!)
    const contact = { name: 'Ana', phone: ANA, language: `${language}-CH` }
    assert.equal((await site.user.rest('POST', '/v1/sdk/contacts', contact)).status, 201)
    await site.user.presses()
    await site.advance('70 s')
    const { sid } = twilio.callsTo(ANA)[0]!
    const words = phrases[language]
    const { store } = site.service
    const read = store.incident
    store.incident = () => Promise.reject(new Error('broken'))
    const broken = await twilio.answerCall(sid, { keys: ['1'] })
    store.incident = read
    const heard = await twilio.answerCall(sid, { keys: ['5', '1'] })
    assert.deepEqual([...new Set([...broken.languages, ...heard.languages])], [`${language}-${language.toUpperCase()}`])
    assert.ok(broken.said.includes(words.spokenFault))
    assert.ok(heard.said.includes(words.spokenKeys))
    assert.ok(heard.said.includes(words.spokenWrongKey))
    assert.ok(heard.said.includes(words.spokenThanks))
  })
}

test('the log contains no number, name or text', async (t) => {
  const { site, press } = await startCall(t)
  await press(['7', '1'])
  assert.deepEqual(site.logged(/\+4366|Mia|Ana|needs help/), [])
})

for (const when of ['before', 'after'] as const) {
  test(`an SMS that counted as failed and arrives ${when} the end is followed by the all-clear`, async (t) => {
    const { site, twilio, channel, sms } = await start(t, { settings: { voice: false } }, (standIn) => {
      // Accepted, but the outcome is unknown; so is that of the repeats.
      standIn.reacts('create', 'Messages', { do: 'accept, then reset' })
      standIn.reacts('create', 'Messages', { do: 'reset' }, 2)
      standIn.reacts('list', 'Messages', { do: 'refuse', status: 401 }, 3)
    })
    await site.advance('55 s')
    assert.equal((await channel('sms')).status, 'failed')
    const cancel = () => site.user.ends('cancel')
    if (when === 'after') await cancel()
    assert.deepEqual(await twilio.reports(sms.sid, 'delivered'), [204])
    if (when === 'before') await cancel()
    await site.advance('10 s')
    const texts = twilio.smsTo(ANA).map(({ params }) => String(params.Body).slice(0, 9))
    assert.deepEqual(texts, ['SOS: Mia ', 'SOS ended'])
  })
}
