import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptNeeds } from '../../../src/app/sending/attempts.ts'
import { createTextSender } from '../../../src/app/sending/text-sender.ts'
import { Turns } from '../../../src/app/sending/turns.ts'
import { CANARY_APP_ID } from '../../../src/core/account/canary.ts'
import type { SendingNode } from '../../../src/core/incident/command.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import type { TextNotification } from '../../../src/ports/notifier.ts'
import { type Given, momentAt, pressed, secondsOf, sent } from '../../core/build.ts'
import { dispatched } from '../../harness/dispatched.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

// An attempt is claimed when its turn has come, not before.

const textsOnly = { settings: { voice: false, rounds: 1, contactIntervalSeconds: 0, persistHours: 0 } }

/** The incident of a separate story, under its own id. */
function incidentOf(n: number, given: Given): Incident {
  const { incident } = pressed(given)
  const id = `incident-${n}`
  const deliveries = incident.deliveries.map((row) => ({ ...row, id: row.id.replace(incident.id, id) }))
  return { ...incident, id, deliveries }
}

/** A dispatcher with a provider of these rates per second. `left` records who got something, and when (s). */
async function paced(
  incidents: Incident[],
  rates: { readonly sms: number; readonly voice?: number },
  refuses: (id: string) => boolean = () => false,
  lease: AttemptNeeds['lease'] = null,
) {
  const clock = new VirtualClock(momentAt(0))
  const left: string[] = []
  const texts: TextNotification[] = []
  const rate = (perSecond: number) => ({ perSecond, maxAtOnce: 100 })
  const log = { info() {}, warn() {}, error() {} }
  const provider = {
    name: 'twilio',
    channels: ['sms', 'voice'] as const,
    rate: { sms: rate(rates.sms), voice: rate(rates.voice ?? 1) },
    async send(text: TextNotification) {
      left.push(`${secondsOf(clock.now())} ${text.channel} ${text.attemptId.replace('incident-', '')}`)
      texts.push(text)
      return sent
    },
    lookUp: async () => assert.fail('nothing is unsure'),
  }
  const chain = createTextSender([provider], { clock, log, meter: { count() {}, observe() {} } })
  const seen = dispatched(incidents, chain as never, refuses, clock, lease)
  await seen.dispatcher.start()
  const settled = async () => {
    await seen.dispatcher.settled()
    await new Promise((resolve) => setImmediate(resolve))
    await seen.dispatcher.settled()
  }
  const passes = (duration: string) => clock.advance(duration, settled)
  return { ...seen, chain, left, texts, passes }
}

test('each SMS takes one commit before it leaves and one after, however long it waits', async () => {
  const given = { ...textsOnly, contacts: ['Ana', 'Ben', 'Cleo'] }
  const { passes, left, commands, chain, incident } = await paced([incidentOf(1, given)], { sms: 0.1 })
  await passes('10 s')
  assert.deepEqual([left, chain.waiting('sms')], [['10 sms 1.1'], 2])
  assert.deepEqual(
    incident('incident-1').deliveries.map(({ claim, status }) => [status, claim]),
    [
      ['sent', null],
      ['scheduled', null],
      ['scheduled', null],
    ],
  )
  await passes('20 s')
  assert.deepEqual(left, ['10 sms 1.1', '20 sms 1.2', '30 sms 1.3'])
  const counts = Map.groupBy(commands, ({ type }) => type)
  assert.deepEqual([counts.get('proceed')?.length, counts.get('recordOutcome')?.length], [3, 3])
})

test('a call does not wait behind SMS, and waiting attempts are not overdue', async () => {
  const given = { contacts: ['Ana', 'Ben'], settings: { rounds: 1, contactIntervalSeconds: 0, ackTimeoutSeconds: 20 } }
  const { passes, left, dispatcher } = await paced([incidentOf(1, given)], { sms: 0.01 })
  await passes('40 s')
  assert.deepEqual(left, ['10 sms 1.1', '30 voice 1.2', '31 voice 1.4'])
  assert.equal(await dispatcher.overdueMs(), 0)
  assert.equal(await dispatcher.stalledMs(), 0)
})

test('first messages of any incident leave before repeats of another, and older ones before newer ones', async () => {
  const story = pressed({ ...textsOnly, contacts: ['Ana'] })
  const repeat = { ...incidentOf(1, { ...textsOnly, contacts: ['Ana', 'Ben'] }) }
  const told = repeat.deliveries.map((row) => ({ ...row, attempt: 2 }))
  const later = incidentOf(2, { ...textsOnly, contacts: ['Ana'] })
  const postponed = later.deliveries.map((row) => ({ ...row, dueAt: momentAt(12) }))
  assert.equal(story.incident.deliveries.length, 1)
  const { passes, left } = await paced(
    [
      { ...repeat, deliveries: told },
      { ...later, deliveries: postponed },
      incidentOf(3, { ...textsOnly, contacts: ['Ana', 'Ben'] }),
    ],
    { sms: 0.2 },
  )
  await passes('60 s')
  const [, ...ordered] = left.map((line) => line.replace(/^\d+ sms /, ''))
  assert.deepEqual(ordered, ['3.1', '3.2', '2.1', '1.2'])
})

test('an answer or an end stops waiting attempts; their turns go to others', async () => {
  const given = { ...textsOnly, contacts: ['Ana', 'Ben', 'Cleo'] }
  const both = await paced([incidentOf(1, given), incidentOf(2, given)], { sms: 1 })
  await both.passes('10 s')
  assert.equal(both.left.length, 1)
  await both.changes('incident-1', { type: 'acknowledge', now: both.clock.now(), contactId: 'contact-Ana' })
  await both.passes('3 s')
  assert.deepEqual(both.left.slice(1), ['11 sms 2.1', '12 sms 2.2', '13 sms 2.3'])
  assert.equal(both.chain.waiting('sms'), 0)
})

test('commands to an incident with waiting attempts take effect immediately', async () => {
  const hook = { emergency_contacts: {}, webhook: { url: 'https://hook.example/' } }
  const given = { ...textsOnly, contacts: ['Ana', 'Ben'], actuators: hook }
  const one = await paced([incidentOf(1, given)], { sms: 0.001 })
  await one.passes('10 s')
  await one.changes('incident-1', { type: 'acknowledge', now: one.clock.now(), contactId: 'contact-Ana' })
  await one.passes('0.1 s')
  const news = one.incident('incident-1').deliveries.find(({ purpose }) => purpose === 'acknowledged')
  assert.notEqual(news?.claim ?? news?.status, 'scheduled')
})

test('a dispatcher that stops leaves waiting attempts unchanged, and the next one sends them', async () => {
  const first = await paced([incidentOf(1, { ...textsOnly, contacts: ['Ana', 'Ben'] })], { sms: 0.1 })
  await first.passes('12 s')
  await first.dispatcher.stop(0)
  await first.passes('1 min')
  assert.deepEqual(first.left, ['10 sms 1.1'])
  const second = await paced([first.incident('incident-1')], { sms: 0.1 })
  await second.passes('10 s')
  assert.deepEqual(second.left, ['10 sms 1.2'])
})

test('while the store refuses claims, they are tried a few times a second, and nothing is lost', async () => {
  const given = { ...textsOnly, contacts: ['Ana'] }
  const incidents = Array.from({ length: 5 }, (_, n) => incidentOf(n, given))
  let isFull = true
  let tried = 0
  const refuses = () => {
    if (isFull) tried += 1
    return isFull
  }
  const { passes, left } = await paced(incidents, { sms: 1 }, refuses)
  await passes('20 s')
  assert.ok(tried > 5 && tried < 60, `tried ${tried} times`)
  assert.equal(left.length, 0)
  isFull = false
  await passes('10 s')
  assert.equal(new Set(left.map((line) => line.split(' ')[2])).size, 5)
  assert.equal(left.length, 5)
})

test('setting the clock back by a day changes nothing for waiting attempts', async () => {
  const { passes, left, clock } = await paced([incidentOf(1, { ...textsOnly, contacts: ['Ana', 'Ben'] })], { sms: 0.1 })
  await passes('12 s')
  clock.set(-86_400_000)
  await passes('10 s')
  assert.equal(left.length, 2)
})

/** More than get in line at one look, 500. */
const MANY = 600

test(`${MANY} incidents due at the same moment leave at the rate, each once, with few queries to the store`, async () => {
  const incidents = Array.from({ length: MANY }, (_, n) => incidentOf(n, { ...textsOnly, contacts: ['Ana'] }))
  const { passes, left, asked, commands } = await paced(incidents, { sms: 100 })
  await passes('17 s')
  assert.deepEqual([left.length, new Set(left.map((line) => line.split(' ')[2])).size], [MANY, MANY])
  assert.equal(commands.filter(({ type }) => type === 'proceed').length, MANY)
  assert.ok(asked.due < 100, `asked ${asked.due} times what is due`)
})

test('an attempt without a recipient gives its turn to the next in line', async () => {
  const given = { ...textsOnly, contacts: ['Ana'] }
  const { passes, left } = await paced([{ ...incidentOf(1, given), contacts: [] }, incidentOf(2, given)], { sms: 0.1 })
  await passes('12 s')
  assert.deepEqual(left, ['10 sms 2.1'])
})

test('an attempt that another node has claimed leaves the line', async () => {
  const given = { ...textsOnly, contacts: ['Ana', 'Ben', 'Cleo'] }
  const { passes, left, chain, changes, clock } = await paced([incidentOf(1, given)], { sms: 0.1 })
  await passes('11 s')
  assert.equal(chain.waiting('sms'), 2)
  await changes('incident-1', { type: 'proceed', now: clock.now(), inFlight: [], turns: ['incident-1.2'] })
  await passes('10 ms')
  assert.equal(chain.waiting('sms'), 1)
  await passes('9 s')
  assert.deepEqual(left, ['10 sms 1.1', '20 sms 1.3'])
})

for (const [what, node] of [
  ['has lost its lease', () => null],
  ['drains', (own: SendingNode) => ({ ...own, isDraining: true as const })],
] as const) {
  test(`a node that ${what} takes no turns from the others, and goes on when it may`, async () => {
    const own: SendingNode = { lease: { node: 'a', token: 1 }, others: [], settleMs: 0 }
    let tell = (_isHeld: boolean): void => assert.fail('nobody listens')
    const lease = {
      node: own as SendingNode | null,
      leftMs: () => 10_000,
      renewWhile() {},
      onHeld(listener: typeof tell) {
        tell = listener
      },
      onOthers() {},
    }
    const given = { ...textsOnly, contacts: ['Ana', 'Ben', 'Cleo'] }
    const { passes, left, chain, commands } = await paced([incidentOf(1, given)], { sms: 0.1 }, undefined, lease)
    await passes('11 s')
    assert.deepEqual([left, chain.waiting('sms')], [['10 sms 1.1'], 2])
    lease.node = node(own)
    tell(false)
    await passes('1 s')
    assert.equal(chain.waiting('sms'), 0)
    const before = commands.length
    await passes('30 s')
    assert.equal(left.length, 1)
    assert.ok(commands.length - before <= 90, `${commands.length - before} commands`)
    lease.node = own
    tell(true)
    await passes('11 s')
    assert.deepEqual(
      left.map((line) => line.split(' ')[2]),
      ['1.1', '1.2', '1.3'],
    )
  })
}

test('the canary gets in no line of a provider: it takes no turn from an alarm', () => {
  const asked: string[] = []
  const laneFor = ({ id }: { readonly id: string }) => {
    asked.push(id)
    return null
  }
  const turns = new Turns({ laneFor }, () => {})
  const [canary, real] = [incidentOf(1, { contacts: ['Ana'] }), incidentOf(2, { contacts: ['Ana'] })]
  turns.ask(canary.deliveries[0]!, { ...canary, appId: CANARY_APP_ID }, 0)
  turns.ask(real.deliveries[0]!, real, 0)
  assert.deepEqual(asked, [real.deliveries[0]!.id])
  assert.deepEqual(turns.incidents(), [canary.id, real.id])
})

/** An exercise with `--contacts`, which begins at 0. */
const drillOf = (n: number, given: Given): Incident => ({ ...incidentOf(n, given), drill: { toContacts: true } })

// preparing.md#drills.
test('no message of a drill begins while anything real is due within 5 s, or waits', async () => {
  // The SMS of a drill would take the provider's whole second, just before that of the alarm.
  const real = incidentOf(2, {
    ...textsOnly,
    contacts: ['Ben', 'Cid'],
    settings: { ...textsOnly.settings, graceSeconds: 4 },
  })
  const drill = drillOf(1, {
    ...textsOnly,
    contacts: ['Ana', 'Dora'],
    settings: { ...textsOnly.settings, graceSeconds: 0 },
  })
  const { left, passes } = await paced([drill, real], { sms: 1 })
  await passes('30 s')
  assert.deepEqual(
    left.map((line) => line.replace(/^\S+ /, '')),
    ['sms 2.1', 'sms 2.2', 'sms 1.1', 'sms 1.2'],
  )
  assert.equal(left[0], '4 sms 2.1')
})

test('alone, a drill goes out at once', async () => {
  const drill = drillOf(1, { ...textsOnly, contacts: ['Ana', 'Dora'] })
  const { left, passes } = await paced([drill], { sms: 1 })
  await passes('20 s')
  assert.deepEqual(left, ['10 sms 1.1', '11 sms 1.2'])
})

test('a turn that comes for a drill is given back when something real is about to be due', async () => {
  const drills = [1, 2, 3].map((n) => drillOf(n, { ...textsOnly, contacts: ['Ana'] }))
  // Due 2 s after the drills, of which the first one took the turn of a provider that takes one message in 4 s.
  const real = incidentOf(4, { ...textsOnly, contacts: ['Ben'], settings: { ...textsOnly.settings, graceSeconds: 17 } })
  const { left, passes, dispatcher } = await paced([...drills, real], { sms: 0.25 })
  await passes('16 s')
  assert.deepEqual(left, ['10 sms 1.1'])
  assert.equal(await dispatcher.overdueMs(), 0, 'a drill that gives way is not late')
  await passes('1 s')
  assert.deepEqual(left.slice(1), ['17 sms 4.1'])
  await passes('40 s')
  assert.equal(left.length, 4)
})

test('a drill that waits for its turn warns of nothing, and hides no alarm that waits', async () => {
  const drills = [1, 2].map((n) => drillOf(n, { ...textsOnly, contacts: ['Ana'] }))
  const { chain, passes } = await paced(drills, { sms: 0.01 })
  await passes('75 s')
  assert.deepEqual([chain.waiting('sms'), chain.longestWaitMs('sms')], [1, 0])
  const { chain: real, passes: goesOn } = await paced(
    [1, 2].map((n) => incidentOf(n, { ...textsOnly, contacts: ['Ana'] })),
    {
      sms: 0.01,
    },
  )
  await goesOn('75 s')
  assert.deepEqual([real.waiting('sms'), real.longestWaitMs('sms')], [1, 65_000])
})
