import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  incidentCsvLine,
  incidentsCsvHead,
} from '../../../src/adapters/inbound/http/operator/incidents/export-texts.ts'
import { reportPage } from '../../../src/adapters/inbound/http/operator/report/page.ts'
import { boardItem } from '../../../src/app/operator/board-item.ts'
import { incidentCase } from '../../../src/app/operator/incident-case.ts'
import { timelineEntries } from '../../../src/app/operator/incident-timeline.ts'
import { incidentText, stateText } from '../../../src/cli/incident-words.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { alertAt, momentAt, planOf, raiseAt } from '../../core/build.ts'
import { IncidentsInMemory } from '../../harness/incidents-in-memory.ts'

// rules.md#timers: a dispatcher must never take a timer that ran out for a press.

const ID = '0190aaaa-0000-7000-8000-000000000001'
const overdue = { dueAt: momentAt(0), note: 'Hochkar', place: null }
const iso = (seconds: number): string => new Date(momentAt(seconds)).toISOString()

const ofTimer = (seconds: number) => raiseAt(seconds, alertAt(seconds), { incidentId: ID, overdue })

function opened(...more: readonly ReturnType<typeof raiseAt>[]): Incident {
  const held = new IncidentsInMemory([], planOf({ contacts: ['Ana'] }))
  for (const command of [ofTimer(300), ...more]) held.run(ID, command)
  return held.incident(ID)
}

const itemOf = (incident: Incident) =>
  boardItem({
    incident,
    lastPosition: null,
    person: { name: 'Mia', phone: null },
    applicationName: 'Hut',
    presses: 1,
    isCalledBack: false,
  })

const timelineOf = (incident: Incident, times: readonly number[]) => {
  const pressTimes = times.map((at) => ({ pressedAt: at, receivedAt: at }))
  return timelineEntries({ incident, attempts: [], pressTimes, actions: [], notes: [], calledBack: [] })
}

suite('an overdue timer is an overdue timer everywhere', () => {
  test('on the board and in the table', () => {
    const item = itemOf(opened())
    assert.deepEqual([item.reason, item.overdue], ['overdue', { dueAt: iso(0), note: 'Hochkar' }])
    const columns = incidentsCsvHead.trim().split(',')
    const cells = incidentCsvLine(item).trim().split(',')
    const said = ['reason', 'dueAt', 'note'].map((name) => cells[columns.indexOf(name)])
    assert.deepEqual(said, ['overdue', iso(0), 'Hochkar'])
    const pressed = new IncidentsInMemory([], planOf({ contacts: ['Ana'] }))
    pressed.run(ID, raiseAt(0, alertAt(0), { incidentId: ID }))
    assert.equal('reason' in itemOf(pressed.incident(ID)), false)
  })

  test('in the timeline, a later one and a press each as what they were', () => {
    const incident = opened(raiseAt(320, alertAt(320), { incidentId: ID }), ofTimer(340))
    const entries = timelineOf(incident, [momentAt(300), momentAt(320), momentAt(340)])
    assert.deepEqual(entries, [
      { at: iso(300), kind: 'overdue', dueAt: iso(0), note: 'Hochkar' },
      { at: iso(320), kind: 'pressed_again' },
      { at: iso(340), kind: 'overdue', dueAt: iso(0), note: 'Hochkar' },
    ])
  })

  test('in the printed report', () => {
    const incident = opened()
    const record = {
      incident,
      lastPosition: null,
      person: { name: 'Mia', phone: null },
      applicationName: 'Hut',
      presses: 1,
      isCalledBack: false,
    }
    const told = { attempts: [], pressTimes: [], actions: [], notes: [], calledBack: [] }
    const found = incidentCase({ record, user: null, trail: [], ...told }, { operatorId: null, now: momentAt(400) })
    const report = { case: found, timeZone: 'UTC', language: 'en', now: momentAt(400) }
    const page = reportPage(report, { wanted: [], by: 'Eva' })
    assert.match(page, /<dt>Was due to report back by<\/dt>/)
    assert.match(page, /<dt>Note<\/dt><dd>Hochkar<\/dd>/)
    assert.match(page, /Timer ran out \(Was due to report back by [^)]*\): Hochkar/)
    assert.doesNotMatch(page, /SOS pressed/)
  })

  test('a press in the millisecond of a timer is not lost', () => {
    const incident = opened(ofTimer(340))
    const kinds = timelineOf(incident, [momentAt(340), momentAt(340)]).map(({ kind }) => kind)
    assert.deepEqual(kinds.toSorted(), ['overdue', 'overdue', 'pressed_again'])
  })

  test('timers without end do not make the incident grow', () => {
    const incident = opened(...Array.from({ length: 50 }, (_, n) => ofTimer(310 + n)))
    assert.equal(incident.laterTimers?.length, 20)
    assert.equal(incident.laterTimers.at(-1)?.at, momentAt(359))
  })

  test('on the command line', () => {
    const incident = opened(ofTimer(340))
    assert.match(stateText(incident, momentAt(400)), /^timer ran out; active for /)
    const person = { externalUserId: 'hiker-1', name: 'Mia', phone: null, application: 'Hut' }
    const text = incidentText(incident, { person, places: [], trail: [], attempts: [], now: momentAt(400) })
    assert.equal(text.match(/a timer ran out: no report back by .*; note: Hochkar/g)?.length, 3)
    assert.doesNotMatch(text, /pressed|from the device/)
  })
})
