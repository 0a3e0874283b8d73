import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/core/incident/decide.ts'
import { failed, momentAt, only, pressed, receipt, sent } from '../build.ts'

const DAY_SECONDS = 24 * 3600

test('after more than a day switched off, overdue alarms are sent before the incident is closed as forgotten', () => {
  const story = pressed({ contacts: ['Ana'] })
  const { claimed, events } = story.proceeds(DAY_SECONDS + 60)
  assert.deepEqual(
    claimed.map((row) => row.channel),
    ['sms', 'voice'],
  )
  assert.deepEqual(events, [])
  assert.equal(story.incident.state.status, 'active')
  assert.equal(story.incident.autoResolveAt, momentAt(2 * DAY_SECONDS + 60))
})

test('an incident whose alarms all began is resolved on time, even if the next round is still ahead', () => {
  const story = pressed({ contacts: ['Ana'], settings: { autoResolveHours: 30 / 3600 } })
  story.runTo(31)
  assert.equal(story.incident.state.status, 'resolved')
})

test('a fresh press resumes an incident from a restored file; a repeat does not', () => {
  const story = pressed({ contacts: ['Ana'] })
  story.restores({ ...story.incident, held: true })
  assert.deepEqual(story.proceeds(20).claimed, [])
  const { id } = story.incident
  story.presses(25, {}, { incidentId: id, receivedAt: momentAt(0), fingerprint: 'same' })
  assert.deepEqual(story.proceeds(26).claimed, [])
  story.presses(30)
  assert.deepEqual(
    story.proceeds(31).claimed.map((row) => row.channel),
    ['sms'],
  )
})

test('a gateway that asks for a longer wait than an alarm can afford is tried again after a minute', () => {
  const story = pressed({ contacts: ['Ana'] })
  const [sms] = story.proceeds(10).claimed
  story.records(10, sms!.id, { ...failed('rate limited (HTTP 429)', true), retryAfterMs: 300_000 } as never)
  assert.equal(only(story.rows('sms')).dueAt, momentAt(70))
})

test('a re-alarm does not add a second chat post to one that is still being retried', () => {
  const actuators = { emergency_contacts: {}, chat: { url: 'https://chat.example/', format: 'text' as const } }
  const story = pressed({ contacts: ['Ana'], actuators, settings: { httpBackoffSeconds: [600] } })
  story.runTo(20, (row) => (row.channel === 'chat' ? failed('upstream HTTP 503', true) : sent))
  story.acknowledges(21, 'Ana')
  story.presses(400)
  assert.equal(story.rows('chat').filter((row) => row.status === 'scheduled').length, 1)
})

test('a receipt that comes after the next round has begun plans no call of the old one', () => {
  const story = pressed({ contacts: ['Ana'] })
  story.runTo(131)
  const [first] = story.rows('voice', 'Ana')
  const before = story.rows('voice', 'Ana').length
  story.hears(140, first!.id, receipt('failed', 'no answer'))
  assert.equal(story.rows('voice', 'Ana').length, before)
  assert.equal(story.rows('voice', 'Ana')[0]!.status, 'failed')
})

test('a command for an incident that does not exist does nothing', () => {
  const decision = decide({ incident: null, plan: null, earlier: null }, { type: 'cancel', now: 0 })
  assert.deepEqual([decision.verdict, decision.incident, decision.events], ['unchanged', null, []])
})
