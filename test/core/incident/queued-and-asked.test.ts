import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import { allGoesWell, momentAt, only, pressed, receipt, type Story } from '../build.ts'

const once = { rounds: 1, voice: false }
const queued = ['sms', 'voice'] as const
const claims = (sos: Story, seconds: number, inFlight: readonly string[] = []) =>
  sos.does(seconds, { type: 'proceed', inFlight, queued })
const begins = (sos: Story, seconds: number, attemptId: string) => sos.does(seconds, { type: 'begin', attemptId })
const takenBy = (askAfterMs?: number): AttemptOutcome => ({
  kind: 'sent',
  provider: 'twilio',
  providerRef: 'SM1',
  ...(askAfterMs !== undefined && { askAfterMs }),
})

// What waits for its turn at a provider has not left: nobody has heard of it, and nothing has to be looked up.

for (const [why, ends] of [
  ['cancelled', (sos: Story) => sos.cancels(12)],
  ['resolved', (sos: Story) => sos.resolves(12)],
  ['acknowledged', (sos: Story) => sos.acknowledges(12, 'Ana')],
] as const) {
  test(`a message that waits for its turn is skipped when the incident is ${why}, and its turn finds it so`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: once })
    const row = only(claims(sos, 10).claimed)
    ends(sos)
    assert.deepEqual([only(sos.rows('sms')).status, only(sos.rows('sms')).claim], ['skipped', null])
    assert.deepEqual(begins(sos, 13, row.id).claimed, [])
    sos.records(13, row.id, { kind: 'not_wanted' })
    assert.equal(only(sos.rows('sms')).status, 'skipped')
  })
}

test('while it waits in this process nothing is asked; when the process is gone it is claimed again, not looked up', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(claims(sos, 10).claimed)
  assert.deepEqual(only(sos.rows('sms')).claim, {
    at: momentAt(10),
    checkAt: momentAt(20),
    repeats: 0,
    queued: true,
  })
  const waiting = claims(sos, 20, [row.id])
  assert.deepEqual([waiting.claimed, waiting.unsure], [[], []])
  const restarted = claims(sos, 30)
  assert.deepEqual([restarted.claimed.map(({ id }) => id), restarted.unsure], [[row.id], []])
})

test('however often the process ends while it waits, it goes out', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  for (const seconds of [10, 20, 30, 40, 50]) assert.equal(claims(sos, seconds).claimed.length, 1)
  assert.equal(only(sos.rows('sms')).status, 'scheduled')
})

test('from its turn on it is an attempt like any other: without an outcome it is looked up', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(claims(sos, 10).claimed)
  assert.equal(only(begins(sos, 100, row.id).claimed).id, row.id)
  assert.deepEqual(only(sos.rows('sms')).claim, { at: momentAt(100), checkAt: momentAt(110), repeats: 0 })
  const late = claims(sos, 110)
  assert.deepEqual([late.claimed, late.unsure.map(({ id }) => id)], [[], [row.id]])
})

test('a turn comes once', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(claims(sos, 10).claimed)
  assert.equal(begins(sos, 11, row.id).claimed.length, 1)
  assert.equal(begins(sos, 12, row.id).claimed.length, 0)
})

test('a round does not end while one of its messages still waits for its turn', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(claims(sos, 10).claimed)
  claims(sos, 200, [row.id])
  assert.equal(sos.incident.cascade.phase.name, 'running')
  begins(sos, 300, row.id)
  sos.records(301, row.id, takenBy())
  assert.deepEqual(sos.incident.cascade.phase, { name: 'ending', endsAt: momentAt(361) })
})

test('a repeat waits for its turn too', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(claims(sos, 10).claimed)
  begins(sos, 10, row.id)
  const outcome = { kind: 'not_found' } as const
  const again = sos.does(21, { type: 'recordOutcome', attemptId: row.id, outcome, jitter: 0.5, queued })
  assert.deepEqual(only(again.claimed).claim, {
    at: momentAt(21),
    checkAt: momentAt(31),
    repeats: 1,
    queued: true,
  })
})

test('an incident that came back with a restored file lets nothing go whose turn comes', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(claims(sos, 10).claimed)
  sos.does(11, { type: 'restore' })
  assert.deepEqual(begins(sos, 12, row.id).claimed, [])
})

// Decisions 4: receipts may be lost; a missing one is asked for.

const sentAt10 = (askAfterMs?: number): Story => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  sos.records(10, only(sos.proceeds(10).claimed).id, takenBy(askAfterMs))
  return sos
}

test('a receipt that is overdue is asked for, once a minute, for half an hour', () => {
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

test('what the provider says when it is asked decides when it is asked next', () => {
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
  test(`a receipt that says ${status} ends the asking`, () => {
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

test('where the receipt was faster than the answer, the answer still says when to ask', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(sos.proceeds(10).claimed)
  sos.hears(10.1, row.id, receipt('sent'))
  sos.records(10.2, row.id, takenBy(60_000))
  assert.equal(only(sos.rows('sms')).askAt, momentAt(70.2))
})

test('where the answer never comes, the receipt says when to ask for the next one', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(sos.proceeds(10).claimed)
  sos.hears(10.1, row.id, receipt('sent'))
  sos.records(12, row.id, { kind: 'unknown' })
  assert.deepEqual(sos.proceeds(70).asked, [])
  assert.equal(only(sos.proceeds(70.1).asked).providerRef, 'SM1')
})

test('what a provider says of a message that another one has taken counts only if it arrived', () => {
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

test('what this process is asking right now is not asked twice', () => {
  const sos = sentAt10(60_000)
  const { id } = only(sos.rows('sms'))
  assert.deepEqual(sos.does(70, { type: 'proceed', inFlight: [id] }).asked, [])
})

test('a provider that cannot be asked is left alone', () => {
  const sos = sentAt10()
  assert.deepEqual(sos.proceeds(70).asked, [])
})

test('the snapshot of a closed incident gets to know too', () => {
  const sos = sentAt10(60_000)
  sos.cancels(20)
  sos.runTo(30, allGoesWell)
  assert.equal(only(sos.proceeds(70).asked).purpose, 'alarm')
  sos.hears(71, only(sos.rows('sms')).id, receipt('delivered'))
  assert.equal(only(sos.rows('sms')).status, 'delivered')
})

test('when the clock is set, the asking keeps its distance', () => {
  const sos = sentAt10(60_000)
  sos.does(20, { type: 'shiftDeadlines', byMs: 3_600_000 })
  assert.equal(only(sos.rows('sms')).askAt, momentAt(3_670))
})
