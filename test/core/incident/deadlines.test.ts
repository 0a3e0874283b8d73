import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import { contactCalled, everyActuator, momentAt, only, pressed, receipt, type Story } from '../build.ts'

const DAYS = 24 * 3_600

// keeping.md#clock: a clock further ahead than `autoResolveHours`, or behind what is stored, is not believed.
for (const [what, start] of [
  ['200 days ahead', 200 * DAYS],
  ['20 years behind', -20 * 365 * DAYS],
] as const) {
  test(`a start with a clock ${what} continues where the last process ended`, () => {
    const unmoved = pressed({ contacts: ['Ana', 'Ben'], actuators: everyActuator })
    unmoved.runTo(7_200)
    for (const stopped of [0, 5, 20, 50, 80, 110, 200]) {
      const sos = pressed({ contacts: ['Ana', 'Ben'], actuators: everyActuator })
      sos.runTo(stopped)
      const before = sos.told.length
      sos.does(start, { type: 'reckonAnew', from: momentAt(stopped) })
      sos.runTo(start + 7_200)
      const expected = unmoved.told.map((line, place) =>
        place < before ? line : line.replace(/^\S+/, (seconds) => String(Number(seconds) - stopped + start)),
      )
      assert.deepEqual(sos.told, expected, `stopped ${stopped} s after the press`)
    }
  })

  test(`a start with a clock ${what} gives an open incident its full hours again, and a press extends them`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: { voice: false, rounds: 1, autoResolveHours: 10 } })
    sos.runTo(9 * 3_600)
    sos.does(start, { type: 'reckonAnew', from: momentAt(9 * 3_600) })
    sos.runTo(start + 10 * 3_600 - 0.001)
    assert.equal(sos.incident.state.status, 'active')
    sos.presses(start + 10 * 3_600 - 0.001)
    sos.runTo(start + 11 * 3_600)
    assert.equal(sos.told.length, 2, 'the next SOS is heard')
    sos.runTo(start + 20 * 3_600)
    assert.equal(sos.incident.state.status, 'resolved')
  })
}

test('what was already overdue is due immediately', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.does(200 * DAYS, { type: 'reckonAnew', from: momentAt(60) })
  assert.deepEqual(
    sos.proceeds(200 * DAYS).claimed.map(({ channel }) => channel),
    ['sms'],
  )
  assert.equal(
    nextActionAt(sos.incident),
    momentAt(200 * DAYS + 10),
    'the call keeps its distance, and the claim is checked',
  )
})

test('deadlines that a command set with today’s clock before the start are not moved', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(20)
  sos.resolves(200 * DAYS)
  sos.does(200 * DAYS + 60, { type: 'reckonAnew', from: momentAt(20) })
  assert.deepEqual(
    sos.proceeds(200 * DAYS + 60).claimed.map(({ purpose }) => purpose),
    ['all_clear'],
  )
})

test('moving the deadlines shows nothing and changes no fact', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(10)
  const { openedAt, occurredAt, snapshotVersion, updatedAt } = sos.incident
  const { events } = sos.does(200 * DAYS, { type: 'reckonAnew', from: momentAt(10) })
  assert.deepEqual(events, [])
  const { incident } = sos
  assert.deepEqual(
    [openedAt, occurredAt, snapshotVersion, updatedAt],
    [incident.openedAt, incident.occurredAt, incident.snapshotVersion, incident.updatedAt],
  )
})

// keeping.md#restore.
test('after a restore an open incident continues under versions that no client has seen', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  sos.runTo(10)
  const inFile = sos.incident.snapshotVersion
  sos.does(7_200, { type: 'restore' })
  assert.ok(
    sos.rows('sms', 'Ben').every(({ status }) => status === 'skipped'),
    'the snapshot has changed as well',
  )
  assert.equal(sos.incident.snapshotVersion, inFile + 10_000)
  assert.deepEqual(sos.proceeds(7_200).claimed, [], 'nothing is sent until it is resumed')

  const { events } = sos.hears(7_201, only(sos.rows('sms', 'Ana')).id, receipt('delivered'))
  assert.deepEqual(
    events.map(({ message }) => [message.type, message.snapshotVersion]),
    [['sos.actuator_update', inFile + 10_001]],
  )
  sos.does(7_210, { type: 'resume' })
  assert.equal(sos.incident.snapshotVersion, inFile + 10_001)
  const resolved = sos.resolves(7_220)
  assert.equal(resolved.events[0]?.message.type, 'resolved')
  assert.ok(sos.incident.snapshotVersion >= inFile + 10_001, 'and the closing one goes on from there')
})

test('a closed incident keeps its version through a restore', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(10)
  sos.cancels(20)
  const { snapshotVersion } = sos.incident
  sos.does(30, { type: 'restore' })
  assert.deepEqual([sos.incident.snapshotVersion, sos.incident.held], [snapshotVersion, false])
})

test('after a restore no attempt gets an id that the lost site or an earlier restore may have given out', () => {
  const numbersOf = (sos: ReturnType<typeof pressed>): readonly number[] =>
    sos.allClears().map(({ id }) => Number(id.slice(id.lastIndexOf('.') + 1)))
  const restoredAt = (seconds: number) => {
    const sos = pressed({ contacts: ['Ana', 'Ben'] })
    sos.runTo(40)
    sos.does(seconds, { type: 'restore' })
    sos.resolves(seconds + 1)
    return numbersOf(sos)
  }
  const first = restoredAt(100)
  const second = restoredAt(110)
  assert.deepEqual([first.length, second.length], [2, 2])
  assert.ok(first.every((number) => number > 10_000))
  assert.equal(new Set([...first, ...second]).size, 4)
})

test('nor does one that a late receipt brings after the end', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false, rounds: 1 } })
  sos.runTo(10, () => ({ kind: 'failed', error: 'connection timeout', retryable: false }))
  sos.cancels(20)
  sos.does(30, { type: 'restore' })
  sos.hears(40, only(sos.rows('sms')).id, receipt('delivered'))
  assert.match(only(sos.allClears()).id, /\.\d{5,}$/)
})

test('a restored incident with nothing to skip is 10,000 versions ahead too', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.does(5, { type: 'restore' })
  assert.equal(sos.incident.snapshotVersion, 10_001)
  sos.does(6, { type: 'addContact', contact: contactCalled('Ben', 1) })
  assert.equal(sos.incident.snapshotVersion, 10_002)
})

for (const [by, ends] of [
  ['its user', (sos: Story) => sos.cancels(40)],
  ['the operator', (sos: Story) => sos.resolves(40)],
] as const) {
  test(`who was alarmed hears of the end of a held incident, by ${by}, without anybody resuming it`, () => {
    const sos = pressed({ contacts: ['Ana', 'Ben'] })
    sos.runTo(20)
    sos.does(30, { type: 'restore' })
    assert.deepEqual(sos.proceeds(39).claimed, [])
    ends(sos)
    assert.deepEqual(
      sos.proceeds(40).claimed.map(({ purpose, contactId }) => [purpose, contactId]),
      [['all_clear', only(sos.rows('sms', 'Ana')).contactId]],
    )
    assert.ok(sos.rows('sms', 'Ben').every(({ status }) => status === 'skipped'))
  })
}

test('nobody hears of the end of a held incident who was never alarmed', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.does(5, { type: 'restore' })
  sos.cancels(40)
  assert.deepEqual([sos.proceeds(40).claimed, nextActionAt(sos.incident)], [[], null])
})
