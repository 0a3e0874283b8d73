import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptOutcome } from '../../src/core/incident/command.ts'
import type { TextNotification } from '../../src/ports/notifier.ts'
import { liveText } from '../../src/service/live-text.ts'
import type { Modem } from '../../src/service/modem.ts'
import type { TextProviders } from '../../src/service/text-providers.ts'
import { quiet } from '../fixtures/store-place.ts'
import { testConfig } from '../harness/test-config.ts'

const CONFIG = testConfig('/nowhere')
const text = { channel: 'sms', to: '+431' } as TextNotification

/** Providers that answer when told to, each chain with a number of its own. */
function chains() {
  const made: { readonly sent: (() => void)[]; closed: boolean }[] = []
  const make = async (): Promise<TextProviders> => {
    const chain = { sent: [] as (() => void)[], closed: false }
    const provider = String(made.length)
    made.push(chain)
    return {
      inTurn: made.length,
      modem: { provider: { name: provider } } as unknown as Modem,
      send: () =>
        new Promise<AttemptOutcome>((resolve) => {
          chain.sent.push(() => resolve({ kind: 'sent', provider, providerRef: null }))
        }),
      lookUp: async () => ({ kind: 'not_found' }),
      waiting: () => 0,
      longestWaitMs: () => 0,
      async close() {
        chain.closed = true
      },
    }
  }
  return { made, make }
}

test('a message under way ends at its provider, which is closed after it; the next one leaves through the new one', async () => {
  const { made, make } = chains()
  const live = await liveText(CONFIG, make, { log: quiet })
  const replaced: number[] = []
  live.onReplaced(() => replaced.push(live.inTurn))
  const first = live.send(text)
  await live.replace(CONFIG)
  assert.deepEqual([made.map(({ sent }) => sent.length), made[0]!.closed], [[1, 0], false])
  assert.deepEqual([replaced, live.inTurn], [[2], 2])
  const second = live.send(text)
  assert.deepEqual(
    made.map(({ sent }) => sent.length),
    [1, 1],
  )
  made[0]!.sent[0]!()
  assert.deepEqual(await first, { kind: 'sent', provider: '0', providerRef: null })
  assert.deepEqual([made[0]!.closed, made[1]!.closed], [true, false])
  made[1]!.sent[0]!()
  assert.equal((await second).kind, 'sent')
  await live.replace(CONFIG)
  assert.equal(made[1]!.closed, true, 'nothing is under way there')
  await live.close()
  assert.equal(made[2]!.closed, true)
})

test('providers that cannot be used leave the former ones in place', async () => {
  const { made, make } = chains()
  let isBroken = false
  const live = await liveText(CONFIG, async () => (isBroken ? Promise.reject(new Error('no spool')) : make()), {
    log: quiet,
  })
  isBroken = true
  await assert.rejects(live.replace(CONFIG), /no spool/)
  void live.send(text)
  assert.deepEqual([made.length, made[0]!.sent.length, made[0]!.closed], [1, 1, false])
})

test('what goes with the modem ends before that of the next one begins, also where that fails', async () => {
  const { make } = chains()
  const live = await liveText(CONFIG, make, { log: quiet })
  const events: string[] = []
  await live.withModem(async ({ provider: { name } }) => {
    events.push(`begin ${name}`)
    if (name === '1') throw new Error('the spool is gone')
    return () => events.push(`end ${name}`)
  })
  await live.replace(CONFIG)
  await live.replace(CONFIG)
  await live.close()
  assert.deepEqual(events, ['begin 0', 'end 0', 'begin 1', 'begin 2', 'end 2'])
})
