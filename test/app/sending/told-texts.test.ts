import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeNotification } from '../../../src/app/sending/compose.ts'
import { newApplication } from '../../../src/core/account/new-application.ts'
import type { Delivery } from '../../../src/core/incident/delivery.ts'
import { APP, contactsOnly, everyActuator, momentAt, pressed, type Story, userWith } from '../../core/build.ts'

// The texts that people read in the course of an incident. rules.md#texts.

const user = userWith({ name: 'Mia Moser' })
const application = newApplication({
  id: APP,
  name: 'Huts',
  language: 'en',
  actuators: { ...everyActuator, ...contactsOnly },
  timeZone: 'Europe/Vienna',
  createdAt: 0,
})

function textOf(
  sos: Story,
  seconds: number,
  is: (row: Delivery) => boolean,
  given: { readonly publicUrl?: string; readonly phone?: string; readonly silent?: true } = {},
): string {
  const row = [...sos.timeline.values(), ...sos.incident.deliveries].findLast(is)
  if (row === undefined) throw new Error('the story has no such attempt')
  const notification = composeNotification(row, {
    record: { incident: { ...sos.incident, ...(given.silent && { silent: true }) }, lastPosition: null },
    user: { ...user, phone: given.phone ?? null },
    application,
    publicUrl: given.publicUrl ?? 'https://sos.example.org',
    machineTimeZone: () => 'UTC',
    now: momentAt(seconds),
  })
  if (notification === null || !('text' in notification)) throw new Error('no text')
  return notification.text
}
const sms = (row: Delivery) => row.channel === 'sms' && row.purpose === 'alarm'
const isFor = (purpose: Delivery['purpose']) => (row: Delivery) => row.purpose === purpose && row.channel !== 'webhook'

test('a re-alarm says so, with the time of the press in the application’s time zone', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(20)
  assert.match(textOf(sos, 20, sms), /^SOS: Mia Moser needs help!/)
  sos.acknowledges(30, 'Ana')
  sos.presses(900)
  sos.runTo(901)
  assert.match(textOf(sos, 901, sms), /^SOS pressed again \(13:15 CET\): Mia Moser needs help!/)
})

test('chat hears who answered, and everyone hears who ended it', () => {
  const sos = pressed({ contacts: ['Ana Berger'], actuators: { ...contactsOnly, ...everyActuator } })
  sos.runTo(20)
  sos.acknowledges(30, 'Ana Berger')
  assert.equal(
    textOf(sos, 30, isFor('acknowledged')),
    "Ana Berger has answered Mia Moser's SOS and is taking care of it.",
  )
  sos.cancels(60)
  assert.match(textOf(sos, 60, isFor('all_clear')), /^SOS ended from Mia Moser's phone, nobody else confirmed it/)
})

test('a link that only this machine could open is in no message: the number of the person takes its place', () => {
  const given = { publicUrl: 'http://localhost:8080', phone: '+436603333333' }
  const sos = pressed({ contacts: ['Ana', 'Ben'], actuators: { ...contactsOnly, ...everyActuator } })
  sos.runTo(20)
  assert.match(textOf(sos, 20, sms, given), /^SOS: Mia Moser needs help! Tel\. \+436603333333 /)
  assert.match(textOf(sos, 20, sms, { ...given, publicUrl: 'http://192.168.1.4' }), / http:\/\/192\.168\.1\.4\/t\//)
  sos.acknowledges(30, 'Ana')
  sos.cancels(60)
  const over = textOf(sos, 60, (row) => row.purpose === 'all_clear' && row.channel === 'sms', given)
  assert.match(over, /call Mia Moser! Tel\. \+436603333333$/)
  assert.doesNotMatch(textOf(sos, 20, sms, { ...given, silent: true }), /\+43|http:\/\//, 'nobody is to call')
})

test('the helper gets a check-in, and an automatic close is not called an all-clear', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { autoResolveHours: 2, watchMinutes: 30 } })
  sos.runTo(20)
  sos.acknowledges(30, 'Ana')
  sos.runTo(1_831)
  assert.match(textOf(sos, 1_831, isFor('check_in')), /^Are you still helping Mia Moser\? Tap to say how it is: https:/)

  const alone = pressed({ contacts: ['Ana'], settings: { autoResolveHours: 2, persistHours: 0 } })
  alone.runTo(3 * 3600)
  assert.match(
    textOf(alone, 3 * 3600, isFor('last_call')),
    /^Nobody has confirmed that Mia Moser is safe! This alert will close automatically at 15:00 CET\./,
  )
  assert.match(
    textOf(alone, 3 * 3600, isFor('all_clear')),
    /closed automatically after 2 h; nobody confirmed that Mia Moser is safe/,
  )
})
