import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createHttpNotifiers } from '../../../../src/adapters/outbound/webhook/http-notifiers.ts'
import { until } from '../../../harness/wait.ts'
import { start } from '../twilio/start.ts'
import { silence, standIn, status } from './stand-in.ts'

/** Notifiers whose name look-up ends after `lookedUp`. */
function caller(t: TestContext, lookedUp: () => void = () => {}) {
  const made = createHttpNotifiers({
    allowPrivateTargets: true,
    clock: { now: () => 0 },
    log: { info() {}, warn() {}, error() {} },
    resolve: async () => {
      lookedUp()
      return [{ address: '127.0.0.1', family: 4 }]
    },
  })
  t.after(() => made.close())
  return (url: string, leftMs?: () => number) =>
    made.http.send({
      attemptId: 'i.1',
      incidentId: 'i',
      claimedAt: 0,
      timeoutMs: 60_000,
      leftMs,
      channel: 'http',
      contactId: 'c',
      url,
      body: {},
    })
}

/** In force when the call begins, and no longer right before it is written. */
function endsAtTheLastMoment(): () => number {
  const leftMs = [60_000]
  return () => leftMs.shift() ?? 0
}

test('nothing is written when the lease has ended during the name look-up and the connecting', async (t) => {
  const { port, heard, connections } = await standIn(t, status(200))
  let leftMs = 60_000
  const call = caller(t, () => {
    leftMs = 0
  })
  const outcome = await call(`http://hut.example:${port}/`, () => leftMs)
  assert.deepEqual([outcome.kind, heard.length], ['failed', 0])
  // It had a connection to write to.
  await until('the connection', () => connections() === 1)
  leftMs = 60_000
  assert.equal((await call(`http://127.0.0.1:${port}/`, () => leftMs)).kind, 'delivered')
})

test('nothing is written on a connection that was kept, either', async (t) => {
  // An answer that ends with its headers leaves the connection free at once.
  const { url, heard, connections } = await standIn(t, status(204))
  const call = caller(t)
  assert.equal((await call(url, () => 60_000)).kind, 'delivered')
  await turn()
  assert.equal((await call(url, endsAtTheLastMoment())).kind, 'failed')
  assert.equal(connections(), 1)
  // The connection is as it was, and the next call finds it.
  assert.equal((await call(url)).kind, 'delivered')
  assert.deepEqual([heard.length, connections()], [2, 1])
})

test('a request in flight is ended with its lease, and not while that is renewed', async (t) => {
  const { url, heard, open } = await standIn(t, silence)
  let isOver = false
  let asked = 0
  const call = caller(t)
  const sent = call(url, () => {
    asked += 1
    return isOver ? 0 : 5
  })
  await until('a lease that was renewed several times', () => heard.length === 1 && asked > 5)
  assert.equal(open(), 1)
  isOver = true
  assert.deepEqual(await sent, { kind: 'failed', error: 'connection timeout', retryable: true })
  await until('the end of the connection', () => open() === 0)
})

test('a text or a call to Twilio is not written without a lease', async (t) => {
  const { twilio, notifier, text } = await start(t)
  assert.equal((await notifier.send(text({ leftMs: () => 60_000 }))).kind, 'sent')
  for (const channel of ['sms', 'voice'] as const) {
    const { kind } = await notifier.send(text({ channel, leftMs: endsAtTheLastMoment() }))
    assert.equal(kind, 'failed')
  }
  assert.deepEqual([twilio.messages.length, twilio.calls.length], [1, 0])
})
