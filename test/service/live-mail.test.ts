import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mail } from '../../src/adapters/outbound/smtp/smtp-client.ts'
import { createMeter } from '../../src/adapters/platform/system/meter.ts'
import { mailSender } from '../../src/app/sending/mail-sender.ts'
import type { AttemptOutcome } from '../../src/core/incident/command.ts'
import { liveMail, type SiteMail } from '../../src/service/live-mail.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'

// setup.md: the mail server. access.md#operator-mail.

const sent: AttemptOutcome = { kind: 'sent', provider: 'smtp', providerRef: null }
const news: Mail = { id: 'n', to: 'eva@hut.example', subject: 'S', text: 'T', language: 'en', timeoutMs: 1, about: {} }
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function world() {
  const clock = new VirtualClock()
  const log = { info() {}, warn() {}, error: assert.fail }
  const heard: string[] = []
  const closed: string[] = []
  /** `answer`: of the server. */
  const server = (name: string, answer: () => Promise<AttemptOutcome> = async () => sent): SiteMail => {
    const send = () => {
      heard.push(name)
      return answer()
    }
    const notifier = { send, lookUp: async () => sent }
    const sender = mailSender(notifier, { rate: { perSecond: 9, maxAtOnce: 9 }, clock, log, meter: createMeter() })
    const close = () => {
      closed.push(name)
      sender.close()
    }
    return { server: name, sender, client: { send, close }, close }
  }
  /** The servers that got news now. */
  const told = async (live: ReturnType<typeof liveMail>) => {
    heard.length = 0
    await live.toOperator?.(news)
    return heard.toSorted()
  }
  return { clock, server, closed, told, advance: (text: string) => clock.advance(text, turn) }
}

test('news leaves through the former server as well, as long as its mail may wait, and then no more', async () => {
  const { clock, server, told, advance } = world()
  const live = liveMail(server('honest'), { clock })
  live.replace(server('evil'))
  assert.deepEqual(await told(live), ['evil', 'honest'])
  await advance('90 min')
  assert.deepEqual(await told(live), ['evil', 'honest'])
  await advance('31 min')
  assert.deepEqual(await told(live), ['evil'])
})

test('a server that is replaced twice, or many times, before the news leaves still hears of it', async () => {
  const { clock, server, told } = world()
  const live = liveMail(server('honest'), { clock })
  for (let n = 1; n <= 30; n++) live.replace(server(`evil-${n}`))
  const all = await told(live)
  assert.ok(all.includes('honest'))
  assert.equal(all.length, 11, 'and a mail costs no more than that')
  live.replace(null)
  assert.ok((await told(live)).includes('honest'))
})

test('a server that comes back gets news once', async () => {
  const { clock, server, told } = world()
  const live = liveMail(server('one'), { clock })
  live.replace(server('two'))
  live.replace(server('one'))
  assert.deepEqual(await told(live), ['one', 'two'])
})

test('a server is closed once nothing is with it, news to an operator included', async () => {
  const { clock, server, closed } = world()
  const { promise, resolve } = Promise.withResolvers<AttemptOutcome>()
  const live = liveMail(
    server('old', () => promise),
    { clock },
  )
  live.replace(server('new'))
  assert.deepEqual(closed, ['old'])
  live.replace(server('newer'))
  closed.length = 0
  const telling = live.toOperator!(news)
  live.close()
  assert.deepEqual(closed.toSorted(), ['new', 'newer', 'old'])
  resolve(sent)
  assert.deepEqual(await telling, sent)
})
