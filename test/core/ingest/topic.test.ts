import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTopics, isUuid, maySubscribe, type PublishKind, publishKind } from '../../../src/core/ingest/topic.ts'
import fc, { anyText } from '../../harness/fast-check.ts'

const userId = '0199aaaa-0000-7000-8000-00000000000a'
const other = '0199aaaa-0000-7000-8000-00000000000b'
const user = { userId, externalUserId: 'hut-1', legacy: false }
const legacy = { ...user, legacy: true }

// access.md#topic-access, access.md#legacy-topics.
const publishes: readonly [topic: string, kind: PublishKind | null, ofLegacy: PublishKind | null][] = [
  [`sos/alerts/${userId}`, 'alert', 'alert'],
  [`tel/${userId}/data`, 'telemetry', 'telemetry'],
  ['sos/alerts', null, 'legacy_alert'],
  ['tel/hut-1/data', null, 'telemetry'],
  [`sos/alerts/${other}`, null, null],
  [`tel/${other}/data`, null, null],
  [`sos/events/${userId}`, null, null],
  ['sos/alerts/hut-1', null, null],
  ['sos/events/hut-1', null, null],
  ['tel/hut-2/data', null, null],
  [`sos/alerts/${userId}/`, null, null],
  [`/sos/alerts/${userId}`, null, null],
  [`SOS/alerts/${userId}`, null, null],
  [`tel/${userId}`, null, null],
  [`tel/${userId}/data/1`, null, null],
  ['sos/alerts/', null, null],
  ['sos/alerts/+', null, null],
  ['sos/#', null, null],
  ['#', null, null],
  ['$SYS/broker/uptime', null, null],
  ['', null, null],
]

for (const [topic, kind, ofLegacy] of publishes) {
  test(`publishing to ${JSON.stringify(topic)}: ${kind ?? 'refused'}, legacy: ${ofLegacy ?? 'refused'}`, () => {
    assert.equal(publishKind(topic, user), kind)
    assert.equal(publishKind(topic, legacy), ofLegacy)
  })
}

const subscriptions: readonly [topic: string, allowed: boolean, ofLegacy: boolean][] = [
  [`sos/events/${userId}`, true, true],
  ['sos/events/hut-1', false, true],
  [`sos/events/${other}`, false, false],
  ['sos/events/hut-2', false, false],
  ['sos/events/+', false, false],
  ['sos/events/#', false, false],
  [`sos/events/${userId}/#`, false, false],
  [`+/events/${userId}`, false, false],
  ['#', false, false],
  ['+/+/+', false, false],
  [`$share/group/sos/events/${userId}`, false, false],
  [`sos/timers/${userId}`, true, true],
  [`sos/timers/${other}`, false, false],
  ['sos/timers/hut-1', false, false],
  ['sos/timers/+', false, false],
  [`sos/alerts/${userId}`, false, false],
  [`tel/${userId}/data`, false, false],
  ['sos/events', false, false],
  ['$SYS/#', false, false],
  ['', false, false],
]

for (const [topic, allowed, ofLegacy] of subscriptions) {
  test(`subscribing to ${JSON.stringify(topic)}: ${allowed ? 'allowed' : 'refused'}, legacy: ${ofLegacy ? 'allowed' : 'refused'}`, () => {
    assert.equal(maySubscribe(topic, user), allowed)
    assert.equal(maySubscribe(topic, legacy), ofLegacy)
  })
}

// access.md#legacy-topics: such external ids have no legacy topics.
for (const externalUserId of ['a+b', 'a#', 'a/b', 'a\u0000b', '+', '#', other, other.toUpperCase()]) {
  test(`an external id ${JSON.stringify(externalUserId)} has no legacy topics`, () => {
    const owner = { userId, externalUserId, legacy: true }
    assert.deepEqual(eventTopics(owner), [`sos/events/${userId}`])
    assert.equal(maySubscribe(`sos/events/${externalUserId}`, owner), false)
    assert.equal(publishKind(`tel/${externalUserId}/data`, owner), null)
    assert.equal(publishKind(`sos/alerts/${userId}`, owner), 'alert')
  })
}

test('no topic of one user is ever open to another, legacy or not', () => {
  const id = fc.oneof(anyText({ minLength: 1 }), fc.constantFrom('+', '#', 'hut/1', userId, other, 'alerts', 'data'))
  const owner = fc.record({ userId: fc.uuid(), externalUserId: id, legacy: fc.boolean() })
  fc.assert(
    fc.property(owner, owner, (a, b) => {
      fc.pre(a.userId !== b.userId && a.externalUserId !== b.externalUserId)
      for (const topic of eventTopics(a)) {
        assert.equal(maySubscribe(topic, a), true)
        assert.equal(maySubscribe(topic, b), false)
        for (const sign of ['+', '#', '\u0000']) assert.equal(topic.includes(sign), false)
      }
      for (const topic of [`sos/alerts/${a.userId}`, `tel/${a.userId}/data`]) assert.equal(publishKind(topic, b), null)
    }),
  )
})

test('a UUID is distinguished from other texts', () => {
  for (const text of [userId, userId.toUpperCase(), '00000000-0000-0000-0000-000000000000'])
    assert.equal(isUuid(text), true)
  for (const text of [
    '',
    'hut-1',
    `${userId}\n`,
    ` ${userId}`,
    userId.slice(1),
    `${userId}0`,
    userId.replaceAll('-', ''),
  ]) {
    assert.equal(isUuid(text), false, JSON.stringify(text))
  }
})
