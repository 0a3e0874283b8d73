import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryOf } from '../../../src/adapters/platform/system/phone-numbers.ts'
import { watchDestinations } from '../../../src/app/sending/metrics.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import { textNotification } from '../../harness/text-notification.ts'

const taken: AttemptOutcome = { kind: 'sent', provider: 'twilio', providerRef: 'SM1' }

function watched(answers: { readonly send: AttemptOutcome; readonly lookUp: AttemptOutcome }) {
  const counted: unknown[] = []
  const nobody = () => {}
  const watching = watchDestinations(
    { send: async () => answers.send, lookUp: async () => answers.lookUp },
    {
      log: { info: nobody, warn: nobody, error: nobody },
      countryOf,
      meter: { count: (name, labels) => void counted.push([name, labels]) },
    },
  )
  return { watching, counted }
}

test('a message counts once: when the provider took it, or when a look-up finds that it did', async () => {
  const once = [['messages_total', { channel: 'sms', country: 'AT' }]]
  const text = textNotification({ to: '+4366012345678' })
  const known = watched({ send: taken, lookUp: taken })
  await known.watching.send(text)
  await known.watching.lookUp({ ...text, provider: 'twilio', providerRef: 'SM1' })
  assert.deepEqual(known.counted, once)
  const found = watched({ send: { kind: 'unknown' }, lookUp: taken })
  await found.watching.send(text)
  assert.deepEqual(found.counted, [])
  await found.watching.lookUp(text)
  assert.deepEqual(found.counted, once)
})
