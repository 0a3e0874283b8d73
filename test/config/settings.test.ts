import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { configKeys } from '../../src/config/keys.ts'
import { onlyInFile } from '../../src/config/only-in-file.ts'
import { overlaps } from '../../src/config/overlaps.ts'
import { siteFactsOf } from '../../src/config/provider-channels.ts'
import { settable, settableKeys } from '../../src/config/settable.ts'
import { problemsOf, withSettings } from '../../src/config/settings.ts'
import type { Tree } from '../../src/config/tree.ts'
import { configWarnings } from '../../src/config/warnings.ts'
import { configOf } from '../../src/config.ts'

function configFrom(tree: Tree = {}, env: Record<string, string> = {}) {
  const configured = configOf(tree, env, '/srv')
  if ('problems' in configured) throw new Error(JSON.stringify(configured.problems))
  return configured.config
}

const twilio = {
  'notifications.providers': ['twilio'],
  'twilio.accountSid': 'AC1',
  'twilio.authToken': 'hush',
  'twilio.from': '+12025550123',
}

test('every settable key is a key of the configuration', () => {
  const keys = configKeys.map(({ path }) => path.join('.'))
  assert.deepEqual(
    settableKeys().filter((key) => !keys.includes(key)),
    [],
  )
})

test('every key is settable in the console, or named with the reason why only the file sets it', () => {
  const named: readonly string[] = onlyInFile.flatMap(({ keys }) => keys)
  const isNamed = (key: string) => named.some((name) => `${key}.`.startsWith(`${name}.`))
  const keys = configKeys.map(({ path }) => path.join('.'))
  assert.deepEqual(
    keys.filter((key) => !Object.hasOwn(settable, key) && !isNamed(key)),
    [],
  )
  const idle = named.filter(
    (name) => !keys.some((key) => `${key}.`.startsWith(`${name}.`) && !Object.hasOwn(settable, key)),
  )
  assert.deepEqual(idle, [])
  // Operators read them there.
  const page = readFileSync(new URL('../../docs/setup.md', import.meta.url), 'utf8')
  const only = keys.filter((key) => !Object.hasOwn(settable, key))
  const isOnPage = (key: string) => page.includes(`\`${key}\``) || page.includes(`\`${key.replace(/\.\w+$/, '.*')}\``)
  assert.deepEqual(
    [...only, ...settableKeys()].filter((key) => !isOnPage(key)),
    [],
  )
})

test('a wrong profile of a tracker goes alone, and a server that names it still hears every tracker', () => {
  const server = { type: 'tts', application: '0197f6a0-1c2d-7e3f-8a4b-0000000000c1', token: 'hush-hush-hush-hush' }
  const { config, left } = withSettings(configFrom(), {
    'lorawan.profiles': { Right: { sos: { ports: [3] } }, 'Wrong.one': { sos: { ports: [0] } } },
    'lorawan.servers': { a: { ...server, profile: 'wrong.one' }, b: { ...server, profile: 'right' } },
  })
  const { servers, profiles } = config.lorawan
  assert.deepEqual([Object.keys(profiles), servers.a?.profile, servers.b?.profile], [['right'], null, 'right'])
  assert.deepEqual(
    left.map(({ key }) => key),
    ['lorawan.profiles.wrong.one.sos.ports[0]', 'lorawan.servers.a.profile'],
  )
})

test('what the file sets although the console does is named, and an account that has something of both', () => {
  const config = configFrom({ timeZone: 'UTC', twilio: { accountSid: 'AC1' } }, { TOCSIN_SMTP_FROM: 'sos@hut.example' })
  assert.deepEqual(overlaps(config, ['publicUrl']), [])
  assert.deepEqual(overlaps(config, ['timeZone', 'twilio.accountSid', 'twilio.authToken', 'smtp.from']), [
    "timeZone is set in the file and in the console: the console's does not count, until it is no longer set there",
    "twilio.accountSid is set in the file and in the console: the console's does not count, until it is no longer set there",
    "smtp.from is set in the environment (TOCSIN_SMTP_FROM) and in the console: the console's does not count, until it is no longer set there",
    'twilio.authToken is set in the console and twilio.accountSid in the file: both count, so set one account in one place',
  ])
})

test('secrets of the settable keys are marked: none of them shows when the configuration is printed', () => {
  const values = {
    ...twilio,
    'gateway.url': 'https://a.example/hush',
    'gateway.headers': { 'X-Key': 'hush' },
    'gateway.template': 'hush {text}',
    'lorawan.servers': {
      a: { type: 'tts', application: '0197f6a0-1c2d-7e3f-8a4b-0000000000c1', token: 'hush-hush-hush-hush' },
    },
  }
  const { config, left } = withSettings(configFrom(), values)
  assert.deepEqual(left, [])
  assert.equal(config.twilio.authToken?.reveal(), 'hush')
  assert.ok(!JSON.stringify(config).includes('hush'))
  const secret = Object.keys(values).filter((key) =>
    JSON.stringify(values[key as keyof typeof values]).includes('hush'),
  )
  assert.deepEqual(
    secret.filter((key) => settable[key]?.isSecret !== true),
    [],
  )
})

test('what is set in the console is over the defaults, under the file, and under the environment', () => {
  const values = { timeZone: 'Europe/Wien', publicUrl: 'https://console.example/', 'map.attribution': 'console' }
  const config = configFrom({ publicUrl: 'https://file.example' }, { TOCSIN_MAP_ATTRIBUTION: 'environment' })
  const { config: now, sources, left } = withSettings(config, values)
  assert.deepEqual(
    [now.timeZone, now.publicUrl, now.map.attribution],
    ['Europe/Vienna', 'https://file.example', 'environment'],
  )
  assert.deepEqual(
    ['timeZone', 'publicUrl', 'map.attribution', 'map.tileUrl'].map((key) => sources.get(key)),
    ['console', 'file', 'environment', 'default'],
  )
  assert.deepEqual(left, [])
  assert.ok(Object.isFrozen(now))
})

test('keys that are not settable never count, whatever the table holds', () => {
  const { config } = withSettings(configFrom(), {
    'twilio.baseUrl': 'https://evil.example',
    dataDir: '/tmp',
    'modem.smsdConfig': '/etc/x',
  })
  assert.deepEqual(
    [config.twilio.baseUrl, config.dataDir, config.modem.smsdConfig],
    ['https://api.twilio.com', '/srv/data', null],
  )
})

test('a bad value is left out with its reason, and the others count', () => {
  const { config, left } = withSettings(configFrom(), {
    timeZone: 'Mars/Olympus',
    'map.attribution': 'ours',
    'twilio.smsPerSecond': -1,
  })
  assert.deepEqual([config.timeZone, config.map.attribution, config.twilio.smsPerSecond], [null, 'ours', 1])
  assert.deepEqual(left.map(({ key }) => key).sort(), ['timeZone', 'twilio.smsPerSecond'])
})

test('a provider that lacks a companion is lame, and its messages do not go to the outbox', () => {
  const { 'twilio.authToken': _, ...without } = twilio
  const { config, left, lame } = withSettings(configFrom(), { ...without, timeZone: 'UTC' })
  assert.deepEqual([config.notifications.providers, config.timeZone, left], [[], 'UTC', []])
  assert.deepEqual(lame, [{ provider: 'twilio', message: 'twilio.authToken is required with the provider twilio' }])
  const both = { ...twilio, 'twilio.from': 7, 'notifications.providers': ['twilio', 'modem'], 'modem.spool': '/a' }
  const { config: other, lame: one } = withSettings(configFrom(), both)
  assert.deepEqual([other.notifications.providers, one.map(({ provider }) => provider)], [['modem'], ['twilio']])
})

test('a list of providers that this version does not understand sends nothing elsewhere', () => {
  for (const list of [['pigeon'], 'twilio', [], [['http']], { a: 1 }, ['outbox', 'twilio']]) {
    const { config, lame } = withSettings(configFrom(), { 'notifications.providers': list, timeZone: 'UTC' })
    assert.deepEqual([config.notifications.providers, config.timeZone, lame.length > 0], [[], 'UTC', true])
  }
})

test('a provider whose secret cannot be read is lame: the others go on, and without any other nothing goes to the outbox', () => {
  const { 'twilio.authToken': _, ...without } = twilio
  const why = { 'twilio.authToken': 'the key is missing' }
  const both = { ...without, 'notifications.providers': ['twilio', 'modem'], 'modem.spool': '/var/spool/gammu' }
  const one = withSettings(configFrom(), both, why)
  assert.deepEqual(one.config.notifications.providers, ['modem'])
  assert.deepEqual(one.lame, [{ provider: 'twilio', message: 'the key is missing' }])
  const none = withSettings(configFrom(), without, why)
  assert.deepEqual(none.config.notifications.providers, [])
  assert.deepEqual(siteFactsOf(none.config), { keepsMessages: false, channels: [] })
  assert.ok(configWarnings(none.config).length > 0)
  // A secret in the file makes up for it.
  const written = withSettings(configFrom({ twilio: { authToken: 'x' } }), without, why)
  assert.deepEqual([written.config.notifications.providers, written.lame], [['twilio'], []])
})

test('a broken combination never throws, and never costs what the file says', () => {
  const config = configFrom({ timeZone: 'UTC' })
  const odd = { 'notifications.providers': 'twilio', 'map.tileUrl': { a: 1 }, publicUrl: 7, 'lorawan.servers': [] }
  const { config: now, left } = withSettings(config, odd)
  assert.deepEqual([now.timeZone, now.notifications.providers, left.length], ['UTC', [], 3])
})

test('problems name the key; one that the file has is none of the console', () => {
  assert.deepEqual(problemsOf(configFrom(), { timeZone: 'Nowhere' }), [
    { key: 'timeZone', message: 'must be a time zone such as Europe/Vienna or UTC' },
  ])
  assert.deepEqual(problemsOf(configFrom({ timeZone: 'UTC' }), { timeZone: 'Nowhere' }), [])
})

for (const [entry, isValid] of [
  ['192.168.4.20', true],
  ['10.0.0.0/8', true],
  ['fd12::/16', true],
  ['nas.example.internal', true],
  ['nas', true],
  ['10.0.0.0/33', false],
  ['http://nas', false],
  ['300.1.1.1', false],
  ['nas.example.', false],
  ['a b', false],
] as const) {
  test(`${entry} ${isValid ? 'is' : 'is no'} host of the local network`, () => {
    assert.equal(problemsOf(configFrom(), { 'notifications.lanHosts': [entry] }).length === 0, isValid)
  })
}

test('of several network servers only the wrong one is left out; without a right one all are', () => {
  const application = '0190aaaa-0000-7000-8000-000000000001'
  const right = { type: 'tts', application, token: 'a token of sixteen' }
  const wrong = { ...right, application: 'of another form' }
  const both = withSettings(configFrom(), { 'lorawan.servers': { hut: right, 'hut.2': wrong }, timeZone: 'UTC' })
  assert.deepEqual(Object.keys(both.config.lorawan.servers), ['hut'])
  assert.deepEqual(
    both.left.map(({ key }) => key),
    ['lorawan.servers.hut.2.application'],
  )
  const alone = withSettings(configFrom(), { 'lorawan.servers': { 'hut.2': wrong }, timeZone: 'UTC' })
  assert.deepEqual([alone.config.lorawan.servers, alone.config.timeZone], [{}, 'UTC'])
  assert.deepEqual(
    alone.left.map(({ key }) => key),
    ['lorawan.servers'],
  )
})
