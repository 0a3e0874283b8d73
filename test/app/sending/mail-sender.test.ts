import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from '../../../src/adapters/platform/system/meter.ts'
import { mailSender } from '../../../src/app/sending/mail-sender.ts'
import { createSender } from '../../../src/app/sending/sender.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import type { MailNotification } from '../../../src/ports/notifier.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const unheard = { info() {}, warn() {}, error: assert.fail }
const sent: AttemptOutcome = { kind: 'sent', provider: 'smtp', providerRef: null }

const mail = (attemptId: string): MailNotification => ({
  ...{ attemptId, incidentId: '0190', claimedAt: 0, timeoutMs: 600_000, channel: 'email' },
  ...{ to: 'ana@example.com', subject: 'SOS', text: 'SOS', language: 'en' },
})

function sending(answer: (attemptId: string) => Promise<AttemptOutcome>) {
  const clock = new VirtualClock()
  const begun: string[] = []
  const sender = mailSender(
    {
      send({ attemptId }) {
        begun.push(attemptId)
        return answer(attemptId)
      },
      lookUp: async () => ({ kind: 'not_found' }),
    },
    { rate: { perSecond: 5, maxAtOnce: 2 }, clock, log: unheard, meter: createMeter() },
  )
  return { clock, begun, sender, advance: (text: string) => clock.advance(text, turn) }
}

// rules.md#email.
test('a mail server that hangs holds two mails, the others wait, and no text waits with them', async () => {
  const { begun, sender, advance } = sending(() => new Promise(() => {}))
  for (const id of ['1', '2', '3']) void sender.send(mail(id))
  await advance('10 s')
  assert.deepEqual([begun, sender.lane.length], [['1', '2'], 1])
  const nothing = { send: async () => sent, lookUp: async () => sent }
  const all = createSender({
    text: { inTurn: 1, ...nothing },
    ...{ outbox: nothing, http: nothing, chat: nothing, webhook: nothing, mail: () => sender },
  })
  const laneOf = (channel: 'sms' | 'voice' | 'chat' | 'email') => all.laneFor?.({ id: '0190.1', channel }, 0)
  assert.deepEqual([laneOf('sms'), laneOf('voice'), laneOf('chat')], [null, null, null])
  assert.equal(laneOf('email'), sender.lane)
  sender.close()
})

test('a mail that waited for a turn of its own has the rest of its time, and none left is no turn', async () => {
  const clock = new VirtualClock()
  const times: number[] = []
  const { promise, resolve } = Promise.withResolvers<AttemptOutcome>()
  const sender = mailSender(
    {
      send({ timeoutMs }) {
        times.push(timeoutMs)
        return promise
      },
      lookUp: async () => ({ kind: 'not_found' }),
    },
    { rate: { perSecond: 5, maxAtOnce: 1 }, clock, log: unheard, meter: createMeter() },
  )
  const all = [15_000, 15_000, 4_000].map((timeoutMs, n) => sender.send({ ...mail(`${n}`), timeoutMs }))
  await clock.advance('9 s', turn)
  resolve(sent)
  await clock.advance('1 s', turn)
  const ends = (await Promise.all(all)).map((outcome) => ('error' in outcome ? outcome.error : outcome.kind))
  assert.deepEqual(ends, ['sent', 'sent', 'provider busy'])
  assert.deepEqual(times, [15_000, 6_000])
  sender.close()
})

const pauses: readonly [error: string, seconds: number][] = [
  ['connection refused', 5],
  ['login refused', 60],
  ['upstream SMTP 450', 0],
]
for (const [error, seconds] of pauses) {
  test(`after "${error}" the next mail waits ${seconds} s`, async () => {
    const { begun, sender, advance } = sending(async () => ({ kind: 'failed', error, retryable: true }))
    await sender.send(mail('1'))
    const next = sender.send(mail('2'))
    if (seconds > 0) {
      await advance(`${seconds - 1} s`)
      assert.deepEqual(begun, ['1'])
    }
    await advance('2 s')
    await next
    assert.deepEqual(begun, ['1', '2'])
    sender.close()
  })
}

test('a node without a mail server leaves a mail for later, and cannot be asked about one', async () => {
  const nothing = { send: async () => sent, lookUp: async () => sent }
  const all = createSender({
    text: { inTurn: 1, ...nothing },
    ...{ outbox: nothing, http: nothing, chat: nothing, webhook: nothing },
  })
  assert.deepEqual(await all.send(mail('1')), { kind: 'failed', error: 'no provider for mails', retryable: true })
  assert.deepEqual(await all.lookUp(mail('1')), { kind: 'not_found', error: 'connection timeout' })
  assert.equal(all.laneFor, undefined, 'and alarms are claimed unread')
})
