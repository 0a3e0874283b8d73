import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spoolName } from '../../../src/adapters/outbound/modem/spool-name.ts'
import { createMeter } from '../../../src/adapters/platform/system/meter.ts'
import { OverdueTimers } from '../../../src/app/watch/overdue-timers.ts'
import type { EnrolledBy } from '../../../src/core/account/app-invitation.ts'
import type { PhoneProof } from '../../../src/core/account/phone-proof.ts'
import type { Position } from '../../../src/core/ingest/position.ts'
import { MAX_TIMER_TEXTS, momentsOf, TIMER_TEXTS_WITHIN_MS, type Timer } from '../../../src/core/timer/timer.ts'
import type { TextNotification } from '../../../src/ports/notifier.ts'
import { type Committed, StoreError } from '../../../src/ports/store.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'
import { until } from '../../harness/wait.ts'

const MINUTE = 60_000
const PHONE = '+4915112345678'
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Timers in memory, all due at one moment an hour ahead. */
function keeping(
  count: number,
  {
    isDateBelieved = (): boolean => true,
    sendText = async (_text: TextNotification): Promise<void> => {},
    prefixes = [] as readonly string[],
    /** Of the user's last incident. Null: the store cannot say. */
    lastPosition = null as Position | null,
    enrolledBy = null as EnrolledBy | null,
    proved = null as Pick<PhoneProof, 'phone' | 'takenAt'> | null,
  } = {},
) {
  const clock = new VirtualClock()
  const meter = createMeter()
  const dueAt = clock.now() + 60 * MINUTE
  const timers = new Map<string, Timer>()
  for (let n = 0; n < count; n += 1) {
    const id = `t${String(n).padStart(6, '0')}`
    const times = { createdAt: clock.now(), updatedAt: clock.now(), overAt: null, incidentId: null }
    const owner = { appId: 'app', userId: `u${n}`, note: null, position: null }
    timers.set(id, { id, ...owner, ...momentsOf(dueAt, clock.now()), status: 'running', ...times })
  }
  const state = {
    broken: new Set<string>(),
    atOnce: 0,
    most: 0,
    anchored: 0,
    areMoved: false,
    read: 0,
    texts: [] as { userId: string; phone: string; at: number }[],
  }
  const raised: string[] = []
  const places: unknown[] = []
  const running = () => [...timers.values()].filter(({ status }) => status === 'running')
  const keeper = new OverdueTimers({
    clock,
    meter,
    ids: { uuid: () => 'i', secret: () => 's' },
    log: { info() {}, warn() {}, error() {} },
    machineTimeZone: () => 'UTC',
    isDateBelieved,
    publish: () => {},
    push: () => {},
    sendText,
    door: { announce: () => {} },
    store: {
      async timerAgenda() {
        const moments = running().flatMap(({ opensAt, remindsAt }) => [opensAt, remindsAt ?? opensAt])
        return { nextAt: moments.reduce<number | null>((a, b) => Math.min(a ?? b, b), null), areMoved: state.areMoved }
      },
      async overdueTimers(now, max, after) {
        const due = running().filter(({ opensAt, id }) => opensAt <= now && id > (after?.id ?? ''))
        const page = due.slice(0, max)
        state.read = Math.max(state.read, page.length)
        return page
      },
      async raiseTimer(id, command) {
        state.atOnce += 1
        state.most = Math.max(state.most, state.atOnce)
        await turn()
        state.atOnce -= 1
        if (state.broken.has(id)) throw new StoreError('a fault', 'fault')
        assert.equal(command.alert.at.ms, dueAt)
        places.push(command.overdue?.place?.position)
        timers.set(id, { ...timers.get(id)!, status: 'raised' })
        raised.push(id)
        return { incidentId: 'i', verdict: 'opened', events: [], nextActionAt: null } as unknown as Committed
      },
      async takeReminders(now, max) {
        const due = running().filter(({ remindsAt }) => remindsAt !== null && remindsAt <= now)
        for (const timer of due.slice(0, max)) timers.set(timer.id, { ...timer, remindsAt: null })
        return due.slice(0, max)
      },
      async countTimerText({ userId, phone, now }) {
        const recent = state.texts.filter(({ at }) => now - at < TIMER_TEXTS_WITHIN_MS)
        const count = (is: (text: (typeof recent)[number]) => boolean) => recent.filter(is).length
        if (count((text) => text.userId === userId) >= MAX_TIMER_TEXTS) return false
        if (count((text) => text.phone === phone) >= MAX_TIMER_TEXTS) return false
        state.texts.push({ userId, phone, at: now })
        return true
      },
      async anchorTimers() {
        state.anchored += 1
        state.areMoved = false
        return 0
      },
      telemetryHistory: () => Promise.reject(new StoreError('a fault', 'fault')),
      async latestIncident() {
        if (lastPosition === null) throw new StoreError('a fault', 'fault')
        return { id: 'last' } as never
      },
      openIncident: async () => null,
      incident: async (id) => (id === 'last' ? ({ lastPosition } as never) : null),
      user: async () => ({ phone: PHONE, enrolledBy }) as never,
      phoneProof: async () => proved as never,
      application: async () =>
        ({ name: 'Hut', language: 'en', allowedPrefixes: prefixes, texts: {}, timeZone: null }) as never,
    },
  })
  keeper.start()
  return {
    clock,
    meter,
    keeper,
    state,
    raised,
    places,
    timers,
    advance: (text: string) => clock.advance(text, turn, MINUTE),
  }
}

test('a user whom a poster has brought is reminded by SMS at a number of their own only', async (t) => {
  const proof = { phone: PHONE, takenAt: null }
  for (const [enrolledBy, proved, sent] of [
    ['poster', null, 0],
    ['poster', { ...proof, phone: '+4915100000000' }, 0],
    ['contact', { ...proof, takenAt: 1 }, 0],
    ['poster', proof, 1],
    ['person', null, 1],
  ] as const) {
    let texts = 0
    const { keeper, advance } = keeping(1, {
      ...{ enrolledBy, proved },
      sendText: async () => {
        texts += 1
      },
    })
    t.after(() => keeper.stop())
    await advance('50 min')
    await keeper.settled()
    assert.equal(texts, sent, JSON.stringify([enrolledBy, proved]))
  }
})

test('the contacts read where the last alarm was, if nothing newer is known', async (t) => {
  const lastPosition = { latitude: 46.9, longitude: 11.2, altitude: null, at: '2026-01-01T11:00:00Z' }
  const { places, keeper, advance } = keeping(1, { lastPosition })
  t.after(() => keeper.stop())
  await advance('66 min')
  await keeper.settled()
  assert.deepEqual(places, [lastPosition])
})

test('thousands of timers that run out at once are read in pages and raised a few at a time', async (t) => {
  const { raised, state, keeper, advance } = keeping(2000)
  t.after(() => keeper.stop())
  await advance('64 min')
  assert.equal(raised.length, 0)
  await advance('2 min')
  await keeper.settled()
  assert.equal(raised.length, 2000)
  assert.equal(new Set(raised).size, 2000)
  assert.ok(state.most <= 4, `${state.most} at once: a press would wait for them`)
  assert.ok(state.read <= 100, `${state.read} in one page`)
})

test('a timer that cannot be raised holds up no other, is tried again, and the operator sees it', async (t) => {
  const { raised, state, keeper, meter, advance } = keeping(250)
  t.after(() => keeper.stop())
  for (let n = 0; n < 120; n += 1) state.broken.add(`t${String(n).padStart(6, '0')}`)
  await advance('66 min')
  await keeper.settled()
  assert.equal(raised.length, 130)
  assert.ok(keeper.overdueMs() >= MINUTE)
  assert.match(await meter.text(), /tocsin_timer_failures_total [1-9]/)
  state.broken.clear()
  await advance('1 min')
  await keeper.settled()
  assert.equal(raised.length, 250)
  assert.equal(keeper.overdueMs(), 0)
})

test('a provider that hangs with a reminder does not keep an SOS from being raised', async (t) => {
  let release = () => {}
  const hangs = new Promise<void>((resolve) => {
    release = resolve
  })
  const { raised, keeper, advance } = keeping(3, { sendText: () => hangs })
  t.after(() => {
    release()
    return keeper.stop()
  })
  await advance('66 min')
  await until('all three are raised', () => raised.length === 3)
})

test('while the date is not believed, deadlines stay where the clock has moved them', async (t) => {
  let believed = false
  const { state, keeper, advance } = keeping(1, { isDateBelieved: () => believed })
  t.after(() => keeper.stop())
  state.areMoved = true
  await advance('5 min')
  assert.equal(state.anchored, 0)
  believed = true
  await advance('2 min')
  assert.equal(state.anchored, 1)
})

test('a timer that is extended again and again does not flood a number: 24 reminders by SMS a day', async (t) => {
  const texts: TextNotification[] = []
  const { clock, timers, keeper, advance } = keeping(1, { sendText: async (text) => void texts.push(text) })
  t.after(() => keeper.stop())
  const [timer] = timers.values()
  for (let n = 0; n < 60; n += 1) {
    timers.set(timer!.id, { ...timer!, ...momentsOf(clock.now() + 16 * MINUTE, clock.now()) })
    await advance('2 min')
    await keeper.settled()
  }
  assert.equal(texts.length, 24)
  await advance('24 h')
  timers.set(timer!.id, { ...timer!, ...momentsOf(clock.now() + 16 * MINUTE, clock.now()) })
  await advance('2 min')
  await keeper.settled()
  assert.equal(texts.length, 25)
})

test('no reminder goes outside the country prefixes of the application', async (t) => {
  let texts = 0
  const { keeper, timers, advance } = keeping(1, {
    sendText: async () => {
      texts += 1
    },
    prefixes: ['+43'],
  })
  t.after(() => keeper.stop())
  await advance('46 min')
  await keeper.settled()
  assert.deepEqual([texts, [...timers.values()][0]?.remindsAt], [0, null])
})

test('the modem can name the file of a reminder to the longest number', async (t) => {
  const texts: TextNotification[] = []
  const { keeper, timers, advance } = keeping(0, { sendText: async (text) => void texts.push(text) })
  t.after(() => keeper.stop())
  const id = '0190aaaa-0000-7000-8000-00000000000f'
  const owner = { appId: 'app', userId: 'u', note: null, position: null, status: 'running' } as const
  const at = Date.UTC(2026, 10, 23, 12)
  const past = { createdAt: 0, updatedAt: 0, overAt: null, incidentId: null }
  timers.set(id, { id, ...owner, ...momentsOf(at + 365 * 24 * 60 * MINUTE, at), remindsAt: 0, ...past })
  await advance('2 min')
  await keeper.settled()
  const { attemptId } = texts[0]!
  assert.notEqual(spoolName({ precedence: 'C', claimedAt: at, to: `+${'9'.repeat(15)}`, attemptId, code: null }), null)
})
