import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { boardItem } from '../../../src/app/operator/board-item.ts'
import { decide } from '../../../src/core/incident/decide.ts'
import { incidentEvent, incidentView } from '../../../src/core/incident/event.ts'
import { alertFrom } from '../../../src/core/ingest/alert.ts'
import { readPayload } from '../../../src/core/ingest/payload.ts'
import { IncidentsInMemory } from '../../harness/incidents-in-memory.ts'
import { alertAt, isoAfter, momentAt, planOf, RELAY, raiseAt } from '../build.ts'

// rules.md#silent-emergency

const ID = '0190aaaa-0000-7000-8000-000000000001'
const route = { kinds: ['received', 'coming'], devEui: 'a840411234567890' }
const raised = (seconds: number, fields: Record<string, unknown> = {}, more = {}) =>
  raiseAt(seconds, alertAt(seconds, fields), { incidentId: ID, ...more })

suite('a silent emergency', () => {
  test('an alert, a further one or a repeat makes an incident silent, and none clears it', () => {
    const held = new IncidentsInMemory([], planOf({ contacts: ['Ana'] }))
    held.run(ID, raised(0))
    assert.equal(held.incident(ID).silent, undefined)
    held.run(ID, raised(5, { silent: false }))
    assert.equal(held.incident(ID).silent, undefined)
    const earlier = { incidentId: ID, receivedAt: momentAt(0), fingerprint: null }
    const situation = { incident: held.incident(ID), plan: planOf({ contacts: ['Ana'] }), earlier }
    const repeat = decide(situation, raised(0, { silent: true }))
    assert.deepEqual([repeat.verdict, repeat.incident?.silent], ['repeated', true])
    assert.equal(decide(situation, raised(0)).incident, situation.incident, 'any other repeat changes nothing')
    held.run(ID, raised(9, { silent: true }))
    held.run(ID, raised(20, { silent: false }))
    assert.equal(held.incident(ID).silent, true)
    const other = new IncidentsInMemory([], planOf({ contacts: ['Ana'] }))
    other.run(ID, raised(0, { silent: true }))
    assert.equal(other.incident(ID).silent, true)
  })

  test('another user makes only an incident silent that nobody else has raised, until an own press', () => {
    const through = { reporterId: RELAY }
    const silently = { silent: true, deviceId: 'TRK-1' }
    const own = new IncidentsInMemory([], planOf({ contacts: ['Ana'] }))
    own.run(ID, raised(0))
    own.run(ID, raised(5, silently, through))
    assert.equal(own.incident(ID).silent, undefined)
    const earlier = { incidentId: ID, receivedAt: momentAt(0), fingerprint: null }
    const repeat = decide(
      { incident: own.incident(ID), plan: planOf({ contacts: ['Ana'] }), earlier },
      raised(0, silently, through),
    )
    assert.equal(repeat.incident?.silent, undefined)

    const others = new IncidentsInMemory([], planOf({ contacts: ['Ana'] }))
    others.run(ID, raised(0, silently, through))
    assert.equal(others.incident(ID).silent, true)
    others.run(ID, raised(5))
    assert.equal(others.incident(ID).silent, undefined)
  })

  test('a contact who says that they call helps, and nobody reads that somebody calls', () => {
    const held = new IncidentsInMemory([], planOf({ contacts: ['Ana'] }))
    held.run(ID, raised(0, { silent: true }))
    const contactId = held.incident(ID).contacts[0]!.contactId
    held.run(ID, { type: 'acknowledge', now: momentAt(5), contactId, promise: { kind: 'calling' } })
    const [ana] = held.incident(ID).contacts
    assert.deepEqual([held.incident(ID).state.status, ana?.response], ['acknowledged', undefined])
  })

  test('events, REST and the board say so; without it, none has the field', () => {
    for (const silent of [true, false]) {
      const held = new IncidentsInMemory([], planOf({ contacts: ['Ana'] }))
      held.run(ID, raised(0, { silent }))
      const incident = held.incident(ID)
      const person = { name: 'Mia', phone: null }
      const record = { incident, lastPosition: null, person, applicationName: 'Hut', presses: 1, isCalledBack: false }
      const shown = [incidentEvent('processed', incident).message, incidentView(incident, null), boardItem(record)]
      for (const one of shown) assert.equal('silent' in one ? one.silent : false, silent)
    }
  })

  test('an application may make every new one silent', () => {
    const held = new IncidentsInMemory([], { ...planOf({ contacts: ['Ana'] }), silentByDefault: true })
    held.run(ID, raised(0, { silent: false }))
    assert.equal(held.incident(ID).silent, true)
  })

  test('the tracker is told nothing, and what it would have been told is withdrawn', () => {
    const statuses = (held: IncidentsInMemory) =>
      held.incident(ID).downlinks?.rows.map(({ kind, status }) => [kind, status])
    const held = new IncidentsInMemory([], planOf({ contacts: ['Ana'] }))
    held.run(ID, raised(0, {}, { downlink: route }))
    assert.deepEqual(statuses(held), [['received', 'scheduled']])
    held.run(ID, raised(2, { silent: true }))
    assert.deepEqual(statuses(held), [['received', 'skipped']])
    const [contact] = held.incident(ID).contacts
    held.run(ID, { type: 'acknowledge', now: momentAt(20), contactId: contact!.contactId })
    assert.deepEqual(statuses(held), [['received', 'skipped']])
  })

  test('what is no boolean is dropped with a warning and refuses nothing', () => {
    for (const silent of ['true', 1, 0, [], {}, 'yes']) {
      const reading = readPayload({ timestamp: isoAfter(0), silent }, momentAt(0), 'alert')
      assert.deepEqual([reading.isSilent, reading.problems], [undefined, []])
      assert.deepEqual(reading.remarks, [{ field: 'silent', message: 'must be true or false; it is ignored' }])
    }
    assert.deepEqual(readPayload({ timestamp: isoAfter(0), silent: null }, momentAt(0), 'alert').remarks, [])
  })

  test('in telemetry it is ignored', () => {
    const reading = readPayload({ timestamp: isoAfter(0), silent: 'x' }, momentAt(0), 'telemetry')
    assert.deepEqual([reading.isSilent, reading.problems, reading.remarks], [undefined, [], []])
  })

  test('it is no part of the identity of an alert, nor of its payload', () => {
    const of = (silent: object) => alertFrom({ timestamp: isoAfter(0), ...silent }, momentAt(0))
    const [plain, silent, wrong] = [of({}), of({ silent: true }), of({ silent: 'x' })]
    assert.deepEqual([silent.fingerprint, wrong.fingerprint], [plain.fingerprint, plain.fingerprint])
    assert.equal('silent' in silent.payload, false)
  })
})
