import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { listen } from '../harness/listener.ts'
import { newMoment } from '../harness/moment.ts'
import { bytesOf, connectOf, WireClient } from '../harness/mqtt-wire.ts'
import { type ProcessSite, startProcessSite } from '../harness/process-site.ts'
import { isOnPostgres } from '../harness/site-store.ts'
import { startTwilio } from '../harness/twilio-stand-in.ts'
import { until } from '../harness/wait.ts'

const HURRIED = {
  'grace-seconds': 0.1,
  'contact-interval-seconds': 0,
  'ack-timeout-seconds': 0.3,
  'http-attempts': 2,
  'http-backoff-seconds': 0.1,
  'http-timeout-seconds': 0.3,
} as const

/** Everything that reveals who people are, where they are, or how to impersonate them. Each text is unique. */
const EXTERNAL_ID = 'wanderer.7731@club.example'
const PROFILE = {
  name: 'Mia Mosermandl',
  email: 'mosermandl@mail.example',
  phone: '+436607731001',
  address: 'Gamsgrubenweg 77, Heiligenblut',
}
const ANA = { name: 'Anastasia Quendler', phone: '+436607731002', email: 'quendler@mail.example' }
const BEN = { name: 'Benedikt Rotgerber', phone: '+436607731003', email: 'rotgerber@mail.example' }
const POSITIONS = [
  [47.0773101, 12.6977311],
  [47.0773202, 12.6977322],
  [47.0773303, 12.6977333],
] as const
const WEBHOOK_SECRET = 'whsec_QmVuZWRpa3RSb3RnZXJiZXJnZWhlaW0='
const PAIRING_CODE = 'PAIR-7731-QX'
const HARDWARE_ID = 'tracker-hw-7731'
const FEEDBACK = 'The app lost me near the Elisabethfels.'
const WRONG_TOKEN = 'QQ7731notAnybodysToken'

test('nothing that the service writes reveals who people are, where, or how to impersonate them', {
  timeout: 120_000,
}, async (t) => {
  const [good, bad, mute] = [await listen(t), await listen(t), await listen(t)]
  bad.answers(503)
  mute.answers(null)
  const target = (url: string, key: string) => url.replace('//', '//hut:pass7731@').concat(`?key=${key}`)
  const site = await startProcessSite(t, { settings: HURRIED })
  const { appId } = site
  const actuator = (...args: readonly string[]) => site.tocsin('app', 'actuator', 'set', appId, ...args)
  await actuator('emergency_contacts', '--http-url', target(bad.url, 'gatewaykey7731'))
  await actuator('chat', '--url', target(mute.url, 'chatkey7731'))
  await actuator('webhook', '--url', target(good.url, 'hookkey7731'), '--secret', WEBHOOK_SECRET)
  await site.tocsin('device', 'register', appId, '--hardware-id', HARDWARE_ID, '--pairing-code', PAIRING_CODE)

  const user = await site.phone(EXTERNAL_ID).introduce(PROFILE)
  for (const contact of [ANA, BEN]) assert.equal((await user.rest('POST', '/v1/sdk/contacts', contact)).status, 201)
  await user.rest('POST', '/v1/sdk/devices', { hardwareId: HARDWARE_ID, pairingCode: 'wrong' })
  await user.rest('POST', '/v1/sdk/devices', { hardwareId: HARDWARE_ID, pairingCode: PAIRING_CODE })
  const { token } = (await user.rest('POST', '/v1/sdk/token')).body
  await user.rest('POST', '/v1/sdk/feedback', { message: FEEDBACK })
  await fetch(`${site.http}/v1/sdk/feedback`, {
    method: 'POST',
    headers: {
      'x-app-id': appId,
      'x-user-id': EXTERNAL_ID,
      authorization: `Bearer ${user.hash}`,
      'x-user-token': token,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ message: FEEDBACK }),
  })
  const password = user.hash
  const username = `sdk:${appId}:${EXTERNAL_ID}`
  for (const given of [password, 'wrong7731']) {
    await user.rest('POST', '/v1/sdk/mqtt/auth/connect', { username, password: given, clientid: 'x' })
  }

  // Both ways in, valid and invalid.
  await user.listen({ protocolVersion: 5 })
  const [first, second, third] = POSITIONS.map(([latitude, longitude]) => ({ latitude, longitude }))
  await user.presses({ timestamp: newMoment(), ...first, deviceId: HARDWARE_ID, mobileBattery: 101 })
  const { incidentId } = await user.receives('processed')
  await user.moves({ timestamp: newMoment(), ...second })
  await user.rest('POST', '/v1/sdk/sos', { timestamp: newMoment(), ...third, note: PROFILE.name })
  await user.rest('POST', '/v1/sdk/telemetry', { timestamp: 'then', ...third })
  const client = user.clients[0]!
  await client.publishAsync(`tel/${user.userId}/data`, JSON.stringify({ ...third, by: ANA.name })).catch(() => {})
  for (const topic of [`sos/alerts/${user.userId}`, `sos/alerts/${EXTERNAL_ID}`]) {
    await client.publishAsync(topic, `${ANA.name} ${ANA.phone}`, { qos: 1 }).catch(() => {})
  }
  const raw = await WireClient.open(site.mqtt, 4)
  raw.sends(
    connectOf(user, 4, { clientId: EXTERNAL_ID }),
    bytesOf({ cmd: 'publish', topic: PROFILE.name, payload: 'x', qos: 0 }, 4),
  )
  await raw.isCutOff()
  await fetch(`${site.http}/v1/sdk/sos`, {
    headers: { authorization: `Bearer ${user.hash}`, 'x-user-id': EXTERNAL_ID },
  })
  await fetch(`${site.http}/t/${WRONG_TOKEN}`)
  await fetch(`${site.http}/v1/sdk/contacts/${encodeURIComponent(ANA.phone)}?hash=${user.hash}`)

  await until('calls went out', async () => (await outbox()).filter(({ channel }) => channel === 'voice').length >= 2)
  await until('every target was called', () => [good, bad, mute].every(({ requests }) => requests.length > 0))
  const links = (await outbox()).flatMap(({ text }) => /\/t\/([\w-]+)/.exec(text)?.[1] ?? [])
  assert.ok(links.length >= 2)
  for (const link of new Set(links)) {
    assert.equal((await fetch(`${site.http}/t/${link}`)).status, 200)
    assert.equal((await fetch(`${site.http}/t/${link}/ack`)).status, 405)
    assert.equal((await fetch(`${site.http}/t/${link}/ack`, { method: 'POST', redirect: 'manual' })).status, 303)
  }
  await user.receives('acknowledged')

  // A crash, a recovery, and a clean stop.
  await site.kill()
  await site.start()
  const back = await site.phone(EXTERNAL_ID).introduce()
  await back.listen()
  await site.tocsin('incident', 'resolve', incidentId)
  await back.receives('resolved')
  await site.tocsin('user', 'disable', appId, EXTERNAL_ID)
  await until('the connection is closed', () => back.clients.every(({ connected }) => !connected))
  assert.equal(await site.stop(), 0)

  const secrets = [
    site.secret,
    user.hash,
    token,
    ...links,
    ...POSITIONS.flat().map(String),
    ...[PROFILE, ANA, BEN].flatMap((person) => Object.values(person)).flatMap(spellings),
    EXTERNAL_ID,
    encodeURIComponent(EXTERNAL_ID),
    WEBHOOK_SECRET,
    PAIRING_CODE,
    HARDWARE_ID,
    FEEDBACK,
    WRONG_TOKEN,
    'wrong7731',
    'pass7731',
    'gatewaykey7731',
    'chatkey7731',
    'hookkey7731',
  ]
  // The log has the story, so that there was something to search.
  for (const told of [incidentId, 'alert accepted', 'publish kept as a dead letter', 'attempt ended', '"stopped"']) {
    assert.ok(site.output.includes(told), told)
  }
  assert.deepEqual(found(secrets, site.output), [])
  // Control: the search finds what is there.
  assert.deepEqual(found(secrets, `${site.output} calling ${BEN.phone}`), [BEN.phone, BEN.phone.slice(1)])

  async function outbox(): Promise<readonly { channel: string; text: string }[]> {
    return site.look((store) => store.outbox({ incidentId }))
  }
})

/**
 * The forms in which a text might get into a log line; for a name also its parts, and all of them in common encodings.
 */
const spellings = (text: string): readonly string[] => {
  const plain = [
    text,
    ...(text.startsWith('+') ? [text.slice(1)] : []),
    ...(text.includes(' ') ? text.split(' ').filter((part) => part.length > 4) : []),
  ]
  const carried = plain.flatMap((one) => [
    encodeURIComponent(one),
    JSON.stringify(one).slice(1, -1),
    // Without the end, which depends on what follows.
    ...(['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(one).toString(encoding).slice(0, -4)),
  ])
  return [...new Set([...plain, ...carried])].filter((one) => one.length > 4)
}

/** A coordinate as it is, and rounded to 100 m. */
const roundings = (degrees: number): readonly string[] => [String(degrees), degrees.toFixed(4), degrees.toFixed(3)]

const found = (secrets: readonly string[], output: string): readonly string[] =>
  secrets.filter((secret) => output.includes(secret))

/**
 * One line per fact: each line is JSON with its level, time and message, and a line about an attempt names its
 * incident.
 */
function assertLines(site: ProcessSite): void {
  const lines = site.output.split('\n').filter((line) => line !== '')
  assert.ok(lines.length > 10)
  for (const text of lines) {
    const { level, time, msg, attemptId, incidentId } = JSON.parse(text)
    assert.ok(['debug', 'info', 'warn', 'error'].includes(level) && Date.parse(time) > 0 && msg.length > 0, text)
    if (attemptId !== undefined) assert.equal(incidentId, attemptId.slice(0, attemptId.lastIndexOf('.')), text)
  }
}

test('nor with a provider, whatever the provider does', { timeout: 120_000 }, async (t) => {
  const twilio = await startTwilio(t, {
    callsBack: { Messages: ['sent'], Calls: ['ringing', 'in-progress', 'completed'] },
  })
  const [publicUrl, own] = ['https://sos7731.example.org', 'Notruf {who} Eisseespitze']
  const site = await startProcessSite(t, {
    settings: { ...HURRIED, 'ack-timeout-seconds': 1, rounds: 2 },
    env: {
      ...twilio.environment,
      TOCSIN_TWILIO_SMS_PER_SECOND: '50',
      TOCSIN_TWILIO_CALLS_PER_SECOND: '50',
      TOCSIN_PUBLIC_URL: publicUrl,
    },
  })
  twilio.reaches(publicUrl, site.http)
  await site.tocsin('app', 'text', 'set', site.appId, '--language', 'en', '--key', 'alarm', '--text', own)
  const user = await site.phone(EXTERNAL_ID).introduce(PROFILE)
  for (const contact of [ANA, BEN]) await user.rest('POST', '/v1/sdk/contacts', contact)
  await user.listen()
  const [latitude, longitude] = POSITIONS[0]
  const reactions = [
    { do: 'refuse', status: 429, code: 20429, retryAfter: '1' },
    { do: 'refuse', status: 400, code: 21614 },
    { do: 'accept, then reset' },
    { do: 'refuse', status: 503, code: null },
    { do: 'reset' },
  ] as const
  for (const kind of ['Messages', 'Calls'] as const) for (const one of reactions) twilio.reacts('create', kind, one)
  await user.presses({ timestamp: newMoment(), latitude, longitude })
  const { incidentId } = await user.receives('processed')
  const call = await until('a call is made', () => twilio.calls[0], 60_000)
  await twilio.answerCall(call.sid, { keys: ['2', '5', '1'] })
  await user.receives('acknowledged', undefined)
  const body = String(twilio.messages[0]?.params.Body ?? call.params.Twiml)
  // Forged and malformed callbacks.
  for (const path of ['/twilio/x/status', `/twilio/${incidentId}.1/status`, `/twilio/${incidentId}.1/call`]) {
    const form = new URLSearchParams({ To: ANA.phone, Body: body, MessageStatus: 'delivered' })
    assert.ok((await fetch(`${site.http}${path}`, { method: 'POST', body: form })).status >= 400)
  }
  // The response of the provider does not matter here.
  await site.tocsin('notify', 'test', site.appId, '--to', ANA.phone).catch(() => {})
  await user.ends('cancel')
  await user.receives('cancelled')
  // Reactions that are left over cost it look-ups of 10 s and more.
  await until(
    'somebody is told that it is over',
    () => twilio.messages.some(({ params }) => String(params.Body).startsWith('SOS ended from')),
    60_000,
  )
  // With PostgreSQL it is none of the service's business.
  if (!isOnPostgres) {
    const backup = join(await mkdtemp(join(tmpdir(), 'tocsin-discreet-')), 'site.backup')
    t.after(() => rm(dirname(backup), { recursive: true, force: true }))
    await site.tocsin('backup', backup)
  }
  assert.equal(await site.stop(), 0)

  const links = twilio.messages.flatMap(({ params }) => /\/t\/([\w-]+)/.exec(String(params.Body))?.[1] ?? [])
  assert.ok(links.length > 0)
  const secrets = [
    ...[site.secret, user.hash, twilio.authToken, ...links].flatMap(spellings),
    ...[PROFILE, ANA, BEN].flatMap((person) => Object.values(person)).flatMap(spellings),
    ...spellings(EXTERNAL_ID),
    ...POSITIONS[0].flatMap(roundings),
    'Eisseespitze',
    'SOS ended',
  ]
  for (const told of [
    incidentId,
    'attempt ended',
    'Twilio did not confirm that it accepted a message',
    '"acknowledged"',
  ]) {
    assert.ok(site.output.includes(told), told)
  }
  assert.deepEqual(found(secrets, site.output), [])
  assert.ok(found(secrets, `${site.output} ${Buffer.from(ANA.phone).toString('base64')}`).length > 0)
  assertLines(site)
})
