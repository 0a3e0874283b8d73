import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { createMeter } from '../../../src/adapters/platform/system/meter.ts'
import { createDownlinkCourier } from '../../../src/app/downlinks/courier.ts'
import { createIncidentDoor } from '../../../src/app/incident-door.ts'
import { uplinkProfilesSchema } from '../../../src/core/field/lorawan/profile.ts'
import type { Command } from '../../../src/core/incident/command.ts'
import { decide } from '../../../src/core/incident/decide.ts'
import type { DownlinkRoute } from '../../../src/core/incident/downlink.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { alertFrom } from '../../../src/core/ingest/alert.ts'
import { isoAt } from '../../../src/core/ingest/event-time.ts'
import type { DownlinkMessage, DownlinkSender, Enqueued } from '../../../src/ports/downlink-sender.ts'
import { planOf } from '../../core/build.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'
import { until } from '../../harness/wait.ts'

const profiles = uplinkProfilesSchema.parse({
  button: { downlinks: { received: { port: 7, hex: '01' }, coming: { port: 7, hex: '02ff' } } },
})
const REFUSED: Enqueued = { kind: 'failed', error: 'upstream HTTP 503', retryable: true }
const quiet = { info() {}, warn() {}, error() {} }

/** A site in memory: the real rules behind a door, and a network server that does what the test says. */
function trackers(t: TestContext) {
  const clock = new VirtualClock()
  const incidents = new Map<string, Incident>()
  const plan = planOf({ contacts: ['Ana'], settings: { voice: false } })
  const writes: string[] = []
  let reads = 0
  const store = {
    incident: async (id: string) => {
      reads += 1
      const incident = incidents.get(id)
      return incident === undefined ? null : { incident, lastPosition: null }
    },
    incidents: async ({ openOnly }: { readonly openOnly: boolean }) =>
      [...incidents.values()]
        .filter(({ state }) => !openOnly || state.closedAt === null)
        .map((incident) => ({ incident, lastPosition: null })),
    changeIncident: async (key: { incidentId?: string }, command: Command) => {
      if (command.type === 'downlink') writes.push(command.step.name)
      const id = key.incidentId ?? ''
      const decision = decide({ incident: incidents.get(id) ?? null, plan, earlier: null }, command)
      if (decision.incident !== null) incidents.set(id, decision.incident)
      return {
        ...decision,
        incidentId: id,
        lastPosition: null,
        nextActionAt: null,
        unknownDevice: false,
        attempt: null,
      }
    },
  }
  const door = createIncidentDoor({ store: store as never, log: quiet })
  const queued: DownlinkMessage[] = []
  const flushed: string[] = []
  // Before any courier stops, which waits for its requests: a test that fails may have left one without an answer.
  const over = Promise.withResolvers<void>()
  t.after(() => over.resolve())
  const state = {
    isQuiet: true,
    answers: async (message: DownlinkMessage): Promise<Enqueued> => ({ kind: 'queued', ref: message.ref }),
    flushes: true,
    /** When the network server answers that it has emptied a queue. */
    flushing: Promise.resolve(),
  }
  const sender: DownlinkSender = {
    enqueue(message) {
      queued.push(message)
      return Promise.race([state.answers(message), over.promise.then(() => REFUSED)])
    },
    async flush({ devEui }) {
      flushed.push(devEui)
      await Promise.race([state.flushing, over.promise])
      return state.flushes
    },
  }
  const meter = createMeter()
  /** `hears`: the commits of its process; another node's are not among them. */
  const begin = (hears = door) => {
    const senders = new Map([
      ['hut', sender],
      ['valley', sender],
    ])
    const isQuiet = async () => state.isQuiet
    const started = createDownlinkCourier({
      store: store as never,
      door: hears,
      senders,
      profiles: () => profiles,
      isQuiet,
      clock,
      log: quiet,
      meter,
    })
    started.start()
    t.after(() => started.stop())
    return started
  }
  const settled = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  const change = (incidentId: string, command: Command) => door.change({ incidentId }, command)
  const downlinks = begin()
  return {
    clock,
    writes,
    reads: () => reads,
    queued,
    flushed,
    state,
    begin,
    beginElsewhere: () => begin(createIncidentDoor({ store: store as never, log: quiet })),
    settled,
    downlinks,
    said: () => queued.map(({ payload }) => Buffer.from(payload).toString('hex')),
    advance: async (time: string) => {
      await settled()
      await clock.advance(time, settled)
      await settled()
    },
    presses: (incidentId: string, more: Partial<DownlinkRoute> = {}) => {
      const now = clock.now()
      const devEui = `a84041ffff18${incidentId.padStart(4, '0')}`
      const place = { server: 'hut', devEui, application: 'trackers', device: incidentId, profile: 'button' }
      const alert = alertFrom({ timestamp: isoAt(now) }, now)
      const downlink: DownlinkRoute = { ...place, kinds: ['received', 'coming'], ...more }
      const raise = {
        type: 'raise',
        now,
        alert,
        reporterId: plan.userId,
        incidentId,
        linkSecret: 's',
        downlink,
      } as const
      return change(incidentId, raise)
    },
    shift: (incidentId: string, byMs: number) =>
      store.changeIncident({ incidentId }, { type: 'shiftDeadlines', now: clock.now(), byMs }),
    answers: (id: string) => change(id, { type: 'acknowledge', now: clock.now(), contactId: 'contact-Ana' }),
    withdraws: (id: string) => change(id, { type: 'decline', now: clock.now(), contactId: 'contact-Ana' }),
    cancels: (id: string) => change(id, { type: 'cancel', now: clock.now() }),
    statuses: (id: string) => incidents.get(id)?.downlinks?.rows.map(({ kind, status }) => `${kind} ${status}`),
    heard: (id: string, more: { server?: string; refs?: readonly string[]; by?: typeof downlinks } = {}) => {
      const devEui = `a84041ffff18${id.padStart(4, '0')}`
      const refs = more.refs ?? queued.map(({ ref }) => ref)
      return (more.by ?? downlinks).heard({ server: more.server ?? 'hut', devEui, refs, status: 'delivered' })
    },
    counted: async (result: string) =>
      Number(new RegExp(`tocsin_lorawan_downlinks_total\\{result="${result}"\\} (\\d+)`).exec(await meter.text())?.[1]),
  }
}

/** The network server answers when the returned function is called: its newest request, with what is given. */
function holdsAnswer({ state }: Pick<ReturnType<typeof trackers>, 'state'>): (answer: Enqueued) => void {
  let release = (_: Enqueued) => {}
  state.answers = () =>
    new Promise((resolve) => {
      release = resolve
    })
  return (answer) => release(answer)
}

suite('trackers are told', () => {
  test('that the SOS was received, then that help is coming, each once', async (t) => {
    const site = trackers(t)
    await site.presses('1')
    await site.advance('500 ms')
    assert.deepEqual(site.said(), [], 'the alarms of the same commit go first')
    await site.advance('1 s')
    assert.deepEqual(site.said(), ['01'])
    assert.equal(site.queued[0]?.port, 7)
    await site.heard('1')
    await site.answers('1')
    await site.advance('20 s')
    assert.deepEqual(site.said(), ['01'], 'the distance of the duty cycle')
    await site.advance('40 s')
    await site.answers('1')
    await site.advance('10 min')
    assert.deepEqual(site.said(), ['01', '02ff'])
    assert.deepEqual(site.statuses('1'), ['received delivered', 'coming scheduled'])
    assert.deepEqual([await site.counted('queued'), await site.counted('delivered')], [2, 1])
  })

  test('not while an alarm is late, but not never either', async (t) => {
    const site = trackers(t)
    site.state.isQuiet = false
    await site.presses('1')
    await site.advance('29 s')
    assert.deepEqual(site.said(), [])
    await site.advance('5 s')
    assert.deepEqual(site.said(), ['01'])
  })

  test('one at a time through each network server: one that hangs holds up its own trackers alone', async (t) => {
    const site = trackers(t)
    let release = (_: Enqueued) => {}
    site.state.answers = ({ route }) =>
      route.server === 'valley'
        ? new Promise((resolve) => {
            release = resolve
          })
        : Promise.resolve({ kind: 'queued', ref: 'x' })
    await site.presses('1', { server: 'valley' })
    await site.advance('2 s')
    for (const id of ['2', '3']) await site.presses(id, { server: 'valley' })
    await site.presses('4')
    await site.advance('20 s')
    const servers = () => site.queued.map(({ route }) => `${route.server} ${route.device}`)
    assert.deepEqual(servers(), ['valley 1', 'hut 4'])
    site.state.answers = async ({ ref }) => ({ kind: 'queued', ref })
    release({ kind: 'queued', ref: 'y' })
    await site.advance('5 s')
    assert.deepEqual(servers(), ['valley 1', 'hut 4', 'valley 2', 'valley 3'])
  })

  test('three times where the network server refuses, with the same id, and then no more', async (t) => {
    const site = trackers(t)
    site.state.answers = async () => REFUSED
    await site.presses('1')
    await site.advance('10 min')
    assert.equal(new Set(site.queued.map(({ ref }) => ref)).size, 1)
    assert.deepEqual([site.said(), site.statuses('1')], [['01', '01', '01'], ['received failed']])
    assert.equal(await site.counted('refused'), 3)
  })

  test('a receipt counts from the same network server, for the same tracker and message, and costs one write', async (t) => {
    const site = trackers(t)
    await site.presses('1')
    await site.presses('2')
    await site.advance('5 s')
    assert.equal(await site.heard('1', { server: 'valley' }), false)
    assert.equal(await site.heard('3'), false)
    assert.equal(
      await site.heard('1', { refs: [site.queued.find(({ route }) => route.device === '2')?.ref ?? ''] }),
      false,
    )
    assert.equal(await site.heard('1', { refs: [] }), false)
    const flood = await Promise.all(Array.from({ length: 1000 }, () => site.heard('1')))
    assert.equal(flood.filter(Boolean).length, 1)
    assert.equal(site.writes.filter((name) => name === 'heard').length, 1)
    assert.deepEqual([site.statuses('1'), site.statuses('2')], [['received delivered'], ['received scheduled']])
  })

  test('what is no longer true is taken back: at the end, and when its time is over', async (t) => {
    const site = trackers(t)
    await site.presses('1')
    await site.advance('5 s')
    site.state.flushes = false
    await site.cancels('1')
    await site.advance('6 s')
    assert.equal(site.flushed.length, 2, 'it is tried again')
    for (const [time, tries] of [
      ['40 s', 3],
      ['2 min', 3],
      ['2 min', 4],
      ['15 min', 4],
      ['5 min', 5],
    ] as const) {
      await site.advance(time)
      assert.equal(site.flushed.length, tries, `after ${time} more`)
    }
    assert.equal(site.downlinks.waiting(), 0)
    site.state.flushes = true
    await site.presses('2')
    await site.advance('61 min')
    assert.deepEqual([site.flushed.slice(5), site.statuses('2')], [['a84041ffff180002'], ['received failed']])
    assert.equal(await site.counted('expired'), 1)
  })

  test('what one process did not take back the next one does, once', async (t) => {
    const site = trackers(t)
    await site.presses('1')
    await site.advance('5 s')
    await site.downlinks.stop()
    await site.cancels('1')
    const next = site.begin()
    await site.advance('1 s')
    assert.deepEqual(site.flushed, ['a84041ffff180001'])
    await next.stop()
    const third = site.begin()
    await site.advance('1 min')
    assert.deepEqual([site.flushed.length, third.waiting()], [1, 0])
  })

  test('two nodes do not empty one queue: the second one would take what the first has handed over since', async (t) => {
    const site = trackers(t)
    site.begin()
    const emptied = Promise.withResolvers<void>()
    await site.presses('1')
    await site.answers('1')
    await site.advance('40 s')
    site.state.flushing = emptied.promise
    await site.withdraws('1')
    await site.advance('3 s')
    assert.deepEqual([site.flushed.length, site.said()], [1, ['02ff']])
    emptied.resolve()
    await site.answers('1')
    await site.advance('40 s')
    assert.deepEqual([site.flushed.length, site.said()], [1, ['02ff', '02ff']])
  })

  test('what a node that stopped was about to take back another one does', async (t) => {
    const site = trackers(t)
    await site.presses('1')
    await site.advance('5 s')
    const answer = Promise.withResolvers<void>()
    site.state.flushing = answer.promise
    await site.cancels('1')
    await site.advance('1 s')
    // It has sent its request, and is gone before it could record the answer.
    site.state.flushing = Promise.resolve()
    site.beginElsewhere()
    await site.advance('5 s')
    assert.equal(site.flushed.length, 1)
    await site.advance('10 s')
    assert.deepEqual([site.flushed.length, site.statuses('1')], [2, ['received skipped']])
    await site.advance('1 min')
    assert.equal(site.flushed.length, 2)
    answer.resolve()
  })

  test('a queue that cannot be emptied holds up no other message', async (t) => {
    const site = trackers(t)
    site.state.flushes = false
    await site.presses('1')
    await site.advance('61 min')
    await site.answers('1')
    await site.advance('5 s')
    assert.deepEqual([site.said(), site.flushed.length > 0], [['01', '02ff'], true])
  })

  test('a helper who withdraws is taken back, and the next one told', async (t) => {
    const site = trackers(t)
    await site.presses('1')
    await site.answers('1')
    await site.advance('5 s')
    await site.withdraws('1')
    await site.advance('1 s')
    assert.deepEqual([site.flushed.length, site.said()], [1, ['02ff']])
    await site.advance('5 min')
    assert.deepEqual([site.flushed.length, site.said()], [1, ['02ff']])
    await site.answers('1')
    await site.advance('5 s')
    assert.deepEqual([site.flushed.length, site.said()], [1, ['02ff', '02ff']])
  })

  test('an incident with nothing left to tell gives its place up, and gets one for the next message', async (t) => {
    const site = trackers(t)
    await site.presses('1')
    await site.presses('2')
    await site.advance('5 s')
    await site.heard('1')
    await site.advance('1 min')
    assert.equal(site.downlinks.waiting(), 1)
    const before = site.reads()
    await site.answers('1')
    await site.advance('40 s')
    assert.ok(site.reads() > before)
    assert.deepEqual(site.statuses('1'), ['received delivered', 'coming scheduled'])
    assert.equal(site.said().at(-1), '02ff')
  })

  test('a receipt counts that is faster than the answer of the network server, or comes to another node', async (t) => {
    const site = trackers(t)
    const release = holdsAnswer(site)
    await site.presses('1')
    await site.advance('2 s')
    const other = site.beginElsewhere()
    await site.settled()
    release({ kind: 'queued', ref: 'its own id' })
    await site.settled()
    assert.equal(await site.heard('1', { refs: ['its own id'], by: other }), true)
    await other.stop()
    await site.answers('1')
    await site.advance('40 s')
    assert.equal(await site.heard('1', { refs: ['second'] }), false, 'nobody knows that id yet')
    release({ kind: 'queued', ref: 'second' })
    await site.settled()
    assert.deepEqual(site.statuses('1'), ['received delivered', 'coming delivered'])
  })

  test('while alarms are late, the more messages wait the more rarely they look', async (t) => {
    const site = trackers(t)
    site.state.isQuiet = false
    for (let nth = 0; nth < 100; nth += 1) await site.presses(String(nth), { server: 'gone' })
    const second = async () => {
      await site.advance('1 s')
      for (let turns = 0; turns < 10; turns += 1) await site.settled()
    }
    await second()
    const before = site.reads()
    for (let seconds = 0; seconds < 20; seconds += 1) await second()
    assert.ok(site.reads() - before <= 1100, `${site.reads() - before} reads`)
  })

  test('the end of an incident does not take back what a newer one of the same tracker says', async (t) => {
    const site = trackers(t)
    await site.presses('1')
    await site.advance('5 s')
    site.state.flushes = false
    await site.cancels('1')
    await site.presses('2', { devEui: 'a84041ffff180001' })
    await site.advance('1 min')
    assert.deepEqual([site.flushed.length, site.statuses('2')], [1, ['received scheduled']])
  })

  test('nothing is taken back that a gateway has, or that never left', async (t) => {
    const site = trackers(t)
    await site.presses('1')
    await site.presses('2')
    await site.cancels('2')
    await site.advance('5 s')
    await site.heard('1')
    await site.cancels('1')
    await site.advance('1 min')
    assert.deepEqual([site.flushed, site.said()], [[], ['01']])
  })

  test('two incidents of one tracker keep the distance, and two nodes tell it once', async (t) => {
    const site = trackers(t)
    const other = site.begin()
    await site.presses('1')
    await site.advance('5 s')
    assert.deepEqual(site.said(), ['01'])
    await other.stop()
    await site.cancels('1')
    await site.presses('2', { devEui: 'a84041ffff180001' })
    await site.advance('20 s')
    assert.deepEqual(site.said(), ['01'])
    await site.advance('20 s')
    assert.deepEqual(site.said(), ['01', '01'])
  })

  test('the next process goes on, also with what the last one had in its hands', async (t) => {
    const site = trackers(t)
    const release = holdsAnswer(site)
    await site.presses('1')
    await site.advance('2 s')
    const stopped = site.downlinks.stop()
    site.state.answers = async ({ ref }) => ({ kind: 'queued', ref })
    site.begin()
    await site.advance('40 s')
    assert.deepEqual(site.said(), ['01', '01'])
    release(REFUSED)
    await stopped
    assert.deepEqual(site.statuses('1'), ['received scheduled'])
  })

  test('a profile or a network server that is gone tells nobody, and says so', async (t) => {
    const site = trackers(t)
    await site.presses('1', { profile: 'gone' })
    await site.presses('2', { server: 'gone' })
    await site.advance('5 s')
    assert.deepEqual(
      [site.said(), site.statuses('1'), site.statuses('2')],
      [[], ['received failed'], ['received failed']],
    )
  })

  test('a thousand at most are seen to; the rest is counted, and keeps nobody', async (t) => {
    const site = trackers(t)
    for (let nth = 0; nth < 1003; nth += 1) await site.presses(String(nth), { server: 'gone' })
    assert.deepEqual([site.downlinks.waiting(), await site.counted('dropped')], [1000, 3])
    assert.equal(await until('it goes on', () => (site.statuses('0')?.[0] ? true : undefined)), true)
  })

  test('a wall clock that is set back does not put it off', async (t) => {
    const site = trackers(t)
    await site.presses('1')
    await site.settled()
    site.clock.set(-3_600_000)
    await site.settled()
    // As the dispatcher does, which announces nothing.
    await site.shift('1', -3_600_000)
    await site.advance('1 min')
    assert.deepEqual(site.said(), ['01'])
  })
})
