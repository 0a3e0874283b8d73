import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { createGatewayNotifier } from '../../../../src/adapters/outbound/gateway/gateway-notifier.ts'
import { createHttpNotifiers } from '../../../../src/adapters/outbound/webhook/http-notifiers.ts'
import { handDeadlines } from '../../../harness/hand-deadlines.ts'
import { textNotification } from '../../../harness/text-notification.ts'
import { until } from '../../../harness/wait.ts'

const text = textNotification({ timeoutMs: 60_000, text: 'SOS: Mia Müller needs help!' })

/** A phone on the local network that acts as a gateway. */
async function phone(t: TestContext, status: number | 'silent' | 'reset', headers: Record<string, string> = {}) {
  const heard: { headers: Record<string, unknown>; text: string }[] = []
  const server = createServer((request, response) => {
    textOf(request).then(
      (text) => {
        heard.push({ headers: request.headers, text })
        if (status === 'reset') request.socket.resetAndDestroy()
        else if (status !== 'silent') response.writeHead(status, headers).end()
      },
      // A caller that broke off within its request has sent none.
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const log = { info() {}, warn() {}, error() {} }
  const { caller, close } = createHttpNotifiers({ allowPrivateTargets: false, clock: { now: () => 0 }, log })
  t.after(close)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/send`
  const gateway = { url, headers: { Authorization: 'Bearer key' }, template: null }
  const notifier = createGatewayNotifier({ channels: ['sms', 'voice'], gateway, caller })
  return { notifier, heard, stop: close, close: () => new Promise((closed) => server.close(closed)) }
}

test('a gateway on the local network gets the message despite the guard, and has accepted it with a 2xx', async (t) => {
  const { notifier, heard } = await phone(t, 202)
  assert.deepEqual(await notifier.send(text), { kind: 'sent', provider: 'http', providerRef: null })
  const [request] = heard
  assert.equal(request!.headers.authorization, 'Bearer key')
  assert.deepEqual(JSON.parse(request!.text), {
    channel: 'sms',
    to: text.to,
    text: text.text,
    attemptId: 'i.1',
  })
})

for (const status of [400, 410, 413, 414, 422]) {
  test(`HTTP ${status} refuses this message for good`, async (t) => {
    const { notifier } = await phone(t, status)
    assert.deepEqual(await notifier.send(text), { kind: 'failed', error: `upstream HTTP ${status}`, retryable: false })
  })
}

for (const status of [302, 401, 403, 404, 408, 500, 503]) {
  test(`HTTP ${status} is retryable: the gateway may get fixed`, async (t) => {
    const { notifier } = await phone(t, status)
    assert.deepEqual(await notifier.send(text), { kind: 'failed', error: `upstream HTTP ${status}`, retryable: true })
  })
}

test('a gateway’s Retry-After is respected', async (t) => {
  const { notifier } = await phone(t, 429, { 'retry-after': '3' })
  const outcome = { kind: 'failed', error: 'rate limited (HTTP 429)', retryable: true, retryAfterMs: 3_000 }
  assert.deepEqual(await notifier.send(text), outcome)
})

test('after a time-out it is unknown whether the gateway accepted the message', async (t) => {
  const { notifier, heard } = await phone(t, 'silent')
  const deadlines = handDeadlines(t)
  const sending = notifier.send(text)
  await until('it was heard', () => heard.length === 1)
  deadlines.pass()
  assert.deepEqual(await sending, { kind: 'not_found', error: 'connection timeout' })
  assert.equal(heard.length, 1)
})

test('the same goes for a gateway that breaks the connection off', async (t) => {
  const { notifier } = await phone(t, 'reset')
  assert.deepEqual(await notifier.send(text), { kind: 'not_found', error: 'connection reset' })
})

test('a gateway that cannot be reached has not accepted it', async (t) => {
  const { notifier, close } = await phone(t, 200)
  await close()
  assert.deepEqual(await notifier.send(text), { kind: 'failed', error: 'connection refused', retryable: true })
})

test('an attempt cut off by our own shutdown is looked up after the start', async (t) => {
  const { notifier, heard, stop } = await phone(t, 'silent')
  const sending = notifier.send(text)
  await until('it was heard', () => heard.length === 1)
  await stop()
  assert.deepEqual(await sending, { kind: 'unknown' })
})

test('a gateway cannot be asked for the status of a message', async (t) => {
  const { notifier } = await phone(t, 200)
  assert.deepEqual(await notifier.lookUp(text), { kind: 'not_found', error: 'connection timeout' })
})
