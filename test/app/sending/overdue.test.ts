import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readiness } from '../../../src/app/ready/readiness.ts'
import { createTextSender } from '../../../src/app/sending/text-sender.ts'
import { momentAt, pressed, sent } from '../../core/build.ts'
import { dispatched } from '../../harness/dispatched.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

// What cannot be claimed is late, and an operator has to hear of it, also while others are sent.

const textsOnly = { settings: { voice: false, rounds: 1, contactIntervalSeconds: 0, persistHours: 0 } }

/** Incidents, each of whose SMS is due after 10 s, before a provider of 1 SMS/s. `broken`: by their place. */
function site(count: number, broken: (place: number) => boolean) {
  const clock = new VirtualClock(momentAt(0))
  const incidents = Array.from({ length: count }, () => pressed({ ...textsOnly, contacts: ['Ana'] }).incident)
  const left: string[] = []
  const provider = {
    name: 'twilio',
    channels: ['sms'] as const,
    rate: { sms: { perSecond: 1, maxAtOnce: 100 }, voice: { perSecond: 1, maxAtOnce: 1 } },
    async send({ incidentId }: { readonly incidentId: string }) {
      left.push(incidentId)
      return sent
    },
    lookUp: async () => assert.fail('nothing is unsure'),
  }
  const sender = createTextSender([provider], {
    clock,
    log: { info() {}, warn() {}, error() {} },
    meter: { count() {}, observe() {} },
  })
  let isMended = false
  const refuses = (id: string) => !isMended && broken(incidents.findIndex((incident) => incident.id === id))
  const { dispatcher, errors } = dispatched(incidents, sender as never, refuses, clock)
  const ready = readiness({
    phase: () => 'running',
    store: { checkWritable: async () => {}, trouble: () => null },
    brokerAnswers: async () => {},
    leaseTrouble: () => null,
    canaryTrouble: () => null,
    secretsTrouble: () => null,
    overdueMs: () => dispatcher.overdueMs(),
  })
  const settled = async () => {
    await dispatcher.settled()
    await new Promise((resolve) => setImmediate(resolve))
    await dispatcher.settled()
  }
  const passes = (duration: string) => clock.advance(duration, settled)
  const mend = () => {
    isMended = true
  }
  return { dispatcher, errors, left, ready, passes, mend }
}

for (const [what, count, broken, rest] of [
  ['of the only incident', 1, () => true, 0],
  ['of one that others in the line are sent around', 4, (place: number) => place === 0, 3],
  ['of every incident in the line', 4, () => true, 0],
] as const) {
  test(`a claim ${what} that fails again and again is overdue, more and more, until it succeeds`, async () => {
    const { dispatcher, errors, left, ready, passes, mend } = site(count, broken)
    dispatcher.start()
    await passes('10 s')
    const late: number[] = []
    for (let minute = 0; minute < 5; minute += 1) {
      await passes('1 min')
      late.push(Math.round((await dispatcher.overdueMs()) / 1000))
    }
    assert.deepEqual(late, [60, 120, 180, 240, 300])
    assert.deepEqual(await ready(), ['the dispatcher is 300 s late'])
    // It goes on trying, and not at full speed: once a second, or as often as it looks for others.
    assert.ok((await dispatcher.stalledMs()) <= 1000)
    assert.ok(errors.length >= 300 && errors.length < 300 * 60, `${errors.length} failures were logged`)
    assert.equal(left.length, rest)
    mend()
    await passes('30 s')
    assert.equal(new Set(left).size, count)
    assert.equal(await dispatcher.overdueMs(), 0)
    assert.deepEqual(await ready(), [])
    await dispatcher.stop(0)
  })
}

test('control: what only waits for its turn is not overdue', async () => {
  const { dispatcher, ready, passes, left } = site(20, () => false)
  dispatcher.start()
  await passes('15 s')
  assert.equal(left.length, 6)
  assert.equal(await dispatcher.overdueMs(), 0)
  assert.deepEqual(await ready(), [])
  await dispatcher.stop(0)
})
