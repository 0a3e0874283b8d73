import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timelineOf } from '../../src/cli/incident-words.ts'
import { pressed } from '../core/build.ts'

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
