import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { defaultSettings } from '../../src/core/account/settings.ts'
import { isUuid } from '../../src/core/ingest/topic.ts'
import { commandLine } from './command-line.ts'
import { program } from './program.ts'

test('an application is created, shown, changed, disabled and enabled again', async (t) => {
  const { answer } = await program(t)
  assert.deepEqual(await answer('app', 'list'), [])
  const { appId, secret, ...more } = await answer('app', 'create', '--name', ' Hut ', '--language', 'de-AT', '--legacy')
  assert.ok(isUuid(appId))
  assert.match(secret, /^[\w-]{43}$/)
  assert.deepEqual(more, {})

  const shown = await answer('app', 'show', appId.toUpperCase())
  assert.equal(new Date(shown.createdAt).toISOString(), shown.createdAt)
  assert.deepEqual(shown, {
    appId,
    name: 'Hut',
    language: 'de-AT',
    legacy: true,
    disabled: false,
    createdAt: shown.createdAt,
    actuators: { emergency_contacts: {} },
    allowedPrefixes: [],
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    corsOrigins: [],
    silentAfterMinutes: 0,
    verifyContacts: true,
    silentByDefault: false,
    relays: 'any',
    mapLink: null,
    webApp: { on: false, colour: '#b3261e', country: null, emergencyNumber: shown.webApp.emergencyNumber },
    smsSos: false,
    smsNumber: null,
    fallbackContact: null,
    texts: {},
    settings: defaultSettings,
    ownSettings: {},
  })
  assert.deepEqual(await answer('app', 'list'), [shown])

  const updated = { ...shown, name: 'Refuge', language: 'fr', legacy: false }
  const update = ['--name', 'Refuge', '--language', 'fr', '--legacy', 'off']
  assert.deepEqual(await answer('app', 'update', appId, ...update), updated)
  assert.deepEqual(await answer('app', 'disable', appId), { ...updated, disabled: true })
  assert.deepEqual(await answer('app', 'show', appId), { ...updated, disabled: true })
  assert.deepEqual(await answer('app', 'enable', appId), updated)
})

test('a time zone, the origins of browser apps and a fallback contact are set and removed', async (t) => {
  const { answer, tocsin } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut', '--time-zone', 'Europe/Vienna')
  const update = (...options: readonly string[]) => answer('app', 'update', appId, ...options)
  assert.equal((await answer('app', 'show', appId)).timeZone, 'Europe/Vienna')
  assert.equal((await update('--time-zone', 'UTC')).timeZone, 'UTC')

  const origins = ['https://app.example.com', 'http://localhost:5173']
  const allowed = await update('--cors-origin', origins[0]!, '--cors-origin', origins[1]!, '--cors-origin', origins[0]!)
  assert.deepEqual(allowed.corsOrigins, origins)
  assert.deepEqual((await update('--cors-origin', 'none')).corsOrigins, [])
  assert.equal((await update('--silent-after', '12h')).silentAfterMinutes, 720)
  assert.equal((await update('--silent-after', 'off')).silentAfterMinutes, 0)
  assert.equal((await update('--verify-contacts', 'off')).verifyContacts, false)
  const quiet = await answer('app', 'create', '--name', 'Hut', '--verify-contacts', 'off')
  assert.equal((await answer('app', 'show', quiet.appId)).verifyContacts, false)
  assert.equal((await update('--silent-by-default', 'on')).silentByDefault, true)
  assert.equal((await update('--silent-by-default', 'off')).silentByDefault, false)
  assert.equal((await update('--relays', 'listed')).relays, 'listed')
  assert.equal((await update('--relays', 'any')).relays, 'any')
  assert.equal((await update('--sms-sos', 'on')).smsSos, true)
  assert.equal((await update('--sms-number', '+436601234567')).smsNumber, '+436601234567')
  assert.equal((await update('--sms-number', 'none')).smsNumber, null)
  const mapLink = 'https://map.example.org/?p={lat},{lon}'
  assert.equal((await update('--map-link', mapLink)).mapLink, mapLink)
  assert.equal((await update('--map-link', 'default')).mapLink, null)
  for (const bad of [
    'http://map.example.org/{lat}/{lon}',
    'https://map.example.org/{lat}',
    'https://x/{lat}{lon}{at}',
  ]) {
    assert.match((await tocsin('app', 'update', appId, '--map-link', bad)).stderr, /must be an https address with/)
  }

  const phone = '+436601234567'
  assert.deepEqual((await update('--fallback-contact', phone)).fallbackContact, { phone, name: 'Fallback contact' })
  assert.deepEqual((await update('--fallback-name', 'Desk')).fallbackContact, { phone, name: 'Desk' })
  assert.equal((await update('--fallback-contact', 'none')).fallbackContact, null)

  const refused = [
    [['--time-zone', 'Mars/Base'], /must be a time zone/],
    [['--time-zone', '+02:00'], /must be a time zone/],
    [['--cors-origin', 'https://app.example.com/'], /must be an origin/],
    [['--cors-origin', '*'], /must be an origin/],
    [['--fallback-contact', '0660 1234567'], /must be an E\.164 number/],
    [['--fallback-name', 'Desk'], /needs --fallback-contact/],
    [[], /nothing to change/],
  ] as const
  for (const [options, sentence] of refused) {
    const { code, stderr } = await tocsin('app', 'update', appId, ...options)
    assert.equal(code, 2)
    assert.match(stderr, sentence)
  }
})

test('a new application speaks English and has no legacy topics', async (t) => {
  const { answer } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const { language, legacy } = await answer('app', 'show', appId)
  assert.deepEqual({ language, legacy }, { language: 'en', legacy: false })
})

test('the user hash is computed under the newest secret, and secrets change without an outage', async (t) => {
  const { answer, tocsin } = await commandLine(t)
  const hashUnder = (secret: string) => createHmac('sha256', secret).update('hiker:ü').digest('hex')
  const { appId, secret: first } = await answer('app', 'create', '--name', 'Hut')
  const userHash = async () => (await answer('user', 'hash', appId, 'hiker:ü')).userHash
  assert.equal(await userHash(), hashUnder(first))

  const tooEarly = await tocsin('app', 'rotate-secret', appId, '--retire')
  assert.deepEqual([tooEarly.code, tooEarly.stdout], [1, ''])
  assert.match(tooEarly.stderr, /^error: only one secret is valid.*\n$/)

  const { appId: same, secret: second } = await answer('app', 'rotate-secret', appId)
  assert.equal(same, appId)
  assert.notEqual(second, first)
  assert.equal(await userHash(), hashUnder(second))

  const tooMany = await tocsin('app', 'rotate-secret', appId)
  assert.deepEqual([tooMany.code, tooMany.stdout], [1, ''])
  assert.match(tooMany.stderr, /^error: two secrets are already valid.*--retire\n$/)

  assert.deepEqual(await answer('app', 'rotate-secret', appId, '--retire'), { appId, retired: true })
  assert.equal(await userHash(), hashUnder(second))
})

test('secrets are shown once and never again', async (t) => {
  const { answer, tocsin } = await commandLine(t)
  const { appId, secret } = await answer('app', 'create', '--name', 'Hut')
  const webhook = ['--url', 'https://user:pass-word@192.0.1.1/hook', '--secret', 'webhook-secret']
  const set = await tocsin('app', 'actuator', 'set', appId, 'webhook', ...webhook)
  assert.equal(set.code, 0)
  const outputs = [
    set,
    await tocsin('app', 'show', appId),
    await tocsin('app', 'show', appId, '--json'),
    await tocsin('app', 'list'),
    await tocsin('app', 'list', '--json'),
    await tocsin('app', 'update', appId, '--name', 'Other', '--json'),
  ]
  for (const { code, stdout } of outputs) {
    assert.equal(code, 0)
    assert.ok(stdout.includes(appId))
    for (const hidden of [secret, 'webhook-secret', 'pass-word']) assert.ok(!stdout.includes(hidden))
  }
  assert.deepEqual(outputs[2]!.json.actuators.webhook, { url: 'https://user:***@192.0.1.1/hook', signed: true })
})

test('without --json the output is readable', async (t) => {
  const { tocsin } = await commandLine(t)
  assert.match((await tocsin('app', 'list')).stdout, /No applications yet/)
  const { stdout } = await tocsin('app', 'create', '--name', 'Hut \u001b[31m')
  const appId = /^appId +(\S+)$/m.exec(stdout)![1]!
  assert.match(stdout, /^secret +\S{43}$/m)
  assert.match(stdout, /only once/)
  const list = (await tocsin('app', 'list')).stdout
  assert.match(list, /^ID +NAME +LANGUAGE +LEGACY +DISABLED +ACTUATORS\n/)
  // A name must not be able to control the terminal that shows it.
  assert.match(list, new RegExp(`^${appId}  Hut �\\[31m  en +off +off +emergency_contacts$`, 'm'))
  assert.match((await tocsin('app', 'show', appId)).stdout, /^graceSeconds +10$/m)
})
