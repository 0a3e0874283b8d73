import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byChannel } from '../../../../src/adapters/outbound/gateway/by-channel.ts'
import type { TextChannel } from '../../../../src/core/incident/text-channels.ts'
import { textNotification } from '../../../harness/text-notification.ts'

const log = { info() {}, warn() {}, error() {} }

/** Providers of those channels, which take everything; `asked` is who was handed what. */
function site(able: Readonly<Record<string, readonly TextChannel[]>>, queuedAt = '') {
  const asked: string[] = []
  const providers = Object.entries(able).map(([name, channels]) => ({
    name,
    channels,
    notifier: {
      queued: name === queuedAt ? channels : [],
      async send({ channel }: { readonly channel: string }) {
        asked.push(`${channel} ${name}`)
        return { kind: 'failed', error: 'connection refused', retryable: true } as const
      },
      lookUp: async () => ({ kind: 'not_found' }) as const,
    },
  }))
  return { ...byChannel(providers, log), asked }
}

const sms = textNotification({ channel: 'sms' })
const call = textNotification({ channel: 'voice' })

test('a call goes past a provider that can only text, and an SMS past one that can only call', async () => {
  const { send, asked } = site({ phone: ['sms'], twilio: ['sms', 'voice'], siren: ['voice'] })
  await send(sms)
  await send(call)
  assert.deepEqual(asked, ['sms phone', 'sms twilio', 'voice twilio', 'voice siren'])
})

test('with no provider for a channel its messages fail at once and for good, and nobody is handed one', async () => {
  const texts = site({ phone: ['sms'] })
  assert.deepEqual(await texts.send(call), { kind: 'failed', error: 'no provider for calls', retryable: false })
  assert.deepEqual(await texts.lookUp(call), { kind: 'not_found' })
  assert.deepEqual(texts.asked, [])
  const calls = site({ siren: ['voice'] })
  assert.deepEqual(await calls.send(sms), { kind: 'failed', error: 'no provider for texts', retryable: false })
})

test('messages wait for their turn on the channels whose first provider has them wait', () => {
  const able = { phone: ['sms'], twilio: ['sms', 'voice'] } as const
  const { queued, inTurn } = site(able, 'twilio')
  assert.deepEqual([queued, inTurn], [['voice'], 2])
})
