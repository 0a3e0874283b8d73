import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createTextSender } from '../../../src/app/sending/text-sender.ts'
import { momentAt, pressed, sent } from '../../core/build.ts'
import { dispatched } from '../../harness/dispatched.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const textsOnly = { settings: { voice: false, rounds: 1, contactIntervalSeconds: 0, persistHours: 0 } }

/**
 * Incidents whose first SMS is due after 10 s. Of the first `busy` ones no claim is made but a patient one, and that
 * waits until the test ends it. `perSecond`: the provider's rate.
 */
function site(count: number, { busy, perSecond }: { readonly busy: number; readonly perSecond: number | null }) {
  const clock = new VirtualClock(momentAt(0))
  const incidents = Array.from({ length: count }, () => pressed({ ...textsOnly, contacts: ['Ana'] }).incident)
  const places = new Map(incidents.map(({ id }, place) => [id, place]))
  const left: (number | undefined)[] = []
  const tries = { impatient: 0, patient: 0 }
  const waiting: PromiseWithResolvers<void>[] = []
  const rate =
    perSecond === null ? {} : { rate: { sms: { perSecond, maxAtOnce: 9 }, voice: { perSecond, maxAtOnce: 9 } } }
  const provider = {
    name: 'twilio',
    channels: ['sms'] as const,
    ...rate,
    async send({ incidentId }: { readonly incidentId: string }) {
      left.push(places.get(incidentId))
      return sent
    },
    lookUp: async () => assert.fail('nothing is unsure'),
  }
  const quiet = { info() {}, warn() {}, error() {} }
  const sender = createTextSender([provider], { clock, log: quiet, meter: { count() {}, observe() {} } })
  const { dispatcher, errors } = dispatched(
    incidents,
    sender as never,
    (id, command) => {
      if (command.type !== 'proceed' || places.get(id)! >= busy) return false
      if (command.isPatient) {
        tries.patient += 1
        const wait = Promise.withResolvers<void>()
        waiting.push(wait)
        return wait.promise
      }
      tries.impatient += 1
      assert.ok(tries.impatient < 1000, 'at full speed in a circle')
      return 'busy'
    },
    clock,
  )
  // It is never settled while a claim waits.
  const passes = (duration: string) =>
    clock.advance(duration, async () => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    })
  return { dispatcher, errors, left, tries, waiting, passes }
}

for (const [how, perSecond] of [
  ['nothing is in line', null],
  ['a provider has a rate', 10],
] as const) {
  suite(`an incident that others keep changing, where ${how}`, () => {
    test('is tried now and then for a second, then patiently, and holds up no other', async () => {
      const { dispatcher, left, tries, waiting, passes } = site(2, { busy: 1, perSecond })
      dispatcher.start()
      await passes('10.9 s')
      assert.deepEqual([left, tries.patient], [[1], 0])
      assert.ok(tries.impatient >= 5 && tries.impatient <= 20, `${tries.impatient} tries in 0.9 s`)
      await passes('1.1 s')
      assert.equal(tries.patient, 1)
      waiting[0]!.resolve()
      await passes('100 ms')
      assert.deepEqual(left, [1, 0])
      await dispatcher.settled()
      assert.equal(await dispatcher.overdueMs(), 0)
      await dispatcher.stop(0)
    })

    test('is tried again if it was in vain, and is late', async () => {
      const { dispatcher, errors, left, tries, waiting, passes } = site(1, { busy: 1, perSecond })
      dispatcher.start()
      await passes('12 s')
      waiting[0]!.reject(new Error('locked'))
      await passes('10 ms')
      assert.equal(errors.length, 1)
      assert.ok((await dispatcher.overdueMs()) >= 2000)
      await passes('1 s')
      assert.equal(tries.patient, 2)
      waiting[1]!.resolve()
      await passes('100 ms')
      assert.deepEqual(left, [0])
      await dispatcher.stop(0)
    })

    test('of many, two are waited for at a time, so that no claim is older than one wait', async () => {
      const { dispatcher, left, tries, waiting, passes } = site(4, { busy: 4, perSecond })
      dispatcher.start()
      await passes('15 s')
      assert.equal(tries.patient, 2)
      for (let n = 0; n < 4; n += 1) {
        waiting[n]!.resolve()
        await passes('1 s')
      }
      assert.deepEqual(left.toSorted(), [0, 1, 2, 3])
      await dispatcher.stop(0)
    })
  })
}
