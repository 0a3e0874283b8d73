import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { boardItem } from '../../../src/app/operator/board-item.ts'
import { fallbackEntry } from '../../../src/core/incident/alarm-plan.ts'
import type { Few } from '../../../src/core/incident/incident.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import { everyActuator, planOf, pressed, secondsOf } from '../build.ts'

// devices.md#flags, devices.md#lorawan: alarms that most likely nobody has pressed.

const fallback = fallbackEntry('app', { name: 'Eva', phone: '+41790000009' }, { language: 'en', ahead: 2 })
const settings = { graceSeconds: 0, voice: false, rounds: 2, persistHours: 1 }

/** A press that was resolved, and then an alarm that tells few. `told`: who has been told by then. */
function tellingFew(few: Few, hasFallback: boolean) {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings, actuators: everyActuator })
  sos.resolves(1)
  sos.runTo(2)
  if (hasFallback) {
    const plan = planOf({ contacts: ['Ana', 'Ben'], settings, actuators: everyActuator })
    sos.goesBy({ ...plan, contacts: [...plan.contacts, fallback] })
  }
  sos.told.length = 0
  sos.news.length = 0
  const { verdict } = sos.presses(100, { few })
  assert.equal(verdict, 'opened')
  sos.runTo(3000)
  return sos
}

suite('an alarm that most likely nobody has pressed', () => {
  const cases: readonly [Few, hasFallback: boolean, told: readonly string[]][] = [
    ['board', false, []],
    ['board', true, []],
    ['fallback', false, ['chat', 'webhook']],
    ['fallback', true, ['Eva', 'chat', 'webhook']],
    ['first', false, ['Ana', 'chat', 'webhook']],
    ['first', true, ['Eva', 'chat', 'webhook']],
  ]
  for (const [few, hasFallback, told] of cases) {
    test(`${few}, ${hasFallback ? 'with' : 'without'} a fallback contact: ${told.join(', ') || 'nobody'}, in every round`, () => {
      const sos = tellingFew(few, hasFallback)
      const names = new Set(sos.told.map((row) => row.split(' ').at(-1)))
      assert.deepEqual([...names].sort(), [...told].sort())
    })
  }

  for (const few of ['board', 'fallback', 'first'] as const) {
    test(`${few}: a press that is one alarms everyone, at once; until then the board says that few are told`, () => {
      const sos = tellingFew(few, true)
      const person = { name: null, phone: null }
      const shown = { presses: 1, isCalledBack: false, applicationName: 'Hut', lastPosition: null, person }
      const said = () => boardItem({ ...shown, incident: sos.incident }).fewTold
      assert.equal(said(), few)
      sos.told.length = 0
      sos.presses(3001)
      sos.runTo(3200)
      const names = new Set(sos.told.map((row) => row.split(' ').at(-1)))
      assert.ok(
        ['Ana', 'Ben', 'Eva'].every((name) => names.has(name)),
        `${[...names]}`,
      )
      assert.match(sos.told.join(), /3001 sms Ana/)
      assert.equal(said(), undefined)
    })
  }

  test('an open incident goes on as it is', () => {
    const sos = pressed({ contacts: ['Ana'], settings })
    sos.runTo(5)
    const before = sos.incident
    assert.equal(sos.presses(10, { few: 'board' }).verdict, 'repeated')
    assert.equal(sos.incident, before)
  })

  test('the board alone: nothing is due but its end', () => {
    const { incident } = tellingFew('board', false)
    assert.equal(secondsOf(nextActionAt(incident) ?? 0), 100 + 23 * 3600)
  })
})
