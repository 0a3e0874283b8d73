import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { reportPage } from '../../../src/adapters/inbound/http/operator/report/page.ts'
import { boardItem } from '../../../src/app/operator/board-item.ts'
import { incidentCase } from '../../../src/app/operator/incident-case.ts'
import { timelineEntries } from '../../../src/app/operator/incident-timeline.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { alertAt, isoAfter, momentAt, planOf, raiseAt } from '../../core/build.ts'
import { IncidentsInMemory } from '../../harness/incidents-in-memory.ts'

// rules.md#event-time: a press is dated by its press, and says by how much it arrived late.

const ID = '0190aaaa-0000-7000-8000-000000000001'
const LATER = 9_000

function arrivedAfter(seconds: number): Incident {
  const held = new IncidentsInMemory([], planOf({ contacts: ['Ana'] }))
  const alert = { ...alertAt(0), receivedAt: momentAt(seconds) }
  held.run(ID, { ...raiseAt(seconds, alert), incidentId: ID })
  return held.incident(ID)
}

const told = { attempts: [], pressTimes: [], actions: [], notes: [], calledBack: [] }

suite('a press that arrives late', () => {
  test('stands in the timeline at the time of the press, with its arrival', () => {
    const again = [
      { pressedAt: momentAt(0), receivedAt: momentAt(LATER) },
      { pressedAt: momentAt(60), receivedAt: momentAt(LATER + 10) },
      { pressedAt: momentAt(LATER + 50), receivedAt: momentAt(LATER + 20) },
    ]
    assert.deepEqual(timelineEntries({ ...told, incident: arrivedAfter(LATER), pressTimes: again }), [
      { at: isoAfter(0), kind: 'pressed', occurredAt: isoAfter(0), relayed: false, late: true },
      { at: isoAfter(60), kind: 'pressed_again', late: true },
      { at: isoAfter(LATER), kind: 'arrived', pressedAt: isoAfter(0) },
      { at: isoAfter(LATER + 10), kind: 'arrived', pressedAt: isoAfter(60) },
      // A clock that is ahead: nobody pressed after the arrival.
      { at: isoAfter(LATER + 20), kind: 'pressed_again' },
    ])
  })

  test('one in time is one entry', () => {
    assert.deepEqual(timelineEntries({ ...told, incident: arrivedAfter(120) }), [
      { at: isoAfter(0), kind: 'pressed', occurredAt: isoAfter(0), relayed: false },
    ])
  })

  test('is dated so on boards and lists', () => {
    const person = { name: 'Mia', phone: null }
    const itemOf = (seconds: number) => {
      const incident = arrivedAfter(seconds)
      const record = { incident, lastPosition: null, person, applicationName: 'Hut', presses: 1, isCalledBack: false }
      const { pressedAt, lateSeconds } = boardItem(record)
      return [pressedAt, lateSeconds]
    }
    assert.deepEqual(itemOf(120), [isoAfter(0), null])
    assert.deepEqual(itemOf(LATER), [isoAfter(0), LATER])
    // A clock that is ahead.
    assert.deepEqual(itemOf(-60), [isoAfter(-60), null])
  })

  test('is dated so in the printed report, in each language', () => {
    const incident = arrivedAfter(LATER)
    const person = { name: 'Mia', phone: null }
    const record = { incident, lastPosition: null, person, applicationName: 'Hut', presses: 1, isCalledBack: false }
    const found = incidentCase({ record, user: null, trail: [], ...told }, { operatorId: null, now: momentAt(9_100) })
    const page = (language: string) =>
      reportPage({ case: found, timeZone: 'UTC', language, now: momentAt(9_100) }, { wanted: [], by: 'Eva' })
    assert.match(page('en'), /<dt>SOS pressed<\/dt><dd>1 Jan 2026, 12:00:00/)
    assert.match(page('en'), /<dt>Alert received<\/dt><dd>1 Jan 2026, 14:30:00 UTC, 2 h 30 min after the press</)
    assert.match(page('en'), /12:00:00 UTC<\/td><td class="text">SOS pressed</)
    assert.match(page('en'), /14:30:00 UTC<\/td><td class="text">Alert received, 2 h 30 min after the press</)
    for (const language of ['de', 'fr', 'it', 'es']) assert.equal(page(language).match(/2 h 30 min/g)?.length, 2)
  })
})
