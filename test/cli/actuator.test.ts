import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings } from '../../src/core/account/settings.ts'
import { commandLine } from './command-line.ts'

const own = async (t: Parameters<typeof commandLine>[0], env: Record<string, string> = {}) => {
  const line = await commandLine(t, env)
  const { appId } = await line.answer('app', 'create', '--name', 'Hut')
  return {
    ...line,
    set: (...args: readonly string[]) => line.answer('app', 'actuator', 'set', appId, ...args),
    refuses: async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await line.tocsin('app', 'actuator', 'set', appId, ...args)
      assert.equal(stdout, '')
      assert.match(stderr, /^error: [^\n]+\n$/)
      return [code, stderr.trim()] as const
    },
    appId,
  }
}

test('every escalation setting has its option, and settings not given stay', async (t) => {
  const { set } = await own(t)
  const given = {
    graceSeconds: 0.5,
    contactIntervalSeconds: 0,
    ackTimeoutSeconds: 90,
    voice: false,
    voiceAttempts: 3,
    voiceRetrySeconds: 45,
    rounds: 1,
    httpAttempts: 2,
    httpBackoffSeconds: [0.5, 1.5],
    httpTimeoutSeconds: 5,
    allClear: false,
    realarmSeconds: 120,
    autoResolveHours: 12,
    persistHours: 2,
    watchMinutes: 5,
    tellOthers: false,
  }
  const options = [
    ['--grace-seconds', '0.5'],
    ['--contact-interval-seconds', '0'],
    ['--ack-timeout-seconds', '90'],
    ['--voice', 'off'],
    ['--voice-attempts', '3'],
    ['--voice-retry-seconds', '45'],
    ['--rounds', '1'],
    ['--http-attempts', '2'],
    ['--http-backoff-seconds', '0.5, 1.5'],
    ['--http-timeout-seconds', '5'],
    ['--all-clear', 'off'],
    ['--realarm-seconds', '120'],
    ['--auto-resolve-hours', '12'],
    ['--persist-hours', '2'],
    ['--watch-minutes', '5'],
    ['--tell-others', 'off'],
  ]
  assert.equal(options.length, Object.keys(defaultSettings).length)
  const all = await set('emergency_contacts', ...options.flat())
  assert.deepEqual(all.ownSettings, given)
  assert.deepEqual(all.settings, given)
  const one = await set('emergency_contacts', '--voice', 'on')
  assert.deepEqual(one.ownSettings, { ...given, voice: true })
})

test('effective settings are those of the application over those of the configuration', async (t) => {
  const { set } = await own(t, {
    TOCSIN_NOTIFICATIONS_DEFAULTS_ROUNDS: '5',
    TOCSIN_NOTIFICATIONS_DEFAULTS_VOICE: 'off',
  })
  const { settings, ownSettings } = await set('emergency_contacts', '--rounds', '3')
  assert.deepEqual(settings, { ...defaultSettings, rounds: 3, voice: false })
  assert.deepEqual(ownSettings, { rounds: 3 })
})

test('targets are set, changed in part and removed', async (t) => {
  const { set, answer, appId } = await own(t)
  const { actuators: chat } = await set('chat', '--url', 'https://192.0.1.1/a', '--http-attempts', '3')
  assert.deepEqual(chat, {
    emergency_contacts: {},
    chat: { url: 'https://192.0.1.1/a', format: 'text', httpAttempts: 3 },
  })
  const { actuators: slack, ownSettings } = await set('chat', '--format', 'slack')
  assert.deepEqual(slack.chat, { url: 'https://192.0.1.1/a', format: 'slack', httpAttempts: 3 })
  // Chat, webhook and contacts each have their own.
  assert.deepEqual(ownSettings, {})

  await set('webhook', '--url', 'https://192.0.1.1/b', '--secret', 's', '--http-backoff-seconds', '2,9')
  const { actuators: moved } = await set('webhook', '--url', 'https://192.0.1.1/c')
  assert.deepEqual(moved.webhook, { url: 'https://192.0.1.1/c', signed: true, httpBackoffSeconds: [2, 9] })
  assert.equal(moved.chat.httpAttempts, 3)

  const { actuators: gateway } = await set('emergency_contacts', '--http-url', 'http://127.0.0.1:9/sms')
  assert.deepEqual(gateway.emergency_contacts, { httpUrl: 'http://127.0.0.1:9/sms' })
  assert.deepEqual(
    (await set('emergency_contacts', '--rounds', '1')).actuators.emergency_contacts,
    gateway.emergency_contacts,
  )
  assert.deepEqual((await set('emergency_contacts', '--http-url', 'off')).actuators.emergency_contacts, {})

  const remove = (type: string) => answer('app', 'actuator', 'remove', appId, type)
  await remove('chat')
  await remove('emergency_contacts')
  assert.deepEqual(Object.keys((await remove('chat')).actuators), ['webhook'])
})

test('a target on a private address is refused with a remedy, unless such targets are allowed', async (t) => {
  const { refuses, answer, appId } = await own(t)
  for (const url of [
    'http://127.0.0.1:1/a',
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://hook.localhost./',
    'http://2130706433/',
  ]) {
    for (const type of ['chat', 'webhook']) {
      const [code, message] = await refuses(type, '--url', url)
      assert.equal(code, 1)
      assert.match(message, /private, loopback or link-local.*notifications\.allowPrivateTargets/)
    }
  }
  assert.deepEqual((await answer('app', 'show', appId)).actuators, { emergency_contacts: {} })

  const open = await own(t, { TOCSIN_NOTIFICATIONS_ALLOW_PRIVATE_TARGETS: 'on' })
  const { actuators } = await open.set('webhook', '--url', 'http://127.0.0.1:1/a')
  assert.deepEqual(actuators.webhook, { url: 'http://127.0.0.1:1/a', signed: false })
})

test('conflicting options are wrong use', async (t) => {
  const { refuses } = await own(t)
  const wrong: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['chat'], /chat needs --url/],
    [['webhook', '--secret', 's'], /webhook needs --url/],
    [['chat', '--url', 'https://192.0.1.1/', '--secret', 's'], /--secret cannot be used with chat/],
    [['chat', '--url', 'https://192.0.1.1/', '--voice', 'on'], /--voice cannot be used with chat/],
    [
      ['webhook', '--url', 'https://192.0.1.1/', '--http-url', 'https://192.0.1.1/'],
      /--http-url cannot be used with webhook/,
    ],
    [['emergency_contacts', '--url', 'https://192.0.1.1/'], /--url cannot be used with emergency_contacts/],
    [['emergency_contacts', '--voice', 'maybe'], /must be on or off/],
    [['emergency_contacts', '--rounds', '1.5'], /--rounds/],
    [['emergency_contacts', '--grace-seconds', '-1'], /must be at least 0/],
    [['emergency_contacts', '--grace-seconds', 'ten'], /must be a number/],
    [['emergency_contacts', '--http-backoff-seconds', '1,x'], /must be a number/],
    [['chat', '--url', 'ftp://192.0.1.1/'], /must be an http or https address/],
    [['chat', '--url', 'https://192.0.1.1/', '--format', 'morse'], /Allowed choices are text, slack/],
    [['carrier_pigeon'], /Allowed choices are emergency_contacts, chat, webhook/],
  ]
  for (const [args, message] of wrong) {
    const [code, said] = await refuses(...args)
    assert.equal(code, 2, said)
    assert.match(said, message)
  }
})
