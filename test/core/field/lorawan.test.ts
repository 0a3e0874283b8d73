import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { extensionIn } from '../../../src/core/field/lorawan/extension.ts'
import { mapUplink, mayAlarm } from '../../../src/core/field/lorawan/map-uplink.ts'
import { chirpStackEvent, theThingsStackEvent, type Uplink } from '../../../src/core/field/lorawan/network-event.ts'
import { valueAt } from '../../../src/core/field/lorawan/path.ts'
import { uplinkProfileSchema, uplinkProfilesSchema } from '../../../src/core/field/lorawan/profile.ts'
import { shippedProfiles } from '../../../src/core/field/lorawan/shipped.ts'
import { pressOf } from '../../../src/core/field/uplink-press.ts'
import { devEuiOf } from '../../../src/core/ingest/device-key.ts'
import { readPayload } from '../../../src/core/ingest/payload.ts'
import { abeeway, chirpStackUp, oyster, theThingsStackUp, trackerD, twelve } from '../../fixtures/uplinks.ts'

const AT = '2026-01-01T12:00:00.123456789Z'
const NOW = Date.parse(AT)
const given = { devEui: 'a84041ffff185123', at: AT, counter: 10, port: 2 }

const uplinkIn = (event: ReturnType<typeof chirpStackEvent>): Uplink => {
  assert.ok(event.kind === 'uplink')
  return event.uplink
}
const mapped = (profile: string, more: Partial<typeof given> & { decoded?: unknown; bytes?: Buffer }) =>
  mapUplink(uplinkIn(chirpStackEvent('up', chirpStackUp({ ...given, ...more }))), shippedProfiles[profile]!, AT)
/** What the ingest makes of the mapped fields. */
const payloadOf = (json: Readonly<Record<string, unknown>>) => {
  const { payload, problems } = readPayload(json, NOW, 'telemetry')
  assert.deepEqual(problems, [])
  return payload
}

suite('events of network servers', () => {
  test('an uplink of ChirpStack, heard best by a gateway whose place is known', () => {
    const uplink = uplinkIn(chirpStackEvent('up', chirpStackUp({ ...given, decoded: { x: 1 }, bytes: twelve({}) })))
    assert.deepEqual(uplink, {
      devEui: 'a84041ffff185123',
      at: AT,
      session: '00189440',
      counter: 10,
      port: 2,
      data: twelve({}).toString('base64'),
      decoded: { x: 1 },
      gateway: { id: '0016c001f153a14d', rssi: -118, latitude: 46.9123, longitude: 11.2345 },
      place: { application: '17c82e96-be03-4f38-aef3-f83d48582d97', device: 'a84041ffff185123' },
    })
  })

  test('an uplink of The Things Stack, dated by its network server', () => {
    const sent = theThingsStackUp({ ...given, devEui: 'A84041FFFF185123', counter: 0 })
    const uplink = uplinkIn(theThingsStackEvent(sent))
    assert.deepEqual([uplink.devEui, uplink.at, uplink.counter], ['a84041ffff185123', AT, 0])
    assert.deepEqual(uplink.place, { application: 'trackers', device: 'mia' })
    assert.deepEqual(uplink.gateway, { id: '9C5C8E00001A05C4', rssi: -99, latitude: 46.9, longitude: 11.2 })
  })

  test('an uplink whose event got lost on the way is known by its gateways', () => {
    const body = chirpStackUp(given)
    assert.deepEqual(chirpStackEvent('', body), chirpStackEvent('up', body))
    assert.equal(chirpStackEvent('', { deviceInfo: body.deviceInfo, batteryLevel: 4 }).kind, 'ignored')
  })

  test('join and status are signs of life; other events are ignored; the rest cannot be read', () => {
    const { deviceInfo } = chirpStackUp(given)
    const status = { deviceInfo, time: AT, margin: 10, batteryLevel: 94.49, externalPowerSource: false }
    const heard = { kind: 'heard', devEui: given.devEui }
    assert.deepEqual(chirpStackEvent('status', status), { ...heard, battery: 94 })
    const unavailable = { ...status, batteryLevel: 0, batteryLevelUnavailable: true }
    assert.deepEqual(chirpStackEvent('status', unavailable), { ...heard, battery: null })
    assert.deepEqual(chirpStackEvent('join', { deviceInfo, devAddr: '1' }), { ...heard, battery: null })
    assert.deepEqual(chirpStackEvent('log', { deviceInfo }), { kind: 'ignored' })
    const { end_device_ids } = theThingsStackUp(given)
    assert.deepEqual(theThingsStackEvent({ end_device_ids, join_accept: {} }), { ...heard, battery: null })
    assert.deepEqual(theThingsStackEvent({ end_device_ids, downlink_queued: {} }), { kind: 'ignored' })
    for (const body of [undefined, null, [], 'x', {}, { deviceInfo: { devEui: 'short' } }]) {
      assert.equal(chirpStackEvent('up', body).kind, 'unreadable')
      assert.equal(theThingsStackEvent(body).kind, 'unreadable')
    }
  })

  test('receipts of messages to the tracker, by the ids that both network servers give', () => {
    const { deviceInfo } = chirpStackUp(given)
    const said = (status: string, refs: readonly string[]) => ({ kind: 'downlink', devEui: given.devEui, refs, status })
    const queueItemId = '5d9b8a1e'
    assert.deepEqual(chirpStackEvent('txack', { deviceInfo, queueItemId }), said('sent', [queueItemId]))
    assert.deepEqual(
      chirpStackEvent('ack', { deviceInfo, queueItemId, acknowledged: true }),
      said('delivered', [queueItemId]),
    )
    assert.deepEqual(chirpStackEvent('ack', { deviceInfo, queueItemId }), said('failed', [queueItemId]))
    const { end_device_ids } = theThingsStackUp(given)
    const up = { end_device_ids, correlation_ids: ['as:up:1'] }
    const downlink = { correlation_ids: ['ours'] }
    for (const [field, status] of [
      ['downlink_sent', 'sent'],
      ['downlink_ack', 'delivered'],
      // It is sent again.
      ['downlink_nack', 'sent'],
    ] as const) {
      assert.deepEqual(theThingsStackEvent({ ...up, [field]: downlink }), said(status, ['as:up:1', 'ours']))
    }
    assert.deepEqual(theThingsStackEvent({ ...up, downlink_failed: { downlink } }), said('failed', ['as:up:1', 'ours']))
    for (const correlation_ids of ['x', null, { length: 1e9 }, Array.from({ length: 5000 }, () => 7)]) {
      assert.deepEqual(
        theThingsStackEvent({ end_device_ids, downlink_ack: { correlation_ids } }),
        said('delivered', []),
      )
    }
  })

  test('an application or a device that could leave its place in a topic or an address is no way back', () => {
    const body = chirpStackUp(given)
    for (const applicationId of ['+', 'a/b', '#', '', '..', 7, null, 'x'.repeat(65), 'a\nb']) {
      const event = chirpStackEvent('up', { ...body, deviceInfo: { ...body.deviceInfo, applicationId } })
      assert.equal(uplinkIn(event).place, null, String(applicationId))
    }
    const sent = theThingsStackUp(given)
    const ids = { ...sent.end_device_ids, device_id: '../../other' }
    assert.equal(uplinkIn(theThingsStackEvent({ ...sent, end_device_ids: ids })).place, null)
  })

  test('of thousands of gateways the first 64 are looked at, and nonsense among them is passed over', () => {
    const rxInfo = [null, 7, { rssi: 1 }, { gatewayId: 'a', rssi: 'loud', location: { latitude: 91, longitude: 0 } }]
    const many = Array.from({ length: 5000 }, (_, k) => ({ gatewayId: `g${k}`, rssi: k }))
    const uplink = uplinkIn(chirpStackEvent('up', { ...chirpStackUp(given), rxInfo: [...rxInfo, ...many] }))
    assert.equal(uplink.gateway?.id, 'g59')
  })
})

suite('the profiles of trackers', () => {
  test('of a list of paths, the first that has a value counts', () => {
    const profile = uplinkProfileSchema.parse({
      latitude: ['lat', 'position.lat'],
      longitude: ['lon', 'position.lon'],
      fix: [{ path: ['valid', 'ok'], is: true }],
      sos: { when: [{ path: ['sos', 'SOS'], is: 1 }], press: ['n', 'count'] },
    })
    const read = (decoded: object) =>
      mapUplink(uplinkIn(chirpStackEvent('up', chirpStackUp({ ...given, decoded }))), profile, AT).report!
    const second = read({ lat: null, position: { lat: 47, lon: 11 }, ok: true, SOS: 1, count: 7 })
    assert.deepEqual([second.json.latitude, second.json.longitude, second.flag.set], [47, 11, true])
    assert.match(second.flag.press ?? '', / 7$/)
    const first = read({ lat: 46, lon: 10, position: { lat: 47, lon: 11 }, valid: true, ok: false, sos: 0, SOS: 1 })
    assert.deepEqual([first.json.latitude, first.json.longitude, first.flag.set], [46, 10, false])
    assert.equal(read({}).flag.set, null)
  })

  test('Dragino TrackerD: position, battery and the alarm flag', () => {
    const { report } = mapped('dragino-trackerd', { decoded: trackerD(true) })
    assert.deepEqual([report?.flag, report?.battery], [{ set: true, press: null }, null])
    assert.deepEqual(payloadOf(report!.json), {
      timestamp: AT,
      latitude: 46.912345,
      longitude: 11.234567,
      deviceBattery: { rawValue: 3.912, range: 'ok' },
    })
    const { Longitud, ...others } = trackerD(true)
    const spelled = mapped('dragino-trackerd', { decoded: { ...others, Longitude: Longitud } }).report
    assert.deepEqual(payloadOf(spelled!.json), payloadOf(report!.json))
    const clear = mapped('dragino-trackerd', { decoded: trackerD(false, false) }).report
    assert.deepEqual([clear?.flag.set, 'latitude' in clear!.json], [false, false])
    assert.equal(mapped('dragino-trackerd', { port: 5, decoded: { BatV: 3.9 } }).report?.flag.set, null)
  })

  test('Abeeway: position, accuracy and the SOS flag', () => {
    const { report } = mapped('abeeway', { port: 18, decoded: abeeway(1) })
    assert.equal(report?.flag.set, true)
    const { latitude, longitude, accuracy } = payloadOf(report!.json)
    assert.deepEqual([latitude, longitude, accuracy], [48.9208064, 2.3082752, 7.84])
    assert.equal(mapped('abeeway', { port: 18, decoded: abeeway(0) }).report?.flag.set, false)
  })

  test('Digital Matter Oyster: positions that did not fail, and no SOS', () => {
    const { report } = mapped('digital-matter-oyster', { port: 1, decoded: oyster(false) })
    assert.deepEqual([report?.flag.set, payloadOf(report!.json).latitude], [null, -32])
    assert.equal('latitude' in mapped('digital-matter-oyster', { port: 1, decoded: oyster(true) }).report!.json, false)
  })

  test('twelve bytes: every field, and none that is unknown', () => {
    const { report } = mapped('tocsin-12', { bytes: twelve({ sos: true, press: 9 }) })
    assert.deepEqual([report?.flag, report?.battery], [{ set: true, press: '00189440 9' }, 80])
    assert.deepEqual(payloadOf(report!.json), {
      timestamp: AT,
      latitude: 46.9123456,
      longitude: -11.2345678,
      accuracy: 20,
      altitude: 2100,
      deviceBattery: { rawValue: 80, range: 'ok' },
    })
    const bare = mapped('tocsin-12', { bytes: twelve({ fix: false, battery: 255 }) })
    assert.deepEqual(bare.report?.json, { timestamp: AT })
    assert.deepEqual(bare.report?.flag, { set: false, press: null })
  })

  test('on its SOS port a payload that cannot be read is a press all the same, and says why', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(11), Buffer.from('0c'.padEnd(24, '0'), 'hex')]) {
      const { report, reason } = mapped('tocsin-12', { port: 3, bytes })
      assert.deepEqual([report?.flag.set, report?.uplink?.isPress], [true, true])
      assert.match(reason!, /12 bytes/)
      assert.equal(mapped('tocsin-12', { port: 2, bytes }).report, null)
    }
    assert.match(mapped('abeeway', {}).reason!, /no decoded object/)
  })

  test('an SOS with an old position says so; the age of telemetry is its own time', () => {
    const profile = uplinkProfileSchema.parse({ latitude: 'a', longitude: 'b', time: 't', sos: { ports: [3] } })
    const read = (port: number, t: string) => {
      const decoded = { a: 1, b: 2, t }
      return mapUplink(uplinkIn(chirpStackEvent('up', chirpStackUp({ ...given, port, decoded }))), profile, AT).report
    }
    const old = '2025-12-30T12:00:00.000Z'
    assert.deepEqual(
      [read(3, old)?.json.timestamp, read(3, old)?.remarks],
      [AT, [{ field: 'latitude', message: `is of ${old}, not of the moment of the press` }]],
    )
    assert.deepEqual([read(3, AT)?.remarks, read(3, 'x')?.remarks, read(2, old)?.json.timestamp], [[], [], old])
  })

  test('an event may be an alarm if any profile says so', () => {
    const profiles = Object.values(shippedProfiles)
    const may = (more: Partial<typeof given> & { decoded?: unknown }) =>
      mayAlarm(chirpStackEvent('up', chirpStackUp({ ...given, ...more })), profiles)
    assert.deepEqual(
      [may({ port: 3 }), may({ decoded: abeeway(1) }), may({ decoded: trackerD(true) })],
      [true, true, true],
    )
    assert.deepEqual(
      [may({}), may({ decoded: abeeway(0) }), mayAlarm({ kind: 'ignored' }, profiles)],
      [false, false, false],
    )
  })

  test('paths reach own properties alone, however the payload was made', () => {
    const hostile = JSON.parse('{"__proto__":{"sos":true},"a":{"b":[{"c":1}]},"constructor":1}')
    assert.equal(valueAt({}, '__proto__.sos'), undefined)
    assert.equal(valueAt({}, 'constructor.name'), undefined)
    assert.equal(valueAt([], 'length.x'), undefined)
    assert.equal(valueAt(hostile, 'a.b.0.c'), 1)
    const profile = uplinkProfileSchema.parse({
      latitude: '__proto__.latitude',
      sos: { when: [{ path: 'toString', is: 1 }] },
    })
    const { report } = mapUplink(uplinkIn(chirpStackEvent('up', chirpStackUp({ ...given, decoded: {} }))), profile, AT)
    assert.deepEqual([report?.json, report?.flag.set], [{ timestamp: AT }, null])
    assert.equal(({} as { sos?: unknown }).sos, undefined)
  })

  test('a value of the wrong kind is named by the ingest and never throws', () => {
    const profile = uplinkProfileSchema.parse({ latitude: 'a', longitude: 'b', battery: { path: 'c' }, time: 'd' })
    for (const value of [{}, [], 'x'.repeat(10_000), Number.NaN, null, true, Number.POSITIVE_INFINITY]) {
      const decoded = { a: value, b: value, c: value, d: value }
      const uplink = uplinkIn(chirpStackEvent('up', chirpStackUp({ ...given, decoded })))
      assert.doesNotThrow(() => readPayload(mapUplink(uplink, profile, AT).report!.json, NOW, 'telemetry'))
    }
  })

  test('bad profiles are refused where they are written', () => {
    for (const bad of [
      { 'a b': {} },
      { a: { latitude: 'a..b' } },
      { a: { latitude: 'a.b.c.d.e.f.g' } },
      { a: { sos: { ports: [0] } } },
      { a: { battery: { path: 'b', limits: [3, 2, 1] } } },
      { a: { code: 'x' } },
    ]) {
      assert.equal(uplinkProfilesSchema.safeParse(bad).success, false, JSON.stringify(bad))
    }
  })
})

test('a DevEUI in any spelling', () => {
  for (const spelling of [
    'A84041FFFF185123',
    'a8:40:41:ff:ff:18:51:23',
    'A8-40-41-FF-FF-18-51-23',
    'a84041ff ff185123',
  ]) {
    assert.equal(devEuiOf(spelling), 'a84041ffff185123')
  }
  for (const none of ['a84041ffff18512', 'g84041ffff185123', '', 7, null, 'a'.repeat(1e6)])
    assert.equal(devEuiOf(none), null)
})

suite('presses on an SOS port', () => {
  const first = { session: 's', counter: 0, at: NOW, digest: 'd', isPress: true }
  const press = pressOf(null, first)
  const isSame = (more: Partial<typeof first>) => pressOf(press, { ...first, ...more }).press === press.press

  test('the same uplink within a minute is the same press', () => {
    assert.deepEqual([isSame({}), isSame({ at: NOW + 59_000 }), isSame({ at: NOW - 59_000 })], [true, true, true])
  })

  test('a counter that is low or was there before silences nobody', () => {
    assert.equal(isSame({ at: NOW + 60_000 }), false)
    assert.equal(isSame({ session: 'new' }), false)
    assert.equal(isSame({ digest: 'other' }), false)
    assert.equal(isSame({ counter: 1 }), false)
  })
})

suite('the port that extends a timer', () => {
  const MINUTE = 60_000
  const asked = (
    bytes: Buffer | undefined,
    { at = AT, port = 11, ...more }: { at?: string; port?: number; extendMinutes?: number } = {},
    now = NOW + 5000,
  ) =>
    extensionIn(
      uplinkIn(chirpStackEvent('up', chirpStackUp({ ...given, at, port, ...(bytes && { bytes }) }))),
      uplinkProfileSchema.parse({ extendPort: 11, ...more }),
      now,
    )

  test('the first two bytes are minutes from when the network server received them, late or not', () => {
    const hour = Buffer.from('003c', 'hex')
    assert.deepEqual(asked(hour), { until: NOW + 60 * MINUTE })
    assert.deepEqual(asked(hour, {}, NOW + 120 * MINUTE), { until: NOW + 60 * MINUTE })
    assert.deepEqual(asked(Buffer.from('003cffff', 'hex')), { until: NOW + 60 * MINUTE })
  })

  test('a network server whose clock is ahead, or that gives no time, extends from now', () => {
    for (const at of ['2031-01-01T00:00:00Z', 'soon']) {
      assert.deepEqual(asked(Buffer.from('0001', 'hex'), { at }), { until: NOW + 5000 + MINUTE })
    }
  })

  test('minutes of the profile need no payload; without either it cannot be read', () => {
    assert.deepEqual(asked(undefined, { extendMinutes: 30 }), { until: NOW + 30 * MINUTE })
    assert.deepEqual(asked(Buffer.from('3c', 'hex')), { reason: 'the payload has no two bytes of minutes' })
    assert.equal(asked(Buffer.from('003c', 'hex'), { port: 2 }), null)
    // "10" as text.
    assert.deepEqual(asked(Buffer.from('10')), { reason: 'asks for 12592 min; at most 1440' })
    assert.deepEqual(asked(Buffer.from('05a0', 'hex')), { until: NOW + 1440 * MINUTE })
  })

  test('it is no SOS port, and minutes without it are refused', () => {
    for (const profile of [{ extendPort: 3, sos: { ports: [3] } }, { extendMinutes: 5 }, { extendPort: 0 }]) {
      assert.equal(uplinkProfileSchema.safeParse(profile).success, false, JSON.stringify(profile))
    }
  })
})
