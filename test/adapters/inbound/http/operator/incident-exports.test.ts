import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  incidentCsvLine,
  incidentsCsvHead,
  majorCsv,
  trailCsv,
  trailGpx,
} from '../../../../../src/adapters/inbound/http/operator/incidents/export-texts.ts'
import { boardItem } from '../../../../../src/app/operator/board-item.ts'
import { readCsv } from '../../../../../src/lib/csv.ts'
import { pressed } from '../../../../core/build.ts'

const called = (name: string) =>
  boardItem({
    incident: pressed({ contacts: ['Ana'] }).incident,
    lastPosition: { latitude: -47.1, longitude: 11, altitude: null, at: '2026-01-01T12:00:00Z' },
    person: { name, phone: '+43660' },
    applicationName: '@Hut',
    presses: 2,
    isCalledBack: false,
  })

suite('what leaves the console', () => {
  test('a name full of markup and control characters does not break the GPX', () => {
    const trail = [
      { latitude: 47.1, longitude: -11.5, altitude: null, at: '2026-01-01T13:00:00.123456789+01:00' },
      { latitude: -0.5, longitude: 11, altitude: 2_100.5, at: '2026-01-01T12:00:05Z' },
    ]
    const gpx = trailGpx(called('</name><script>alert("1")</script>&\u0000\u0008'), trail)
    assert.ok(!gpx.includes('<script') && !gpx.includes('\u0000') && !gpx.includes('\u0008'))
    assert.match(gpx, /&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt;&amp; /)
    assert.match(gpx, /<trkpt lat="47\.1" lon="-11\.5"><time>2026-01-01T12:00:00\.123Z<\/time><\/trkpt>/)
    assert.match(gpx, /<trkpt lat="-0\.5" lon="11"><ele>2100\.5<\/ele><time>/)
  })

  test('the GPX of an exercise or a simulation says that it is none', () => {
    const item = called('Mia')
    assert.match(trailGpx(item, []), /<name>SOS Mia /)
    const exercise = trailGpx({ ...item, drill: true }, [])
    assert.deepEqual(exercise.match(/<name>\w+ Mia/g), ['<name>EXERCISE Mia', '<name>EXERCISE Mia'])
  })

  test('the trail as CSV has the times as they were sent', () => {
    const at = '2026-01-01T13:00:00.123456789+01:00'
    assert.equal(
      trailCsv([{ latitude: -47.1, longitude: 11, altitude: null, at, source: 'other' }]),
      `\uFEFFat,latitude,longitude,altitude,source\r\n${at},-47.1,11,,other\r\n`,
    )
  })

  test('a table of incidents is a table, whatever people are called', () => {
    const name = '=HYPERLINK("http://evil.example","click")\r\n"x'
    const text = incidentsCsvHead + incidentCsvLine(called(name))
    const [head, row, ...others] = readCsv(text).map((record) => ('fields' in record ? record.fields : []))
    assert.deepEqual(others, [])
    assert.equal(head?.length, row?.length)
    const field = (column: string) => row?.[head?.indexOf(column) ?? -1]
    assert.equal(field('person'), `'${name}`)
    assert.equal(field('application'), "'@Hut")
    assert.equal(field('phone'), "'+43660")
    assert.equal(field('latitude'), '-47.1')
    assert.equal(field('closedAt'), '')
    assert.equal(field('outcome'), '')
  })

  test('a head count as a table says of each who answered, who looks after them and where they were', () => {
    const item = called('=1+1')
    const at = item.openedAt
    const major = {
      id: 'first',
      startedAt: at,
      assignedTo: '@Team, 2',
      head: { state: 'safe', at, name: 'Eva' },
    } as const
    const takenBy = { operatorId: null, name: '+Ivo', at }
    const rows = readCsv(
      majorCsv([
        { item: { ...item, major, takenBy } as never, notes: 2 },
        { item, notes: 0 },
      ]),
    )
    const [head, counted, alone] = rows.map((record) => ('fields' in record ? record.fields : []))
    const of = (row: readonly string[] | undefined, ...columns: readonly string[]) =>
      columns.map((column) => row?.[head?.indexOf(column) ?? -1])
    assert.deepEqual(of(counted, 'person', 'head', 'countedByName'), ["'=1+1", 'safe', 'Eva'])
    assert.deepEqual(of(counted, 'assignedTo', 'takenByName', 'notes'), ["'@Team, 2", "'+Ivo", '2'])
    assert.deepEqual(of(alone, 'head', 'assignedTo', 'takenByName', 'notes'), ['pressed', '', '', '0'])
    assert.deepEqual(of(alone, 'latitude', 'positionAt', 'presses'), ['-47.1', '2026-01-01T12:00:00Z', '2'])
  })

  test('the table says how an alarm turned out', () => {
    const item = called('Mia')
    const closing = { kind: 'resolved', by: 'operator', name: 'Eva', at: item.openedAt, confirmed: true } as const
    const line = incidentCsvLine({ ...item, closing: { ...closing, outcome: 'false_alarm', note: '=1+1' } })
    assert.match(line, /,false_alarm,'=1\+1\r\n$/)
  })
})
