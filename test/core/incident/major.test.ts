import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headCount, headStanding } from '../../../src/core/incident/head-count.ts'
import { countedAs } from '../../../src/core/incident/major.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import { urgencyOf } from '../../../src/core/incident/standing.ts'
import { changesStanding } from '../../../src/core/incident/standing-change.ts'
import { momentAt, PRESSED, pressed } from '../build.ts'

const MAJOR = { id: 'first', startedAt: PRESSED }
const OTHER = { id: 'other', startedAt: PRESSED }
const people = { contacts: ['Ana'], settings: { voice: false } }
const EVA = { type: 'mark', name: 'Eva', major: MAJOR } as const
const end = (operatorId: string, majorId = 'first') =>
  ({ type: 'resolve', by: 'operator', counted: { majorId, operatorId } }) as const

test('to be in a major incident, assigned and counted stops nothing: the alarm goes on as without it', () => {
  const [sos, plain] = [pressed(people), pressed(people)]
  const before = sos.incident
  const { events, verdict } = sos.does(2, { ...EVA, assignedTo: 'Team 2', head: 'safe' })
  assert.deepEqual([events, verdict], [[], 'changed'])
  assert.ok(changesStanding(before, sos.incident), 'screens are told')
  assert.equal(nextActionAt(sos.incident), nextActionAt(plain.incident))
  for (const one of [sos, plain]) one.runTo(200)
  assert.deepEqual(sos.told, plain.told)
  assert.equal(urgencyOf(sos.incident), urgencyOf(plain.incident))
  assert.equal(sos.incident.snapshotVersion, plain.incident.snapshotVersion)
})

test('what is not said stays; null takes it back; out of it, nothing is left', () => {
  const sos = pressed(people)
  const head = { state: 'safe', at: momentAt(3), name: 'Ivo', alertAt: PRESSED }
  sos.does(1, { ...EVA, assignedTo: 'Team 2' })
  sos.does(3, { ...EVA, name: 'Ivo', head: 'safe' })
  assert.deepEqual(sos.incident.major, { ...MAJOR, assignedTo: 'Team 2', head })
  assert.equal(sos.does(4, EVA).verdict, 'unchanged')
  sos.does(5, { ...EVA, assignedTo: null })
  assert.deepEqual(sos.incident.major, { ...MAJOR, head })
  sos.does(6, { ...EVA, head: null })
  assert.deepEqual(sos.incident.major, MAJOR)
  assert.equal(sos.does(7, { ...EVA, major: null }).verdict, 'unchanged', 'the screen did not show that it is in one')
  sos.does(8, { ...EVA, major: null, from: 'first' })
  assert.equal('major' in sos.incident, false)
})

test('two operators at once: who saw it elsewhere moves nothing', () => {
  const sos = pressed(people)
  sos.does(1, EVA)
  assert.equal(sos.does(2, { ...EVA, major: OTHER }).verdict, 'unchanged')
  assert.equal(sos.does(3, { ...EVA, major: OTHER, from: 'third' }).verdict, 'unchanged')
  assert.equal(sos.does(4, { ...EVA, major: OTHER, from: 'first' }).verdict, 'changed')
  assert.equal(sos.does(5, { ...EVA, head: 'safe' }).verdict, 'unchanged', 'counted where it is no longer')
  assert.deepEqual(sos.incident.major, OTHER)
})

test('another press takes the head count back, and so does a message', () => {
  const sos = pressed(people)
  sos.does(3, { ...EVA, head: 'handed_over' })
  assert.equal(countedAs(sos.incident)?.state, 'handed_over')
  assert.equal(countedAs(sos.incident, momentAt(2))?.state, 'handed_over')
  assert.equal(countedAs(sos.incident, momentAt(3)), null)
  sos.presses(4)
  assert.equal(countedAs(sos.incident), null)
  const late = { ...EVA, head: 'safe', knownAlertAt: PRESSED } as const
  assert.equal(sos.does(5, late).verdict, 'unchanged', 'counted on a screen that did not have the press')
  assert.equal(sos.does(6, { ...late, knownAlertAt: momentAt(4) }).verdict, 'changed')
})

test('from the list only whoever is counted in it is ended, and nobody whom another operator has', () => {
  const sos = pressed(people)
  const refused = (operatorId = 'eva', majorId?: string) => sos.does(20, end(operatorId, majorId)).verdict
  assert.equal(refused(), 'unchanged', 'in none')
  sos.does(1, EVA)
  assert.equal(refused(), 'unchanged', 'not counted')
  sos.does(2, { ...EVA, head: 'safe' })
  assert.equal(refused('eva', 'other'), 'unchanged', 'in another')
  sos.presses(3)
  assert.equal(refused(), 'unchanged', 'pressed again')
  sos.does(4, { ...EVA, head: 'safe' })
  sos.does(5, { type: 'acknowledge', contactId: null, name: 'Ivo', operatorId: 'ivo' })
  assert.equal(refused('eva'), 'unchanged', 'it is of Ivo')
  assert.equal(sos.does(21, end('ivo')).verdict, 'changed')
  assert.equal(sos.incident.state.status, 'resolved')
  assert.equal(sos.does(22, { ...EVA, head: 'safe' }).verdict, 'unchanged', 'it has ended')
})

test('the head count: everybody stands in one place', () => {
  const answer = {}
  const head = { head: { state: 'safe' } } as const
  const ended = (by: string, outcome?: 'hospital' | 'handed_over' | 'found_safe') =>
    ({ answer, closing: { by, ...(outcome && { outcome }) } }) as const
  const people = [
    { answer: null, closing: null },
    { answer, closing: null },
    { answer, closing: null, major: head },
    ended('operator', 'hospital'),
    ended('operator', 'handed_over'),
    ended('operator', 'found_safe'),
    ended('contact'),
    ended('user'),
    ended('system'),
    { ...ended('user'), major: head },
  ]
  const places = ['pressed', 'answered', 'safe', 'handed_over', 'handed_over', 'safe', 'safe', 'ended', 'ended', 'safe']
  assert.deepEqual(people.map(headStanding), places)
  assert.deepEqual(headCount(people), { pressed: 10, answered: 1, safe: 4, handedOver: 2, ended: 2 })
})
