import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../harness/wait.ts'
import { sending, smsIn, stopped } from './stopping.ts'

test('a response that arrives while the service stops is recorded, and nothing is sent again', async (t) => {
  const { promise: held, resolve: answers } = Promise.withResolvers<void>()
  const { site, twilio } = await sending(t, { held })
  const stopping = stopped(site)
  // Until it has stopped, the service reports that it is no longer ready.
  const answer = await until('not ready', async () => {
    const asked = await fetch(`${site.http}/readyz`)
    return asked.status === 503 && ((await asked.json()) as { status: string; reasons: string[] })
  })
  assert.deepEqual([answer.status, answer.reasons], ['not ready', ['the service is stopping']])
  answers()
  const { code, tookMs } = await stopping
  t.diagnostic(`${Math.round(tookMs)} ms`)
  // The service cuts itself off with 1 when its time is over.
  assert.equal(code, 0)
  const { sid } = twilio.messages[0]!
  assert.deepEqual(await smsIn(site), { status: 'sent', isClaimed: false, providerRef: sid })
  await site.start()
  await site.stillAlarms()
  assert.equal(twilio.creations('Messages').length, 1)
})
