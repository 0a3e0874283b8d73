import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeNotification } from '../../../src/app/sending/compose.ts'
import { newApplication } from '../../../src/core/account/new-application.ts'
import type { Delivery } from '../../../src/core/incident/delivery.ts'
import { APP, momentAt, only, pressed, type Story, userWith } from '../../core/build.ts'

// At a rate-limited provider, a contact who has heard nothing yet goes before one who has.

const user = userWith()
const application = newApplication({ id: APP, name: 'Huts', language: 'en', createdAt: 0 })

function isFirst(sos: Story, row: Delivery | undefined): boolean {
  if (row === undefined) throw new Error('the story has no such attempt')
  const record = { incident: sos.incident, lastPosition: null }
  const notification = composeNotification(row, {
    record,
    user,
    application,
    publicUrl: 'https://sos.example.org',
    machineTimeZone: () => 'UTC',
    now: momentAt(0),
  })
  if (notification?.channel !== 'sms' && notification?.channel !== 'voice') throw new Error('no text')
  return notification.first
}

test('the first SMS and the first call of every contact are first messages', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { rounds: 1 } })
  for (const channel of ['sms', 'voice'] as const) {
    for (const name of ['Ana', 'Ben']) assert.equal(isFirst(sos, only(sos.rows(channel, name))), true)
  }
})

test('what a contact hears again in the next round is a repeat', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { rounds: 2, voiceAttempts: 1 } })
  sos.runTo(400)
  for (const channel of ['sms', 'voice'] as const) {
    const [before, again] = sos.rows(channel, 'Ana')
    assert.deepEqual([before?.round, again?.round], [1, 2])
    assert.equal(isFirst(sos, again), false)
  }
})

test('an SMS that was refused stays a first message when it is tried again', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { rounds: 1, voice: false } })
  const row = only(sos.proceeds(10).claimed)
  sos.records(10, row.id, { kind: 'failed', error: 'rate limited (HTTP 429)', retryable: true })
  assert.equal(isFirst(sos, only(sos.rows('sms'))), true)
})

test('a contact added in a later round has heard nothing yet', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { rounds: 2, voice: false } })
  sos.runTo(75)
  assert.equal(sos.incident.cascade.round, 2)
  sos.adds(76, 'Ben')
  assert.equal(isFirst(sos, only(sos.rows('sms', 'Ben'))), true)
})

test('nor has a contact who is new in a re-alarm', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { rounds: 1, voice: false } })
  sos.runTo(200)
  sos.becomes({ contacts: ['Ana', 'Ben'], settings: { rounds: 1, voice: false } })
  sos.presses(310)
  assert.equal(isFirst(sos, only(sos.rows('sms', 'Ben'))), true)
  assert.equal(isFirst(sos, sos.rows('sms', 'Ana').at(-1)), false)
})
