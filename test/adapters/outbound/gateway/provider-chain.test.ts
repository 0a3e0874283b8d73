import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProviderChain } from '../../../../src/adapters/outbound/gateway/provider-chain.ts'
import type { AttemptOutcome } from '../../../../src/core/incident/command.ts'
import type { Channel } from '../../../../src/core/incident/delivery.ts'
import type { Begin } from '../../../../src/ports/notifier.ts'
import { textNotification } from '../../../harness/text-notification.ts'

const text = textNotification()

const sent = (provider: string): AttemptOutcome => ({ kind: 'sent', provider, providerRef: null })
const retryable: AttemptOutcome = { kind: 'failed', error: 'connection refused', retryable: true }
const final: AttemptOutcome = { kind: 'failed', error: 'invalid number', retryable: false }
const unknown: AttemptOutcome = { kind: 'unknown' }
const notFound: AttemptOutcome = { kind: 'not_found' }

/** Providers a, b, … that each answer as told; `asked` is who was asked for what. */
function chain(answers: readonly { send?: AttemptOutcome; lookUp?: AttemptOutcome; queued?: readonly Channel[] }[]) {
  const asked: string[] = []
  const texts: string[] = []
  const lines: string[] = []
  const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }))
  const providers = answers.map(({ send, lookUp, queued = [] }, place) => {
    const name = 'abc'[place]!
    return {
      name,
      notifier: {
        queued,
        async send(text: { readonly text: string }, begin?: Begin) {
          // As one that keeps messages waiting: it asks before it sends, if it may.
          const said = queued.length > 0 && begin !== undefined ? await begin() : text.text
          if (said === null) return { kind: 'not_wanted' } as const
          texts.push(said)
          asked.push(`send ${name}`)
          return send ?? sent(name)
        },
        async lookUp() {
          asked.push(`look up ${name}`)
          return lookUp ?? notFound
        },
      },
    }
  })
  return { ...createProviderChain(providers, { info: note, warn: note, error: note }), asked, texts, lines }
}

test('while the first provider takes messages the second gets none', async () => {
  const { send, asked } = chain([{}, {}])
  assert.deepEqual(await send(text), sent('a'))
  assert.deepEqual(asked, ['send a'])
})

for (const [why, failure] of Object.entries({ retryable, final })) {
  test(`where the first fails (${why}) the second is tried at once, and the outcome names it`, async () => {
    const { send, asked, lines } = chain([{ send: failure }, {}])
    assert.deepEqual(await send(text), sent('b'))
    assert.deepEqual(asked, ['send a', 'send b'])
    assert.match(lines.join(), /"provider":"a"/)
    assert.doesNotMatch(lines.join(), /\+43/)
  })
}

test('where all fail it is worth another try as long as it is for one of them', async () => {
  // And that it is not for another one is told, as a call need not wait for it then.
  const mixed = { ...retryable, isFinalForOne: true }
  assert.deepEqual(await chain([{ send: final }, { send: retryable }]).send(text), mixed)
  assert.deepEqual(await chain([{ send: retryable }, { send: final }]).send(text), mixed)
  assert.deepEqual(await chain([{ send: retryable }, { send: retryable }]).send(text), retryable)
  const other: AttemptOutcome = { kind: 'failed', error: 'provider error 21610', retryable: false }
  assert.deepEqual(await chain([{ send: other }, { send: final }]).send(text), final)
})

test('the shortest patience that one asked for is enough', async () => {
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

test('and the repeat of that attempt begins behind it, while others still begin with it', async () => {
  const { send, asked } = chain([{ send: unknown }, {}])
  await send(text)
  assert.deepEqual(await send(text), sent('b'))
  await send({ ...text, attemptId: 'i.2' })
  assert.deepEqual(asked, ['send a', 'send b', 'send a'])
})

test('an attempt without an outcome belongs to whichever provider knows it', async () => {
  const { lookUp, asked } = chain([{}, { lookUp: sent('b') }, {}])
  assert.deepEqual(await lookUp(text), sent('b'))
  assert.deepEqual(asked, ['look up a', 'look up b'])
})

test('it is not found only where nobody has it and everybody could say so', async () => {
  assert.deepEqual(await chain([{}, {}]).lookUp(text), notFound)
  assert.deepEqual(await chain([{ lookUp: unknown }, {}]).lookUp(text), unknown)
  assert.deepEqual(await chain([{ lookUp: unknown }, { lookUp: sent('b') }]).lookUp(text), sent('b'))
})

const waits = ['sms', 'voice'] as const

test('messages wait for their turn where the first provider has them wait', () => {
  assert.deepEqual(chain([{ queued: waits }, {}]).queued, waits)
  assert.deepEqual(chain([{}, { queued: waits }]).queued, [])
})

test('a message begins once, whoever takes it in the end', async () => {
  for (const providers of [
    [{ queued: waits, send: retryable }, {}],
    [{ queued: waits, send: retryable }, { queued: waits }],
    [{ send: retryable }, { queued: waits }],
  ]) {
    let begun = 0
    const { send, texts } = chain(providers)
    const outcome = await send(text, async () => `as of now, ${++begun}`)
    assert.deepEqual([outcome, begun, texts], [sent('b'), 1, ['as of now, 1', 'as of now, 1']])
  }
})

test('what is no longer wanted when its turn comes is sent by nobody', async () => {
  for (const providers of [
    [{ queued: waits }, {}],
    [{}, {}],
  ]) {
    const { send, asked } = chain(providers)
    assert.deepEqual(await send(text, async () => null), { kind: 'not_wanted' })
    assert.deepEqual(asked, [])
  }
})

test('only who has taken a message is asked what became of it', async () => {
  const { lookUp, asked } = chain([{ lookUp: sent('a') }, { lookUp: sent('b') }])
  assert.deepEqual(await lookUp({ ...text, provider: 'b' }), sent('b'))
  assert.deepEqual(asked, ['look up b'])
})

test('a provider that answers 5xx counts as failed while another one is left, and is looked up where nobody takes it', async () => {
  const unavailable: AttemptOutcome = { kind: 'unknown', refused: 'upstream HTTP 503' }
  const taken = chain([{ send: unavailable }, {}])
  assert.deepEqual(await taken.send(text), sent('b'))
  assert.match(taken.lines.join(), /"provider":"a","error":"upstream HTTP 503"/)
  const lost = chain([{ send: unavailable }, { send: retryable }])
  assert.equal((await lost.send(text)).kind, 'unknown')
  const last = chain([{ send: retryable }, { send: unavailable }])
  assert.equal((await last.send(text)).kind, 'unknown')
})

test('what the look-up finds out and what the others answered make one outcome', async () => {
  const open: AttemptOutcome = { kind: 'unknown', refused: 'upstream HTTP 503' }
  const notThere: AttemptOutcome = { kind: 'failed', error: 'upstream HTTP 503', retryable: true }
  const { send, lookUp } = chain([{ send: open, lookUp: notThere }, { send: final }])
  await send(text)
  assert.deepEqual(await lookUp(text), { ...notThere, isFinalForOne: true })
})

const untold: AttemptOutcome = { kind: 'not_found', error: 'connection reset' }

test('of one that nobody can ask the message goes to the next at once, and the next try begins there', async () => {
  const { send, asked } = chain([{ send: untold }, { send: retryable }])
  assert.deepEqual(await send(text), { kind: 'failed', error: 'connection reset', retryable: true })
  await send(text)
  assert.deepEqual(asked, ['send a', 'send b', 'send b', 'send a'])
})

test('who has left an attempt open twice is left out for a quarter of an hour, and other attempts are not', async () => {
  const { send, asked } = chain([{ send: untold }, { send: retryable }])
  const at = (minutes: number) => ({ ...text, claimedAt: minutes * 60_000 })
  await send(at(0))
  const second = await send(at(1))
  assert.deepEqual(second, { ...retryable, isFinalForOne: true })
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

test('a provider of which a look-up learns nothing gets the message once more, behind the others, then it counts as failed', async () => {
  const { send, lookUp, asked } = chain([{ send: unknown, lookUp: unknown }, { send: final }])
  await send(text)
  assert.equal((await lookUp(text)).kind, 'not_found')
  await send(text)
  assert.deepEqual(asked, ['send a', 'look up a', 'look up b', 'send b', 'send a'])
  assert.deepEqual(await lookUp(text), { kind: 'failed', error: 'connection timeout', retryable: false })
})

test('after a restart nobody knows who was asked: one that cannot tell leaves it open', async () => {
  assert.deepEqual(await chain([{ lookUp: notFound }, { lookUp: untold }]).lookUp(text), untold)
})
