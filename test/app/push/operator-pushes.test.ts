import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorPushes } from '../../../src/app/push/operator-pushes.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import type { OperatorPush } from '../../../src/core/operator/operator-push.ts'
import { newSession } from '../../../src/core/operator/session.ts'
import { nextTurn } from '../../../src/lib/waits.ts'
import type { PushOutcome } from '../../../src/ports/push-sender.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'
import { until } from '../../harness/wait.ts'
import { operatorCalled } from '../operator/cast.ts'

// access.md#operator-push.

const quiet = { info() {}, warn() {}, error() {} }

function site(incidents = new Map<string, Incident>()) {
  const clock = new VirtualClock()
  const told: string[] = []
  const counted: string[] = []
  const state = {
    outcome: { kind: 'sent' } as PushOutcome,
    operators: [operatorCalled('ana')],
    isSignedIn: true,
    hangs: Promise.resolve(),
  }
  const removed: string[] = []
  const pushOf = (sessionId: string, given: Partial<OperatorPush> = {}): OperatorPush => ({
    ...{ sessionId, operatorId: 'id of ana', endpoint: `https://push.test/${sessionId}`, p256dh: '', auth: '' },
    ...{ language: 'en', wholeText: false, keptAt: 0, sentAt: null, failedAt: null, failure: null },
    ...given,
  })
  const subscribed = [pushOf('s')]
  const pushes = operatorPushes({
    ...{ clock, log: quiet },
    meter: { count: (name, labels) => void counted.push(`${name} ${Object.values(labels ?? {})}`) },
    keys: async () => ({ publicKey: '', privateKey: '' }),
    sender: {
      async send(_keys, { endpoint }, { payload }) {
        const { title, body } = JSON.parse(payload)
        told.push([endpoint.split('/').at(-1), title, ...(body === undefined ? [] : [body])].join(': '))
        await state.hangs
        return state.outcome
      },
    },
    store: {
      operatorPushes: async () => subscribed,
      keepOperatorPush: async () => ({ kept: true }),
      removeOperatorPush: async (sessionId) => void removed.push(sessionId),
      noteOperatorPush: async () => {},
      operators: async () => state.operators,
      operatorSessions: async (operatorId) =>
        state.isSignedIn
          ? subscribed.map(({ sessionId: id }) =>
              newSession({ id, operatorId, now: clock.now(), address: '', browser: '' }),
            )
          : [],
      incident: async (id) => ({ incident: incidents.get(id) }) as never,
      incidents: async () => [...incidents.values()].map((incident) => ({ incident })) as never,
      application: async (id) => ({ name: id }) as never,
      user: async () => ({ name: 'Mia', phone: null, externalUserId: 'mia' }) as never,
    },
  })
  const changes = async (id: string, given: object = {}): Promise<void> => {
    const at = clock.now()
    const open = { id, appId: 'Hut', userId: 'mia', state: { status: 'active', closedAt: null }, openedAt: at }
    incidents.set(id, {
      ...open,
      lastAlertAt: at,
      silent: false,
      ...incidents.get(id),
      ...given,
    } as unknown as Incident)
    pushes.changed(id)
    await pushes.settled()
  }
  const advance = async (seconds: number): Promise<void> => {
    await clock.advance(`${seconds} s`, nextTurn)
    await pushes.settled()
  }
  return { clock, pushes, told, counted, changes, advance, state, subscribed, pushOf, removed, incidents }
}

test('a new alarm rings once, with no more than its application; names where they were chosen', async () => {
  const { pushes, told, changes, subscribed, pushOf } = site()
  subscribed.push(pushOf('t', { wholeText: true, language: 'de' }))
  await changes('one')
  await changes('one', { updatedAt: 1 })
  assert.deepEqual(told, ['s: New SOS in Hut', 't: Neues SOS in Hut: Mia'])
  await pushes.stop()
})

test('more browsers than are told at once all ring, though their push services hang, and share what comes meanwhile', async () => {
  const { pushes, told, changes, subscribed, pushOf, state } = site()
  subscribed.splice(0, 1, ...Array.from({ length: 70 }, (_, n) => pushOf(`s${n}`)))
  let answers = (): void => {}
  state.hangs = new Promise<void>((resolve) => {
    answers = resolve
  })
  void changes('one')
  await until('the first ones are under way', () => told.length === 32)
  void changes('two')
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
  answers()
  await pushes.settled()
  const rung = (title: string) => told.filter((one) => one.endsWith(title)).length
  assert.deepEqual([told.length, rung('New SOS in Hut'), rung('2 alarms need somebody')], [70, 32, 38])
  await pushes.stop()
})

test('an exercise, an alarm that ended, one from before and one that was taken are told to nobody', async () => {
  const { clock, pushes, told, changes } = site()
  await changes('drill', { drill: { id: 'x' } })
  await changes('over', { state: { status: 'resolved', closedAt: clock.now() } })
  await changes('old', { openedAt: clock.now() - 200_000 })
  await changes('taken', { takenBy: { at: clock.now(), name: 'Eva' }, seen: { at: clock.now() } })
  assert.deepEqual(told, [])
  await pushes.stop()
})

test('an alarm that a process left untold when it ended is told by the next one, if it is fresh', async () => {
  const before = site()
  before.subscribed.length = 0
  await before.changes('untold')
  await before.changes('old', { openedAt: before.clock.now() - 200_000 })
  await before.changes('drill', { drill: { id: 'x' } })
  await before.pushes.stop()
  const { pushes, told } = site(before.incidents)
  for (let n = 0; n < 2; n += 1) {
    pushes.lookAround()
    await pushes.settled()
  }
  assert.deepEqual(told, ['s: New SOS in Hut'])
  await pushes.stop()
  pushes.lookAround()
})

test('what comes together is told together, after a while, and without what has ended meanwhile', async () => {
  const { clock, pushes, told, changes, advance } = site()
  for (let n = 0; n < 14; n += 1) await changes(`alarm ${n}`)
  await changes('alarm 13', { state: { status: 'cancelled', closedAt: clock.now() } })
  assert.deepEqual(told.splice(0), ['s: New SOS in Hut'])
  await advance(10)
  assert.deepEqual(told.splice(0), ['s: 12 alarms need somebody'])
  await advance(600)
  assert.deepEqual(told, [])
  await pushes.stop()
})

test('only who may see the alarm, is not disabled and is still signed in', async () => {
  const { pushes, told, changes, state } = site()
  state.operators = [operatorCalled('ana', { applications: ['Other'] })]
  await changes('one')
  state.operators = [operatorCalled('ana', { disabled: true })]
  await changes('two')
  state.operators = [operatorCalled('ana')]
  state.isSignedIn = false
  await changes('three')
  assert.deepEqual(told, [])
  state.isSignedIn = true
  await changes('four')
  assert.deepEqual(told, ['s: New SOS in Hut'])
  await pushes.stop()
})

test('a subscription that has ended goes, and a test says what its push service said', async () => {
  const { pushes, changes, state, subscribed, removed, counted } = site()
  state.outcome = { kind: 'gone' }
  await changes('one')
  assert.deepEqual(removed, ['s'])
  state.outcome = { kind: 'unreachable', retryAfterMs: null }
  assert.equal(await pushes.test(subscribed[0]!), 'unreachable')
  assert.deepEqual(counted, ['pushes_total gone', 'pushes_total unreachable'])
  await pushes.stop()
})
