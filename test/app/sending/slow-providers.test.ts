import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSender } from '../../../src/app/sending/sender.ts'
import { createTextSender } from '../../../src/app/sending/text-sender.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import { SECOND } from '../../../src/lib/durations.ts'
import type { Provider, TextNotification } from '../../../src/ports/notifier.ts'
import { momentAt, pressed } from '../../core/build.ts'
import { dispatched } from '../../harness/dispatched.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

/** What three providers together may take. */
const TOGETHER_MS = 45 * SECOND

const held = {
  node: { lease: { node: 'a', token: 1 }, others: [], settleMs: 55 * SECOND },
  leftMs: () => 10 * SECOND,
  renewWhile() {},
  onHeld() {},
  onOthers() {},
}

/** The incident of a separate story, under its own id. */
function incidentOf(n: number) {
  const { incident } = pressed({ contacts: ['Ana'], settings: { voice: false } })
  const id = `incident-${n}`
  return {
    ...incident,
    id,
    deliveries: incident.deliveries.map((row) => ({ ...row, id: row.id.replace(incident.id, id) })),
  }
}

for (const [where, lease] of [
  ['on one box', null],
  ['among nodes', held],
] as const) {
  test(`three slow providers and the turns at them have one time together, ${where}`, async () => {
    const clock = new VirtualClock(momentAt(0))
    const ages: { readonly askedAfterMs: number; readonly endedAfterMs: number }[] = []
    const slow = (name: string, perSecond: number | null): Provider => ({
      name,
      channels: ['sms'],
      ...(perSecond !== null && {
        rate: { sms: { perSecond, maxAtOnce: 100 }, voice: { perSecond, maxAtOnce: 100 } },
      }),
      /** Fails after 14 s, or is ended as a request is. */
      send: ({ claimedAt, leftMs }: TextNotification) =>
        new Promise<AttemptOutcome>((resolve) => {
          const askedAt = clock.now()
          const look = (): void => {
            const isOver = leftMs?.() === 0
            if (!isOver && clock.now() - askedAt < 14 * SECOND) clock.after(SECOND, look)
            else {
              ages.push({ askedAfterMs: askedAt - claimedAt, endedAfterMs: clock.now() - claimedAt })
              resolve({ kind: 'failed', error: 'provider error', retryable: true })
            }
          }
          look()
        }),
      lookUp: async () => ({ kind: 'not_found' }),
    })
    const log = { info() {}, warn() {}, error() {} }
    const providers = [slow('a', null), slow('b', 1 / 13), slow('c', 1 / 13)]
    const text = createTextSender(providers, { clock, log, meter: { count() {}, observe() {} } })
    const none = { send: () => assert.fail(), lookUp: () => assert.fail() }
    const sender = createSender({ text, outbox: none, http: none, chat: none, webhook: none })
    const { dispatcher } = dispatched([1, 2, 3].map(incidentOf), sender, undefined, clock, lease)
    dispatcher.start()
    await clock.advance('3 min', () => new Promise((resolve) => setImmediate(resolve)))
    const longest = (of: keyof (typeof ages)[0]) => Math.max(...ages.map((age) => age[of]))
    assert.ok(longest('askedAfterMs') > TOGETHER_MS - 15 * SECOND, 'it comes near')
    assert.ok(longest('askedAfterMs') <= TOGETHER_MS, `${longest('askedAfterMs')}`)
    assert.ok(longest('endedAfterMs') <= TOGETHER_MS + SECOND, `${longest('endedAfterMs')}`)
  })
}
