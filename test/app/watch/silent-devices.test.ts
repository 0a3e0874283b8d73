import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchSilence } from '../../../src/app/watch/silent-devices.ts'
import { defaultSettings } from '../../../src/core/account/settings.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const MINUTE = 60_000
const DELIVERED: AttemptOutcome = { kind: 'delivered', provider: 'chat', providerRef: null }
const DOWN: AttemptOutcome = { kind: 'failed', error: 'connection timeout', retryable: true }

const settled = async () => {
  for (let k = 0; k < 60; k += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}

type Row = { deviceId: string; appId: string; hardwareId: string; heardAt: number; silentSince: number | null }

/** A watch on a virtual clock over devices that may be silent for an hour, and chats that answer as the test says. */
function watched({ applications = ['hut'], devices = 1, mayRun = true } = {}) {
  const clock = new VirtualClock()
  const start = clock.now()
  const rows: Row[] = applications.flatMap((appId) =>
    Array.from({ length: devices }, (_, n) => ({
      deviceId: `${appId} ${n}`,
      appId,
      hardwareId: `T-${n}`,
      heardAt: start,
      silentSince: null,
    })),
  )
  const posts: string[] = []
  const state = {
    rows,
    posts,
    mayRun,
    isStoreDown: false,
    isMarkedElsewhere: false,
    unpaired: new Set<string>(),
    atOnce: 0,
    mostAtOnce: 0,
    answer: async (): Promise<AttemptOutcome> => DELIVERED,
  }
  const store = {
    async heardDevices(after: string, max: number) {
      if (state.isStoreDown) throw new Error('down')
      const later = rows.filter(({ deviceId }) => deviceId > after)
      later.sort((one, other) => (one.deviceId < other.deviceId ? -1 : 1))
      return later.slice(0, max).map((row) => ({ ...row, silentAfterMinutes: 60 }))
    },
    async keepSilence(changes: readonly Pick<Row, 'deviceId' | 'heardAt' | 'silentSince'>[]) {
      for (const { deviceId, silentSince } of changes) {
        rows.find((row) => row.deviceId === deviceId)!.silentSince = silentSince
      }
      return state.isMarkedElsewhere ? [] : changes.map(({ deviceId }) => deviceId)
    },
    async hardware(appId: string, hardwareId: string) {
      const row = rows.find((one) => one.appId === appId && one.hardwareId === hardwareId)!
      return { ...row, userId: state.unpaired.has(hardwareId) ? null : 'u1' }
    },
    application: async (id: string) => ({ id, name: id, language: 'en', actuators: { chat: { url: id } } }),
  }
  const log = { info() {}, warn() {}, error() {} }
  const watch = watchSilence({
    store: store as unknown as Parameters<typeof watchSilence>[0]['store'],
    clock,
    ids: { uuid: () => '0' },
    defaults: defaultSettings,
    log,
    isDateBelieved: () => true,
    mayRun: () => state.mayRun,
    async send(notification) {
      posts.push('text' in notification ? notification.text : '')
      state.atOnce += 1
      state.mostAtOnce = Math.max(state.mostAtOnce, state.atOnce)
      const outcome = await state.answer()
      state.atOnce -= 1
      return outcome
    },
    listeningSince: 0,
  })
  return { watch, state, clock, advance: (text: string) => clock.advance(text, settled) }
}

test('a chat that hangs holds up neither the next look nor a stop', async () => {
  const { watch, state, advance } = watched({ devices: 2 })
  state.answer = () => new Promise(() => {})
  state.rows[1]!.heardAt += 10 * MINUTE
  await advance('60 min')
  assert.deepEqual([watch.count(), state.posts.length], [1, 1])
  await advance('10 min')
  assert.deepEqual([watch.count(), state.posts.length], [2, 1], 'it goes on looking, and posts once at a time')
  await watch.stop()
})

test('what a chat did not take is in its next post, at most six an hour', async () => {
  const { watch, state, advance } = watched({ devices: 2 })
  state.answer = async () => DOWN
  state.rows[1]!.heardAt += 10 * MINUTE
  await advance('70 min')
  assert.match(state.posts.at(-1)!, /^hut: No longer heard from: T-0, T-1\. /)
  await advance('45 min')
  assert.equal(state.posts.length, 6)
  state.answer = async () => DELIVERED
  await advance('60 min')
  assert.equal(state.posts.length, 7, 'taken, and not posted again')
  await watch.stop()
})

test('a chat that is gone for good is not asked again', async () => {
  const { watch, state, advance } = watched()
  state.answer = async () => ({ kind: 'failed', error: 'HTTP 410', retryable: false })
  await advance('120 min')
  assert.equal(state.posts.length, 1)
  await watch.stop()
})

test('a device that came back before anybody was told is no news', async () => {
  const { watch, state, clock, advance } = watched()
  state.answer = async () => DOWN
  await advance('60 min')
  assert.equal(state.posts.length, 1)
  state.rows[0]!.heardAt = clock.now()
  state.answer = async () => DELIVERED
  await advance('30 min')
  assert.equal(state.posts.length, 1)
  await watch.stop()
})

test('a device that was unpaired, or erased with its user, is named to nobody', async () => {
  const { watch, state, advance } = watched({ devices: 3 })
  state.unpaired.add('T-0')
  await advance('60 min')
  assert.match(state.posts[0]!, /^hut: No longer heard from: T-1, T-2\. /)
  await watch.stop()

  const other = watched()
  other.state.unpaired.add('T-0')
  await other.advance('60 min')
  assert.deepEqual(other.state.posts, [])
  await other.watch.stop()
})

test('thousands at once are one post for each chat, two at a time, with their number', async () => {
  const applications = Array.from({ length: 20 }, (_, n) => `app-${n}`)
  const { watch, state, advance } = watched({ applications, devices: 500 })
  await advance('66 min')
  assert.equal(watch.count(), 10_000)
  assert.equal(state.posts.length, 20)
  assert.equal(state.mostAtOnce, 2)
  assert.match(state.posts[0]!, /T-0, T-1, T-10, T-100, T-101 and 495 more\. /)
  await watch.stop()
})

test('what another node has marked, it has told', async () => {
  const { watch, state, advance } = watched()
  state.isMarkedElsewhere = true
  await advance('60 min')
  assert.deepEqual([watch.count(), state.posts.length], [1, 0])
  await watch.stop()
})

test('an outage of the store makes no device silent, nor on a node that takes over after it', async () => {
  for (const mayRun of [true, false]) {
    const { watch, state, advance } = watched({ mayRun })
    await advance('30 min')
    state.isStoreDown = true
    await advance('90 min')
    state.isStoreDown = false
    state.mayRun = true
    await advance('50 min')
    assert.deepEqual([watch.count(), state.posts.length], [0, 0])
    await advance('15 min')
    assert.deepEqual([watch.count(), state.posts.length], [1, 1], 'once it could have been heard for as long')
    await watch.stop()
  }
})
