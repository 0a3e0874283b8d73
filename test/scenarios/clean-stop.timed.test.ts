import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { later } from '../harness/later.ts'
import { listen } from '../harness/listener.ts'
import { until } from '../harness/wait.ts'
import { POWER_CUT_MS } from './killed.ts'
import { MAX_MS, rowsIn, sending, smsIn, stopped } from './stopping.ts'

// Timed: even on an idle machine the stop takes 7 s of its 10, for the provider and then for the clients.
test('a silent provider and lingering clients do not delay the stop, and the outcome is found out afterwards', async (t) => {
  const mute = await listen(t)
  mute.answers(null)
  const { site, twilio, user } = await sending(t, { reaction: { do: 'accept, then hang' }, chat: mute.url })
  await until('the chat was called', () => mute.requests.length > 0)
  const half = connect(Number(new URL(site.http).port), '127.0.0.1')
  t.after(() => half.destroy())
  half.on('error', () => {})
  half.write('POST /v1/sdk/sos HTTP/1.1\r\nHost: hut\r\nContent-Length: 1000\r\n\r\n{')
  const { code, tookMs } = await stopped(site)
  t.diagnostic(`${Math.round(tookMs)} ms`)
  assert.deepEqual([code, tookMs < MAX_MS], [0, true])
  const underWay = { status: 'scheduled', isClaimed: true, providerRef: null }
  assert.deepEqual(await smsIn(site), underWay)
  // An attempt cut off by our own stop has not failed, and uses up no try.
  assert.deepEqual(await rowsIn(site, 'chat'), [underWay])
  await user.disconnect()
  mute.answers(200)
  // The quiet time of both attempts, 10 s, has passed by then.
  await site.start(later(POWER_CUT_MS))
  const { sid } = twilio.messages[0]!
  await until('the SMS is found', async () => (await smsIn(site)).providerRef === sid, 30_000)
  await until('the chat is called again', () => mute.requests.length > 1, 30_000)
  assert.equal(twilio.creations('Messages').length, 1)
})
