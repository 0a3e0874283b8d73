import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import { asCurrent } from '../../../src/core/incident/incident-record.ts'
import { dueAttempts, nextActionAt } from '../../../src/core/incident/next-action.ts'
import { allGoesWell, momentAt, only, pressed, receipt, type Story } from '../build.ts'

const once = { rounds: 1, voice: false }
/** Proceeds with the turns of `attemptIds` only. */
const takesTurns = (sos: Story, seconds: number, ...turns: readonly string[]) =>
  sos.does(seconds, { type: 'proceed', inFlight: [], turns })
const takenBy = (askAfterMs?: number): AttemptOutcome => ({
  kind: 'sent',
  provider: 'twilio',
  providerRef: 'SM1',
  ...(askAfterMs !== undefined && { askAfterMs }),
})

// A due attempt that waits for its turn at a provider has no claim: nothing of it has left, so there is nothing to look
// up.

const due = (sos: Story, seconds: number) => dueAttempts(sos.incident, momentAt(seconds)).map(({ id }) => id)
const onlyDue = (sos: Story, seconds: number): string => only(due(sos, seconds))

for (const [why, ends] of [
  ['cancelled', (sos: Story) => sos.cancels(12)],
  ['resolved', (sos: Story) => sos.resolves(12)],
  ['acknowledged', (sos: Story) => sos.acknowledges(12, 'Ana')],
] as const) {
  test(`a message that waits for its turn is skipped when the incident is ${why}, and its turn then claims nothing`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: once })
    const id = onlyDue(sos, 10)
    ends(sos)
    assert.deepEqual([only(sos.rows('sms')).status, only(sos.rows('sms')).claim], ['skipped', null])
    assert.deepEqual(takesTurns(sos, 13, id).claimed, [])
    assert.deepEqual(due(sos, 13), [])
  })
}

test('waiting changes nothing: before its turn an attempt is neither claimed nor looked up, and it stays due over a restart', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const id = onlyDue(sos, 10)
  const before = sos.incident
  for (const seconds of [10, 20, 300]) {
    const { claimed, unsure, verdict } = takesTurns(sos, seconds)
    assert.deepEqual([claimed, unsure, verdict], [[], [], 'unchanged'])
  }
  assert.equal(sos.incident, before)
  assert.equal(onlyDue(sos, 300), id)
})

test('a waiting attempt needs no other attention, but the rest of its incident does', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { rounds: 1 } })
  const id = onlyDue(sos, 10)
  assert.equal(nextActionAt(sos.incident), momentAt(10))
  assert.equal(
    nextActionAt(sos.incident, (row) => row.id === id),
    momentAt(70),
  )
})

test('of several due attempts only those whose turn has come leave', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben', 'Cleo'], settings: { ...once, contactIntervalSeconds: 0 } })
  const [ana, ben, cleo] = due(sos, 10)
  assert.deepEqual(
    takesTurns(sos, 10, ben!).claimed.map(({ id }) => id),
    [ben],
  )
  assert.deepEqual(due(sos, 10), [ana, cleo])
})

test('a turn that comes before its attempt is due, or for an unknown attempt, claims nothing', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  assert.deepEqual(takesTurns(sos, 9, only(sos.rows('sms')).id, 'nobody.1').claimed, [])
})

test('from its turn on it is an attempt like any other: without an outcome it is looked up', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const id = onlyDue(sos, 10)
  assert.equal(only(takesTurns(sos, 100, id).claimed).id, id)
  assert.deepEqual(only(sos.rows('sms')).claim, { at: momentAt(100), checkAt: momentAt(110), repeats: 0 })
  const late = takesTurns(sos, 110)
  assert.deepEqual([late.claimed, late.unsure.map((row) => row.id)], [[], [id]])
})

test('a turn comes once', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const id = onlyDue(sos, 10)
  assert.equal(takesTurns(sos, 11, id).claimed.length, 1)
  assert.equal(takesTurns(sos, 12, id).claimed.length, 0)
})

test('a round does not end while one of its messages waits for its turn', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const id = onlyDue(sos, 10)
  takesTurns(sos, 200)
  assert.equal(sos.incident.cascade.phase.name, 'running')
  takesTurns(sos, 300, id)
  sos.records(301, id, takenBy())
  assert.deepEqual(sos.incident.cascade.phase, { name: 'ending', endsAt: momentAt(361) })
})

test('a repeat waits for its turn too, and is still known as a repeat', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const id = onlyDue(sos, 10)
  takesTurns(sos, 10, id)
  sos.records(12, id, { kind: 'unknown' })
  const { claimed } = sos.records(21, id, { kind: 'not_found' })
  assert.deepEqual([claimed, only(sos.rows('sms')).claim, onlyDue(sos, 21)], [[], null, id])
  assert.deepEqual(only(takesTurns(sos, 30, id).claimed).claim, {
    at: momentAt(30),
    checkAt: momentAt(40),
    repeats: 1,
  })
})

test('a held incident sends nothing when a turn comes', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const id = onlyDue(sos, 10)
  sos.does(11, { type: 'restore' })
  assert.deepEqual([due(sos, 12), takesTurns(sos, 12, id).claimed], [[], []])
})

test('an attempt that an earlier version claimed only to wait for its turn just waits, and keeps its repeats', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(sos.rows('sms'))
  const queued = { at: momentAt(10), checkAt: momentAt(20), repeats: 1, queued: true }
  const record = { ...sos.incident, deliveries: [{ ...row, claim: queued }] }
  sos.restores(asCurrent(JSON.parse(JSON.stringify(record))))
  assert.equal(only(sos.rows('sms')).claim, null)
  const { claimed, unsure } = sos.proceeds(12)
  assert.deepEqual([only(claimed).claim?.repeats, unsure], [1, []])
})

// rules.md#receipts: receipts may be lost; the provider is asked about a missing one.

const sentAt10 = (askAfterMs?: number): Story => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  sos.records(10, only(sos.proceeds(10).claimed).id, takenBy(askAfterMs))
  return sos
}

test('the provider is asked about an overdue receipt, once a minute, for half an hour', () => {
  const sos = sentAt10(60_000)
  assert.equal(nextActionAt(sos.incident), momentAt(70))
  assert.equal(only(sos.proceeds(70).asked).providerRef, 'SM1')
  assert.deepEqual(sos.proceeds(100).asked, [])
  const askedAt: number[] = []
  for (let seconds = 130; seconds < 4_000; seconds += 60)
    if (sos.proceeds(seconds).asked.length > 0) askedAt.push(seconds)
  assert.equal(askedAt[0], 130)
  assert.equal(askedAt.at(-1), 1_810)
})

for (const byHours of [1, -1]) {
  test(`when the clock is set by ${byHours} h the provider is asked for half an hour all the same`, () => {
    const sos = sentAt10(60_000)
    const by = byHours * 3_600
    sos.proceeds(70)
    for (const part of [0.5, 0.5]) sos.does(75 + by * part, { type: 'shiftDeadlines', byMs: by * part * 1_000 })
    assert.equal(only(sos.rows('sms')).updatedAt, momentAt(10), 'what people see stays')
    const askedAt: number[] = []
    for (let seconds = 130; seconds < 8_000; seconds += 60)
      if (sos.proceeds(seconds + by).asked.length > 0) askedAt.push(seconds)
    assert.deepEqual([askedAt[0], askedAt.at(-1)], [130, 1_810])
  })
}

test('the provider’s answer decides when it is asked next', () => {
  const sos = sentAt10(5_000)
  const [row] = sos.proceeds(15).asked
  const before = sos.incident.snapshotVersion
  sos.records(15, row!.id, takenBy(8_000))
  assert.equal(only(sos.rows('sms')).askAt, momentAt(23))
  sos.records(23, row!.id, takenBy())
  assert.equal(only(sos.rows('sms')).askAt, null)
  assert.equal(sos.incident.snapshotVersion, before)
})

test('a provider that never has news is asked for half an hour, however soon it wants to be asked again', () => {
  const sos = sentAt10(60_000)
  let asked = 0
  for (let seconds = 70; seconds < 7_200; seconds += 60) {
    for (const row of sos.proceeds(seconds).asked) {
      asked = seconds
      sos.records(seconds, row.id, takenBy(60_000))
    }
  }
  assert.equal(asked, 1_810)
  assert.equal(only(sos.rows('sms')).askAt, null)
})

for (const status of ['delivered', 'failed'] as const) {
  test(`a receipt that says ${status} ends the questions to the provider`, () => {
    const sos = sentAt10(60_000)
    sos.hears(20, only(sos.rows('sms')).id, receipt(status, status === 'failed' ? 'provider error 30003' : null))
    assert.equal(only(sos.rows('sms')).askAt, null)
    assert.deepEqual(sos.proceeds(70).asked, [])
  })
}

test('a receipt that says sent does not', () => {
  const sos = sentAt10(60_000)
  sos.hears(20, only(sos.rows('sms')).id, receipt('sent'))
  assert.equal(only(sos.proceeds(70).asked).channel, 'sms')
})

test('if the receipt overtook the answer, the answer still says when to ask', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(sos.proceeds(10).claimed)
  sos.hears(10.1, row.id, receipt('sent'))
  sos.records(10.2, row.id, takenBy(60_000))
  assert.equal(only(sos.rows('sms')).askAt, momentAt(70.2))
})

test('if the answer never comes, the receipt sets when to ask for the next one', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(sos.proceeds(10).claimed)
  sos.hears(10.1, row.id, receipt('sent'))
  sos.records(12, row.id, { kind: 'unknown' })
  assert.deepEqual(sos.proceeds(70).asked, [])
  assert.equal(only(sos.proceeds(70.1).asked).providerRef, 'SM1')
})

test('what a provider says about a message that another one has taken counts only if it arrived', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(sos.proceeds(10).claimed)
  sos.records(10, row.id, { kind: 'sent', provider: 'http', providerRef: null })
  const before = sos.incident
  sos.hears(11, row.id, receipt('sent'))
  sos.hears(12, row.id, receipt('failed', 'provider error 30003'))
  assert.equal(sos.incident, before)
  sos.hears(13, row.id, receipt('delivered'))
  assert.deepEqual([only(sos.rows('sms')).status, only(sos.rows('sms')).provider], ['delivered', 'twilio'])
})

test('an attempt that this process is asking about right now is not asked about twice', () => {
  const sos = sentAt10(60_000)
  const { id } = only(sos.rows('sms'))
  assert.deepEqual(sos.does(70, { type: 'proceed', inFlight: [id] }).asked, [])
})

test('a provider without look-up is left alone', () => {
  const sos = sentAt10()
  assert.deepEqual(sos.proceeds(70).asked, [])
})

test('the snapshot of a closed incident is updated too', () => {
  const sos = sentAt10(60_000)
  sos.cancels(20)
  sos.runTo(30, allGoesWell)
  assert.equal(only(sos.proceeds(70).asked).purpose, 'alarm')
  sos.hears(71, only(sos.rows('sms')).id, receipt('delivered'))
  assert.equal(only(sos.rows('sms')).status, 'delivered')
})

test('when the clock is set, the time of the next question keeps its distance', () => {
  const sos = sentAt10(60_000)
  sos.does(20, { type: 'shiftDeadlines', byMs: 3_600_000 })
  assert.equal(only(sos.rows('sms')).askAt, momentAt(3_670))
})
