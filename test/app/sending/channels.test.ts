import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTextSender } from '../../../src/app/sending/text-sender.ts'
import type { Channel, TextChannel } from '../../../src/core/incident/delivery.ts'
import type { Provider } from '../../../src/ports/notifier.ts'
import { textNotification } from '../../harness/text-notification.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const parts = {
  clock: new VirtualClock(0),
  log: { info() {}, warn() {}, error() {} },
  meter: { count() {}, observe() {} },
}

/** Providers of these channels; the one called `pacedAt` has a rate. `asked` records who was handed what. */
function site(able: Readonly<Record<string, readonly TextChannel[]>>, pacedAt = '') {
  const asked: string[] = []
  const rate = { perSecond: 1, maxAtOnce: 1 }
  const providers = Object.entries(able).map(
    ([name, channels]): Provider => ({
      name,
      channels,
      ...(name === pacedAt && { rate: { sms: rate, voice: rate } }),
      async send({ channel }) {
        asked.push(`${channel} ${name}`)
        return { kind: 'failed', error: 'connection refused', retryable: true }
      },
      lookUp: async () => ({ kind: 'not_found' }),
    }),
  )
  return { ...createTextSender(providers, parts), asked }
}

const sms = textNotification({ channel: 'sms' })
const call = textNotification({ channel: 'voice' })

test('calls skip a provider that only texts, and SMS skip one that only calls', async () => {
  const { send, asked } = site({ phone: ['sms'], twilio: ['sms', 'voice'], siren: ['voice'] })
  await send(sms)
  await send(call)
  assert.deepEqual(asked, ['sms phone', 'sms twilio', 'voice twilio', 'voice siren'])
})

test('messages of a channel without a provider fail immediately and for good, and no provider gets one', async () => {
  const texts = site({ phone: ['sms'] })
  assert.deepEqual(await texts.send(call), { kind: 'failed', error: 'no provider for calls', retryable: false })
  assert.deepEqual(await texts.lookUp(call), { kind: 'not_found' })
  assert.deepEqual(texts.asked, [])
  const calls = site({ siren: ['voice'] })
  assert.deepEqual(await calls.send(sms), { kind: 'failed', error: 'no provider for texts', retryable: false })
})

test('messages wait for their turn on the channels whose first provider has a rate', () => {
  const able = { phone: ['sms'], twilio: ['sms', 'voice'] } as const
  const { laneFor, inTurn } = site(able, 'twilio')
  const isPaced = (channel: Channel) => (laneFor?.({ id: 'i.1', channel }, 0) ?? null) !== null
  assert.deepEqual([isPaced('sms'), isPaced('voice'), isPaced('webhook'), inTurn], [false, true, false, 2])
})

test('an alarm may have to wait as soon as one provider of one channel has a rate, and never where none has', () => {
  assert.ok(site({ modem: ['sms'], siren: ['voice'] }, 'modem').laneFor?.({ id: 'i.1', channel: 'sms' }, 0))
  assert.notEqual(site({ http: ['sms', 'voice'], modem: ['sms'] }, 'modem').laneFor, undefined)
  assert.equal(site({ http: ['sms', 'voice'], modem: ['sms'] }).laneFor, undefined)
})
