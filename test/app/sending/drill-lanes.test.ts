import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Dispatcher } from '../../../src/app/sending/dispatcher.ts'
import { drillLanes } from '../../../src/app/sending/drill-lanes.ts'
import { createSender } from '../../../src/app/sending/sender.ts'
import { createTextSender } from '../../../src/app/sending/text-sender.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import type { Notification } from '../../../src/ports/notifier.ts'
import { everyActuator, type Given, momentAt, pressed, raiseAt, secondsOf, sent } from '../../core/build.ts'
import { dispatched } from '../../harness/dispatched.ts'
import { asStore, silentParts } from '../../harness/incidents-in-memory.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

// What drills send keeps out of the way of alarms, also where no provider has a rate. preparing.md#drills.

const textsOnly = {
  voice: false,
  rounds: 1,
  contactIntervalSeconds: 0,
  persistHours: 0,
  ackTimeoutSeconds: 600,
} as const
const { chat, webhook } = everyActuator
const posting = { emergency_contacts: {}, chat: chat!, webhook: webhook! }
const log = { info() {}, warn() {}, error() {} }

/** The incident of a separate story, due `graceSeconds` after the beginning. */
function incidentOf(n: number, graceSeconds: number, given: Given = {}): Incident {
  const { incident } = pressed({ contacts: ['Ana'], ...given, settings: { ...textsOnly, graceSeconds } })
  const id = `${n}`
  const deliveries = incident.deliveries.map((row) => ({ ...row, id: row.id.replace(incident.id, id) }))
  return { ...incident, id, deliveries }
}

const drillOf = (n: number, toContacts: boolean, given?: Given): Incident => ({
  ...incidentOf(n, 0, given),
  drill: { toContacts },
})

type Answers = (at: number, notification: Notification) => AttemptOutcome | Promise<AttemptOutcome>
const takes: Answers = () => sent

/** A site whose only provider of texts has no rate. `left`: when (s), on which channel and of which incident. */
function site(incidents: Incident[], answers: Answers = takes) {
  const clock = new VirtualClock(momentAt(0))
  const left: { readonly at: number; readonly channel: string; readonly of: string }[] = []
  const kept: string[] = []
  const notifier = (sees: (notification: Notification) => void) => ({
    async send(notification: Notification) {
      sees(notification)
      return answers(secondsOf(clock.now()), notification)
    },
    lookUp: async () => ({ kind: 'not_found' as const }),
  })
  const open = notifier(({ channel, incidentId }) => left.push({ at: secondsOf(clock.now()), channel, of: incidentId }))
  const gateway = { name: 'http', channels: ['sms', 'voice'] as const, ...open }
  const text = createTextSender([gateway], { clock, log, meter: { count() {}, observe() {} } })
  const outbox = notifier(({ incidentId }) => kept.push(incidentId))
  const begins = (of: Incident[]) => {
    const drills = drillLanes({ clock, log })
    const seen = dispatched(
      of,
      createSender({ text, outbox, http: open, chat: open, webhook: open, drills }),
      undefined,
      clock,
    )
    seen.dispatcher.start()
    return seen
  }
  const { dispatcher, incident, asked } = begins(incidents)
  // What hangs is never settled.
  const passes = (duration: string) => clock.advance(duration, () => new Promise((resolve) => setImmediate(resolve)))
  return {
    clock,
    dispatcher,
    incident,
    asked,
    begins,
    left,
    kept,
    passes,
    on: (name: string) => left.filter(({ channel }) => channel === name),
  }
}

const gaps = (moments: readonly number[]): readonly number[] => moments.slice(1).map((at, n) => at - moments[n]!)
const namesOf = (posts: readonly { readonly of: string }[]): readonly string[] => posts.map(({ of }) => of)

test('the posts of a large drill come one by one, each once, and that of an alarm at its moment', async () => {
  const drills = Array.from({ length: 20 }, (_, n) => drillOf(n + 1, false, { actuators: posting }))
  const { left, kept, on, passes } = site([...drills, incidentOf(99, 20, { actuators: posting })])
  await passes('2 min')
  const real = left.filter(({ of }) => of === '99')
  assert.deepEqual(new Set(real.map(({ at }) => at)), new Set([20]), 'the alarm is sent and posted when it is due')
  for (const [channel, leastGap] of [
    ['chat', 3],
    ['webhook', 1],
  ] as const) {
    const posts = on(channel).filter(({ of }) => of !== '99')
    assert.deepEqual(namesOf(posts).toSorted(), drills.map(({ id }) => id).toSorted(), channel)
    const moments = posts.map(({ at }) => at)
    assert.ok(Math.min(...gaps(moments)) >= leastGap, `${channel}: ${moments}`)
    assert.deepEqual(
      moments.filter((at) => at >= 15 && at <= 20),
      [],
      'the chat rests before an alarm',
    )
  }
  assert.deepEqual(kept.length, 20, 'texts of an exercise that stays here wait for nothing')
})

test('a restart goes on with the posts of a drill where it stopped: none is lost, none made twice', async () => {
  const drills = Array.from({ length: 8 }, (_, n) => drillOf(n + 1, false, { actuators: posting }))
  const { dispatcher, incident, begins, on, passes } = site(drills)
  await passes('10 s')
  const before = on('chat').length
  assert.ok(before > 2 && before < 8, `${before}`)
  await dispatcher.stop(0)
  begins(drills.map(({ id }) => incident(id)))
  await passes('1 min')
  assert.deepEqual(
    namesOf(on('chat')).toSorted(),
    drills.map(({ id }) => id),
  )
  assert.deepEqual(
    namesOf(on('webhook')).toSorted(),
    drills.map(({ id }) => id),
  )
})

test('without a rate, too, nothing of a drill begins while something real is about to be due', async () => {
  const { left, passes } = site([drillOf(1, true), incidentOf(2, 4)])
  await passes('30 s')
  assert.deepEqual(namesOf(left), ['2', '1'])
  assert.equal(left[0]?.at, 4)
})

test('however many drills wait, one look asks once whether anything real is due', async () => {
  const drills = Array.from({ length: 20 }, (_, n) => drillOf(n + 1, true))
  const { asked, left, passes } = site([...drills, incidentOf(99, 4)])
  await passes('1 s')
  assert.deepEqual([left.length, asked.quiet < 5], [0, true], `asked ${asked.quiet} times`)
})

test('between fifty drills and the next ones an alarm that comes in gets its turn, also while all are held back', async () => {
  const drills = Array.from({ length: 200 }, (_, n) => drillOf(n + 1, true))
  const { asked } = site([...drills, incidentOf(999, 4)])
  const aTurn = () => new Promise((resolve) => setImmediate(resolve))
  await aTurn()
  assert.ok(asked.read.length <= 100, `${asked.read.length} read at once`)
  for (let turn = 0; turn < 5; turn += 1) await aTurn()
  assert.equal(asked.read.length, 200, 'no moment passes between the looks')
})

test('where a gateway, a chat and a webhook hang, drills hold two connections of each, and an alarm goes out at once', async () => {
  const drills = Array.from({ length: 10 }, (_, n) => drillOf(n + 1, true, { actuators: posting }))
  const hangs: Answers = (_, { incidentId }) => (incidentId === '99' ? sent : new Promise(() => {}))
  const { left, on, passes } = site([...drills, incidentOf(99, 12, { actuators: posting })], hangs)
  await passes('9 s')
  const channels = ['chat', 'sms', 'webhook']
  assert.deepEqual(
    channels.map((channel) => on(channel).length),
    [2, 2, 2],
  )
  await passes('3 s')
  assert.deepEqual(
    left.slice(6).toSorted((a, b) => a.channel.localeCompare(b.channel)),
    channels.map((channel) => ({ at: 12, channel, of: '99' })),
  )
})

test('what a kill left between claim and post is posted once more, in its line', async () => {
  const drills = Array.from({ length: 5 }, (_, n) => drillOf(n + 1, false, { actuators: posting }))
  let isUp = false
  const { dispatcher, incident, begins, on, passes } = site(drills, () => (isUp ? sent : new Promise(() => {})))
  await passes('9 s')
  assert.equal(on('chat').length, 2)
  void dispatcher.stop(0)
  isUp = true
  begins(drills.map(({ id }) => incident(id)))
  await passes('1 min')
  const posts = on('chat').slice(2)
  assert.deepEqual(
    namesOf(posts).toSorted(),
    drills.map(({ id }) => id),
  )
  assert.ok(Math.min(...gaps(posts.map(({ at }) => at))) >= 3, `${posts.map(({ at }) => at)}`)
})

for (const byHours of [1, -1]) {
  test(`drills in line go on at their pace when the clock is set by ${byHours} h`, async () => {
    const drills = Array.from({ length: 8 }, (_, n) => drillOf(n + 1, false, { actuators: posting }))
    const { clock, on, passes } = site(drills)
    await passes('7 s')
    const before = on('chat').length
    clock.set(byHours * 3_600_000)
    await passes('1 min')
    assert.deepEqual(
      namesOf(on('chat')).toSorted(),
      drills.map(({ id }) => id),
    )
    const moments = on('chat').map(({ at }, n) => (n < before ? at : at - byHours * 3_600))
    assert.ok(Math.min(...gaps(moments)) >= 3 && Math.max(...gaps(moments)) <= 4, `${moments}`)
  })
}

test('a press between the two looks of a drill sends it back to wait: nothing of it is claimed', async () => {
  const clock = new VirtualClock(momentAt(0))
  const lanes = drillLanes({ clock, log })
  let presses = () => {}
  const { dispatcher, commands, changes } = dispatched(
    [drillOf(1, true)],
    {
      drillLaneFor(channel) {
        presses()
        return lanes.laneFor(channel)
      },
      send: async () => sent,
      lookUp: async () => ({ kind: 'not_found' }),
    },
    undefined,
    clock,
  )
  presses = () => {
    presses = () => {}
    void changes('99', raiseAt(-8, undefined, { incidentId: '99' }))
  }
  const proceeded = () => commands.filter(({ type }) => type === 'proceed').length
  dispatcher.start()
  const settled = () => dispatcher.settled()
  await clock.advance('1 s', settled)
  assert.deepEqual([commands[0]?.type, proceeded()], ['raise', 0])
  await clock.advance('20 s', settled)
  assert.ok(proceeded() > 1, 'it goes out behind the alarm')
})

test('a chat that refuses a drill for its rate is left alone for as long as it asks, a minute at most', async () => {
  const refused = (retryAfterMs?: number): AttemptOutcome => ({
    kind: 'failed',
    error: 'rate limited (HTTP 429)',
    retryable: true,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
  for (const [answer, resumesAt] of [
    [refused(20_000), 20],
    [refused(), 10],
    [refused(3_600_000), 60],
  ] as const) {
    let isFirst = true
    const answers: Answers = (_, { channel }) => {
      if (channel !== 'chat' || !isFirst) return sent
      isFirst = false
      return answer
    }
    const { on, passes } = site(
      [drillOf(1, false, { actuators: posting }), drillOf(2, false, { actuators: posting })],
      answers,
    )
    await passes('70 s')
    assert.deepEqual(
      on('chat')
        .slice(0, 2)
        .map(({ at }) => at),
      [0, resumesAt],
    )
  }
})

test('an alarm is claimed before the drills that are due with it have been read', async () => {
  const clock = new VirtualClock(momentAt(0))
  const claimed: unknown[] = []
  const never = new Promise<never>(() => {})
  const store = asStore({
    due: async () => ({ real: ['alarm'], drills: ['drill'] }),
    incident: (id: string) => (id === 'drill' ? never : Promise.resolve(null)),
  })
  const change = (key: unknown) => {
    claimed.push(key)
    return never
  }
  const notifier = { send: async () => sent, lookUp: async () => ({ kind: 'not_found' as const }) }
  const door = { change, announce() {} }
  const dispatcher = new Dispatcher({ ...silentParts, store, door, notifier, clock, lease: null })
  dispatcher.start()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(claimed, [{ incidentId: 'alarm' }])
})
