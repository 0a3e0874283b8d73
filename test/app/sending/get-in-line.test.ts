import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Agenda } from '../../../src/app/sending/agenda.ts'
import { getInLine } from '../../../src/app/sending/get-in-line.ts'
import { Lane } from '../../../src/app/sending/lane.ts'
import type { Sender } from '../../../src/app/sending/sender.ts'
import { Turns } from '../../../src/app/sending/turns.ts'
import type { Command, SendingNode } from '../../../src/core/incident/command.ts'
import { decide } from '../../../src/core/incident/decide.ts'
import type { Delivery } from '../../../src/core/incident/delivery.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { momentAt, pressed, sent } from '../../core/build.ts'
import { dispatched } from '../../harness/dispatched.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

// Only what may have to wait for a turn is read before its claim.

const textsOnly = { voice: false, rounds: 1, contactIntervalSeconds: 0, persistHours: 0 } as const

/** The incident of a separate story, due 10 s after the beginning. */
function incidentOf(id: string, contacts = ['Ana', 'Ben']): Incident {
  const { incident } = pressed({ contacts, settings: { ...textsOnly, graceSeconds: 10 } })
  const deliveries = incident.deliveries.map((row) => ({ ...row, id: row.id.replace(incident.id, id) }))
  return { ...incident, id, deliveries }
}

/** What left for `incidents` within 14 s, what was read for it, and with which turns it was claimed. */
async function afterGrace(incidents: Incident[], lanes: (clock: VirtualClock) => Pick<Sender, 'laneFor'>) {
  const clock = new VirtualClock(momentAt(0))
  const left: string[] = []
  const notifier: Sender = {
    ...lanes(clock),
    async send({ attemptId }, turn = null) {
      left.push(attemptId)
      turn?.end()
      return sent
    },
    lookUp: async () => assert.fail('nothing is unsure'),
  }
  const { dispatcher, asked, commands } = dispatched(incidents, notifier, () => false, clock)
  await dispatcher.start()
  await clock.advance('14 s', () => dispatcher.settled())
  const turns = commands.flatMap((command) => (command.type === 'proceed' ? [command.turns] : []))
  return { left, read: asked.read, turns }
}

const none = () => ({})

test('where no provider has a rate, an alarm is claimed unread, with everything of it that is due', async () => {
  const { left, read, turns } = await afterGrace([incidentOf('1'), incidentOf('2')], none)
  assert.deepEqual(left.toSorted(), ['1.1', '1.2', '2.1', '2.2'])
  assert.deepEqual(read, [])
  assert.deepEqual(turns, [undefined, undefined])
})

test('a drill is read there as well: it may have to give way', async () => {
  const drill: Incident = { ...incidentOf('1'), drill: { toContacts: true } }
  const { left, read } = await afterGrace([drill, incidentOf('2')], none)
  assert.deepEqual(left.toSorted(), ['1.1', '1.2', '2.1', '2.2'])
  assert.deepEqual([...new Set(read)], ['1'])
})

test('with a rate each one is read, and claimed with the turns that have come', async () => {
  const paced = (clock: VirtualClock) => {
    const rate = { perSecond: 100, maxAtOnce: 1 }
    const lane = new Lane({ rate, clock, hasFallback: false, onTurn() {}, onLongWait() {} })
    return { laneFor: () => lane }
  }
  const { left, read, turns } = await afterGrace([incidentOf('1', ['Ana']), incidentOf('2', ['Ana'])], paced)
  assert.deepEqual(left.toSorted(), ['1.1', '2.1'])
  assert.deepEqual([...new Set(read)].toSorted(), ['1', '2'])
  assert.deepEqual(turns.flat().toSorted(), ['1.1', '2.1'])
})

/** What a look of node b at one incident leaves behind: `node` is b as it stands then. */
async function lookOf(incident: Incident, now: number, node: Partial<SendingNode>) {
  const asked: string[] = []
  const places: (readonly [id: string, at: number])[] = []
  const laneFor = ({ id }: Pick<Delivery, 'id'>): null => {
    asked.push(id)
    return null
  }
  const agenda = { isOutOfLine: (id: string, at: number) => places.push([id, at]), standsInLine: assert.fail }
  const isWorth = await getInLine(incident.id, {
    store: { incident: async () => ({ incident, lastPosition: null }) },
    clock: { now: () => now },
    turns: new Turns({ laneFor }, () => {}),
    agenda: agenda as unknown as Agenda,
    node: () => ({ lease: { node: 'b', token: 2 }, others: [], settleMs: 25_000, ...node }),
    isQuiet: async () => true,
  })
  return { isWorth, asked, places }
}

// A turn of a shared lane that it takes is one that no other node has.
test('a node that is drained asks for no turn', async () => {
  const due = momentAt(10)
  assert.deepEqual((await lookOf(incidentOf('1', ['Ana']), due, {})).asked, ['1.1'])
  assert.deepEqual((await lookOf(incidentOf('1', ['Ana']), due, { isDraining: true })).asked, [])
})

test('what another living node has claimed is its own: no commit for it, and nothing to look at before the end', async () => {
  const other = { node: 'a', token: 1 }
  const waiting = incidentOf('1', ['Ana'])
  const incident = decide(
    { incident: waiting, plan: null, earlier: null },
    { type: 'proceed', now: momentAt(10), inFlight: [], node: { lease: other, others: [], settleMs: 25_000 } },
  ).incident!
  const { checkAt } = incident.deliveries[0]!.claim!
  const left = await lookOf(incident, checkAt, { others: [other] })
  assert.equal(left.isWorth, false)
  assert.ok(left.places.length === 1 && left.places[0]![1] > checkAt)
  assert.equal((await lookOf(incident, checkAt, { others: [] })).isWorth, true)
})

test('what had waited for its turn is claimed again a second after the store failed', async () => {
  const clock = new VirtualClock(momentAt(0))
  const rate = { perSecond: 1, maxAtOnce: 1 }
  const lane = new Lane({ rate, clock, hasFallback: false, onTurn() {}, onLongWait() {} })
  const left: string[] = []
  const notifier: Sender = {
    laneFor: () => lane,
    async send({ attemptId }, turn = null) {
      left.push(attemptId)
      turn?.spend(1)
      turn?.end()
      return sent
    },
    lookUp: async () => assert.fail('nothing is unsure'),
  }
  // Of those that leave at once, none.
  let failures = 0
  const failsOnce = (_id: string, { type }: Command) =>
    type === 'proceed' && clock.now() > momentAt(10) && failures++ === 0
  const incidents = ['1', '2', '3', '4'].map((id) => incidentOf(id, ['Ana']))
  const { dispatcher, errors } = dispatched(incidents, notifier, failsOnce, clock)
  dispatcher.start()
  await clock.advance('16 s', () => dispatcher.settled())
  assert.ok(errors.length > 0)
  assert.deepEqual(left.toSorted(), ['1.1', '2.1', '3.1', '4.1'])
})
