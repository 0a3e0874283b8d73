import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handDeadlines } from '../../../harness/hand-deadlines.ts'
import type { Reaction } from '../../../harness/twilio-stand-in.ts'
import { until } from '../../../harness/wait.ts'
import { PUBLIC_URL, start, TO } from './start.ts'

test('an SMS is sent with everything that Twilio needs', async (t) => {
  const { twilio, notifier, text } = await start(t)
  const outcome = await notifier.send(text())
  const [message] = twilio.messages
  assert.deepEqual(outcome, { kind: 'sent', provider: 'twilio', providerRef: message!.sid, askAfterMs: 60_000 })
  assert.deepEqual(
    { ...message!.params },
    {
      To: TO,
      From: '+12025550123',
      Body: text().text,
      ValidityPeriod: '600',
      StatusCallback: `${PUBLIC_URL}/twilio/i.1/status`,
    },
  )
})

test('with a messaging service the SMS is sent through it', async (t) => {
  const { twilio, notifier, text } = await start(t, { messagingServiceSid: 'MG1' })
  await notifier.send(text())
  const { params } = twilio.messages[0]!
  assert.deepEqual([params.From, params.MessagingServiceSid], [undefined, 'MG1'])
})

test('if Twilio cannot call back it gets no callback URL, and is polled soon', async (t) => {
  const { twilio, notifier, text } = await start(t, { receipts: 'poll' })
  const outcome = await notifier.send(text())
  assert.equal(twilio.messages[0]!.params.StatusCallback, undefined)
  assert.equal(outcome.kind === 'sent' && outcome.askAfterMs, 5_000)
})

test('a call speaks the text, and its steps are reported', async (t) => {
  const { twilio, notifier, text } = await start(t)
  const outcome = await notifier.send(text({ channel: 'voice', text: 'Mia <braucht> Hilfe.', language: 'de' }))
  const [call] = twilio.calls
  assert.equal(outcome.kind === 'sent' && outcome.providerRef, call!.sid)
  const { params } = call!
  assert.deepEqual([params.To, params.From, params.Timeout], [TO, '+12025550123', '30'])
  assert.deepEqual(params.StatusCallbackEvent, ['initiated', 'ringing', 'answered', 'completed'])
  assert.equal(params.StatusCallback, `${PUBLIC_URL}/twilio/i.1/status`)
  assert.equal(params.MachineDetection, undefined)
  const { said } = await twilio.answerCall(call!.sid)
  assert.ok(said.some((words) => words.includes('Mia <braucht> Hilfe.')))
})

test('an operator’s test requests no receipt', async (t) => {
  const { twilio, notifier, text } = await start(t)
  const outcome = await notifier.send(text({ purpose: 'test' }))
  assert.equal(twilio.messages[0]!.params.StatusCallback, undefined)
  assert.equal('askAfterMs' in outcome, false)
})

const failures: readonly (readonly [what: string, reaction: Reaction, outcome: object])[] = [
  [
    '429 waits as long as Twilio asks',
    { do: 'refuse', status: 429, code: 20429, retryAfter: '7' },
    { kind: 'failed', error: 'rate limited (HTTP 429)', retryable: true, retryAfterMs: 7_000 },
  ],
  [
    '429 without Retry-After',
    { do: 'refuse', status: 429, code: 20429 },
    { kind: 'failed', error: 'rate limited (HTTP 429)', retryable: true },
  ],
  [
    'the daily limit is final',
    { do: 'refuse', status: 429, code: 63038, retryAfter: '7' },
    { kind: 'failed', error: 'provider error 63038', retryable: false },
  ],
  [
    '21211 is an invalid number',
    { do: 'refuse', status: 400, code: 21211 },
    { error: 'invalid number', retryable: false },
  ],
  [
    '21614 is an invalid number',
    { do: 'refuse', status: 400, code: 21614 },
    { error: 'invalid number', retryable: false },
  ],
  ['21408 is final', { do: 'refuse', status: 400, code: 21408 }, { error: 'provider error 21408', retryable: false }],
  ['21610 is final', { do: 'refuse', status: 400, code: 21610 }, { error: 'provider error 21610', retryable: false }],
  [
    'an unknown code is final',
    { do: 'refuse', status: 400, code: 21999 },
    { error: 'provider error 21999', retryable: false },
  ],
  [
    'an invalid sender is retryable',
    { do: 'refuse', status: 400, code: 21606 },
    { error: 'provider error 21606', retryable: true },
  ],
  [
    'a full queue is retryable',
    { do: 'refuse', status: 400, code: 21611 },
    { error: 'provider error 21611', retryable: true },
  ],
  [
    'a wrong password is retryable',
    { do: 'refuse', status: 401, code: 20003 },
    { error: 'provider error 20003', retryable: true },
  ],
  [
    'a suspended account is retryable',
    { do: 'refuse', status: 403, code: 20005 },
    { error: 'provider error 20005', retryable: true },
  ],
  [
    'a wrong account is retryable',
    { do: 'refuse', status: 404, code: 20404 },
    { error: 'provider error 20404', retryable: true },
  ],
  [
    'a 403 without a Twilio code is retryable',
    { do: 'refuse', status: 403 },
    { error: 'upstream HTTP 403', retryable: true },
  ],
  [
    '500 leaves the outcome unknown',
    { do: 'refuse', status: 500, code: 20500 },
    { kind: 'unknown', refused: 'upstream HTTP 500' },
  ],
  ['503 leaves the outcome unknown', { do: 'refuse', status: 503 }, { kind: 'unknown', refused: 'upstream HTTP 503' }],
  ['a reset leaves the outcome unknown', { do: 'reset' }, { kind: 'unknown' }],
  ['a reset after accepting leaves the outcome unknown', { do: 'accept, then reset' }, { kind: 'unknown' }],
  ['silence leaves the outcome unknown', { do: 'hang' }, { kind: 'unknown' }],
]
for (const [what, reaction, expected] of failures) {
  test(`a failure: ${what}`, async (t) => {
    const { twilio, notifier, text } = await start(t)
    twilio.reacts('create', null, reaction)
    const deadlines = handDeadlines(t)
    const sending = notifier.send(text())
    if (reaction.do === 'hang') {
      await until('it was heard', () => twilio.requests.length === 1)
      deadlines.pass()
    }
    assert.deepEqual(await sending, { kind: 'failed', ...expected })
  })
}

test('a provider that cannot be reached has not accepted it', async (t) => {
  const { twilio, notifier, text } = await start(t)
  await twilio.close()
  const expected = { kind: 'failed', error: 'connection refused', retryable: true }
  assert.deepEqual(await notifier.send(text()), expected)
})

test('a provider whose name cannot be resolved has not accepted it', async (t) => {
  const { notifier, text } = await start(t, { baseUrl: 'http://nobody.invalid' })
  const outcome = await notifier.send(text())
  assert.deepEqual(outcome, { kind: 'failed', error: 'name not found', retryable: true })
})

test('wrong credentials are Twilio’s error, and are not logged', async (t) => {
  const { notifier, text, lines } = await start(t, { authToken: 'not that one' })
  assert.deepEqual(await notifier.send(text()), { kind: 'failed', error: 'provider error 20003', retryable: true })
  assert.ok(lines.length > 0)
  for (const line of lines) assert.doesNotMatch(line, /not that one|\+43|SOS|tok-1/)
})

test('an SMS is sent even if Twilio rejects the callback URL', async (t) => {
  const { twilio, notifier, text } = await start(t)
  twilio.reacts('create', 'Messages', { do: 'refuse', status: 400, code: 21609 })
  const outcome = await notifier.send(text())
  assert.equal(outcome.kind, 'sent')
  assert.equal(twilio.messages[0]!.params.StatusCallback, undefined)
})

test('a call whose callback URLs Twilio rejects takes no keys, and says so', async (t) => {
  const { twilio, notifier, text } = await start(t)
  twilio.reacts('create', 'Calls', { do: 'refuse', status: 400, code: 21609 })
  assert.equal((await notifier.send(text({ channel: 'voice' }))).kind, 'sent')
  const { StatusCallback, Twiml } = twilio.calls[0]!.params
  assert.equal(StatusCallback, undefined)
  assert.doesNotMatch(String(Twiml), /Gather/)
  assert.match(String(Twiml), /You can&#39;t respond by pressing a key on this call/)
})

test('a late answer still counts', async (t) => {
  const { twilio, notifier, text } = await start(t)
  twilio.reacts('create', null, { do: 'late', ms: 300 })
  assert.equal((await notifier.send(text())).kind, 'sent')
})

test('the API may be behind a path of a gateway', async (t) => {
  const { twilio, notifier, text } = await start(t, {}, { prefix: '/through/here' })
  assert.equal((await notifier.send(text())).kind, 'sent')
  assert.equal(twilio.messages.length, 1)
})

test('connections are reused', async (t) => {
  const { twilio, notifier, text } = await start(t)
  for (let n = 0; n < 20; n++) await notifier.send(text({ attemptId: `i.${n}` }))
  assert.equal(twilio.messages.length, 20)
  assert.ok(twilio.connections <= 2, `${twilio.connections} connections`)
})

test('it reports the rates of its account, and that it cannot call from a name', async (t) => {
  const { notifier } = await start(t, { smsPerSecond: 3, callsPerSecond: 2 })
  assert.deepEqual([notifier.rate?.sms.perSecond, notifier.rate?.voice.perSecond], [3, 2])
  assert.deepEqual(notifier.channels, ['sms', 'voice'])
  assert.deepEqual((await start(t, { from: 'Hut' })).notifier.channels, ['sms'])
})

test('what its rates apply to is the same on every node, another for another sender, and hidden', async (t) => {
  const ratesOf = async (changes: Parameters<typeof start>[1] = {}) => (await start(t, changes)).notifier.rate!
  const [one, same, other] = [
    await ratesOf(),
    await ratesOf({ smsPerSecond: 9 }),
    await ratesOf({ from: '+15005550099' }),
  ]
  assert.deepEqual([one.sms.account, one.voice.account], [same.sms.account, same.voice.account])
  assert.notEqual(one.sms.account, other.sms.account)
  assert.equal(one.voice.account, other.voice.account)
  assert.match(one.sms.account ?? '', /^[\w-]{16}$/)
})

test('never more requests are in flight than the account may have, with those taken ahead and calls', async (t) => {
  const { twilio, notifier, text } = await start(t, { requestsAtOnce: 8 })
  const { sms, voice } = notifier.rate!
  assert.deepEqual([sms.maxAtOnce, sms.ahead, voice.maxAtOnce, voice.ahead], [8, 2, 8, 2])
  twilio.reacts('create', null, { do: 'late', ms: 50 }, Number.POSITIVE_INFINITY)
  const channelOf = (n: number) => (n % 2 === 0 ? 'sms' : 'voice')
  const sent = Array.from({ length: 20 }, (_, n) => notifier.send(text({ attemptId: `i.${n}`, channel: channelOf(n) })))
  for (const { kind } of await Promise.all(sent)) assert.equal(kind, 'sent')
  assert.equal(twilio.maxAtOnce, 8)
})

test('it sends every message immediately, and requests do not wait for one another', async (t) => {
  const { twilio, notifier, text } = await start(t, { smsPerSecond: 0.1 })
  twilio.reacts('create', null, { do: 'late', ms: 200 }, Number.POSITIVE_INFINITY)
  await Promise.all(Array.from({ length: 20 }, (_, n) => notifier.send(text({ attemptId: `i.${n}` }))))
  assert.equal(twilio.messages.length, 20)
  assert.ok(twilio.maxAtOnce > 1)
})
