import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readOsmandJson, readOsmandQuery } from '../../../src/core/field/osmand.ts'
import { readOwnTracks } from '../../../src/core/field/owntracks.ts'
import { isOwnTracksCommands, ownTracksPublish } from '../../../src/core/field/owntracks-topic.ts'
import { setUpLinks } from '../../../src/core/field/set-up.ts'
import { readPayload } from '../../../src/core/ingest/payload.ts'

const NOON = '2026-01-01T12:00:00.000Z'
const NOON_S = Date.parse(NOON) / 1000
const problemsOf = (json: Readonly<Record<string, unknown>>) =>
  readPayload(json, Date.parse(NOON), 'telemetry').problems.map(({ field }) => field)

suite('the OsmAnd protocol', () => {
  test('reads the parameters of Traccar Client before version 9', () => {
    const read = readOsmandQuery({
      id: 'x',
      lat: '48.8566',
      lon: '2.3522',
      timestamp: String(NOON_S),
      speed: '0.0',
      bearing: '270',
      altitude: '35',
      accuracy: '10',
      batt: '75.4',
    })
    assert.deepEqual(read, {
      json: {
        timestamp: NOON,
        latitude: 48.8566,
        longitude: 2.3522,
        altitude: 35,
        accuracy: 10,
        mobileBattery: 75,
      },
      flag: { set: false, press: null },
      battery: 75,
    })
    assert.deepEqual(problemsOf(read!.json), [])
  })

  for (const [name, timestamp] of [
    ['milliseconds', String(NOON_S * 1000)],
    ['seconds', String(NOON_S)],
    ['ISO 8601', '2026-01-01T12:00:00Z'],
    ['plain UTC', '2026-01-01 12:00:00'],
  ] as const) {
    test(`reads a time in ${name}`, () => {
      const { json } = readOsmandQuery({ lat: '1', lon: '2', timestamp })!
      assert.equal(readPayload(json, NOON_S * 1000, 'telemetry').at.ms, Date.parse(NOON))
    })
  }

  test('a flag is set by alarm=sos in either case, and by nothing else', () => {
    const isSet = (alarm: unknown) => readOsmandQuery({ lat: '1', lon: '2', alarm })?.flag.set
    assert.deepEqual(['sos', 'SOS', ['', 'sos'], 'lowBattery, sos', 'lowBattery', 'sosa', '', undefined].map(isSet), [
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  })

  test('an alarm with nothing else, and with bad fields, is still one, and the fields are named', () => {
    assert.equal(readOsmandQuery({ alarm: 'sos' })?.flag.set, true)
    const read = readOsmandQuery({ alarm: 'sos', lat: 'north', lon: '2', timestamp: 'now', accuracy: '1e999' })!
    assert.equal(read.flag.set, true)
    assert.deepEqual(problemsOf(read.json).sort(), ['latitude', 'longitude', 'timestamp'])
  })

  test('0° N 0° E is what trackers send without a fix, and no position', () => {
    const coords = { latitude: 0, longitude: 0 }
    for (const report of [
      readOsmandQuery({ lat: '0.0', lon: '0', alarm: 'sos' }),
      readOsmandJson({ location: { coords } }),
      readOwnTracks({ _type: 'location', lat: 0, lon: 0, tst: NOON_S }),
    ]) {
      assert.ok(report !== null && report !== 'ignored')
      assert.equal('latitude' in report.json, false)
    }
    assert.equal(readOsmandQuery({ lat: '0', lon: '11' })?.json.latitude, 0)
  })

  test('an invalid position is none; location= is one; the address alone says nothing', () => {
    assert.equal('latitude' in readOsmandQuery({ lat: '1', lon: '2', valid: 'false' })!.json, false)
    assert.equal(readOsmandQuery({ location: '1.5,2.5' })?.json.longitude, 2.5)
    assert.equal(readOsmandQuery({ id: 'token' }), null)
  })

  test('reads the JSON of Traccar Client from version 9 on, each SOS with its moment', () => {
    const location = {
      timestamp: NOON,
      coords: { latitude: 1, longitude: 2, accuracy: -1, speed: 0, heading: 0, altitude: 3 },
      is_moving: false,
      battery: { level: 0.42, is_charging: false },
      extras: {},
    }
    const read = readOsmandJson({ location, device_id: 'token' })
    assert.deepEqual(read, {
      json: { timestamp: NOON, latitude: 1, longitude: 2, altitude: 3, mobileBattery: 42 },
      flag: { set: false, press: null },
      battery: 42,
    })
    const pressed = readOsmandJson({ location: { ...location, extras: { alarm: 'sos' } } })
    assert.deepEqual(pressed?.flag, { set: true, press: NOON })
    assert.equal(readOsmandJson({ alarm: 'sos', location: 'x' })?.flag.set, true)
    assert.deepEqual([readOsmandJson({}), readOsmandJson([]), readOsmandJson({ location: 'x' })], [null, null, null])
  })
})

suite('OwnTracks', () => {
  test('reads a position', () => {
    const read = readOwnTracks({
      _type: 'location',
      lat: 48.858,
      lon: 2.295,
      tst: NOON_S,
      acc: 12,
      alt: 167,
      batt: 56,
      tid: 'JJ',
    })
    assert.deepEqual(read, {
      json: {
        timestamp: NOON,
        latitude: 48.858,
        longitude: 2.295,
        altitude: 167,
        accuracy: 12,
        mobileBattery: 56,
      },
      flag: { set: null, press: null },
      battery: 56,
    })
  })

  test('ignores what is no position, and cannot read what is encrypted', () => {
    assert.equal(readOwnTracks({ _type: 'waypoints', waypoints: [] }), 'ignored')
    assert.deepEqual([readOwnTracks({ _type: 'encrypted', data: 'x' }), readOwnTracks([])], [null, null])
  })
})

test('the set-up links carry the address and the token', () => {
  const { traccar, ownTracks } = setUpLinks('https://sos.example', 'to/ken', 'phone 1', null)
  assert.equal(traccar, 'https://sos.example/v1/trackers/osmand?id=to%2Fken')
  const inline = new URL(ownTracks).searchParams.get('inline')!
  const { url, password, mode } = JSON.parse(Buffer.from(inline, 'base64').toString('utf8'))
  assert.deepEqual([url, password, mode], ['https://sos.example/v1/trackers/owntracks', 'to/ken', 3])
})

test('the link for MQTT has TLS, the token as password, and topics that the service admits', () => {
  const mqtt = { host: 'sos.example', port: 8883 }
  const { ownTracksMqtt } = setUpLinks('https://sos.example', 'token', 'Mia/+ #1 é', mqtt)
  const inline = new URL(ownTracksMqtt!).searchParams.get('inline')!
  const set = JSON.parse(Buffer.from(inline, 'base64').toString('utf8'))
  assert.deepEqual(
    [set.mode, set.host, set.port, set.tls, set.auth, set.username, set.password, set.pubRetain],
    [0, 'sos.example', 8883, true, true, 'tracker', 'token', false],
  )
  assert.equal(set.pubTopicBase, 'owntracks/tracker/Mia----1--')
  assert.deepEqual([ownTracksPublish(set.pubTopicBase), isOwnTracksCommands(set.subTopic)], ['report', true])
})

suite('the topics of OwnTracks', () => {
  for (const [topic, kind] of [
    ['owntracks/tracker/phone', 'report'],
    ['owntracks/any:name/a b', 'report'],
    ['owntracks/tracker/phone/event', 'ignored'],
    ['owntracks/tracker/phone/cmd', 'ignored'],
    ['owntracks/tracker/phone/', null],
    ['owntracks/tracker/phone/sos', null],
    ['owntracks/tracker/phone/event/more', null],
    ['owntracks/tracker/phone/event/', null],
    ['owntracks/tracker', null],
    ['owntracks//phone', null],
    ['owntracks/+/phone', null],
    ['owntracks/tracker/#', null],
    ['$share/owntracks/tracker/phone', null],
    ['sos/alerts/u1', null],
    ['', null],
  ] as const) {
    test(`${topic || 'nothing'}: ${kind}`, () => assert.equal(ownTracksPublish(topic), kind))
  }
})
