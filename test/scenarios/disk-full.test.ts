import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { MqttClient } from 'mqtt'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { addApiToken } from '../../src/app/operator/tokens.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import { DAY } from '../../src/lib/durations.ts'
import { metric } from '../harness/metric.ts'
import { newMoment } from '../harness/moment.ts'
import { packetsOf } from '../harness/mqtt-wire.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { type ProcessSite, startProcessSite, UNHURRIED } from '../harness/process-site.ts'
import { onlyOnSqlite } from '../harness/site-store.ts'
import { mountSmallDisk } from '../harness/tmpfs.ts'
import { until } from '../harness/wait.ts'

/** A client that reconnects automatically and then resends everything without a PUBACK, like MQTT.js. */
const STUBBORN = { reconnectPeriod: 50 } as const
const DISK_MB = 16

const skip = onlyOnSqlite('the disk is that of the data directory')

test('a full disk: no acknowledgement of any kind, and recovery once there is space', { skip }, async (t) => {
  const disk = mountSmallDisk(t, DISK_MB)
  if (disk === null) return
  const env = { TOCSIN_LIMITS_DISK_RESERVE_MB: '0' }
  const site = await startProcessSite(t, { settings: UNHURRIED, dataDir: join(disk.path, 'data'), env })
  const phones = await Promise.all(
    ([4, 5] as const).map(async (protocolVersion) => {
      const user = await site.user(`mia-${protocolVersion}`)
      const client = await user.connect({ ...STUBBORN, protocolVersion })
      return { named: `MQTT ${protocolVersion}`, user, client }
    }),
  )
  const tracker = await site.user('tracker')
  for (const { named, user } of phones) {
    await user.presses({ timestamp: newMoment() })
    assert.equal((await user.rest('POST', '/v1/sdk/sos/cancel')).status, 200, named)
  }
  const lost = await site.user('lost')
  await lost.rest('POST', '/v1/sdk/sos', { timestamp: newMoment() })
  const { incidentId: id } = await lost.openIncident()
  const desk = await operatorOf(site)
  await until('it is ready', async () => (await readiness(site)) === 200)

  await disk.fill()
  // The log file still has space allocated earlier. Until that is used up, acknowledgements are truthful.
  const acknowledged: string[] = []
  for (let status = 202; status === 202; ) {
    const timestamp = newMoment()
    const answer = await tracker.rest('POST', '/v1/sdk/telemetry', { timestamp, deviceId: 'x'.repeat(128) })
    status = answer.status
    if (status === 202) acknowledged.push(timestamp)
    else assert.equal(status, 503)
  }
  await until('it says that it is not ready', async () => (await readiness(site)) === 503)
  // Nothing of a mark is stored, and the operator is told so.
  const mark = await desk('POST', `/incidents/${id}/major`, { id, assignedTo: 'Team 2', head: 'safe', presses: 1 })
  assert.deepEqual([mark.status, mark.json.error.code, mark.retryAfter], [503, 'E_OPERATOR_UNAVAILABLE', '30'])
  assert.equal((await desk('GET', `/incidents/${id}`)).json.incident.major, undefined)
  assert.equal((await desk('GET', `/major-incidents/${id}`)).status, 404)

  const pressing = phones.map((phone) => {
    const { user, client } = phone
    const pressed = newMoment()
    const press = { ...phone, pressed, packets: packetsOf(client), closings: closingsOf(client), isAcknowledged: false }
    const acknowledgement = user.presses({ timestamp: pressed }).then(() => {
      press.isAcknowledged = true
    })
    return { press, acknowledgement }
  })
  for (const { press } of pressing) {
    const { named, packets, closings } = press
    await until(`${named}: it was cut off, came back, and was cut off again`, () => closings.length >= 2)
    assert.equal(press.isAcknowledged, false, named)
    assert.deepEqual(
      packets.filter(({ cmd }) => cmd === 'puback'),
      [],
      named,
    )
  }
  const overRest = newMoment()
  for (const { user } of phones) await unavailable(user, '/v1/sdk/sos', 'SOS', overRest)
  await unavailable(tracker, '/v1/sdk/telemetry', 'TELEMETRY', overRest)
  // Whatever needs no space still works.
  assert.equal((await fetch(`${site.http}/healthz`)).status, 200)
  const failures = await metric({ listeners: { http: site.http } }, 'tocsin_store_failures_total{kind="disk_full"}')
  assert.ok(failures !== null && failures > 0)
  for (const { named, user } of phones) {
    assert.deepEqual((await user.rest('GET', '/v1/sdk/sos')).body, { incident: null }, named)
  }
  assert.equal(await readiness(site), 503)
  for (const { press } of pressing) assert.equal(press.isAcknowledged, false, press.named)

  await disk.empty()
  await until('it is ready again', async () => (await readiness(site)) === 200)
  for (const { press, acknowledgement } of pressing) {
    const { named, user, pressed } = press
    await acknowledgement
    const incident = await user.openIncident()
    assert.equal(incident.occurredAt, pressed, named)
    const again = await user.rest('POST', '/v1/sdk/sos', { timestamp: overRest })
    assert.deepEqual([again.status, again.body.incident.incidentId], [200, incident.incidentId], named)
    assert.deepEqual(
      (await user.history()).map(({ status }) => status),
      ['active', 'cancelled'],
      named,
    )
  }
  assert.deepEqual((await storedOf(site, tracker)).sort(), acknowledged.sort())
  const again = await desk('POST', `/incidents/${id}/major`, { id, assignedTo: 'Team 2', head: 'safe', presses: 1 })
  assert.deepEqual([again.status, again.json.incident.major.head.state], [200, 'safe'])
  await site.stillAlarms()
  assert.equal(await site.stop(), 0)
})

test('below the reserve telemetry waits, so that an SOS still gets through', { skip }, async (t) => {
  const disk = mountSmallDisk(t, DISK_MB)
  if (disk === null) return
  const env = { TOCSIN_LIMITS_DISK_RESERVE_MB: '8' }
  const site = await startProcessSite(t, { settings: UNHURRIED, dataDir: join(disk.path, 'data'), env })
  const user = await site.user('mia')
  const tracker = await site.user('tracker')
  const timestamp = newMoment()
  assert.equal((await tracker.rest('POST', '/v1/sdk/telemetry', { timestamp })).status, 202)

  await disk.fill(4 * 1024 * 1024)
  const late = newMoment()
  await until('telemetry is refused', async () => {
    const { status } = await tracker.rest('POST', '/v1/sdk/telemetry', { timestamp: late })
    assert.ok(status === 202 || status === 503)
    return status === 503
  })
  const client = await tracker.connect(STUBBORN)
  const closings = closingsOf(client)
  const moved = newMoment()
  const acknowledgement = tracker.moves({ timestamp: moved })
  await until('the tracker was cut off twice', () => closings.length >= 2)
  await user.connect()
  await user.presses()
  assert.equal((await user.openIncident()).status, 'active')
  assert.equal((await storedOf(site, tracker)).includes(moved), false)
  await site.stillAlarms()

  await disk.empty()
  await acknowledgement
  assert.ok((await storedOf(site, tracker)).includes(moved))
})

test('on a disk that another program has filled, 30 of 30 alarms are stored, over MQTT and REST, also from a new user', {
  skip,
}, async (t) => {
  const disk = mountSmallDisk(t, DISK_MB)
  if (disk === null) return
  const env = { TOCSIN_LIMITS_DISK_RESERVE_MB: '4' }
  const site = await startProcessSite(t, { settings: UNHURRIED, dataDir: join(disk.path, 'data'), env })
  const tracker = await site.user('tracker')
  const users: PhoneUser[] = []
  for (let n = 0; n < 15; n += 1) {
    const user = await site.user(`hiker-${n}`)
    await user.connect()
    users.push(user)
  }
  const talker = users[1]!
  const card = async () => (await talker.rest('GET', '/v1/sdk/me/card')).body.note
  assert.equal((await talker.rest('PUT', '/v1/sdk/me/card', { note: 'Diabetic' })).status, 200)
  const desk = await operatorOf(site)
  const csv = 'externalUserId,name,contact1Name,contact1Phone\nnoa,Noa,Ana,+436605550001\nlio,Lio,,\n'
  const imports = () => desk('POST', `/people/import?app=${site.appId}`, csv)
  const added = async () => (await desk('GET', '/users?text=noa')).json.items.length
  await disk.fill()

  for (const user of users) await user.presses()
  for (let n = 15; n < 30; n += 1) {
    const { status } = await site.phone(`hiker-${n}`).rest('POST', '/v1/sdk/sos', { timestamp: newMoment() })
    assert.equal(status, 201)
  }
  assert.equal((await site.look((store) => store.incidents({ openOnly: true }))).length, 30)
  await until('it says so', () => /THE DISK IS FULL/.test(site.output))
  await unavailable(tracker, '/v1/sdk/telemetry', 'TELEMETRY', newMoment())
  assert.equal(await readiness(site), 503)
  const message = { id: 'kept-until-it-is-there', text: 'Leg broken' }
  for (const [method, path, body, family] of [
    ['POST', '/v1/sdk/sos/messages', message, 'MESSAGES'],
    ['PUT', '/v1/sdk/me/card', { note: 'Deaf' }, 'PROFILE'],
  ] as const) {
    const refused = await talker.rest(method, path, body)
    assert.deepEqual([refused.status, refused.body.error.code], [503, `E_SDK_${family}_UNAVAILABLE`])
    assert.deepEqual(
      [refused.body.error.message, refused.headers.get('retry-after')],
      ['The request could not be stored. Please try again.', '30'],
    )
  }
  assert.equal(await card(), 'Diabetic', 'the card that was there is there')
  // A file of people is refused before anybody of it is there.
  const refused = await imports()
  assert.deepEqual([refused.status, refused.json.error.code], [503, 'E_OPERATOR_UNAVAILABLE'])
  assert.deepEqual([refused.retryAfter, await added()], ['30', 0])
  // Part of an alarm: who is in a major incident, assigned and counted is stored as a whole.
  const [{ incidentId: id }] = (await desk('GET', '/incidents')).json.items
  const marked = await desk('POST', `/incidents/${id}/major`, { id, assignedTo: 'Team 2', head: 'safe', presses: 1 })
  const { items: inIt, count } = (await desk('GET', `/major-incidents/${id}`)).json
  assert.deepEqual([marked.status, inIt[0].major.assignedTo, count.safe], [200, 'Team 2', 1])
  // What a person does about the alarm works as well.
  assert.equal((await users[0]!.rest('POST', '/v1/sdk/sos/cancel')).status, 200)

  await disk.empty()
  await until('it is ready again', async () => (await readiness(site)) === 200)
  assert.equal((await tracker.rest('POST', '/v1/sdk/telemetry', { timestamp: newMoment() })).status, 202)
  assert.deepEqual([(await imports()).json.added, await added()], [2, 1])
  assert.equal((await talker.rest('POST', '/v1/sdk/sos/messages', message)).status, 201)
  const { items } = (await talker.rest('GET', '/v1/sdk/sos/messages')).body
  assert.deepEqual(
    items.map(({ text }: any) => text),
    [message.text],
    'a retry with the same id is one message',
  )
})

/** A script of an administrator. */
async function operatorOf(site: ProcessSite) {
  const given = { name: 'Script', role: 'admin', applications: null, expiresAt: Date.now() + DAY } as const
  const by = { actor: COMMAND, address: null, now: Date.now() }
  const made = await site.look((store) => addApiToken({ store, ids: createIds() }, given, by))
  assert.ok('secret' in made)
  return async (method: string, path: string, body?: object | string) => {
    const type = typeof body === 'string' ? 'text/csv' : 'application/json'
    const response = await fetch(`${site.http}/v1/operator${path}`, {
      method,
      headers: { authorization: `Bearer ${made.secret}`, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      json: (await response.json()) as any,
    }
  }
}

const readiness = async ({ http }: ProcessSite): Promise<number> => (await fetch(`${http}/readyz`)).status

function closingsOf(client: MqttClient): readonly number[] {
  const closings: number[] = []
  client.on('close', () => closings.push(Date.now()))
  client.on('error', () => {})
  return closings
}

async function unavailable(user: PhoneUser, path: string, family: string, timestamp: string): Promise<void> {
  const { status, body, headers } = await user.rest('POST', path, { timestamp })
  assert.deepEqual([status, body.error.code], [503, `E_SDK_${family}_UNAVAILABLE`])
  assert.match(headers.get('retry-after') ?? '', /^\d+$/)
}

/** Times of all telemetry of this user, as far as one page of a test reaches. */
const storedOf = (site: ProcessSite, { userId }: PhoneUser): Promise<string[]> =>
  site.look(async (store) => {
    const page = await store.telemetryHistory(userId, { after: null, limit: 100_000, from: null, to: null })
    assert.ok('items' in page)
    return page.items.map(({ payload }) => payload.timestamp!)
  })
