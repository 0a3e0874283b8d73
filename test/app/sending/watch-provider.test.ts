import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from '../../../src/adapters/platform/system/meter.ts'
import { watchProvider } from '../../../src/app/sending/metrics.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import type { Channel } from '../../../src/core/incident/delivery.ts'

test('every provider result is counted by channel, outcome and kind of failure, and passed on', async () => {
  const meter = createMeter()
  const answers: AttemptOutcome[] = [
    { kind: 'sent', provider: 'twilio', providerRef: 'SM1' },
    { kind: 'failed', error: 'provider error 21610', retryable: false },
    { kind: 'failed', error: 'provider error 30006', retryable: false },
    { kind: 'unknown' },
    { kind: 'no_target' },
  ]
  const left = [...answers]
  const notifier = watchProvider<{ channel: Channel }>(
    'twilio',
    { send: async () => left.shift()!, lookUp: async () => ({ kind: 'not_found' }) },
    { meter },
  )
  for (const answer of answers) assert.equal(await notifier.send({ channel: 'sms' }), answer)
  await notifier.lookUp({ channel: 'sms' })
  const shown = (await meter.text()).split('\n').filter((line) => line.startsWith('tocsin_provider_results_total'))
  assert.deepEqual(shown, [
    'tocsin_provider_results_total{provider="twilio",channel="sms",outcome="sent",error="none"} 1',
    'tocsin_provider_results_total{provider="twilio",channel="sms",outcome="failed",error="provider_error"} 2',
    'tocsin_provider_results_total{provider="twilio",channel="sms",outcome="unknown",error="none"} 1',
  ])
})
