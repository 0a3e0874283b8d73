import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Dispatcher } from '../../../src/app/sending/dispatcher.ts'
import type { Store } from '../../../src/ports/store.ts'
import { momentAt } from '../../core/build.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

/** A dispatcher with one incident that is due from the start and whose claim is `claim`. */
function withOneDue(claim: () => Promise<never>) {
  const clock = new VirtualClock(momentAt(0))
  const due = clock.now()
  const store = {
    due: async () => ({ real: ['incident'], drills: [] }),
    incident: async () => null,
    nextActionAt: async () => due,
  } as unknown as Store
  const dispatcher = new Dispatcher({
    store,
    door: { change: claim, announce() {} },
    notifier: { send: async () => ({ kind: 'no_target' }), lookUp: async () => ({ kind: 'not_found' }) },
    clock,
    ids: { uuid: () => '', secret: () => '', jitter: () => 0.5 },
    log: { info() {}, warn() {}, error() {} },
    meter: { count() {}, observe() {} },
    publicUrl: () => 'http://localhost',
    machineTimeZone: () => 'UTC',
    lease: null,
  })
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  const passes = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) await clock.advance('1 s', turn)
  }
  return { dispatcher, passes }
}

test('a dispatcher whose look never ends counts as stalled', async () => {
  const { dispatcher, passes } = withOneDue(() => new Promise(() => {}))
  await dispatcher.start()
  await passes(20)
  assert.equal(await dispatcher.stalledMs(), 20_000)
})

test('an incident that cannot be claimed stays late, but the dispatcher keeps looking', async () => {
  const { dispatcher, passes } = withOneDue(() => Promise.reject(new Error('damaged')))
  await dispatcher.start()
  await passes(20)
  assert.equal(await dispatcher.overdueMs(), 20_000)
  assert.ok((await dispatcher.stalledMs()) <= 1000)
  await dispatcher.stop(0)
})
