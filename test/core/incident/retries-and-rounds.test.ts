import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failed, only, pressed, sent } from '../build.ts'

test('a call that the gateway refused is made again, but not to a number that does not exist', () => {
  for (const [error, calls] of [
    ['upstream HTTP 400', 2],
    ['provider error 13224', 2],
    ['invalid number', 1],
  ] as const) {
    const story = pressed({ contacts: ['Ana'], settings: { rounds: 1 } })
    story.runTo(600, (row) => (row.channel === 'voice' ? failed(error, false) : sent))
    assert.equal(story.rows('voice').length, calls, error)
  }
})

test('calls that the provider asks to make later use up none of a round’s calls, and delay no round', () => {
  const story = pressed({ contacts: ['Ana'], settings: { rounds: 1, voiceAttempts: 1 } })
  const busy = { ...failed('rate limited (HTTP 429)', true), retryAfterMs: 20_000 } as const
  story.runTo(100, (row) => (row.channel === 'voice' ? busy : sent))
  const call = only(story.rows('voice'))
  assert.deepEqual([call.status, call.attempt, call.tries, call.error], ['scheduled', 1, 2, 'rate limited (HTTP 429)'])
  story.runTo(200)
  assert.deepEqual(
    story.told.filter((line) => line.includes('voice')),
    ['70 voice Ana', '90 voice Ana', '110 voice Ana'],
  )
  assert.equal(only(story.rows('voice')).status, 'sent')
})

test('a contact’s gateway that is down delays no round', () => {
  const actuators = { emergency_contacts: { httpUrl: 'https://gateway.example/' } }
  const story = pressed({ contacts: ['Ana'], actuators, settings: { voice: false, httpBackoffSeconds: [1000] } })
  story.runTo(75, (row) => (row.channel === 'http' ? failed('upstream HTTP 500', true) : sent))
  assert.deepEqual(
    story.told.filter((line) => line.includes('sms')),
    ['10 sms Ana', '70 sms Ana'],
  )
  assert.equal(only(story.rows('http').filter((row) => row.status === 'scheduled')).tries, 1)
})

test('a text that gets through while its round is ending has its full answer time before the next round', () => {
  const story = pressed({ contacts: ['Ana'], settings: { voice: false } })
  const retryable = failed('upstream HTTP 503', true)
  // Tried at 10, 11, 16 and 31 s; through at 91 s would be too late, so at 31 s.
  story.runTo(30, () => retryable)
  story.runTo(130)
  assert.deepEqual(story.told, ['10 sms Ana', '11 sms Ana', '16 sms Ana', '31 sms Ana', '91 sms Ana'])
})

test('a provider that cannot tell a message’s status delays no round', () => {
  const story = pressed({ contacts: ['Ana'], settings: { voice: false } })
  const [sms] = story.proceeds(10).claimed
  story.records(10, sms!.id, { kind: 'unknown' })
  const later = story.proceeds(80)
  assert.equal(later.claimed.filter((row) => row.channel === 'sms').length + story.rows('sms').length, 3)
  assert.equal(story.incident.cascade.round, 2)
})
