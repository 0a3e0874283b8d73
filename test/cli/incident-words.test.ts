import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notifiedText, stateText, timelineOf } from '../../src/cli/incident-words.ts'
import { failed, momentAt, pressed, sent } from '../core/build.ts'

test('the operator reads who comes, who calls and who can’t help', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben', 'Cleo'], settings: { voice: false } })
  sos.runTo(10)
  sos.does(20, { type: 'decline', contactId: 'contact-Cleo' })
  sos.does(30, {
    type: 'acknowledge',
    contactId: 'contact-Ana',
    promise: { kind: 'coming', etaMinutes: 30 },
  })
  sos.does(40, { type: 'acknowledge', contactId: 'contact-Ben', promise: { kind: 'calling' } })
  const told = timelineOf(sos.incident).map(({ text }) => text)
  assert.deepEqual(told.slice(-5), [
    "Cleo can't help",
    'Ana answered',
    'Ana is coming, in about 30 min',
    'Ben answered',
    'Ben is calling',
  ])
})

test('the operator reads which gateway heard a press that came without a position', () => {
  const { incident } = pressed({ contacts: ['Ana'] })
  const warnings = [{ field: 'latitude', message: 'is missing: no fix; heard by gateway hut (46.91230, 11.23450)' }]
  const told = timelineOf({ ...incident, creation: { ...incident.creation, warnings } }).map(({ text }) => text)
  assert.match(told[0] ?? '', /^alarm arrived/)
  assert.equal(told[1], 'latitude is missing: no fix; heard by gateway hut (46.91230, 11.23450)')
})

test('the operator reads what the LoRaWAN tracker was told, and nothing of what has not left', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  const place = { server: 'hut', devEui: 'a84041ffff185123', application: 'trackers', device: 'mia' }
  sos.presses(1, { downlink: { ...place, profile: 'button', kinds: ['received', 'coming'] } })
  sos.does(2, { type: 'downlink', kind: 'received', step: { name: 'claim', ref: 'x' } })
  const told = () => timelineOf(sos.incident).filter(({ text }) => text.startsWith('the tracker'))
  assert.deepEqual(told(), [])
  sos.does(3, { type: 'downlink', kind: 'received', step: { name: 'heard', ref: 'x', status: 'delivered' } })
  sos.acknowledges(40, 'Ana')
  sos.does(41, { type: 'downlink', kind: 'coming', step: { name: 'claim', ref: 'y' } })
  sos.does(41, {
    type: 'downlink',
    kind: 'coming',
    step: { name: 'refused', error: 'upstream HTTP 401', retryable: false },
  })
  assert.deepEqual(
    told().map(({ text }) => text),
    [
      'the tracker is told that its SOS was received: delivered',
      'the tracker is told that help is coming: failed (upstream HTTP 401)',
    ],
  )
})

test('a message that its tracker never fetched says so', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  const place = { server: 'hut', devEui: 'a84041ffff185123', application: 'trackers', device: 'mia' }
  sos.presses(1, { downlink: { ...place, profile: 'button', kinds: ['received'] } })
  for (const step of [{ name: 'claim', ref: 'x' } as const, { name: 'queued', ref: 'x' } as const]) {
    sos.does(2, { type: 'downlink', kind: 'received', step })
  }
  sos.does(3601, { type: 'downlink', kind: 'received', step: { name: 'expire' } })
  const told = timelineOf(sos.incident).map(({ text }) => text)
  assert.ok(
    told.includes('the tracker is told that its SOS was received: failed (not fetched in time)'),
    told.join('\n'),
  )
})

test('the operator does not read "failed" of a message that may have arrived', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben', 'Cleo'], settings: { voice: false, contactIntervalSeconds: 0 } })
  const answers = [sent, { kind: 'not_found', error: 'connection reset' } as const, failed('invalid number', false)]
  sos.runTo(10, () => answers.shift())
  sos.cancels(12)
  assert.equal(notifiedText(sos.incident), 'Ana; perhaps Ben; not Cleo')
  assert.deepEqual(
    timelineOf(sos.incident).flatMap(({ text }) => (/^SMS to (Ben|Cleo)/.test(text) ? [text] : [])),
    ['SMS to Cleo: failed, invalid number', 'SMS to Ben: may have arrived, nobody can tell, connection timeout'],
  )
})

test('the operator reads that nobody has an alarm whose operator has left', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  sos.runTo(10)
  sos.does(20, { type: 'acknowledge', contactId: null, name: 'Eva', operatorId: 'eva' })
  sos.does(30, { type: 'leave', operatorId: 'eva', isAlone: false })
  assert.match(stateText(sos.incident, momentAt(40)), /^answered .* ago; nobody has it, was with Eva$/)
})
