import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { listen } from '../harness/listener.ts'
import { until } from '../harness/wait.ts'
import { commandLine } from './command-line.ts'
import { program } from './program.ts'

const TO = '+436601234567'

test('a test SMS goes through the configured provider, while the service runs, and belongs to no incident', async (t) => {
  const { answer, start, command } = await program(t, {
    TOCSIN_MQTT_PORT: 'off',
    TOCSIN_MQTTS_PORT: 'off',
    TOCSIN_HTTP_PORT: '0',
    TOCSIN_HTTPS_PORT: 'off',
  })
  const { appId } = await answer('app', 'create', '--name', 'Hütte', '--language', 'de')
  await start()
  const sent = await answer('notify', 'test', appId, '--to', TO)
  assert.deepEqual(sent, {
    channel: 'sms',
    provider: 'outbox',
    providerRef: sent.providerRef,
    status: 'sent',
    tried: [],
  })
  const [message, ...more] = await answer('outbox', 'list')
  assert.deepEqual(more, [])
  assert.deepEqual(message, {
    id: message.id,
    incidentId: null,
    contactId: null,
    channel: 'sms',
    to: TO,
    text: 'TEST: Dies ist eine Testnachricht von Hütte. Es liegt kein Notfall vor.',
    createdAt: message.createdAt,
  })
  const call = await command('notify', 'test', appId, '--to', TO, '--channel', 'voice', '--language', 'fr')
  assert.match(call.stdout, /^voice: outbox accepted it \(sent\), as test-.*\nNothing left this machine/)
  assert.equal(
    (await answer('outbox', 'list'))[1].text,
    "TEST : message de test envoyé par Hütte. Il n'y a aucune urgence.",
  )
  assert.deepEqual(
    (await answer('audit', 'list')).filter(({ action }: any) => action === 'test.accepted').length,
    2,
    'the first steps find it',
  )
  const { incidentId } = await answer('simulate')
  await until('the service hears of the simulated SOS', async () =>
    (await answer('outbox', 'list')).some((kept: any) => kept.incidentId === incidentId && kept.to === '+99900000000'),
  )
})

test('the test shows a gateway’s response, and which provider took the message instead', async (t) => {
  const gateway = await listen(t)
  const env = { TOCSIN_NOTIFICATIONS_PROVIDERS: 'http', TOCSIN_GATEWAY_URL: gateway.url }
  const { answer, tocsin } = await commandLine(t, env)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const sent = await answer('notify', 'test', appId, '--to', TO)
  assert.deepEqual([sent.provider, sent.status], ['http', 'sent'])
  assert.match((await tocsin('simulate')).stderr, /SMS or calls leave this machine.*tocsin drill start APP/)
  const { attemptId, ...body } = gateway.requests[0]!.json
  assert.match(attemptId, /^test-/)
  assert.deepEqual(body, {
    channel: 'sms',
    to: TO,
    text: 'TEST: this is a test message from Hut. There is no emergency.',
  })
  const told = await tocsin('notify', 'test', appId, '--to', TO)
  assert.match(told.stdout, /^sms: http accepted it .*\nwarning: publicUrl is not set, .* phones reject: [^\n]*\n$/)
  gateway.answers(503)
  const failed = await tocsin('notify', 'test', appId, '--to', TO, '--json')
  assert.deepEqual([failed.code, failed.stderr], [1, 'error: upstream HTTP 503\n'])
  assert.deepEqual([failed.json.status, failed.json.error], ['failed', 'upstream HTTP 503'])
})

test('with several providers it says who did not accept the message', async (t) => {
  const gateway = await listen(t)
  gateway.answers(500)
  const env = { TOCSIN_NOTIFICATIONS_PROVIDERS: 'http,outbox', TOCSIN_GATEWAY_URL: gateway.url }
  const { answer } = await commandLine(t, env)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const sent = await answer('notify', 'test', appId, '--to', TO)
  assert.equal(sent.provider, 'outbox')
  assert.deepEqual(sent.tried, [{ provider: 'http', error: 'upstream HTTP 500' }])
})

test('chat, webhook and a contact’s gateway are tested if they are configured', async (t) => {
  const [chat, webhook, gateway] = await Promise.all([listen(t), listen(t), listen(t)])
  const { answer, tocsin } = await commandLine(t, { TOCSIN_NOTIFICATIONS_ALLOW_PRIVATE_TARGETS: 'on' })
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const tries = (channel: string, ...more: string[]) => answer('notify', 'test', appId, '--channel', channel, ...more)
  for (const channel of ['chat', 'webhook', 'http']) {
    const to = channel === 'http' ? ['--to', TO] : []
    const { code, stderr } = await tocsin('notify', 'test', appId, '--channel', channel, ...to)
    assert.deepEqual([code, /^error: the application has no such target/.test(stderr)], [1, true])
  }
  const secret = `whsec_${Buffer.from('a key of twenty-four byte').toString('base64')}`
  await answer('app', 'actuator', 'set', appId, 'chat', '--url', chat.url, '--format', 'slack')
  await answer('app', 'actuator', 'set', appId, 'webhook', '--url', webhook.url, '--secret', secret)
  await answer('app', 'actuator', 'set', appId, 'emergency_contacts', '--http-url', gateway.url)

  assert.equal((await tries('chat')).status, 'delivered')
  assert.match(chat.requests[0]!.json.text, /^TEST: this is a test message from Hut/)

  assert.equal((await tries('webhook')).status, 'delivered')
  const { text, headers } = webhook.requests[0]!
  const body: any = new Webhook(secret).verify(text, headers as Record<string, string>)
  assert.deepEqual([body.type, body.data.incident.appId, body.data.contact], ['sos.test', appId, undefined])

  assert.equal((await tries('http', '--to', TO)).status, 'delivered')
  const { type, data } = gateway.requests[0]!.json
  assert.deepEqual([type, data.contact.phone, data.contact.language], ['sos.test', TO, 'en'])
})

test('a test without a number, with an invalid one, or with one that does not apply is wrong use', async (t) => {
  const { answer, tocsin } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  for (const args of [[], ['--to', '0660'], ['--channel', 'chat', '--to', TO], ['--channel', 'fax', '--to', TO]]) {
    assert.equal((await tocsin('notify', 'test', appId, ...args)).code, 2, args.join(' '))
  }
})

test('a number outside the country prefixes is not tested', async (t) => {
  const { answer, tocsin } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut', '--allowed-prefixes', '+49')
  for (const channel of ['sms', 'voice', 'http']) {
    const { code, stderr } = await tocsin('notify', 'test', appId, '--to', TO, '--channel', channel)
    assert.equal(code, 1)
    assert.match(stderr, /the application may send to \+49 only/)
  }
  assert.deepEqual(await answer('outbox', 'list'), [])
})

test('with a gateway that only texts, a call is refused, and every SMS test says so', async (t) => {
  const gateway = await listen(t)
  const env = {
    TOCSIN_NOTIFICATIONS_PROVIDERS: 'http',
    TOCSIN_GATEWAY_URL: gateway.url,
    TOCSIN_GATEWAY_TEMPLATE: '{ "number": "{to}", "message": "{text}" }',
  }
  const { answer, tocsin } = await commandLine(t, env)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const call = await tocsin('notify', 'test', appId, '--to', TO, '--channel', 'voice')
  assert.deepEqual([call.code, call.stderr], [1, 'error: no provider for calls\n'])
  assert.equal(gateway.requests.length, 0)
  const sms = await tocsin('notify', 'test', appId, '--to', TO)
  assert.equal(sms.code, 0)
  assert.match(sms.stdout, /^warning: no provider for calls in notifications\.providers \(http\): every call fails/m)
  const { stdout } = await tocsin('config', 'check')
  assert.match(stdout, /^Warning: no provider for calls in notifications\.providers \(http\)/m)
  assert.match((await answer('config', 'check')).warnings.join(), /no provider for calls/)
})

test('if it is unknown whether the message was sent, it says why', async (t) => {
  const gateway = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.resetAndDestroy())
  })
  gateway.listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  t.after(() => gateway.close())
  const { port } = gateway.address() as AddressInfo
  const env = { TOCSIN_NOTIFICATIONS_PROVIDERS: 'http', TOCSIN_GATEWAY_URL: `http://127.0.0.1:${port}/` }
  const { answer, tocsin } = await commandLine(t, env)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const { code, stderr, json } = await tocsin('notify', 'test', appId, '--to', TO, '--json')
  assert.deepEqual([code, stderr], [1, 'error: connection reset; it is not known whether it was sent\n'])
  assert.equal(json.status, 'unknown')
})
