import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import mqtt from 'mqtt'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { takeReport } from '../../src/app/field/take-report.ts'
import { createIncidentDoor } from '../../src/app/incident-door.ts'
import { newTrackerToken } from '../../src/app/operator/tracker-tokens.ts'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import { secretHash } from '../../src/core/operator/secret.ts'
import { type Settle, StoreError } from '../../src/ports/store-error.ts'
import type { Ending } from '../harness/ending.ts'
import { type Site, type SiteOptions, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

const basic = (token: string) => `Basic ${Buffer.from(`phone:${token}`).toString('base64')}`

/** A site whose user has a tracker with a token. */
async function siteWithTracker(t: Ending, options: SiteOptions = {}) {
  const site = await startSite(t, { contacts: ['Ana'], settings: { graceSeconds: 0 }, ...options })
  const { store } = site.service
  const { appId, http } = site.user.account
  const now = site.clock.now()
  await store.registerHardware(appId, [{ hardwareId: 'phone', codeHash: 'x', model: null }], now)
  const ids = { uuid: randomUUID, secret: () => `secret ${randomUUID()}` }
  const made = await newTrackerToken(
    { store, ids, devicesPerUser: 5 },
    { appId, hardwareId: 'phone', externalUserId: 'hiker-1' },
    { actor: COMMAND, address: null, now },
  )
  assert.ok('token' in made)
  const { token } = made
  const device = await store.deviceByToken(secretHash(token))
  assert.ok(device !== null)
  return {
    site,
    token,
    device,
    at: `${http}/v1/trackers`,
    /** A request of Traccar Client before version 9. */
    osmand: (fields: Record<string, string> = {}) => {
      const timestamp = String(site.clock.now())
      return fetch(`${http}/v1/trackers/osmand?${new URLSearchParams({ id: token, timestamp, ...fields })}`)
    },
    incidents: () => store.incidents({ openOnly: false }),
  }
}

const PLACE = { lat: '46.9', lon: '11.2' }
const SOS = { ...PLACE, alarm: 'sos' }

const resolve = (site: Site) => site.user.rest('POST', '/v1/sdk/sos/resolve')

suite('trackers with a token of their own', () => {
  test('a flag that stays set is one press, and opens a new incident 15 min after closing', async (t) => {
    const { site, osmand, incidents } = await siteWithTracker(t, { chat: true })
    assert.equal((await osmand(PLACE)).status, 200)
    assert.deepEqual(await incidents(), [])
    assert.equal((await osmand(SOS)).status, 200)
    await site.advance('1 min')
    await site.phone('Ana').receivesSms(/Mia Moser/)
    await osmand({ ...SOS, lat: '47' })
    const [held, ...more] = await incidents()
    assert.deepEqual(
      [more, held?.incident.lastAlertAt, held?.lastPosition?.latitude],
      [[], held?.incident.openedAt, 47],
    )

    await resolve(site)
    for (const minutes of [5, 9]) {
      await site.advance(`${minutes} min`)
      await osmand(SOS)
    }
    assert.equal((await incidents()).length, 1)
    await site.advance('1 min')
    await osmand(SOS)
    assert.equal((await incidents()).length, 2)
    const told = () => site.chat.requests.filter(({ json }) => /flag of phone is still set/.test(JSON.stringify(json)))
    await until('the chat is told', () => told()[0])

    await resolve(site)
    for (const minutes of [10, 10, 9]) {
      await site.advance(`${minutes} min`)
      await osmand(SOS)
    }
    assert.equal((await incidents()).length, 2)
    await osmand(PLACE)
    await site.advance('1 s')
    await osmand(SOS)
    assert.deepEqual([(await incidents()).length, told().length], [3, 1])
  })

  test('a flag that was set before a restart is the same press after it', async (t) => {
    const { site, osmand, device, token, incidents } = await siteWithTracker(t)
    const { store } = site.service
    await osmand(SOS)
    await until('the flag is stored', async () => (await store.hardwareDetail(device.appId, 'phone'))?.state?.flag)
    const { clock } = site
    const silent = { info() {}, warn() {}, error() {} }
    const meter = { count() {}, observe() {} }
    const door = createIncidentDoor({ store, log: silent })
    const restarted = takeReport({ store, door, clock, ids: createIds(), log: silent, meter })
    const origin = { transport: 'tracker', topic: 'trackers/osmand', raw: Buffer.alloc(0) } as const
    await site.advance('1 s')
    const report = { json: { timestamp: isoAt(clock.now()) }, flag: { set: true, press: null }, battery: null }
    const found = await store.deviceByToken(secretHash(token))
    assert.equal(await restarted.take(found!, report, origin), 'stored')
    assert.equal(await restarted.take({ ...found!, state: null }, report, origin), 'stored')
    assert.equal((await incidents()).length, 1)
  })

  test('on a full disk positions are given up, so that no SOS waits behind them; an SOS is sent again', async (t) => {
    const { site, device } = await siteWithTracker(t)
    const { clock, service } = site
    const full = () => new StoreError('the disk is full', 'disk_reserve')
    const store = {
      appendTelemetry: (_sender: unknown, _row: unknown, settle: Settle<never>) => settle(full()),
      isCongested: () => false,
      addDeadLetter: () => Promise.reject(full()),
      keepFieldState: () => Promise.reject(full()),
      incident: () => Promise.resolve(null),
    } as unknown as typeof service.store
    const silent = { info() {}, warn() {}, error() {} }
    const door = { ...createIncidentDoor({ store: service.store, log: silent }), change: () => Promise.reject(full()) }
    const meter = { count() {}, observe() {} }
    const reports = takeReport({ store, door, clock, ids: createIds(), log: silent, meter })
    const origin = { transport: 'tracker', topic: 'trackers/osmand', raw: Buffer.alloc(0) } as const
    const report = (set: boolean) => ({ json: {}, flag: { set, press: null }, battery: null })
    assert.equal(await reports.take(device, report(false), origin), 'lost')
    assert.equal(await reports.unreadable(device, origin, 'x'), 'lost')
    await assert.rejects(reports.take(device, report(true), origin), StoreError)
  })

  test('a report without a time is of now', async (t) => {
    const { site, at, token } = await siteWithTracker(t)
    assert.equal((await fetch(`${at}/osmand?id=${token}&lat=46.9&lon=11.2`)).status, 200)
    const { items } = (await site.user.rest('GET', '/v1/sdk/telemetry/history')).body
    assert.deepEqual([items[0].latitude, items[0].timestamp], [46.9, isoAt(site.clock.now())])
  })

  test('after the flag was clear, or unheard for 15 min, it is a new press', async (t) => {
    const { site, osmand, incidents } = await siteWithTracker(t)
    await osmand(SOS)
    await resolve(site)
    await site.advance('10 s')
    await osmand(PLACE)
    await site.advance('10 s')
    await osmand(SOS)
    assert.equal((await incidents()).length, 2)
    await resolve(site)
    await site.advance('15 min')
    await osmand(SOS)
    assert.equal((await incidents()).length, 3)
  })

  test('every SOS of Traccar Client 9 is a press; sent again it is the same one', async (t) => {
    const { site, at, token, incidents } = await siteWithTracker(t)
    const press = (timestamp: number) =>
      fetch(`${at}/osmand`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          device_id: token,
          location: {
            timestamp: new Date(timestamp).toISOString(),
            coords: { latitude: 1, longitude: 2 },
            extras: { alarm: 'sos' },
          },
        }),
      })
    const first = site.clock.now()
    assert.equal((await press(first)).status, 200)
    await resolve(site)
    assert.equal((await press(first)).status, 200)
    await site.advance('20 min')
    await press(first)
    assert.equal((await incidents()).length, 1)
    await press(site.clock.now())
    assert.equal((await incidents()).length, 2)
  })

  test('OwnTracks reports with HTTP Basic and is answered as it expects', async (t) => {
    const { at, token, site } = await siteWithTracker(t)
    const post = (body: string, authorization: string) =>
      fetch(`${at}/owntracks`, { method: 'POST', headers: { authorization, 'x-limit-u': 'jane' }, body })
    const tst = Math.floor(site.clock.now() / 1000)
    const location = JSON.stringify({ _type: 'location', lat: 1, lon: 2, tst, batt: 50 })
    const answered = await post(location, basic(token))
    assert.deepEqual([answered.status, await answered.json()], [200, []])
    const { items } = (await site.user.rest('GET', '/v1/sdk/telemetry/history')).body
    assert.deepEqual([items[0].deviceId, items[0].latitude, items[0].mobileBattery], ['phone', 1, 50])
    assert.equal((await post('', basic(token))).status, 200)
    assert.equal((await post(location, basic('wrong'))).status, 401)
    assert.equal((await post(location, 'Bearer x')).status, 401)
  })

  test('OwnTracks reports over MQTT with the token as password, until the token is taken back', async (t) => {
    const { site, token, device } = await siteWithTracker(t)
    const connect = (password: string) => {
      const options = { username: 'tracker', password, clientId: 'phone', reconnectPeriod: 0 }
      return mqtt.connectAsync(site.service.listeners.mqtt!, options, false)
    }
    const phone = await connect(token)
    t.after(() => phone.endAsync(true))
    const tst = Math.floor(site.clock.now() / 1000) - 3600
    const report = JSON.stringify({ _type: 'location', lat: 46.9, lon: 11.2, tst, batt: 50 })
    await phone.publishAsync('owntracks/tracker/phone', report, { qos: 1, retain: true })
    const { items } = (await site.user.rest('GET', '/v1/sdk/telemetry/history')).body
    assert.deepEqual(
      [items[0].deviceId, items[0].latitude, items[0].mobileBattery, items[0].timestamp],
      ['phone', 46.9, 50, isoAt(tst * 1000)],
    )
    const { state } = (await site.service.store.hardwareDetail(device.appId, 'phone')) ?? {}
    assert.equal(state?.battery, 50)

    await site.service.store.setDeviceToken(device.deviceId, null, site.clock.now())
    phone.publish('owntracks/tracker/phone', report, { qos: 1 })
    await until('the connection has ended', () => !phone.connected)
    await assert.rejects(connect(token))
    await assert.rejects(connect('x'))
  })

  test('an OwnTracks that only waits is disconnected within a minute once it is unpaired', async (t) => {
    const { site, token, device } = await siteWithTracker(t)
    const options = { username: 'tracker', password: token, reconnectPeriod: 0 }
    const idle = await mqtt.connectAsync(site.service.listeners.mqtt!, options, false)
    t.after(() => idle.endAsync(true))
    await site.service.store.unpair(device.userId, device.deviceId)
    assert.equal(idle.connected, true)
    await site.advance('1 min')
    await until('the connection has ended', () => !idle.connected)
  })

  test('what cannot be read is kept and acknowledged; a look at the address, and HEAD, say nothing', async (t) => {
    const { at, token, osmand, site, incidents } = await siteWithTracker(t)
    assert.equal((await osmand({ lat: 'north', lon: '2' })).status, 200)
    assert.equal((await fetch(`${at}/osmand/${token}`, { method: 'POST', body: '{"broken' })).status, 200)
    const inBody = JSON.stringify({ device_id: token, location: { coords: { latitude: 'north', longitude: 2 } } })
    assert.equal((await fetch(`${at}/osmand`, { method: 'POST', body: inBody })).status, 200)
    const letters = await site.service.store.deadLetters()
    assert.deepEqual(
      letters.map(({ topic, reason }) => [topic, reason]),
      [
        ['trackers/osmand', 'invalid fields: latitude, longitude'],
        ['trackers/osmand', 'cannot be read as a report'],
        ['trackers/osmand', 'invalid fields: latitude, longitude'],
      ],
    )
    assert.ok(letters.every(({ payload }) => !Buffer.from(payload).toString().includes(token)))
    assert.equal((await fetch(`${at}/osmand?id=${token}`)).status, 200)
    assert.equal((await fetch(`${at}/osmand?id=${token}&alarm=sos`, { method: 'HEAD' })).status, 405)
    assert.equal((await fetch(`${at}/osmand?alarm=sos`)).status, 401)
    assert.deepEqual(await incidents(), [])
    const bad = await osmand({ alarm: 'sos', lat: 'north', lon: '2', timestamp: 'never' })
    assert.deepEqual([bad.status, (await incidents()).length], [200, 1])
  })

  test('an SOS is taken with any media type, a slash too many, or its parameters beside a body', async (t) => {
    const { at, token, site, incidents } = await siteWithTracker(t)
    const headers = { 'content-type': 'json' }
    for (const [url, body] of [
      [`${at}/osmand`, `id=${token}&alarm=sos`],
      [`${at}/osmand/`, `id=${token}&alarm=sos`],
      [`${at}/osmand?id=${token}&alarm=sos`, '{}'],
      [`${at}/osmand?id=${token}&alarm=sos`, '{"broken'],
    ] as const) {
      const before = (await incidents()).length
      assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 200, url)
      assert.equal((await incidents()).length, before + 1, url)
      await resolve(site)
      await site.advance('16 min')
    }
  })

  test('a token ends with the pairing, and with its user', async (t) => {
    const { site, osmand, device } = await siteWithTracker(t)
    await site.service.store.setUserDisabled(device.appId, 'hiker-1', true)
    assert.equal((await osmand(SOS)).status, 401)
    await site.service.store.setUserDisabled(device.appId, 'hiker-1', false)
    assert.equal((await osmand(PLACE)).status, 200)
    await site.service.store.unpair(device.userId, device.deviceId)
    assert.equal((await osmand(SOS)).status, 401)
  })
})
