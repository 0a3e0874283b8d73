import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '../../../src/app/sending/lane.ts'
import { createTextSender } from '../../../src/app/sending/text-sender.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import type { Provider } from '../../../src/ports/notifier.ts'
import { textNotification } from '../../harness/text-notification.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const text = textNotification()

const sent = (provider: string): AttemptOutcome => ({ kind: 'sent', provider, providerRef: null })
const retryable: AttemptOutcome = { kind: 'failed', error: 'connection refused', retryable: true }
const final: AttemptOutcome = { kind: 'failed', error: 'invalid number', retryable: false }
const unknown: AttemptOutcome = { kind: 'unknown' }
const notFound: AttemptOutcome = { kind: 'not_found' }

type Answers = { readonly send?: AttemptOutcome; readonly lookUp?: AttemptOutcome; readonly perSecond?: number }

/** Providers a, b, … with scripted answers; `asked` records who was asked what. */
function chain(answers: readonly Answers[]) {
  const clock = new VirtualClock(0)
  const asked: string[] = []
  const lines: string[] = []
  const counted: unknown[] = []
  const waits: unknown[] = []
  const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }))
  const providers = answers.map(({ send, lookUp, perSecond }, place): Provider => {
    const name = 'abc'[place]!
    const rate = perSecond === undefined ? undefined : { perSecond, maxAtOnce: 100 }
    return {
      name,
      channels: ['sms', 'voice'],
      ...(rate !== undefined && { rate: { sms: rate, voice: rate } }),
      async send() {
        asked.push(`send ${name}`)
        return send ?? sent(name)
      },
      async lookUp() {
        asked.push(`look up ${name}`)
        return lookUp ?? notFound
      },
    }
  })
  const made = createTextSender(providers, {
    clock,
    log: { info: note, warn: note, error: note },
    meter: { count: (name, labels) => void counted.push([name, labels]), observe: (...seen) => void waits.push(seen) },
  })
  const laneOf = (channel: 'sms' | 'voice', attemptId = text.attemptId) =>
    made.laneFor?.({ id: attemptId, channel }, 0) ?? null
  /** Enters the lane as a waiting row does. */
  const turn = (rank = 0): Promise<Turn | null> =>
    laneOf('sms')?.turn({ rank, since: 0, longWaitMs: 60_000, timeoutMs: null }) ?? Promise.resolve(null)
  const passes = (duration: string) =>
    clock.advance(duration, () => new Promise<void>((resolve) => setImmediate(resolve)))
  return { ...made, clock, laneOf, turn, passes, asked, lines, counted, waits }
}

test('while the first provider takes messages the second gets none', async () => {
  const { send, asked } = chain([{}, {}])
  assert.deepEqual(await send(text), sent('a'))
  assert.deepEqual(asked, ['send a'])
})

for (const [why, failure] of Object.entries({ retryable, final })) {
  test(`if the first fails (${why}) the second is tried immediately, and the outcome names it`, async () => {
    const { send, asked, lines } = chain([{ send: failure }, {}])
    assert.deepEqual(await send(text), sent('b'))
    assert.deepEqual(asked, ['send a', 'send b'])
    assert.match(lines.join(), /"provider":"a"/)
    assert.doesNotMatch(lines.join(), /\+43/)
  })
}

test('if all fail, the failure is retryable as long as one of them is', async () => {
  // The outcome also says that another one is final, because then a call need not wait.
  const mixed = { ...retryable, isFinalForOne: true }
  assert.deepEqual(await chain([{ send: final }, { send: retryable }]).send(text), mixed)
  assert.deepEqual(await chain([{ send: retryable }, { send: final }]).send(text), mixed)
  assert.deepEqual(await chain([{ send: retryable }, { send: retryable }]).send(text), retryable)
  const other: AttemptOutcome = { kind: 'failed', error: 'provider error 21610', retryable: false }
  assert.deepEqual(await chain([{ send: other }, { send: final }]).send(text), final)
})

test('the shortest wait that a provider asked for is enough', async () => {
  const patient = (retryAfterMs: number): AttemptOutcome => ({ ...retryable, retryAfterMs }) as AttemptOutcome
  assert.deepEqual(await chain([{ send: patient(9_000) }, { send: patient(4_000) }]).send(text), patient(4_000))
  assert.deepEqual(await chain([{ send: patient(9_000) }, { send: retryable }]).send(text), retryable)
  const mixed = { ...patient(9_000), isFinalForOne: true }
  assert.deepEqual(await chain([{ send: patient(9_000) }, { send: final }]).send(text), mixed)
})

test('a provider that may have taken the message ends the try', async () => {
  const { send, asked } = chain([{ send: unknown }, {}])
  assert.deepEqual(await send(text), unknown)
  assert.deepEqual(asked, ['send a'])
})

test('the repeat of that attempt tries this provider last, while other attempts still begin with it', async () => {
  const { send, asked } = chain([{ send: unknown }, {}])
  await send(text)
  assert.deepEqual(await send(text), sent('b'))
  await send({ ...text, attemptId: 'i.2' })
  assert.deepEqual(asked, ['send a', 'send b', 'send a'])
})

test('an attempt without an outcome belongs to the provider that knows it', async () => {
  const { lookUp, asked } = chain([{}, { lookUp: sent('b') }, {}])
  assert.deepEqual(await lookUp(text), sent('b'))
  assert.deepEqual(asked, ['look up a', 'look up b'])
})

test('an attempt is not found only if no provider has it and all could say so', async () => {
  assert.deepEqual(await chain([{}, {}]).lookUp(text), notFound)
  assert.deepEqual(await chain([{ lookUp: unknown }, {}]).lookUp(text), unknown)
  assert.deepEqual(await chain([{ lookUp: unknown }, { lookUp: sent('b') }]).lookUp(text), sent('b'))
})

test('messages wait for their turn if the first provider has a rate, each channel in its own lane', () => {
  const first = chain([{ perSecond: 1 }, {}])
  assert.notEqual(first.laneOf('sms'), null)
  assert.notEqual(first.laneOf('sms'), first.laneOf('voice'))
  assert.equal(chain([{}, { perSecond: 1 }]).laneOf('sms'), null)
})

test('if the repeat of an attempt begins with another provider, it does not wait in the first one’s lane', async () => {
  const { send, laneOf } = chain([{ perSecond: 1, send: unknown }, {}])
  await send(text)
  assert.equal(laneOf('sms'), null)
  assert.notEqual(laneOf('sms', 'i.2'), null)
})

test('a message with a turn leaves immediately, the next at the rate', async () => {
  const { send, turn, waiting, longestWaitMs, passes, asked, waits } = chain([{ perSecond: 1 }])
  await send(text, await turn())
  const next = turn().then((come) => send(text, come))
  await passes('0.4 s')
  assert.deepEqual([asked, waiting('sms'), waiting('voice'), longestWaitMs('sms')], [['send a'], 1, 0, 400])
  await passes('0.6 s')
  assert.deepEqual(await next, sent('a'))
  assert.deepEqual(waits, [
    ['queue_wait_seconds', 0, { channel: 'sms' }],
    ['queue_wait_seconds', 1, { channel: 'sms' }],
  ])
})

test('an SMS of several segments takes as many turns', async () => {
  const { send, turn, passes, asked } = chain([{ perSecond: 1 }])
  await send({ ...text, text: 'x'.repeat(400) }, await turn())
  void turn().then((come) => send(text, come))
  await passes('2.9 s')
  assert.equal(asked.length, 1)
  await passes('0.1 s')
  assert.equal(asked.length, 2)
})

test('a 429 pauses one lane and not the other', async () => {
  const limited: AttemptOutcome = { ...retryable, error: 'rate limited (HTTP 429)', retryAfterMs: 7_000 } as never
  const { send, turn, waiting, laneOf, passes } = chain([{ perSecond: 1000, send: limited }])
  await send(text, await turn())
  const second = turn()
  assert.equal(waiting('sms'), 1)
  assert.notEqual(await laneOf('voice')?.turn({ rank: 0, since: 0, longWaitMs: 0, timeoutMs: null }), null)
  await passes('6.9 s')
  assert.equal(waiting('sms'), 1)
  await passes('0.1 s')
  assert.notEqual(await second, null)
})

test('while the first provider pauses, a message without a turn goes to the next immediately', async () => {
  const limited: AttemptOutcome = { ...retryable, error: 'rate limited (HTTP 429)' } as never
  const { send, turn, asked, counted } = chain([{ perSecond: 1, send: limited }, {}])
  await send(text, await turn())
  assert.equal(await turn(), null)
  assert.deepEqual(await send({ ...text, attemptId: 'i.2' }, null), sent('b'))
  assert.deepEqual(asked, ['send a', 'send b', 'send b'])
  const busy = { provider: 'a', channel: 'sms', outcome: 'failed', error: 'busy' }
  assert.deepEqual(counted[2], ['provider_results_total', busy])
})

test('at a fallback a message waits for its turn no longer than an attempt may take', async () => {
  const { send, passes, asked } = chain([{ send: retryable }, { perSecond: 0.1 }])
  await send(text)
  const second = send({ ...text, attemptId: 'i.2', timeoutMs: 5_000 })
  await passes('5 s')
  assert.deepEqual(await second, retryable)
  await passes('60 s')
  assert.deepEqual(asked, ['send a', 'send b', 'send a'])
})

test('a burst that the account cannot send in a minute causes one warning', () => {
  const { turn, lines } = chain([{ perSecond: 1 }])
  for (let n = 0; n < 80; n++) void turn()
  assert.equal(lines.filter((line) => line.includes('than contacts have to acknowledge')).length, 1)
  assert.match(lines.join(), /"provider":"a"/)
})

test('only the provider that took a message is asked about it', async () => {
  const { lookUp, asked } = chain([{ lookUp: sent('a') }, { lookUp: sent('b') }])
  assert.deepEqual(await lookUp({ ...text, provider: 'b' }), sent('b'))
  assert.deepEqual(asked, ['look up b'])
})

test('a provider that answers 5xx counts as failed while another one is left, and is looked up if none takes the message', async () => {
  const unavailable: AttemptOutcome = { kind: 'unknown', refused: 'upstream HTTP 503' }
  const taken = chain([{ send: unavailable }, {}])
  assert.deepEqual(await taken.send(text), sent('b'))
  assert.match(taken.lines.join(), /"provider":"a","error":"upstream HTTP 503"/)
  const lost = chain([{ send: unavailable }, { send: retryable }])
  assert.equal((await lost.send(text)).kind, 'unknown')
  const last = chain([{ send: retryable }, { send: unavailable }])
  assert.equal((await last.send(text)).kind, 'unknown')
})

test('the look-up and the other providers’ failures make one outcome', async () => {
  const open: AttemptOutcome = { kind: 'unknown', refused: 'upstream HTTP 503' }
  const notThere: AttemptOutcome = { kind: 'failed', error: 'upstream HTTP 503', retryable: true }
  const { send, lookUp } = chain([{ send: open, lookUp: notThere }, { send: final }])
  await send(text)
  assert.deepEqual(await lookUp(text), { ...notThere, isFinalForOne: true })
})

const untold: AttemptOutcome = { kind: 'not_found', error: 'connection reset' }
const doubted: AttemptOutcome = { kind: 'failed', error: 'connection reset', retryable: true, mayHaveArrived: true }

test('if a provider without a look-up does not answer, the next gets the message immediately, and the next try begins there', async () => {
  const { send, asked } = chain([{ send: untold }, { send: retryable }])
  const next = { ...text, claimedAt: text.claimedAt + 5_000 }
  assert.deepEqual(await send(text), doubted)
  await send(next)
  assert.deepEqual(asked, ['send a', 'send b', 'send b', 'send a'])
})

test('a provider that left an attempt open gets it again after 5 and 15 s, and not before', async () => {
  const { send, asked } = chain([{ send: untold }, { send: untold }])
  const at = (seconds: number) => ({ ...text, claimedAt: seconds * 1_000 })
  assert.deepEqual(await send(at(0)), { ...doubted, retryAfterMs: 5_000 })
  assert.deepEqual(await send(at(5)), { ...doubted, retryAfterMs: 15_000 })
  assert.deepEqual(await send(at(20)), { ...doubted, retryable: false })
  assert.deepEqual(asked, ['send a', 'send b', 'send a', 'send b', 'send a', 'send b'])
  const other = chain([{ send: untold }, { send: retryable }])
  for (const seconds of [0, 4.9, 5, 19.9, 20]) await other.send(at(seconds))
  assert.deepEqual(other.asked.filter((one) => one === 'send a').length, 3)
})

test('a call that a provider left open is made again at once, after the others', async () => {
  const { send, asked } = chain([{ send: untold }, { send: retryable }])
  const call = { ...text, channel: 'voice' as const }
  assert.equal((await send(call)).kind, 'failed')
  assert.deepEqual(await send(call), { ...retryable, isFinalForOne: true, mayHaveArrived: true })
  assert.deepEqual(asked, ['send a', 'send b', 'send b', 'send a'])
})

test('a text that the alarm is over is put off where nobody answers, and never given up for that', async () => {
  const { send } = chain([{ send: untold }, { send: final }])
  for (let minute = 0; minute < 9; minute++) {
    const outcome = await send({ ...text, purpose: 'all_clear', claimedAt: minute * 60_000 })
    assert.deepEqual([outcome.kind, 'retryable' in outcome && outcome.retryable], ['failed', true], `minute ${minute}`)
  }
})

test('a provider that left an attempt open three times is skipped for a quarter of an hour, for that attempt only', async () => {
  const { send, asked } = chain([{ send: untold }, { send: retryable }])
  const at = (minutes: number) => ({ ...text, claimedAt: minutes * 60_000 })
  await send(at(0))
  await send(at(0.5))
  const third = await send(at(1))
  assert.deepEqual(third, { ...retryable, isFinalForOne: true, mayHaveArrived: true })
  asked.length = 0
  await send(at(15.9))
  assert.deepEqual(asked, ['send b'])
  await send({ ...at(15.9), attemptId: 'i.2' })
  assert.deepEqual(asked.slice(1), ['send a', 'send b'])
  asked.length = 0
  await send(at(16))
  await send(at(17))
  assert.deepEqual(asked, ['send a', 'send b', 'send b'])
  asked.length = 0
  // The clock was set back.
  await send(at(-60))
  assert.deepEqual(asked, ['send a', 'send b'])
})

test('a provider whose look-up says nothing gets the message twice more, after the others, then it counts as failed', async () => {
  const { send, lookUp, asked } = chain([{ send: unknown, lookUp: unknown }, { send: final }])
  for (const afterMs of [0, 5_000]) {
    const tried = { ...text, claimedAt: text.claimedAt + afterMs }
    await send(tried)
    assert.equal((await lookUp(tried)).kind, 'not_found')
  }
  const last = { ...text, claimedAt: text.claimedAt + 20_000 }
  await send(last)
  assert.deepEqual(asked.filter((call) => call === 'send a').length, 3)
  assert.deepEqual(await lookUp(last), {
    ...{ kind: 'failed', error: 'connection timeout', retryable: false },
    mayHaveArrived: true,
  })
})

test('after a restart it is unknown who was asked: a provider that cannot tell leaves the attempt open', async () => {
  assert.deepEqual(await chain([{ lookUp: notFound }, { lookUp: untold }]).lookUp(text), untold)
})

test('a refusal after a provider that may have taken the message leaves that open, also in the look-up of a later process', async () => {
  const { send } = chain([{ send: untold }, { send: final }])
  assert.deepEqual(await send(text), { ...doubted, isFinalForOne: true, retryAfterMs: 5_000 })
  assert.deepEqual(await chain([{ lookUp: untold }, { lookUp: final }]).lookUp(text), {
    ...final,
    mayHaveArrived: true,
  })
})
