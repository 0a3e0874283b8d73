import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelsOf } from '../../src/config/provider-channels.ts'
import { configWarnings, receiptsBy } from '../../src/config/warnings.ts'
import { configOf, problemText } from '../../src/config.ts'

/** Avoids an unrelated warning. */
const LINKS_OPEN = { publicUrl: 'https://sos.example.org', tls: { cert: '/cert.pem', key: '/key.pem' } }

function configFrom(twilio: object, more: object = {}) {
  const account = { accountSid: 'AC1', authToken: 'token', from: '+12025550123' }
  const configured = configOf({
    notifications: { providers: ['twilio'] },
    twilio: { ...account, ...twilio },
    ...LINKS_OPEN,
    ...more,
  })
  if ('problems' in configured) throw new Error(configured.problems.map(problemText).join('\n'))
  return configured.config
}

test('an account with a number causes no warning', () => {
  assert.deepEqual(configWarnings(configFrom({})), [])
})

for (const from of ['HUT', '12345', null]) {
  test(`a sender of ${from} causes a warning that calls are impossible`, () => {
    const warnings = configWarnings(configFrom({ from, messagingServiceSid: 'MG1' }))
    assert.match(warnings.join(), /^twilio\.from is not a number .*cannot make calls/)
  })
}

test('receipts without an address to call cause a warning', () => {
  const warnings = configWarnings(configFrom({ receipts: 'callback' }, { publicUrl: null }))
  assert.match(warnings.join(), /publicUrl is not set, so Twilio may not be able to reach/)
  assert.deepEqual(configWarnings(configFrom({ receipts: 'callback' })), [])
})

test('an outbox next to another provider causes a warning, whatever the order', () => {
  const providers = (...names: string[]) => configWarnings(configFrom({}, { notifications: { providers: names } }))
  for (const names of [
    ['twilio', 'outbox'],
    ['outbox', 'twilio'],
  ]) {
    assert.match(providers(...names).join(), /lists outbox next to another provider/)
  }
  assert.deepEqual([...providers('outbox'), ...providers('twilio')], [])
})

test('other providers need no Twilio settings', () => {
  const outbox = { notifications: { providers: ['outbox'] } }
  assert.deepEqual(configWarnings(configFrom({ from: 'HUT', receipts: 'callback' }, outbox)), [])
})

test('a modem that is set up beside Twilio and not listed is named, for nothing would be sent by it', () => {
  const modem = { modem: { spool: '/var/spool/tocsin-sms' } }
  assert.deepEqual(configWarnings(configFrom({}, modem)), [
    'modem.spool is set, but notifications.providers does not list modem: nothing is sent through it',
  ])
  const listed = { notifications: { providers: ['twilio', 'modem'] }, ...modem }
  assert.deepEqual(configWarnings(configFrom({}, listed)), [])
})

const publicUrl = 'https://sos.example.org'
const receipts: readonly (readonly [what: string, twilio: object, more: object, by: string])[] = [
  ['without an address', {}, { publicUrl: null }, 'poll'],
  ['with an address', {}, { publicUrl }, 'callback'],
  ['as the operator says', { receipts: 'poll' }, { publicUrl }, 'poll'],
  ['as the operator says, whatever the address', { receipts: 'callback' }, { publicUrl: null }, 'callback'],
]
for (const [what, twilio, more, by] of receipts) {
  test(`receipts ${what}: ${by}`, () => assert.equal(receiptsBy(configFrom(twilio, more)), by))
}

test('one SMS and one call a second, for ten minutes, unless the account is said to have more', () => {
  const { smsPerSecond, callsPerSecond, requestsAtOnce, validitySeconds } = configFrom({}).twilio
  assert.deepEqual([smsPerSecond, callsPerSecond, requestsAtOnce, validitySeconds], [1, 1, 100, 600])
})

const ownTls = LINKS_OPEN.tls
const links: readonly (readonly [what: string, more: object, concern: RegExp | null])[] = [
  [
    'nowhere set, with the local CA',
    { tls: {}, publicUrl: null },
    /^publicUrl is not set.*local CA, which phones reject/,
  ],
  ['nowhere set', { publicUrl: null }, /^publicUrl is not set, so the links in SMS point to a bare IP address/],
  [
    'to this machine',
    { publicUrl: 'http://localhost:8080' },
    /^public_url_loopback: links at http:\/\/localhost:8080 open on this machine only/,
  ],
  [
    'into the own network',
    { publicUrl: 'https://192.168.1.4' },
    /^public_url_private: links at https:\/\/192\.168\.1\.4 open in this network only/,
  ],
  ['to the local CA', { tls: {} }, /^publicUrl https:\/\/sos\.example\.org uses a certificate of the local CA/],
  ['to a certificate of the operator', {}, null],
  ['to a proxy', { tls: {}, http: { trustProxy: 'loopback' } }, null],
  ['to a proxy, because nothing here serves https', { tls: {}, https: { port: 'off' } }, null],
  ['to a page without TLS', { tls: {}, publicUrl: 'http://sos.example.org' }, null],
]
for (const [what, more, concern] of links) {
  test(`tracking links that lead ${what}: ${concern === null ? 'no warning' : 'a warning'}`, () => {
    const warnings = configWarnings(configFrom({}, more))
    if (concern === null) assert.deepEqual(warnings, [])
    else assert.match(warnings[0] ?? '', concern)
    const writtenDown = configFrom({}, { tls: ownTls, ...more, notifications: { providers: ['outbox'] } })
    assert.deepEqual(configWarnings(writtenDown), [], 'nothing leaves this machine')
  })
}
// rules.md#providers.
const TEXTS = '{ "number": "{to}", "message": "{text}" }'
const NAMING = '{ "kind": "{channel}", "number": "{to}", "message": "{text}" }'
const gateways: readonly (readonly [what: string, gateway: object, channels: readonly string[]])[] = [
  ['without a template, whose body names the channel', {}, ['sms', 'voice']],
  ['with a template that names the channel', { template: NAMING }, ['sms', 'voice']],
  ['with an address that names it', { template: TEXTS, url: 'http://gw.local/{channel}' }, ['sms', 'voice']],
  ['with a header that names it', { template: TEXTS, headers: { 'X-Kind': '{channel}' } }, ['sms', 'voice']],
  ['with a template that does not', { template: TEXTS }, ['sms']],
  ['as the operator says', { template: TEXTS, channels: ['sms', 'voice'] }, ['sms', 'voice']],
  ['as the operator says, whatever the template', { channels: ['voice'] }, ['voice']],
]
const withGateway = (gateway: object, providers = ['http'], twilio = {}) =>
  configFrom(twilio, {
    notifications: { providers },
    gateway: { url: 'http://gw.local/', ...gateway },
    ...(!providers.includes('twilio') && { twilio: {} }),
  })

for (const [what, gateway, channels] of gateways) {
  test(`channels of a gateway ${what}: ${channels.join(', ')}`, () => {
    assert.deepEqual(channelsOf('http', withGateway(gateway)), channels)
    const missing = ['sms', 'voice'].filter((channel) => !channels.includes(channel))
    const warned = configWarnings(withGateway(gateway)).map((warning) => warning.split(' in ')[0])
    const named = { sms: 'no provider for texts', voice: 'no provider for calls' }
    assert.deepEqual(
      warned,
      missing.map((channel) => named[channel as keyof typeof named]),
    )
  })
}

test('a channel that one provider lacks causes no warning if another has it', () => {
  assert.deepEqual(configWarnings(withGateway({ channels: ['sms'] }, ['http', 'twilio'])), [])
  const noNumber = withGateway({ channels: ['sms'] }, ['http', 'twilio'], { from: 'HUT' })
  assert.match(configWarnings(noNumber).join(), /no provider for calls in notifications\.providers \(http, twilio\)/)
})

test('a modem next to a database that nodes share causes a warning', () => {
  const modem = { notifications: { providers: ['twilio', 'modem'] }, modem: { spool: '/spool' } }
  assert.deepEqual(configWarnings(configFrom({}, modem)), [])
  const shared = configWarnings(configFrom({}, { ...modem, store: { url: 'postgresql://db/tocsin' } }))
  assert.match(shared.join(), /each node sends through the modem of its own machine/)
})
