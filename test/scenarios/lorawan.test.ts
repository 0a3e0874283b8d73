import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { abeeway, chirpStackUp, theThingsStackUp, trackerD, twelve, type UplinkGiven } from '../fixtures/uplinks.ts'
import type { Ending } from '../harness/ending.ts'
import { listen } from '../harness/listener.ts'
import { APPLICATION as CHIRPSTACK_APPLICATION, mosquitto } from '../harness/mosquitto.ts'
import { type SiteOptions, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

const APPLICATION = '0190aaaa-0000-7000-8000-000000000001'
const TOKEN = 'a token of the network server'
const EUI = 'a84041ffff185123'

const servers = {
  hut: { type: 'chirpstack', application: APPLICATION, token: TOKEN, profile: 'tocsin-12' },
  valley: { type: 'tts', application: APPLICATION, token: `${TOKEN} 2` },
  elsewhere: { type: 'tts', application: randomUUID(), token: `${TOKEN} 3` },
}

/** A site with two network servers, and a tracker of that model paired with its user. */
async function siteWithLora(t: Ending, model: string, options: SiteOptions = {}) {
  const site = await startSite(t, {
    contacts: ['Ana'],
    settings: { graceSeconds: 0 },
    config: { lorawan: { servers } },
    ...options,
  })
  const { store } = site.service
  const { appId, http } = site.user.account
  const now = site.clock.now()
  const hardwareId = 'A8:40:41:FF:FF:18:51:23'
  await store.registerHardware(appId, [{ hardwareId, codeHash: 'x', model }], now)
  const pairing = { id: randomUUID(), appId, userId: site.user.userId, hardwareId, firmwareVersion: null }
  await store.pair({ ...pairing, hardwareModel: null, now, limit: 5 })
  let counter = 0
  const given = (more: Partial<UplinkGiven>): UplinkGiven => {
    counter += 1
    return { devEui: EUI, at: new Date(site.clock.now()).toISOString(), counter, port: 2, ...more }
  }
  const post = (server: string, body: unknown, token: string, query = '', more: Record<string, string> = {}) =>
    fetch(`${http}/v1/lorawan/${server}${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return {
    site,
    post,
    given,
    /** An uplink by ChirpStack's HTTP integration. */
    async up(more: Partial<UplinkGiven>) {
      const { status } = await post('hut', chirpStackUp(given(more)), TOKEN, '?event=up')
      assert.equal(status, 204)
    },
    /** An uplink by a webhook of The Things Stack. */
    async webhook(more: Partial<UplinkGiven>, server: 'valley' | 'elsewhere' = 'valley') {
      const { status } = await post(server, theThingsStackUp(given(more)), servers[server].token)
      assert.equal(status, 204)
    },
    incidents: () => store.incidents({ openOnly: false }),
    letters: async () => (await store.deadLetters()).map(({ topic, reason }) => [topic, reason]),
  }
}

const profiles = {
  'tocsin-12': { downlinks: { received: { port: 7, hex: '01' }, coming: { port: 7, hex: '02FF' } } },
}

/** How the user's app sees what the tracker was told. */
const toldIn = (site: Awaited<ReturnType<typeof startSite>>): unknown => {
  const shown = site.user.events.findLast(({ actuators }) => actuators !== undefined)?.actuators
  return shown?.items.find(({ type }) => type === 'downlink')
}

test('LoRaWAN uplinks by the broker of ChirpStack, what the tracker is told, and a metric that says whether it is there', async (t) => {
  const broker = await mosquitto(t)
  const hut = { type: 'chirpstack', application: APPLICATION, mqtt: { url: broker.url } }
  const { site, incidents } = await siteWithLora(t, 'tocsin-12', {
    config: { lorawan: { servers: { hut }, profiles } },
  })
  const { http } = site.user.account
  const connected = async () =>
    /tocsin_lorawan_connected\{server="hut"\} (\d)/.exec(await (await fetch(`${http}/metrics`)).text())
  await until('connected', async () => ((await connected())?.[1] === '1' ? true : undefined))
  await broker.uplink(3, new Date(site.clock.now()).toISOString())
  await until('an incident', () => site.user.events.find(({ type }) => type === 'processed'))
  assert.equal((await incidents()).length, 1)
  await site.advance('1 min')
  await site.phone('Ana').receivesSms(/Mia Moser/)
  const received = await until('the tracker is told', () => broker.commands[0])
  assert.equal(received.topic, `application/${CHIRPSTACK_APPLICATION}/device/${EUI}/command/down`)
  const { id, expiresAt, ...command } = received.json
  assert.deepEqual(command, { devEui: EUI, confirmed: true, fPort: 7, data: 'AQ==' })
  assert.ok(Date.parse(expiresAt) > site.clock.now())
  await broker.event('ack', { queueItemId: '11111111-1111-4111-8111-111111111111', acknowledged: true })
  await broker.event('txack', { queueItemId: id })
  await broker.event('ack', { queueItemId: id, acknowledged: true })
  await until('the app knows', () => /delivered/.test(JSON.stringify(toldIn(site))) || undefined)
  await site.phone('Ana').pressesTheButton()
  await site.advance('1 min')
  const coming = await until('the tracker is told that help is coming', () => broker.commands[1])
  assert.equal(coming.json.data, 'Av8=')
  await broker.event('txack', { queueItemId: coming.json.id })
  await until('the app knows', () => /"coming","status":"sent"/.test(JSON.stringify(toldIn(site))) || undefined)
  assert.deepEqual((toldIn(site) as { channels: unknown }).channels, [
    { channel: 'received', status: 'delivered' },
    { channel: 'coming', status: 'sent' },
  ])
  await broker.stop()
  await until('disconnected', async () => ((await connected())?.[1] === '0' ? true : undefined))
  await site.advance('1 min')
  const { status, body } = await site.user.rest('GET', '/readyz')
  assert.match(JSON.stringify(body), /network server hut has not been connected since/)
  assert.equal(status, 200)
})

suite('LoRaWAN uplinks over HTTP', () => {
  test('telemetry, then a flag that stays set: one press, with the trail of the person', async (t) => {
    const { site, up, incidents } = await siteWithLora(t, 'Dragino-TrackerD')
    await up({ decoded: trackerD(false) })
    await up({ decoded: trackerD(true) })
    await site.advance('1 min')
    await site.phone('Ana').receivesSms(/Mia Moser/)
    await up({ decoded: trackerD(true) })
    const [first, ...more] = await incidents()
    assert.deepEqual([first?.incident.creation.payload.deviceId, more], ['A8:40:41:FF:FF:18:51:23', []])
    assert.equal(first?.lastPosition?.latitude, 46.912345)
    const { items } = (await site.user.rest('GET', '/v1/sdk/telemetry/history')).body
    assert.deepEqual(items[0].deviceBattery, { rawValue: 3.912, range: 'ok' })
  })

  test('the same uplink of two servers and twice is one alert, dated by the network server', async (t) => {
    const { site, up, webhook, incidents } = await siteWithLora(t, 'abeeway')
    const at = new Date(site.clock.now() - 60_000).toISOString()
    for (let times = 0; times < 2; times += 1) await webhook({ at, counter: 7, decoded: abeeway(1) })
    await up({ at, counter: 7, decoded: abeeway(1) })
    const all = await incidents()
    assert.deepEqual(
      all.map(({ incident }) => incident.occurredAt.text),
      [at],
    )
  })

  test('an SOS that waited for days in the broker alarms with its true moment; beyond 30 days with the arrival', async (t) => {
    const { site, up, incidents } = await siteWithLora(t, 'tocsin-12')
    const ago = (hours: number) => new Date(site.clock.now() - hours * 3_600_000).toISOString()
    const at = ago(26)
    await up({ port: 3, at, bytes: twelve({ fix: false, press: 1 }) })
    await up({ port: 3, at, bytes: twelve({ fix: false, press: 1 }) })
    const all = await incidents()
    assert.deepEqual(
      all.map(({ incident }) => incident.occurredAt.text),
      [at],
    )
    await site.advance('1 min')
    await site.phone('Ana').receivesSms(/Mia Moser/)
    await site.user.ends('resolve')
    await up({ port: 3, at: ago(31 * 24), bytes: twelve({ fix: false, press: 2 }) })
    const [newest] = await incidents()
    assert.equal(newest?.incident.occurredAt.ms, site.clock.now())
    assert.ok(newest?.incident.creation.warnings.some(({ field }) => field === 'timestamp'))
  })

  test('a day-old SOS that comes after later uplinks of its session is a row on the board, and tells nobody', async (t) => {
    const { site, up, incidents, letters } = await siteWithLora(t, 'tocsin-12')
    const at = new Date(site.clock.now() - 25 * 3_600_000).toISOString()
    const old = { port: 3, at, bytes: twelve({ fix: false, press: 1 }) }
    await up({ counter: 10, port: 2, bytes: twelve({ fix: true }) })
    for (let times = 0; times < 2; times += 1) await up({ ...old, counter: 9 })
    const all = await incidents()
    assert.deepEqual(
      all.map(({ incident }) => [incident.occurredAt.text, incident.few, incident.state.status]),
      [[at, 'board', 'active']],
    )
    const [letter] = await letters()
    assert.match(`${letter}`, /lorawan\/hut,an SOS that the network server received more than a day ago/)
    await site.advance('3 min')
    assert.deepEqual(await site.phone('Ana').messages(), [])
    await up({ counter: 11, port: 3, bytes: twelve({ fix: false, press: 2 }) })
    await site.advance('1 min')
    await site.phone('Ana').receivesSms(/Mia Moser/)
    assert.equal((await incidents()).length, 1)
  })

  test('half a position is none, so the gateway that heard it is shown', async (t) => {
    const { up, incidents } = await siteWithLora(t, 'dragino-trackerd')
    await up({ decoded: { Latitude: 46.9, ALARM_status: 'TRUE' } })
    const [first] = await incidents()
    assert.equal(first?.lastPosition, null)
    assert.match(JSON.stringify(first?.incident.creation.warnings), /no fix; heard by gateway 0016c001f153a14d/)
  })

  test('on the SOS port each uplink is a press, even one that cannot be read or whose counter is low', async (t) => {
    const { site, up, incidents, letters } = await siteWithLora(t, 'tocsin-12')
    await up({ port: 3, counter: 900, bytes: Buffer.from('no twelve bytes') })
    const [first, ...others] = await incidents()
    assert.deepEqual(others, [])
    assert.match(
      JSON.stringify(first?.incident.creation.warnings),
      /heard by gateway 0016c001f153a14d \(46\.91230, 11\.23450/,
    )
    assert.deepEqual(await letters(), [['lorawan/hut', 'the payload is not the 12 bytes of the profile']])
    await site.user.ends('cancel')
    await up({ port: 3, counter: 900, bytes: Buffer.from('no twelve bytes') })
    assert.equal((await incidents()).length, 1)
    await site.advance('10 s')
    for (const counter of [0, 1]) await up({ port: 3, counter, bytes: twelve({ fix: false, press: 4 }) })
    assert.equal((await incidents()).length, 2)
    assert.equal((await incidents())[0]?.lastPosition, null)
  })

  test('what cannot be mapped is a dead letter with its reason; the radio’s own uplinks are signs of life', async (t) => {
    const { site, up, post, letters, incidents } = await siteWithLora(t, 'unheard-of', {
      config: { lorawan: { servers: { ...servers, hut: { ...servers.hut, profile: undefined } } } },
    })
    const { http } = site.user.account
    await up({ decoded: { x: 1 } })
    await up({ port: 0 })
    assert.equal((await post('hut', 'no JSON', TOKEN, '?event=up')).status, 204)
    const { deviceInfo } = chirpStackUp({ devEui: EUI, at: '', counter: 0, port: 0 })
    assert.equal((await post('hut', { deviceInfo, batteryLevel: 40 }, TOKEN, '?event=status')).status, 204)
    assert.deepEqual(await letters(), [
      ['lorawan/hut', 'no profile: register the tracker with its model'],
      ['lorawan/hut', 'no devEui'],
    ])
    // An operator is told: nobody knows whether one of them was an SOS.
    assert.match(await (await fetch(`${http}/metrics`)).text(), /server="hut",result="unreadable"\} 1/)
    const { store } = site.service
    const device = await until('the battery is stored', async () => {
      const found = await store.deviceByEui(APPLICATION, EUI)
      return found?.state?.battery === 40 ? found : undefined
    })
    assert.deepEqual([device.state?.heardAt, await incidents()], [site.clock.now(), []])
  })

  test('an uplink on the extend port moves the timer of its owner; what it cannot do is a dead letter, never an SOS', async (t) => {
    const { site, up, letters, incidents } = await siteWithLora(t, 'tocsin-12')
    const extend = (minutes: number, more: Partial<UplinkGiven> = {}) =>
      up({ port: 4, bytes: Buffer.from([minutes >> 8, minutes & 255]), ...more })
    await extend(60)
    const dueAt = new Date(site.clock.now() + 30 * 60_000).toISOString()
    await site.user.rest('POST', '/v1/sdk/timers', { dueAt })
    const due = async () => Date.parse((await site.user.rest('GET', '/v1/sdk/timers')).body[0].dueAt)
    const pressedAt = site.clock.now()
    await extend(60, { counter: 77 })
    assert.equal(await due(), pressedAt + 60 * 60_000)
    await site.advance('10 min')
    // The same uplink by another way, and one that comes after its time.
    await extend(60, { counter: 77, at: new Date(pressedAt).toISOString() })
    await extend(5, { at: new Date(pressedAt).toISOString() })
    await up({ port: 4, bytes: Buffer.from('x') })
    assert.equal(await due(), pressedAt + 60 * 60_000)
    assert.deepEqual(await incidents(), [])
    assert.deepEqual((await letters()).map(([, reason]) => reason?.replace('timer not extended: ', '')).sort(), [
      'dueAt must be in the future',
      'the payload has no two bytes of minutes',
      'timer_not_found',
    ])
    await up({ port: 4, bytes: twelve({ sos: true }) })
    assert.equal((await incidents()).length, 1)
  })

  test('a tracker whose model has no profile: an SOS that any profile finds alarms, and the reason is kept', async (t) => {
    const lost = { ...servers, hut: { ...servers.hut, profile: undefined } }
    const { site, up, webhook, post, given, letters, incidents } = await siteWithLora(t, 'Dragino Tracker D', {
      config: { lorawan: { servers: lost } },
    })
    await webhook({ decoded: trackerD(false) })
    // A sensor's twelve bytes, which look like a flag.
    await up({ port: 2, bytes: twelve({ sos: true }) })
    assert.deepEqual(await incidents(), [])
    await webhook({ decoded: trackerD(true) })
    assert.equal((await incidents()).length, 1)
    assert.deepEqual(
      [...new Set((await letters()).map(([, reason]) => reason))],
      ['no profile: register the tracker with its model'],
    )
    assert.equal((await letters()).length, 3)
    // ChirpStack adds its event to an address that has one; a proxy cuts both off.
    for (const query of ['?event=x&event=up', '']) {
      await site.user.ends('cancel')
      await site.advance('16 min')
      const body = chirpStackUp(given({ port: 3, bytes: twelve({ sos: true, press: query.length % 16 }) }))
      assert.equal((await post('hut', body, TOKEN, query)).status, 204)
    }
    assert.equal((await incidents()).length, 3)
  })

  for (const [what, model, profile] of [
    ['registered with the model of another', 'abeeway', undefined],
    ['without a model, and the server’s profile is another’s', 'unheard-of', 'abeeway'],
  ] as const) {
    test(`the SOS of a tracker ${what} alarms`, async (t) => {
      const { webhook, letters, incidents } = await siteWithLora(t, model, {
        config: { lorawan: { servers: { ...servers, valley: { ...servers.valley, profile } } } },
      })
      await webhook({ decoded: trackerD(false) })
      assert.deepEqual([await incidents(), await letters()], [[], []])
      await webhook({ decoded: trackerD(true) })
      const [alarm] = await incidents()
      assert.equal(alarm?.lastPosition?.latitude, 46.912345)
      assert.deepEqual(await letters(), [
        ['lorawan/valley', 'the SOS was found by another profile: register the tracker with its model'],
      ])
    })
  }

  test('an SOS of a device that nobody has paired is told to the chat and kept, once, and rings on the board', async (t) => {
    const { site, up, webhook, letters, incidents } = await siteWithLora(t, 'abeeway', { chat: true })
    const devEui = '1122334455667788'
    for (let times = 0; times < 3; times += 1) await webhook({ devEui, decoded: trackerD(true) })
    await webhook({ devEui: '1122334455667799', decoded: trackerD(false) })
    const { json } = await until('the chat is told', () => site.chat.requests[0])
    assert.match(JSON.stringify(json), /SOS from a LoRaWAN device.*1122334455667788.*9C5C8E00001A05C4 \(46\.9/)
    assert.deepEqual(await letters(), [['lorawan/valley', `SOS of ${devEui}, which nobody has paired`]])
    const [alarm, ...others] = await incidents()
    assert.deepEqual(others, [])
    const { incident, lastPosition } = alarm!
    assert.deepEqual(
      [incident.externalUserId, incident.unknownDevices, incident.contacts, lastPosition?.latitude],
      ['lorawan/valley', [devEui], [], 46.912345],
    )
    // Presses are each their own, a flag that stays set is not.
    const { presses } = (await site.service.store.boardRecord(incident.id))!
    assert.equal(presses, 1)
    for (let times = 0; times < 2; times += 1) {
      await up({ devEui: '1122334455667799', port: 3, bytes: twelve({ fix: false, press: times }) })
      await site.advance('1 s')
    }
    const rung = (await incidents()).find((one) => one.incident.externalUserId === 'lorawan/hut')
    assert.equal((await site.service.store.boardRecord(rung!.incident.id))?.presses, 2)
  })

  test('the tracker is told through the address that the operator gave, whatever a webhook says', async (t) => {
    const [tts, attacker] = await Promise.all([listen(t), listen(t)])
    const valley = { ...servers.valley, downlink: { url: tts.url, key: 'NNSXS.K', webhook: 'tocsin' } }
    const { site, post, given } = await siteWithLora(t, 'tocsin-12', {
      config: { lorawan: { servers: { ...servers, valley }, profiles } },
    })
    const webhook = (body: object, server: 'valley' | 'elsewhere' = 'valley') =>
      post(server, body, servers[server].token, '', {
        'x-downlink-push': attacker.url,
        'x-downlink-replace': attacker.url,
        'x-downlink-apikey': 'theirs',
      })
    await webhook(theThingsStackUp(given({ port: 3, bytes: twelve({ sos: true }) })))
    await site.advance('5 s')
    const { json, headers } = await until('the tracker is told', () => tts.requests[0])
    const [downlink] = json.downlinks
    assert.deepEqual([downlink.frm_payload, headers.authorization], ['AQ==', 'Bearer NNSXS.K'])
    const { end_device_ids } = theThingsStackUp(given({}))
    const acknowledged = { end_device_ids, downlink_ack: { correlation_ids: downlink.correlation_ids } }
    const status = async () =>
      (await site.user.rest('GET', '/v1/sdk/sos')).body.incident.actuators.items.find(
        ({ type }: { type: string }) => type === 'downlink',
      ).status
    await webhook(acknowledged, 'elsewhere')
    assert.equal(await status(), 'scheduled')
    await webhook({
      end_device_ids,
      downlink_sent: { correlation_ids: ['as:downlink:x', ...downlink.correlation_ids] },
    })
    assert.equal(await status(), 'sent')
    await webhook(acknowledged)
    assert.equal(await status(), 'delivered')
    assert.deepEqual(attacker.requests, [])
  })

  test('a guessed profile puts no alarm off: only that of the registered model extends a timer', async (t) => {
    const { site, up, letters } = await siteWithLora(t, 'some sensor')
    const dueAt = new Date(site.clock.now() + 30 * 60_000).toISOString()
    await site.user.rest('POST', '/v1/sdk/timers', { dueAt })
    await up({ port: 4, bytes: Buffer.from('003c', 'hex') })
    const [timer] = (await site.user.rest('GET', '/v1/sdk/timers')).body
    assert.equal(Date.parse(timer.dueAt), Date.parse(dueAt))
    assert.deepEqual(await letters(), [['lorawan/hut', 'the payload is not the 12 bytes of the profile']])
  })

  test('a token belongs to one server and one application', async (t) => {
    const { site, post, given, webhook, incidents } = await siteWithLora(t, 'abeeway')
    const sos = { decoded: abeeway(1) }
    await webhook(sos, 'elsewhere')
    assert.deepEqual(await incidents(), [])
    const body = theThingsStackUp(given(sos))
    for (const [server, token] of [
      ['valley', TOKEN],
      ['valley', ''],
      ['nowhere', TOKEN],
      ['constructor', TOKEN],
      ['nowhere', 'no network server has this token'],
    ] as const) {
      assert.equal((await post(server, body, token)).status, 401, server)
    }
    const metrics = await (await fetch(`${site.user.account.http}/metrics`)).text()
    assert.match(metrics, /tocsin_lorawan_events_total\{server="valley",result="unauthorized"\} 2/)
    assert.doesNotMatch(metrics, /nowhere/)
    const { reasons } = (await site.user.rest('GET', '/readyz')).body
    assert.match(reasons.join(), /lorawan\.servers\.elsewhere\.application is not an application of this site/)
    await site.service.store.setUserDisabled(APPLICATION, 'hiker-1', true)
    await webhook(sos)
    // It is nobody's then: it rings on the board, and tells nobody whom the user has named.
    assert.deepEqual(
      (await incidents()).map(({ incident }) => [incident.externalUserId, incident.unknownDevices, incident.contacts]),
      [['lorawan/valley', [EUI], []]],
    )
  })
})
