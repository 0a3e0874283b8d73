import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelpPromise } from '../../../src/core/incident/incident.ts'
import { asCurrent } from '../../../src/core/incident/incident-record.ts'
import { snapshotOf } from '../../../src/core/incident/snapshot.ts'
import { channelStatuses, everyActuator, momentAt, pressed, type Story } from '../build.ts'

const MINUTES = 60
const people = { contacts: ['Ana', 'Ben', 'Cleo'], settings: { voice: false, watchMinutes: 30 } }
const coming = (etaMinutes: number): HelpPromise => ({ kind: 'coming', etaMinutes })
const calling: HelpPromise = { kind: 'calling' }

const promises = (sos: Story, seconds: number, name: string, promise: HelpPromise) =>
  sos.does(seconds, { type: 'acknowledge', contactId: `contact-${name}`, promise })
const declines = (sos: Story, seconds: number, name: string | null) =>
  sos.does(seconds, { type: 'decline', contactId: name === null ? null : `contact-${name}` })
const entryOf = (sos: Story, name: string) =>
  snapshotOf(sos.incident).items[0]!.contacts!.find((contact) => contact.name === name)!
const eventsOf = ({ events }: ReturnType<Story['does']>) => events.map(({ message }) => message.type)
/** What is told from now on. */
const from = (sos: Story): readonly string[] => {
  sos.told.length = 0
  return sos.told
}

test('a promise acknowledges, and stands in the snapshot until it is changed', () => {
  const sos = pressed(people)
  sos.runTo(10)
  assert.equal(entryOf(sos, 'Ana').response, undefined)
  assert.deepEqual(eventsOf(promises(sos, 20, 'Ana', coming(30))), ['acknowledged', 'sos.actuator_update'])
  assert.equal(sos.incident.state.status, 'acknowledged')
  const at = new Date(momentAt(20)).toISOString()
  assert.deepEqual(entryOf(sos, 'Ana').response, { kind: 'coming', etaMinutes: 30, at })
  assert.equal(promises(sos, 25, 'Ana', coming(30)).verdict, 'unchanged')
  assert.deepEqual(eventsOf(promises(sos, 30, 'Ana', calling)), ['sos.actuator_update'])
  assert.deepEqual(entryOf(sos, 'Ana').response, { kind: 'calling', at: new Date(momentAt(30)).toISOString() })
  assert.deepEqual(channelStatuses(sos.incident), { 'sms Ana': 'sent', 'sms Ben': 'skipped', 'sms Cleo': 'skipped' })
})

for (const [what, promise, minutes] of [
  ['10 min after the time they named', coming(60), 70],
  ['10 min after they said that they call', calling, 10],
  ['after watchMinutes where they named no time', null, 30],
] as const) {
  test(`a helper is asked ${what}`, () => {
    const sos = pressed(people)
    sos.runTo(10)
    if (promise === null) sos.acknowledges(20, 'Ana')
    else promises(sos, 20, 'Ana', promise)
    const asked = 20 + minutes * MINUTES
    sos.runTo(asked)
    assert.deepEqual(sos.news, [`${asked} sms Ana check_in`])
    from(sos)
    sos.runTo(asked + 5 * MINUTES)
    assert.deepEqual(sos.told, [`${asked + 5 * MINUTES} sms Ben`, `${asked + 5 * MINUTES} sms Cleo`])
  })
}

test('of several helpers the longest promise counts', () => {
  const sos = pressed(people)
  sos.runTo(10)
  promises(sos, 20, 'Ana', coming(60))
  promises(sos, 30, 'Ben', calling)
  sos.runTo(20 + 70 * MINUTES)
  assert.deepEqual(sos.news, [`${20 + 70 * MINUTES} sms Ana check_in`, `${20 + 70 * MINUTES} sms Ben check_in`])
})

test('nobody puts the question off for ever by promising again and again', () => {
  const sos = pressed(people)
  sos.runTo(10)
  promises(sos, 20, 'Ana', coming(120))
  for (let minute = 5; minute < 130; minute += 5) {
    promises(sos, 20 + minute * MINUTES, 'Ana', minute % 10 === 0 ? coming(120) : calling)
  }
  promises(sos, 20 + 129 * MINUTES, 'Ana', coming(120))
  sos.runTo(20 + 135 * MINUTES)
  assert.deepEqual(sos.news, [`${20 + 130 * MINUTES} sms Ana check_in`])
  assert.equal(sos.told.at(-1), `${20 + 135 * MINUTES} sms Cleo`)
})

test('a promise that is changed after the clock was set ahead has its full time', () => {
  const sos = pressed(people)
  const by = 3 * 60 * MINUTES
  sos.runTo(10)
  promises(sos, 20, 'Ana', coming(60))
  sos.does(30 + by, { type: 'shiftDeadlines', byMs: by * 1_000 })
  promises(sos, 40 + by, 'Ana', calling)
  assert.equal(sos.incident.watch?.at, momentAt(40 + by + 10 * MINUTES))
})

test('who can’t help is left in peace, and the next contact hears at once', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben', 'Cleo'], settings: { rounds: 1, persistHours: 0 } })
  sos.runTo(10)
  from(sos)
  assert.deepEqual(eventsOf(declines(sos, 15, 'Ana')), ['sos.actuator_update'])
  assert.equal(sos.incident.state.status, 'active')
  assert.deepEqual(entryOf(sos, 'Ana').response, { kind: 'unable', at: new Date(momentAt(15)).toISOString() })
  assert.equal(declines(sos, 16, 'Ana').verdict, 'unchanged')
  sos.runTo(300)
  // Without the answer: Ben at 40 and Cleo at 70, Ana's call at 70.
  assert.deepEqual(sos.told, ['15 sms Ben', '45 sms Cleo', '75 voice Ben', '105 voice Cleo'])
})

test('an answer of someone whose turn is past moves only those who have heard nothing yet', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben', 'Cleo'], settings: { rounds: 1, persistHours: 0 } })
  sos.runTo(45)
  from(sos)
  declines(sos, 50, 'Ben')
  sos.runTo(300)
  assert.deepEqual(sos.told, ['50 sms Cleo', '70 voice Ana', '110 voice Cleo'])
})

test('nobody is told before the grace window has passed', () => {
  const sos = pressed(people)
  declines(sos, 2, 'Ana')
  sos.runTo(9)
  assert.deepEqual(sos.told, [])
  sos.runTo(10)
  assert.deepEqual(sos.told, ['10 sms Ben'])
})

test('when nobody can help the round ends at once, and the next one asks everyone again', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false, rounds: 2, persistHours: 12 } })
  sos.runTo(45)
  from(sos)
  declines(sos, 50, 'Ana')
  assert.deepEqual(sos.told, [])
  declines(sos, 51, 'Ben')
  sos.runTo(90)
  assert.deepEqual(sos.told, ['51 sms Ana', '81 sms Ben'])
  declines(sos, 91, 'Ana')
  declines(sos, 92, 'Ben')
  sos.runTo(92)
  // The rounds are used up: a pause of 15 min follows, as after any unanswered round.
  assert.deepEqual(sos.incident.cascade.phase, { name: 'pausing', nextAt: momentAt(92 + 15 * MINUTES) })
})

test('the last helper who withdraws alarms the others at once; the status stays acknowledged', () => {
  const sos = pressed(people)
  sos.runTo(10)
  promises(sos, 20, 'Ana', coming(10))
  sos.acknowledges(30, 'Ben')
  from(sos)
  declines(sos, 40, 'Ana')
  sos.runTo(60)
  assert.deepEqual(sos.told, [], 'Ben still helps')
  assert.equal(entryOf(sos, 'Ana').acknowledgedAt, undefined)
  declines(sos, 100, 'Ben')
  sos.runTo(100)
  assert.deepEqual(sos.told, ['100 sms Cleo'])
  assert.deepEqual(sos.incident.cascade.cause, { by: 'withdrawal', again: null, contactId: 'contact-Ben' })
  assert.equal(sos.incident.lastAnswer?.contactId, 'contact-Ben')
  assert.equal(sos.incident.state.status, 'acknowledged')
})

test('who fell silent before does not count as a helper when the next one withdraws', () => {
  for (const silent of ['Ana', null]) {
    const sos = pressed(people)
    sos.runTo(10)
    sos.does(20, { type: 'acknowledge', contactId: silent && `contact-${silent}` })
    const alarmed = 20 + 35 * MINUTES
    sos.runTo(alarmed)
    assert.equal(sos.incident.cascade.cause.by, 'watch')
    promises(sos, alarmed + 60, 'Ben', coming(120))
    from(sos)
    declines(sos, alarmed + 90, 'Ben')
    sos.runTo(alarmed + 90)
    assert.deepEqual(
      sos.told.filter((line) => line.endsWith('sms Cleo')),
      [`${alarmed + 90} sms Cleo`],
    )
  }
})

for (const byHours of [2, -2]) {
  test(`when the clock is set by ${byHours} h, who helps with the present alarm stays the same`, () => {
    const by = byHours * 60 * MINUTES
    /** Ana answered the first alarm, `helpers` the second one; then the clock is set and Ben withdraws. */
    const told = (...helpers: readonly string[]) => {
      const sos = pressed(people)
      sos.runTo(10)
      sos.acknowledges(20, 'Ana')
      sos.presses(400)
      sos.runTo(400)
      for (const [place, name] of helpers.entries()) sos.acknowledges(410 + place, name)
      sos.does(420 + by, { type: 'shiftDeadlines', byMs: by * 1_000 })
      from(sos)
      declines(sos, 425 + by, 'Ben')
      sos.runTo(425 + by)
      return sos.told
    }
    assert.deepEqual(told('Ben', 'Cleo'), [])
    assert.deepEqual(told('Ben'), [`${425 + by} sms Cleo`])
  })
}

test('an answer in the grace window counts as help', () => {
  const sos = pressed(people)
  sos.does(5, { type: 'acknowledge', contactId: null })
  promises(sos, 20, 'Ben', calling)
  declines(sos, 30, 'Ben')
  sos.runTo(60)
  assert.deepEqual(sos.told, [])
})

test('a withdrawal counts without a watch, and where the others are gone everyone is alarmed', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false, watchMinutes: 0 } })
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  from(sos)
  declines(sos, 30, 'Ana')
  sos.runTo(30)
  assert.deepEqual(sos.told, ['30 sms Ana'])
})

test('answering and withdrawing in turns alarms the others once within realarmSeconds', () => {
  const sos = pressed(people)
  sos.runTo(10)
  from(sos)
  for (let second = 20; second < 300; second += 4) {
    sos.acknowledges(second, 'Ana')
    declines(sos, second + 2, 'Ana')
    sos.runTo(second + 3)
  }
  const texts = (name: string) => sos.told.filter((line) => line.endsWith(`sms ${name}`)).length
  assert.equal(texts('Ben'), 1)
  sos.runTo(22 + 300)
  assert.deepEqual(
    sos.told.slice(-2).map((line) => line.replace(/^\d+ /, '')),
    ['sms Ben', 'sms Cleo'],
  )
})

test('a second tap within a second changes nothing, unless it offers help', () => {
  const sos = pressed(people)
  sos.runTo(10)
  promises(sos, 20, 'Ana', coming(30))
  assert.equal(declines(sos, 20.9, 'Ana').verdict, 'unchanged')
  assert.equal(promises(sos, 20.9, 'Ana', calling).verdict, 'unchanged')
  assert.equal(declines(sos, 21, 'Ana').verdict, 'changed')
  assert.equal(promises(sos, 21.1, 'Ana', calling).verdict, 'changed')
})

test('changing one’s mind again and again is posted once', () => {
  const sos = pressed({ ...people, actuators: everyActuator })
  sos.runTo(10)
  sos.acknowledges(20, 'Ben')
  sos.runTo(25)
  for (let second = 30; second < 90; second += 4) {
    sos.acknowledges(second, 'Ana')
    declines(sos, second + 2, 'Ana')
    sos.runTo(second + 3)
  }
  const posts = sos.news.filter((line) => /chat .*acknowledged/.test(line))
  assert.equal(posts.length, 2, sos.news.join('\n'))
})

test('an answer of the operator that an earlier version stored is one that holds', () => {
  const sos = pressed(people)
  sos.runTo(10)
  sos.does(20, { type: 'acknowledge', contactId: null, name: 'night shift' })
  const { takenBy, ...old } = sos.incident
  const { round: _, ...known } = takenBy!
  assert.deepEqual(asCurrent(old), { ...sos.incident, takenBy: known })
  declines(sos, 30, null)
  assert.equal(asCurrent(JSON.parse(JSON.stringify(sos.incident))).takenBy, null)
})

test('the operator takes an answer back within a minute, and the cascade goes on', () => {
  const sos = pressed(people)
  sos.runTo(10)
  sos.does(20, { type: 'acknowledge', contactId: null, name: 'night shift' })
  assert.deepEqual(sos.incident.takenBy, { at: momentAt(20), name: 'night shift', round: 1 })
  from(sos)
  declines(sos, 80, null)
  sos.runTo(80)
  assert.deepEqual(sos.told, ['80 sms Ana', '80 sms Ben', '80 sms Cleo'])
  assert.equal(sos.incident.takenBy, null)

  const late = pressed(people)
  late.runTo(10)
  late.does(20, { type: 'acknowledge', contactId: null })
  assert.equal(declines(late, 81, null).verdict, 'unchanged')
})

test('an answer after a withdrawal that waits for its distance spares the others', () => {
  const sos = pressed(people)
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  declines(sos, 30, 'Ana')
  sos.runTo(30)
  sos.acknowledges(40, 'Ben')
  declines(sos, 50, 'Ben')
  from(sos)
  sos.acknowledges(60, 'Cleo')
  sos.runTo(60 + 29 * MINUTES)
  assert.deepEqual(sos.told, [])
})

test('closed: an answer, a promise and a withdrawal change nothing', () => {
  const sos = pressed(people)
  sos.runTo(10)
  sos.resolves(20)
  assert.equal(promises(sos, 30, 'Ana', calling).verdict, 'unchanged')
  assert.equal(declines(sos, 30, 'Ana').verdict, 'unchanged')
  assert.equal(declines(sos, 30, null).verdict, 'unchanged')
})

test('an operator who takes it back while another alarm goes on has nobody told twice', () => {
  const sos = pressed({ ...people, settings: { ...people.settings, realarmSeconds: 10 } })
  sos.runTo(10)
  sos.acknowledges(12, 'Ana')
  sos.does(20, { type: 'acknowledge', contactId: null, name: 'Eva', operatorId: 'op-1' })
  sos.presses(30)
  sos.runTo(40)
  from(sos)
  assert.equal(declines(sos, 45, null).verdict, 'unchanged', 'somebody else took it')
  assert.equal(sos.does(45, { type: 'decline', contactId: null, operatorId: 'op-2' }).verdict, 'unchanged')
  assert.equal(sos.does(45, { type: 'decline', contactId: null, operatorId: 'op-1' }).verdict, 'changed')
  assert.equal(sos.incident.takenBy, null)
  sos.runTo(60)
  assert.deepEqual(sos.told, [])
})

test('each withdrawal in turn doubles the distance to the next alarm, up to an hour; another alarm begins anew', () => {
  const sos = pressed({ ...people, settings: { ...people.settings, watchMinutes: 0 } })
  sos.runTo(10)
  let now = 20
  const distances: number[] = []
  const withdraws = () => {
    sos.acknowledges(now, 'Ana')
    declines(sos, now + 2, 'Ana')
    const { at } = sos.incident.watch!
    distances.push((at - sos.incident.cascade.startedAt) / 1_000)
    now = (at - momentAt(0)) / 1_000
    sos.runTo(now)
    now += 5
  }
  for (let times = 0; times < 8; times++) withdraws()
  assert.deepEqual(distances.slice(1), [300, 600, 1_200, 2_400, 3_600, 3_600, 3_600])
  sos.acknowledges(now, 'Ana')
  now += 3_600
  sos.presses(now)
  sos.runTo(now)
  assert.equal(sos.incident.cascade.cause.by, 'owner')
  now += 5
  sos.acknowledges(now, 'Ana')
  declines(sos, now + 2, 'Ana')
  assert.equal(sos.incident.watch!.at, momentAt(now + 2), 'at once')
})

test('however often somebody answers and withdraws, the others hear in time that somebody else withdrew', () => {
  for (const other of ['Ben', null]) {
    const sos = pressed({ ...people, settings: { ...people.settings, watchMinutes: 0 } })
    const answers = (seconds: number, who: string | null) =>
      sos.does(seconds, { type: 'acknowledge', contactId: who && `contact-${who}` })
    sos.runTo(10)
    let now = 20
    for (let times = 0; times < 6; times++) {
      answers(now, 'Ana')
      declines(sos, now + 2, 'Ana')
      now = (sos.incident.watch!.at - momentAt(0)) / 1_000
      sos.runTo(now)
      now += 5
    }
    answers(now, other)
    declines(sos, now + 30, other)
    assert.equal(sos.incident.watch!.at, momentAt(now - 5 + 300), 'the distance of a re-alarm, not an hour')
    sos.runTo(now + 295)
    answers(now + 600, 'Ana')
    declines(sos, now + 602, 'Ana')
    assert.equal(sos.incident.watch!.at, momentAt(now + 602), 'and so does one who withdraws after that')
  }
})

test('an operator who takes it and takes that back does not put off the question to those who helped already', () => {
  for (const minutes of [29, 34]) {
    const taken = 20 + minutes * MINUTES
    const sos = pressed({ ...people, contacts: ['Ana', 'Ben'] })
    sos.runTo(10)
    sos.acknowledges(20, 'Ana')
    sos.runTo(taken)
    from(sos)
    sos.does(taken, { type: 'acknowledge', contactId: null, name: 'Eva', operatorId: 'op-1' })
    sos.does(taken + 5, { type: 'decline', contactId: null, operatorId: 'op-1' })
    sos.runTo(20 + 35 * MINUTES)
    assert.deepEqual(sos.told, [`${20 + 35 * MINUTES} sms Ben`])
    assert.equal(sos.incident.lastAnswer?.contactId, 'contact-Ana', 'messages name who fell silent')
  }
})

test('an operator’s undo leaves the watch as it is where somebody has answered since', () => {
  const sos = pressed(people)
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  sos.runTo(20 + 34 * MINUTES)
  const taken = 20 + 34 * MINUTES
  sos.does(taken, { type: 'acknowledge', contactId: null, name: 'Eva' })
  sos.acknowledges(taken + 10, 'Ben')
  const { watch } = sos.incident
  declines(sos, taken + 20, null)
  assert.deepEqual(sos.incident.watch, watch)
})
