import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newsForOperators } from '../../../src/core/incident/news.ts'
import { nextStepOf, progressOf } from '../../../src/core/incident/progress.ts'
import { changesStanding } from '../../../src/core/incident/standing-change.ts'
import { failed, momentAt, pressed, type Story, secondsOf, sent } from '../build.ts'

const people = { contacts: ['Ana', 'Ben'], settings: { watchMinutes: 30, rounds: 2 } }
const what = ({ incident }: Story, heardAt?: number) => newsForOperators(incident, heardAt)?.what ?? null
const sees = (sos: Story, seconds: number, heardAt?: number) =>
  sos.does(seconds, { type: 'see', name: 'Eva', ...(heardAt !== undefined && { heardAt }) })
const takes = (sos: Story, seconds: number) =>
  sos.does(seconds, { type: 'acknowledge', contactId: null, name: 'Eva', operatorId: 'eva' })

test('an operator has to look after a press, another press, a message or a lost helper, until one has looked', () => {
  const sos = pressed(people)
  assert.equal(what(sos), 'pressed')
  sees(sos, 5)
  assert.equal(what(sos), null)
  sos.presses(20)
  assert.deepEqual(newsForOperators(sos.incident), { what: 'pressed_again', at: momentAt(20) })
  sees(sos, 30)
  assert.equal(sees(sos, 31).verdict, 'unchanged', 'an operator who looks again writes nothing')
  const before = sos.incident
  assert.equal(what(sos, momentAt(40)), 'message')
  sees(sos, 50, momentAt(40))
  assert.equal(what(sos, momentAt(40)), null)
  assert.ok(changesStanding(before, sos.incident), 'screens are told')
  sos.acknowledges(60, 'Ana')
  assert.equal(what(sos), null, 'an answer needs no look')
  sos.does(120, { type: 'decline', contactId: 'contact-Ana' })
  assert.equal(what(sos), 'helper_lost')
  sos.runTo(130)
  assert.equal(what(sos), 'helper_lost', 'with the alarm that follows')
  sees(sos, 140)
  sos.runTo(1_000)
  assert.ok(sos.incident.cascade.round > 2)
  assert.equal(what(sos), null, 'later rounds are no news')
  sos.resolves(1_001)
  assert.equal(what(sos, momentAt(2_000)), null)
})

test('who takes it has looked: a later press, and a hand that lets go, are news', () => {
  const sos = pressed(people)
  takes(sos, 20)
  assert.equal(what(sos), null)
  sos.presses(25)
  assert.equal(what(sos), 'pressed_again')
  sees(sos, 30)
  sos.does(40, { type: 'leave', operatorId: 'eva', isAlone: false })
  assert.deepEqual(newsForOperators(sos.incident), { what: 'helper_lost', at: momentAt(40) })
  takes(sos, 50)
  assert.equal(what(sos), null)
})

test('who accepts a hand-over has looked at none of what they get; who takes one over has', () => {
  const handsOver = (sos: Story, seconds: number, from: string, to: string, agreed: { agreed?: true }) =>
    sos.does(seconds, { type: 'takeOver', operatorId: to, name: to, from, ...agreed })
  const sos = pressed(people)
  takes(sos, 20)
  handsOver(sos, 22, 'eva', 'ivo', { agreed: true })
  assert.equal(what(sos), null, 'she had looked')
  assert.equal(what(sos, momentAt(21)), 'message')
  sos.presses(25)
  handsOver(sos, 30, 'ivo', 'eva', { agreed: true })
  assert.deepEqual(newsForOperators(sos.incident), { what: 'pressed_again', at: momentAt(25) })
  handsOver(sos, 35, 'eva', 'lea', {})
  assert.equal(what(sos, momentAt(34)), null)
})

test('a press counts whatever the clock says; a look that an earlier version stored goes by its time', () => {
  const sos = pressed(people)
  sees(sos, 30)
  const back = { ...sos.incident, lastAlertAt: momentAt(10) }
  assert.equal(newsForOperators(back)?.what, 'pressed_again')
  const older = { ...sos.incident, seen: { at: momentAt(30), name: 'Eva' } }
  assert.equal(newsForOperators(older), null)
  assert.equal(newsForOperators({ ...older, lastAlertAt: momentAt(31) })?.what, 'pressed_again')
})

test('what happens next, by name, and how far the cascade is', () => {
  const sos = pressed(people)
  const next = () => {
    const { at, ...step } = nextStepOf(sos.incident)!
    return [secondsOf(at), ...Object.values(step)].join(' ')
  }
  const rows: [string, object][] = []
  const look = () => rows.push([next(), progressOf(sos.incident)])
  look()
  sos.runTo(10)
  look()
  sos.runTo(75, (row) => (row.channel === 'voice' ? failed('busy', false) : sent))
  look()
  sos.acknowledges(80, 'Ana')
  look()
  assert.deepEqual(rows, [
    ['10 message sms Ana', { message: 'ahead', call: 'ahead', others: 'ahead' }],
    ['40 message sms Ben', { message: 'done', call: 'ahead', others: 'ahead' }],
    ['100 message voice Ben', { message: 'done', call: 'ahead', others: 'done' }],
    ['1880 check_in', { message: 'done', call: 'failed', others: 'done' }],
  ])
  const alone = pressed({ contacts: [] })
  assert.deepEqual(progressOf(alone.incident), {})
  alone.does(1, { type: 'restore' })
  assert.equal(nextStepOf(alone.incident), null)
})
