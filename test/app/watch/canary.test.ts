import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from '../../../src/adapters/platform/system/meter.ts'
import type { CanaryPress, FailedPress } from '../../../src/app/watch/canary.ts'
import { createCanary } from '../../../src/app/watch/canary.ts'
import { CANARY_APP_ID, canaryApplication } from '../../../src/core/account/canary.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const MINUTE = 60_000
type Needs = Parameters<typeof createCanary>[0]

const settled = async () => {
  for (let k = 0; k < 30; k += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A canary on a virtual clock, with a store that does what the test says. */
function caged({ hasOthers = false } = {}) {
  const clock = new VirtualClock()
  const meter = createMeter()
  const said: string[] = []
  const did: string[] = []
  const state = {
    failed: null as FailedPress | null,
    isStoreDown: false,
    opens: true,
    hasMessage: true,
    pressMs: 0,
    left: [] as { id: string; externalUserId: string; createdAt: number }[],
    presses: [] as Parameters<CanaryPress>[0][],
  }
  const note = (_fields: object, message: string) => void said.push(message)
  const down = () => {
    if (state.isStoreDown) throw new Error('down')
  }
  const store = {
    async application() {
      down()
      return canaryApplication(0)
    },
    ensureUser: async ({ externalUserId }: { externalUserId: string }) => ({ id: 'u1', externalUserId }),
    openIncident: async () => (state.opens ? { incident: { id: 'i1' } } : null),
    attempts: async () => [{ id: 'i1.1' }],
    outboxMessage: async () => (state.hasMessage ? {} : null),
    users: async () => state.left,
    async eraseUser(appId: string, externalUserId: string) {
      assert.equal(appId, CANARY_APP_ID)
      did.push(`erase ${externalUserId.startsWith('canary-0') ? 'own' : externalUserId}`)
      return { userId: '', done: true }
    },
  }
  const canary = createCanary({
    everyMs: 60 * MINUTE,
    async press(press) {
      state.presses.push(press)
      if (state.pressMs > 0) await new Promise<void>((resolve) => clock.after(state.pressMs, resolve))
      return state.failed
    },
    store: store as unknown as Needs['store'],
    door: {
      async change(key, { type }) {
        did.push(`${type} ${'openOf' in key ? key.openOf : ''}`)
        return {} as never
      },
      follow() {},
    },
    clock,
    ids: { uuid: () => '0', secret: () => 'secret', jitter: () => 0.5 },
    log: { info: note, warn: note, error: note },
    meter,
    hasOthers: () => hasOthers,
  })
  canary.start()
  const advance = (text: string) => clock.advance(text, settled)
  return { canary, state, said, did, meter, clock, advance }
}

test('it presses a minute after the start and then every hour, as its own user, and erases what it made', async () => {
  const { canary, state, did, meter, advance } = caged()
  await advance('60 s')
  assert.equal(state.presses.length, 0)
  await advance('8 s')
  assert.equal(state.presses.length, 1)
  assert.equal(state.presses[0]?.username, `sdk:${CANARY_APP_ID}:canary-0`)
  assert.equal(state.presses[0]?.topic, 'sos/alerts/u1')
  assert.deepEqual(did, ['cancel u1', 'cancel u1', 'erase own'])
  await advance('59 min')
  assert.equal(state.presses.length, 1)
  assert.ok(canary.ageMs() >= 58 * MINUTE)
  await advance('1 min')
  assert.equal(state.presses.length, 2)
  assert.match(await meter.text(), /canary_seconds_count 2/)
  assert.equal(canary.trouble() ?? canary.concern(), null)
  await canary.stop()
})

for (const [step, sentence, breakIt] of [
  ['prepare', 'the store could not prepare it', { isStoreDown: true }],
  ['connect', 'the MQTT listener could not be reached', { failed: { failed: 'connect', error: 'ECONNREFUSED' } }],
  ['login', 'the MQTT listener did not admit it', { failed: { failed: 'login', error: 'CONNACK 5' } }],
  ['puback', 'it was not acknowledged (PUBACK)', { failed: { failed: 'puback', error: 'closed' } }],
  ['incident', 'it was acknowledged, but opened no incident', { opens: false }],
  ['message', 'its incident had no message in the outbox within 30 s', { hasMessage: false }],
] as const) {
  test(`a failure at the step ${step} is named after the second one in a row, and gone with the next pass`, async () => {
    const { canary, state, said, meter, advance } = caged()
    const well = { ...state }
    Object.assign(state, breakIt)
    await advance('100 s')
    assert.equal(canary.failuresInARow(), 1)
    assert.equal(canary.trouble(), null)
    await advance(step === 'message' ? '90 s' : '40 s')
    assert.equal(canary.failuresInARow(), 2)
    assert.equal(canary.trouble(), `the canary's synthetic SOS failed 2 times in a row: ${sentence}`)
    assert.deepEqual(said, [`THE CANARY FAILED: ${sentence}`, `THE CANARY FAILED: ${sentence}`])
    assert.match(await meter.text(), new RegExp(`canary_runs_total\\{result="${step}"\\} 2`))
    Object.assign(state, { ...well, presses: state.presses })
    await advance('95 s')
    assert.equal(canary.trouble(), null)
    assert.equal(canary.failuresInARow(), 0)
    await canary.stop()
  })
}

test('where other nodes send, a missing message is a concern and takes no node out of the balancer', async () => {
  const { canary, state, advance } = caged({ hasOthers: true })
  state.hasMessage = false
  await advance('195 s')
  assert.equal(canary.trouble(), null)
  assert.match(canary.concern() ?? '', /no message in the outbox/)
  state.failed = { failed: 'puback', error: 'closed' }
  await advance('2 min')
  assert.match(canary.trouble() ?? '', /not acknowledged/)
  assert.equal(canary.concern(), null)
  await canary.stop()
})

test('what a crash left is cancelled and erased, and a run of another node is left alone', async () => {
  const { canary, state, did, clock, advance } = caged()
  state.left = [
    { id: 'u7', externalUserId: 'canary-crashed', createdAt: clock.now() - 11 * MINUTE },
    { id: 'u8', externalUserId: 'canary-of-another-node', createdAt: clock.now() },
  ]
  await advance('70 s')
  assert.deepEqual(did.slice(-2), ['cancel u7', 'erase canary-crashed'])
  assert.equal(did.includes('erase canary-of-another-node'), false)
  await canary.stop()
})

test('a stop ends the wait for the message, and counts nothing', async () => {
  const { canary, state, said, did, meter, advance } = caged()
  state.hasMessage = false
  await advance('70 s')
  await canary.stop()
  assert.deepEqual(did.slice(-1), ['erase own'])
  assert.deepEqual(said, [])
  assert.doesNotMatch(await meter.text(), /canary_runs_total\{.*\} [1-9]/)
})
