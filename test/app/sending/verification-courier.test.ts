import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { verificationCourier } from '../../../src/app/sending/verification-courier.ts'
import type { Application } from '../../../src/core/account/application.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import type { TextNotification } from '../../../src/ports/notifier.ts'
import { applicationCalled } from '../../contract/site.ts'
import { userWith } from '../../core/build.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'
import { until } from '../../harness/wait.ts'

const TAKEN: AttemptOutcome = { kind: 'sent', provider: 'outbox', providerRef: null }
const BUSY: AttemptOutcome = { kind: 'failed', error: 'provider busy', retryable: true }

/** A courier with one request that waits, and what can be seen of it. */
function courierOf(
  t: TestContext,
  given: { readonly application?: Partial<Application>; readonly disabled?: boolean; readonly publicUrl?: string },
) {
  const clock = new VirtualClock()
  const queue = ['a-token-of-22-letters-']
  const sent: TextNotification[] = []
  const outcomes: AttemptOutcome[] = []
  const counted: object[] = []
  const seen = {
    claims: 0,
    looks: 0,
    waiting: 0,
    nextActionAt: null as number | null,
    publicUrl: given.publicUrl ?? 'https://sos.example',
  }
  const user = userWith({
    ...{ id: 'mia', appId: 'hut', externalUserId: 'mia-7', name: 'Mia evil.example/x' },
    disabled: given.disabled ?? false,
  })
  const courier = verificationCourier({
    clock,
    log: { info() {}, warn() {}, error() {} },
    meter: { count: (name, labels) => void counted.push({ name, ...labels }) },
    waiting: () => {
      seen.looks += 1
      return seen.waiting
    },
    publicUrl: () => seen.publicUrl,
    async send(text) {
      sent.push(text)
      return outcomes.shift() ?? TAKEN
    },
    store: {
      user: async () => user,
      application: async () => ({ ...applicationCalled('Hut'), ...given.application }),
      nextRealActionAt: async () => seen.nextActionAt,
      async claimVerification(_now, after) {
        seen.claims += 1
        const token = queue.toSorted().find((one) => after === null || one > after.token)
        if (token === undefined) return null
        queue.splice(queue.indexOf(token), 1)
        const contact = { id: 'ana', phone: '+436641111111', language: 'en' }
        return { token, requestedAt: 0, appId: 'hut', userId: 'mia', contact }
      },
      async releaseVerification(token) {
        queue.push(token)
      },
      requestVerification: async () => ({ verdict: 'asked' }),
      verification: async () => null,
      answerVerification: async () => ({ answered: true }),
    },
  })
  courier.start()
  t.after(() => courier.stop())
  const pass = (text: string) => clock.advance(text, async () => {})
  return { clock, courier, sent, outcomes, counted, seen, queue, pass }
}

// preparing.md#verification.
suite('the courier of questions to contacts', () => {
  test('asks last in every queue, with a link and a name that cannot be tapped', async (t) => {
    const { sent } = courierOf(t, {})
    await until('the question', () => sent.length === 1)
    const [{ purpose, first, to, text } = assert.fail()] = sent
    assert.deepEqual([purpose, first, to], ['verification', false, '+436641111111'])
    assert.match(text, /^Hut: Mia evil\. example\/ x named you .* https:\/\/sos\.example\/v\/a-token-of-22-letters-$/)
  })

  test('nobody is asked by a link that only this machine could open, until it leads elsewhere', async (t) => {
    const { clock, sent, seen, pass } = courierOf(t, { publicUrl: 'http://localhost:8080' })
    await until('it waits', () => clock.pending > 0)
    assert.deepEqual([sent.length, seen.claims], [0, 0])
    seen.publicUrl = 'https://sos.example'
    await pass('2 min')
    await until('the question', () => sent.length === 1)
  })

  test('a message that did not leave waits again, one that may have left does not', async (t) => {
    const { clock, sent, outcomes, counted, queue, pass } = courierOf(t, {})
    outcomes.push(BUSY, { kind: 'unknown' })
    await until('the first try', () => queue.length === 1 && clock.pending > 0)
    await pass('60 s')
    await until('the second try', () => sent.length === 2 && clock.pending > 0)
    await pass('10 min')
    assert.deepEqual([sent.length, queue.length], [2, 0])
    const name = 'verification_messages_total'
    assert.deepEqual(counted, [
      { name, outcome: 'failed' },
      { name, outcome: 'unknown' },
    ])
  })

  test('a number that no provider takes holds up no other', async (t) => {
    const { clock, courier, sent, outcomes, queue, pass } = courierOf(t, {})
    outcomes.push(BUSY)
    await until('the first try', () => queue.length === 1 && clock.pending > 0)
    queue.push('another-token-of-ours-')
    courier.wake()
    await until('the other question', () => sent.length === 2 && clock.pending > 0)
    assert.match(sent[1]?.text ?? '', /another-token-of-ours-$/)
    outcomes.push(BUSY)
    await pass('2 s')
    await until('the first one again', () => sent.length === 3)
    assert.match(sent[2]?.text ?? '', /a-token-of-22-letters-$/)
  })

  test('nothing is claimed while a message waits at a provider, or something is due', async (t) => {
    const { sent, seen, clock, pass, queue } = courierOf(t, {})
    await until('the first question', () => sent.length === 1 && clock.pending > 0)
    queue.push('another-token-of-ours-')
    seen.waiting = 1
    const before = seen.looks
    await pass('2 min')
    await until('it has looked', () => seen.looks > before && clock.pending > 0)
    seen.waiting = 0
    seen.nextActionAt = clock.now()
    const later = seen.looks
    await pass('2 min')
    await until('it has looked again', () => seen.looks > later && clock.pending > 0)
    assert.equal(sent.length, 1)
    seen.nextActionAt = null
    await pass('2 min')
    await until('the second question', () => sent.length === 2)
  })

  for (const [name, given] of [
    ['outside the country prefixes of the application', { application: { allowedPrefixes: ['+49'] } }],
    ['of a disabled application', { application: { disabled: true } }],
    ['of a disabled user', { disabled: true }],
  ] as const) {
    test(`no number ${name} is asked`, async (t) => {
      const { sent, seen } = courierOf(t, given)
      await until('the claim', () => seen.claims > 0)
      await until('the wait', () => seen.looks > 0)
      assert.deepEqual(sent, [])
    })
  }
})
