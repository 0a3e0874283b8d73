import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PUBLIC_URL, start, TO } from './start.ts'

test('a text that was accepted before the connection broke is found by its link', async (t) => {
  const { clock, twilio, notifier, text } = await start(t)
  twilio.reacts('create', null, { do: 'accept, then reset' })
  const attempt = text()
  assert.deepEqual(await notifier.send(attempt), { kind: 'unknown' })
  await clock.advance('10 s', async () => {})
  const outcome = await notifier.lookUp(attempt)
  const [message] = twilio.messages
  assert.deepEqual(outcome, { kind: 'sent', provider: 'twilio', providerRef: message!.sid, askAfterMs: 60_000 })
})

test('a text that is still queued at Twilio is found too', async (t) => {
  const { twilio, notifier, text } = await start(t)
  twilio.reacts('create', null, { do: 'accept, then fail', status: 500 })
  const attempt = text()
  await notifier.send(attempt)
  assert.equal(twilio.messages[0]!.status, 'queued')
  assert.equal((await notifier.lookUp(attempt)).kind, 'sent')
})

test('after a restart, a text that Twilio does not have is repeated', async (t) => {
  const { notifier, text } = await start(t)
  assert.deepEqual(await notifier.lookUp(text()), { kind: 'not_found' })
})

test('a text that an error left open and that Twilio does not have has failed with a retryable error', async (t) => {
  const { twilio, notifier, text } = await start(t)
  twilio.reacts('create', null, { do: 'refuse', status: 503 })
  const attempt = text()
  assert.deepEqual(await notifier.send(attempt), { kind: 'unknown', refused: 'upstream HTTP 503' })
  assert.deepEqual(await notifier.lookUp(attempt), { kind: 'failed', error: 'upstream HTTP 503', retryable: true })
})

test('a text that was answered with a 5xx counts as failed even while Twilio answers nothing else', async (t) => {
  const { twilio, notifier, text } = await start(t)
  twilio.reacts('create', null, { do: 'refuse', status: 503 })
  const attempt = text()
  await notifier.send(attempt)
  for (const reaction of [{ do: 'refuse', status: 503 }, { do: 'hang' }, { do: 'refuse', status: 401 }] as const) {
    twilio.reacts('list', null, reaction)
    const outcome = await notifier.lookUp({ ...attempt, timeoutMs: 200 })
    assert.deepEqual(outcome, { kind: 'failed', error: 'upstream HTTP 503', retryable: true })
  }
})

test('the outcome of an unanswered text is unknown until Twilio can be asked', async (t) => {
  const { twilio, notifier, text } = await start(t)
  twilio.reacts('create', null, { do: 'reset' })
  const attempt = text()
  await notifier.send(attempt)
  twilio.reacts('list', null, { do: 'refuse', status: 503 })
  assert.deepEqual(await notifier.lookUp(attempt), { kind: 'unknown' })
  twilio.reacts('list', null, { do: 'refuse', status: 401 })
  assert.deepEqual(await notifier.lookUp(attempt), { kind: 'not_found', error: 'connection reset' })
  assert.deepEqual(await notifier.lookUp(attempt), { kind: 'failed', error: 'connection reset', retryable: true })
})

test('a text that appears at Twilio only after an open repeat is found from the first try on', async (t) => {
  const { clock, twilio, notifier, text } = await start(t)
  twilio.reacts('create', null, { do: 'accept, then reset' })
  twilio.reacts('create', null, { do: 'reset' })
  await notifier.send(text())
  await clock.advance('1 min', async () => {})
  const again = text()
  await notifier.send(again)
  const outcome = await notifier.lookUp(again)
  assert.equal(outcome.kind === 'sent' && outcome.providerRef, twilio.messages[0]!.sid)
})

test('a call that was left open and that Twilio does not have is repeated immediately', async (t) => {
  const { twilio, notifier, text } = await start(t)
  twilio.reacts('create', null, { do: 'reset' })
  const attempt = text({ channel: 'voice' })
  await notifier.send(attempt)
  assert.deepEqual(await notifier.lookUp(attempt), { kind: 'not_found' })
})

test('a call is found by its two numbers and its time', async (t) => {
  const { clock, twilio, notifier, text } = await start(t)
  await notifier.send(text({ attemptId: 'earlier', channel: 'voice' }))
  await clock.advance('1 min', async () => {})
  twilio.reacts('create', null, { do: 'accept, then reset' })
  const attempt = text({ channel: 'voice' })
  await notifier.send(attempt)
  twilio.becomes(twilio.calls[1]!.sid, 'busy')
  assert.deepEqual(await notifier.lookUp(attempt), { kind: 'failed', error: 'busy', retryable: true })
})

const pendingConnections: readonly (readonly [what: string, sent: object, looked: object])[] = [
  ['another incident’s text', { text: `SOS: Mia needs help! ${PUBLIC_URL}/t/tok-2` }, {}],
  ['an all-clear', { text: `All clear: Mia is fine. ${PUBLIC_URL}/t/tok-1` }, {}],
  ['a text to another number', { to: '+4366099999999' }, {}],
]
for (const [what, sent, looked] of pendingConnections) {
  test(`${what} is not mistaken for it`, async (t) => {
    const { twilio, notifier, text } = await start(t)
    twilio.reacts('create', null, { do: 'accept, then reset' })
    await notifier.send(text({ attemptId: 'i.2', ...sent }))
    assert.equal(twilio.messages.length, 1)
    assert.deepEqual(await notifier.lookUp(text(looked)), { kind: 'not_found' })
  })
}

test('a text from before the claim is not mistaken for it', async (t) => {
  const { clock, twilio, notifier, text } = await start(t)
  twilio.reacts('create', null, { do: 'accept, then reset' })
  await notifier.send(text({ attemptId: 'i.2' }))
  await clock.advance('4 s', async () => {})
  assert.deepEqual(await notifier.lookUp(text()), { kind: 'not_found' })
})

for (const channel of ['sms', 'voice'] as const) {
  test(`a resource of another attempt is not mistaken for it: ${channel}`, async (t) => {
    const { twilio, notifier, text } = await start(t)
    await notifier.send(text({ attemptId: 'j.1', channel }))
    assert.deepEqual(await notifier.lookUp(text({ channel })), { kind: 'not_found' })
    const { sid } = [...twilio.messages, ...twilio.calls][0]!
    // After a restart only the store knows.
    const other = await start(t, { baseUrl: twilio.baseUrl })
    assert.equal((await other.notifier.lookUp(text({ channel }))).kind, 'sent')
    const restarted = await start(t, { baseUrl: twilio.baseUrl })
    assert.deepEqual(await restarted.notifier.lookUp(text({ channel, otherRefs: [sid] })), { kind: 'not_found' })
  })
}

for (const aheadMs of [-3_600_000, 3_600_000]) {
  test(`Twilio’s clock may differ by ${aheadMs / 60_000} min`, async (t) => {
    const { notifier, text, twilio } = await start(t, {}, { now: () => Date.parse('2026-03-01T12:00:00Z') + aheadMs })
    twilio.reacts('create', null, { do: 'accept, then reset' })
    const attempt = text()
    await notifier.send(attempt)
    assert.equal((await notifier.lookUp(attempt)).kind, 'sent')
  })
}

test('it is found behind many others to the same number', async (t) => {
  const { twilio, notifier, text } = await start(t)
  const attempt = text()
  twilio.reacts('create', null, { do: 'accept, then reset' })
  await notifier.send(attempt)
  for (let n = 0; n < 150; n++) await notifier.send(text({ attemptId: `j.${n}`, token: `tok-j${n}` }))
  const outcome = await notifier.lookUp(attempt)
  assert.equal(outcome.kind === 'sent' && outcome.providerRef, twilio.messages[0]!.sid)
})

test('a failed look-up leaves the outcome unknown', async (t) => {
  const { twilio, notifier, text } = await start(t)
  twilio.reacts('list', null, { do: 'refuse', status: 500 })
  assert.deepEqual(await notifier.lookUp(text()), { kind: 'unknown' })
  twilio.reacts('list', null, { do: 'hang' })
  assert.deepEqual(await notifier.lookUp(text({ timeoutMs: 100 })), { kind: 'unknown' })
  twilio.reacts('list', null, { do: 'refuse', status: 429, code: 20429 })
  assert.deepEqual(await notifier.lookUp(text()), { kind: 'unknown' })
})

for (const status of [401, 404, 405]) {
  test(`if nothing can be looked up (HTTP ${status}) the attempt is repeated`, async (t) => {
    const { twilio, notifier, text } = await start(t)
    twilio.reacts('list', null, { do: 'refuse', status })
    assert.deepEqual(await notifier.lookUp(text()), { kind: 'not_found', error: 'connection timeout' })
  })
}

const statuses: readonly (readonly [channel: 'sms' | 'voice', status: string, code: number | null, outcome: object])[] =
  [
    ['sms', 'sending', null, { kind: 'sent', askAfterMs: 60_000 }],
    ['sms', 'never heard of', null, { kind: 'sent', askAfterMs: 60_000 }],
    ['sms', 'delivered', null, { kind: 'delivered' }],
    ['sms', 'undelivered', 30003, { kind: 'failed', error: 'provider error 30003', retryable: false }],
    ['voice', 'ringing', null, { kind: 'sent', askAfterMs: 60_000 }],
    ['voice', 'completed', null, { kind: 'delivered' }],
    ['voice', 'no-answer', null, { kind: 'failed', error: 'no-answer', retryable: true }],
  ]
for (const [channel, status, code, expected] of statuses) {
  test(`a missing receipt is asked for: ${channel} ${status}`, async (t) => {
    const { twilio, notifier, text } = await start(t)
    const outcome = await notifier.send(text({ channel }))
    const providerRef = outcome.kind === 'sent' ? outcome.providerRef! : ''
    twilio.becomes(providerRef, status, code)
    const told = await notifier.lookUp(text({ channel, provider: 'twilio', providerRef }))
    const taken = 'error' in expected ? {} : { provider: 'twilio', providerRef }
    assert.deepEqual(told, { ...expected, ...taken })
  })
}

test('when polling, the questions get further and further apart, and end', async (t) => {
  const { clock, twilio, notifier, text } = await start(t, { receipts: 'poll' })
  await notifier.send(text())
  const { sid } = twilio.messages[0]!
  const asksAgain = async () => {
    const outcome = await notifier.lookUp(text({ provider: 'twilio', providerRef: sid }))
    return outcome.kind === 'sent' ? (outcome.askAfterMs ?? null) : outcome
  }
  assert.equal(await asksAgain(), 5_000)
  await clock.advance('5 min', async () => {})
  assert.equal(await asksAgain(), 30_000)
  await clock.advance('11 min', async () => {})
  assert.equal(await asksAgain(), null)
})

test('another provider’s message is not looked up here', async (t) => {
  const { twilio, notifier, text } = await start(t)
  assert.deepEqual(await notifier.lookUp(text({ provider: 'http', to: TO })), { kind: 'not_found' })
  assert.deepEqual(twilio.requests, [])
})

test('without a time, a text is recognised by its link, but a call could be any call', async (t) => {
  const { twilio, notifier, text } = await start(t)
  for (const channel of ['sms', 'voice'] as const) {
    twilio.reacts('create', null, { do: 'accept, then reset' })
    await notifier.send(text({ channel }))
  }
  for (const resource of [...twilio.messages, ...twilio.calls]) Object.assign(resource, { createdAt: Number.NaN })
  assert.equal((await notifier.lookUp(text())).kind, 'sent')
  assert.equal((await notifier.lookUp(text({ channel: 'voice' }))).kind, 'not_found')
})
