import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parse } from 'yaml'
import {
  certificateChanges,
  draftFor,
  kindOfCertificate,
  mayChooseKind,
} from '../../console/logic/setup-certificate.ts'
import { formOf, NEW_SERVER, serverOf } from '../../console/logic/setup-servers.ts'
import {
  adviceOf,
  changesOf,
  choicesOf,
  kindOf,
  providerKeys,
  settingOf,
  typedOf,
  variableOf,
} from '../../console/logic/setup-values.ts'
import { timeIn } from '../../console/logic/time-zones.ts'
import { variableOfKey } from '../../src/config/keys.ts'
import { providerSections, settableKeys } from '../../src/config/settable.ts'

const setting = (key: string, over: object = {}) => ({
  ...{ key, source: 'default' as const, value: null, secret: false, set: false },
  ...over,
})

suite('what is typed into the setup of the site', () => {
  test('every key that a provider has is in its form', () => {
    for (const [provider, { main, more }] of Object.entries(providerKeys)) {
      const section = providerSections[provider as keyof typeof providerSections]
      assert.deepEqual([...main, ...more].sort(), [...settableKeys(section)].sort())
    }
    for (const key of settableKeys()) assert.equal(variableOf(key), variableOfKey(key))
  })

  test('is read as the configuration has it, and written back as it was typed', () => {
    for (const [key, typed, value] of [
      ['publicUrl', ' https://sos.example.org ', 'https://sos.example.org'],
      ['publicUrl', ' ', null],
      ['twilio.from', '0043 720 12 34 56', '+43720123456'],
      ['twilio.from', 'Rescue', 'Rescue'],
      ['twilio.smsPerSecond', '2,5', 2.5],
      ['twilio.smsPerSecond', 'many', 'many'],
      ['notifications.lanHosts', '10.0.0.0/8\n\n nas.lan ', ['10.0.0.0/8', 'nas.lan']],
      ['gateway.headers', 'Authorization: Bearer a:b\nX-Site:hut', { Authorization: 'Bearer a:b', 'X-Site': 'hut' }],
      ['gateway.headers', 'no colon', 'no colon'],
      ['gateway.channels', 'sms,voice', ['sms', 'voice']],
      ['modem.answers', 'off', 'off'],
      ['tracking.emergencyNumbers', 'at: 1 40\nDE: +49 112', { AT: '140', DE: '+49112' }],
      ['tracking.emergencyNumbers', '140', '140'],
      ['lorawan.profiles', ' a:\n  sos: {} ', 'a:\n  sos: {}'],
    ] as const) {
      assert.deepEqual(settingOf(typed, key), value, `${key} ${typed}`)
    }
    assert.equal(typedOf(['10.0.0.0/8', 'nas.lan'], 'lines'), '10.0.0.0/8\nnas.lan')
    assert.equal(typedOf(['sms', 'voice'], kindOf('gateway.channels')), 'sms,voice')
    assert.equal(typedOf(false, 'choice'), 'off')
    assert.equal(typedOf({ AT: '140', DE: '112' }, 'numbers'), 'AT: 140\nDE: 112')
    const profiles = {
      'my-button': { fix: [{ path: 'position.valid', is: [true, 'yes', 'a: b'] }], sos: { ports: [10], when: [] } },
      '1': {},
    }
    assert.match(
      typedOf(profiles, 'yaml'),
      /^"1": \{ {2}\}\nmy-button:\n {2}fix: \[\{ path: position\.valid, is: \[true, "yes"/,
    )
    assert.deepEqual(parse(typedOf(profiles, 'yaml')), profiles)
    assert.equal(typedOf(null, 'text'), '')
    for (const key of settableKeys().filter((one) => kindOf(one) === 'choice')) assert.ok(choicesOf[key]!.length > 1)
  })

  test('of the certificate: another kind takes away what the former one had, but nothing of the file', () => {
    const settings = [
      setting('acme.enabled', { value: false }),
      setting('acme.domains'),
      setting('http.acmePort', { value: 'off' }),
      setting('tls.pem', { secret: true }),
      setting('tls.names'),
    ]
    const having = (over: Record<string, object>) => settings.map((one) => ({ ...one, ...over[one.key] }))
    assert.equal(kindOfCertificate(settings), 'local')
    assert.deepEqual(draftFor(settings, 'acme'), { 'http.acmePort': '80' })
    assert.deepEqual(draftFor(having({ 'http.acmePort': { value: 8081 } }), 'acme'), {})
    const draft = {
      ...draftFor(settings, 'acme'),
      'acme.domains': 'a.example.org\nb.example.org',
      'tls.pem': 'not now',
    }
    assert.deepEqual(certificateChanges(settings, 'acme', draft), {
      'acme.enabled': true,
      'acme.domains': ['a.example.org', 'b.example.org'],
      'http.acmePort': 80,
    })
    assert.deepEqual(certificateChanges(settings, 'local', {}), {})
    const on = having({
      'acme.enabled': { value: true, source: 'console', set: true },
      'http.acmePort': { source: 'file', value: 80 },
    })
    assert.deepEqual([kindOfCertificate(on), certificateChanges(on, 'acme', {})], ['acme', {}])
    assert.deepEqual(certificateChanges(on, 'own', { 'tls.pem': 'text' }), { 'acme.enabled': null, 'tls.pem': 'text' })
    const own = having({ 'tls.pem': { source: 'console', set: true } })
    assert.deepEqual([kindOfCertificate(own), certificateChanges(own, 'local', {})], ['own', { 'tls.pem': null }])
    assert.equal(mayChooseKind(settings, false), true)
    assert.equal(mayChooseKind(settings, true), false)
    assert.equal(mayChooseKind(having({ 'acme.enabled': { source: 'file' } }), false), false)
  })

  test('goes to the service only where it differs, and where the file does not have it', () => {
    const settings = [
      setting('twilio.accountSid', { value: 'AC1' }),
      setting('twilio.from', { value: '+1', source: 'file' }),
      setting('twilio.authToken', { secret: true, set: true }),
      setting('twilio.smsPerSecond', { value: 1 }),
      setting('gateway.headers', { secret: true, set: true }),
      setting('gateway.template', { secret: true }),
    ]
    const draft = {
      'twilio.accountSid': ' AC1',
      'twilio.from': '+2',
      'twilio.authToken': '',
      'twilio.smsPerSecond': '3',
      'gateway.headers': null,
      'gateway.template': null,
    }
    assert.deepEqual(changesOf(settings, draft), { 'twilio.smsPerSecond': 3, 'gateway.headers': null })
    assert.deepEqual(changesOf(settings, { 'twilio.accountSid': '', 'twilio.authToken': 'new' }), {
      'twilio.accountSid': null,
      'twilio.authToken': 'new',
    })
  })

  test('of a network server keeps what is not typed, and its secrets', () => {
    const before = {
      ...{ type: 'chirpstack', application: 'a', token: '[secret]', profile: 'tocsin-12' },
      mqtt: { url: 'mqtts://hut:8883', username: 'u', password: '[secret]', topic: 'application/7/device/+/event/+' },
      downlink: { url: 'https://hut', key: '[secret]', webhook: null },
    }
    assert.deepEqual(serverOf(formOf('hut', before), before), before)
    const other = serverOf({ ...formOf('hut', before), type: 'tts', token: 'a-new-token-of-16' }, before)
    assert.deepEqual([other.mqtt, other.token, other.downlink], [null, 'a-new-token-of-16', before.downlink])
    assert.deepEqual(serverOf({ ...NEW_SERVER, application: 'a', mqttUrl: 'mqtt://hut' }, null), {
      ...{ type: 'chirpstack', application: 'a', token: null, profile: null, downlink: null },
      mqtt: { url: 'mqtt://hut', username: null, password: null },
    })
  })

  test('shows the time of a zone, as people write it', () => {
    const noon = Date.parse('2026-07-01T12:00:00Z')
    assert.equal(timeIn('Europe/Wien', noon, 'de'), '14:00')
    for (const none of ['', 'Vienn', '+02:00', 'Mars/Olympus']) assert.equal(timeIn(none, noon, 'en'), null)
  })

  test('a test message that failed says what to look at', () => {
    for (const [error, about] of [
      ['provider error 20003', 'credentials'],
      ['upstream HTTP 401', 'credentials'],
      ['invalid number', 'number'],
      ['provider error 21408', 'number'],
      ['provider error 21606', 'sender'],
      ['connection refused', 'unreachable'],
      ['upstream HTTP 503', 'unreachable'],
      ['blocked address', 'blocked'],
      ['spool missing', 'modem'],
      ['rate limited (HTTP 429)', 'limited'],
      ['provider error', 'other'],
    ] as const) {
      assert.equal(adviceOf(error), about, error)
    }
  })
})
