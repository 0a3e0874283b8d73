import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createPairingCodes } from '../../src/adapters/platform/system/pairing-codes.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { sharedSite } from '../harness/shared-site.ts'
import { type Site, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

/** The Endpoints table of the specification, in its order. */
const rows = [
  'GET /v1/sdk/me',
  'PUT /v1/sdk/me',
  'POST /v1/sdk/sos',
  'GET /v1/sdk/sos',
  'GET /v1/sdk/sos/history',
  'POST /v1/sdk/sos/cancel',
  'POST /v1/sdk/sos/resolve',
  'POST /v1/sdk/telemetry',
  'GET /v1/sdk/devices',
  'POST /v1/sdk/devices',
  'DELETE /v1/sdk/devices/{id}',
  'GET /v1/sdk/contacts',
  'POST /v1/sdk/contacts',
  'PUT /v1/sdk/contacts/{id}',
  'PUT /v1/sdk/contacts/reorder',
  'DELETE /v1/sdk/contacts/{id}',
  'POST /telemetry/history',
  'GET /config/device/{country}',
  'POST /v1/sdk/mqtt/auth/connect',
  'POST /v1/sdk/mqtt/auth/acl',
] as const

/** Routes beyond the specification. */
const decided = ['POST /v1/sdk/token', 'POST /v1/sdk/feedback', 'GET /v1/sdk/telemetry/history'] as const

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const NOBODYS = 'c0000000-0000-7000-8000-0000000000ff'
const JSON_TYPE = { 'content-type': 'application/json' }
/** The site's clock begins at 12:00. */
const at = (time: string) => `2026-03-01T${time}Z`

/** Names of ends that name nothing: 400, and nothing is ended. rules.md#ends. */
const malformed = [
  { incidentId: 7 },
  { incidentId: 'mine' },
  { alert: {} },
  { alert: { timestamp: 'now' } },
  { alert: [] },
]

type Row = (typeof rows)[number] | (typeof decided)[number]
type Send = {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

const signed = ({ account, hash }: PhoneUser) => ({
  'x-app-id': account.appId,
  'x-user-id': account.externalUserId,
  authorization: `Bearer ${hash}`,
})

async function send({ account }: PhoneUser, { method, path, headers = {}, body }: Send) {
  const response = await fetch(`${account.http}${path}`, { method, headers, ...(body !== undefined && { body }) })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

async function register(site: Site, ...hardware: readonly (readonly [hardwareId: string, code: string])[]) {
  const codes = createPairingCodes()
  const registered = await Promise.all(
    hardware.map(async ([hardwareId, code]) => ({ hardwareId, codeHash: await codes.hash(code), model: 'Mk 2' })),
  )
  await site.service.store.registerHardware(site.user.account.appId, registered, site.clock.now())
}

const pair = (user: PhoneUser, hardwareId: string, pairingCode: string) =>
  user.rest('POST', '/v1/sdk/devices', { hardwareId, pairingCode })

/** A callback from a broker, as JSON. */
const asks = async (user: PhoneUser, what: 'connect' | 'acl', body: Record<string, unknown>) => {
  const path = `/v1/sdk/mqtt/auth/${what}`
  const answer = await send(user, { method: 'POST', path, headers: JSON_TYPE, body: JSON.stringify(body) })
  return [answer.status, answer.body.result]
}
const ALLOW = [200, 'allow']
const DENY = [403, 'deny']
const usernameOf = ({ account }: PhoneUser) => `sdk:${account.appId}:${account.externalUserId}`

/** Every row, in one story: later rows use what earlier ones left. */
const story: readonly (readonly [Row, (site: Site) => Promise<void>])[] = [
  [
    'PUT /v1/sdk/me',
    async ({ user }) => {
      const { status, body } = await user.rest('PUT', '/v1/sdk/me', { phone: '+43660111', address: null, id: NOBODYS })
      assert.equal(status, 200)
      assert.equal(body.phone, '+43660111')
      assert.equal(body.id, user.userId)
    },
  ],
  [
    'GET /v1/sdk/me',
    async ({ user }) => {
      const { status, body } = await user.rest('GET', '/v1/sdk/me')
      assert.equal(status, 200)
      const { appId, externalUserId } = user.account
      const profile = {
        id: user.userId,
        appId,
        externalUserId,
        name: 'Mia Moser',
        email: null,
        phone: '+43660111',
        address: null,
        phoneProvedAt: null,
        phoneTakenAt: null,
        smsSos: null,
      }
      assert.deepEqual(body, { ...profile, user: profile })
    },
  ],
  [
    'POST /v1/sdk/contacts',
    async ({ user }) => {
      const { status, body } = await user.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+43660222' })
      assert.equal(status, 201)
      const { id, createdAt, updatedAt, ...rest } = body
      assert.match(id, UUID)
      assert.match(createdAt, ISO)
      assert.match(updatedAt, ISO)
      assert.deepEqual(rest, { name: 'Ana', phone: '+43660222', email: null, priority: 1, language: 'en' })
      await user.rest('POST', '/v1/sdk/contacts', { name: 'Ben', phone: '+43660333', language: 'de', priority: 1 })
    },
  ],
  [
    'GET /v1/sdk/contacts',
    async ({ user }) => {
      const { status, body } = await user.rest('GET', '/v1/sdk/contacts')
      assert.equal(status, 200)
      assert.deepEqual(
        body.map(({ name, priority }: any) => [name, priority]),
        [
          ['Ben', 1],
          ['Ana', 2],
        ],
      )
    },
  ],
  [
    'PUT /v1/sdk/contacts/{id}',
    async ({ user }) => {
      const [ben] = (await user.rest('GET', '/v1/sdk/contacts')).body
      const { status, body } = await user.rest('PUT', `/v1/sdk/contacts/${ben.id}`, { email: 'ben@example.org' })
      assert.equal(status, 200)
      assert.deepEqual(body, { ...ben, email: 'ben@example.org', updatedAt: body.updatedAt })
      const warned = async (method: string, path: string, phone: string) => {
        const { status, body } = await user.rest(method, path, { name: 'Ben', phone })
        assert.ok(status === 200 || status === 201)
        return body.warnings?.map(({ code, field, message }: any) => `${field} ${code} ${typeof message}`)
      }
      const put = (phone: string) => warned('PUT', `/v1/sdk/contacts/${ben.id}`, phone)
      assert.deepEqual(await put('+43660222'), ['phone number_twice string'])
      assert.deepEqual(await put('+43660111'), ['phone number_is_own string'])
      assert.deepEqual(await warned('PUT', '/v1/sdk/me', '+43660111'), ['phone number_is_own string'])
      assert.deepEqual(await put('+9991234567'), ['phone number_implausible string'])
      assert.equal(await put(ben.phone), undefined)
      const twice = { name: 'Cleo', phone: ben.phone }
      const added = await user.rest('POST', '/v1/sdk/contacts', twice)
      assert.equal(added.status, 201)
      assert.deepEqual(
        added.body.warnings.map(({ code }: any) => code),
        ['number_twice'],
      )
      await user.rest('DELETE', `/v1/sdk/contacts/${added.body.id}`)
      await user.rest('PUT', '/v1/sdk/me', { name: 'Mia Moser' })
    },
  ],
  [
    'PUT /v1/sdk/contacts/reorder',
    async ({ user }) => {
      const ids = async () => (await user.rest('GET', '/v1/sdk/contacts')).body.map(({ id }: any) => id)
      for (const shape of [
        (to: string[]) => ({ contactIds: to }),
        (to: string[]) => ({ ids: to }),
        (to: string[]) => to,
      ]) {
        const turned = (await ids()).toReversed()
        const { status, body } = await user.rest('PUT', '/v1/sdk/contacts/reorder', shape(turned))
        assert.equal(status, 204)
        assert.equal(body, null)
        assert.deepEqual(await ids(), turned)
      }
    },
  ],
  [
    'DELETE /v1/sdk/contacts/{id}',
    async ({ user }) => {
      const [first] = (await user.rest('GET', '/v1/sdk/contacts')).body
      assert.equal((await user.rest('DELETE', `/v1/sdk/contacts/${first.id}`)).status, 204)
      const left = (await user.rest('GET', '/v1/sdk/contacts')).body
      assert.deepEqual(
        left.map(({ priority }: any) => priority),
        [1],
      )
    },
  ],
  [
    'POST /v1/sdk/devices',
    async (site) => {
      await register(site, ['TRK-1', 'right code'], ['TRK-2', 'other code'])
      const first = await site.user.rest('POST', '/v1/sdk/devices', {
        hardwareId: 'TRK-1',
        pairingCode: 'right code',
        firmwareVersion: '2.0',
      })
      assert.equal(first.status, 201)
      const { id, pairedAt, createdAt, updatedAt, ...rest } = first.body
      assert.match(id, UUID)
      for (const moment of [pairedAt, createdAt, updatedAt]) assert.match(moment, ISO)
      assert.deepEqual(rest, { hardwareId: 'TRK-1', firmwareVersion: '2.0', hardwareModel: 'Mk 2' })
      const again = await site.user.rest('POST', '/v1/sdk/devices', {
        hardwareId: 'TRK-1',
        pairingCode: 'right code',
        firmwareVersion: '2.1',
      })
      assert.equal(again.status, 200)
      assert.equal(again.body.id, id)
      assert.equal(again.body.firmwareVersion, '2.1')
    },
  ],
  [
    'GET /v1/sdk/devices',
    async ({ user }) => {
      const { status, body } = await user.rest('GET', '/v1/sdk/devices')
      assert.equal(status, 200)
      assert.deepEqual(
        body.map(({ hardwareId, firmwareVersion }: any) => [hardwareId, firmwareVersion]),
        [['TRK-1', '2.1']],
      )
    },
  ],
  [
    'DELETE /v1/sdk/devices/{id}',
    async ({ user }) => {
      const [device] = (await user.rest('GET', '/v1/sdk/devices')).body
      const { status, body } = await user.rest('DELETE', `/v1/sdk/devices/${device.id.toUpperCase()}`)
      assert.deepEqual([status, body], [204, null])
      assert.deepEqual((await user.rest('GET', '/v1/sdk/devices')).body, [])
    },
  ],
  [
    'POST /v1/sdk/telemetry',
    async ({ user }) => {
      const { status, body } = await user.rest('POST', '/v1/sdk/telemetry', {
        occurredAt: at('11:00:00'),
        mobileBattery: 80,
      })
      assert.equal(status, 202)
      assert.deepEqual(body, { accepted: true, incidentId: null })
    },
  ],
  [
    'POST /telemetry/history',
    async ({ user }) => {
      const good = { timestamp: at('10:00:00.123456789'), latitude: 47, longitude: 11 }
      const bad = { timestamp: at('10:01:00'), latitude: 91, longitude: 11, mobileBattery: 101 }
      for (const [path, rows, accepted, duplicates] of [
        ['/telemetry/history', [good, bad, 7, good], 1, 1],
        ['/v1/sdk/telemetry/history', { items: [good, { occurredAt: at('10:02:00') }] }, 1, 1],
      ] as const) {
        const { status, body } = await user.rest('POST', path, rows)
        assert.equal(status, 200)
        assert.deepEqual([body.accepted, body.duplicates], [accepted, duplicates], path)
        const rejected = body.rejected.map(({ index, field }: any) => `${index} ${field}`)
        const expected = Array.isArray(rows) ? ['1 latitude', '2 body'] : []
        assert.deepEqual(rejected.toSorted(), expected)
      }
    },
  ],
  [
    'GET /v1/sdk/telemetry/history',
    async ({ user }) => {
      const read = async (query: string) => (await user.rest('GET', `/v1/sdk/telemetry/history${query}`)).body
      const whole = await read('')
      const times = whole.items.map(({ timestamp, occurredAt }: any) => timestamp ?? occurredAt)
      assert.deepEqual(times, [at('11:00:00'), at('10:02:00'), at('10:00:00.123456789')])
      assert.deepEqual([whole.nextCursor, whole.hasMore], [null, false])
      for (const { receivedAt } of whole.items) assert.match(receivedAt, ISO)
      assert.deepEqual((await read(`?from=${at('10:02:00')}&to=${at('10:02:00')}`)).items, [whole.items[1]])
      const first = await read('?limit=2')
      assert.equal(first.hasMore, true)
      // New rows, older and newer, do not disturb a started page.
      await user.rest('POST', '/telemetry/history', [{ timestamp: at('11:30:00') }, { timestamp: at('10:01:30') }])
      const second = await read(`?limit=2&cursor=${encodeURIComponent(first.nextCursor)}`)
      assert.deepEqual(
        second.items.map(({ timestamp }: any) => timestamp),
        [at('10:01:30'), at('10:00:00.123456789')],
      )
    },
  ],
  [
    'POST /v1/sdk/sos',
    async ({ user }) => {
      const alert = { timestamp: at('12:00:00.000000001'), latitude: 47.1, longitude: 11.4 }
      const opened = await user.rest('POST', '/v1/sdk/sos', alert)
      assert.equal(opened.status, 201)
      const { incident } = opened.body
      assert.deepEqual([incident.status, incident.userId, incident.snapshotVersion], ['active', user.userId, 1])
      assert.equal(incident.occurredAt, alert.timestamp)
      for (const { status, outcome } of incident.actuators.items)
        assert.deepEqual([status, outcome], ['scheduled', 'pending'])
      const repeated = await user.rest('POST', '/v1/sdk/sos', alert)
      assert.equal(repeated.status, 200)
      assert.deepEqual(repeated.body, opened.body)
    },
  ],
  [
    'GET /v1/sdk/sos',
    async (site) => {
      const { user } = site
      const appended = [
        { timestamp: at('11:59:00'), latitude: 1, longitude: 1 },
        { timestamp: at('12:00:05'), latitude: 47.2, longitude: 11.5 },
      ]
      assert.equal((await user.rest('POST', '/telemetry/history', appended)).body.accepted, 2)
      const { status, body } = await user.rest('GET', '/v1/sdk/sos')
      assert.equal(status, 200)
      assert.deepEqual(body.incident.lastPosition, {
        latitude: 47.2,
        longitude: 11.5,
        altitude: null,
        at: at('12:00:05'),
        source: 'session',
      })
      assert.equal(body.incident.relay, null)
    },
  ],
  [
    'POST /v1/sdk/sos/cancel',
    async ({ user }) => {
      const { incident } = (await user.rest('GET', '/v1/sdk/sos')).body
      for (const name of malformed) assert.equal((await user.rest('POST', '/v1/sdk/sos/cancel', name)).status, 400)
      const unknown = await user.rest('POST', '/v1/sdk/sos/cancel', { incidentId: NOBODYS })
      assert.deepEqual([unknown.status, unknown.body], [200, { incident, ended: false }])
      for (let i = 0; i < 2; i++) {
        const { status, body } = await user.rest('POST', '/v1/sdk/sos/cancel')
        assert.deepEqual([status, body], [200, { incident: null }])
      }
      assert.deepEqual((await user.rest('GET', '/v1/sdk/sos')).body, { incident: null })
      const retry = await user.rest('POST', '/v1/sdk/sos/cancel', { incidentId: incident.incidentId.toUpperCase() })
      assert.deepEqual([retry.status, retry.body], [200, { incident: null, ended: true }])
    },
  ],
  [
    'POST /v1/sdk/sos/resolve',
    async (site) => {
      const { user } = site
      assert.equal((await user.rest('POST', '/v1/sdk/sos', { timestamp: at('12:00:10') })).status, 201)
      for (let i = 0; i < 2; i++) {
        const { status, body } = await user.rest('POST', '/v1/sdk/sos/resolve')
        assert.deepEqual([status, body], [200, { incident: null }])
      }
      const other = site.newUser('names-its-ends')
      const { incident } = (await other.rest('POST', '/v1/sdk/sos', { timestamp: at('12:00:20.5') })).body
      for (const name of malformed) assert.equal((await other.rest('POST', '/v1/sdk/sos/resolve', name)).status, 400)
      for (const [alert, expected] of [
        [{ timestamp: at('12:00:20.6') }, { incident, ended: false }],
        [
          { timestamp: at('12:00:20.5'), deviceId: 'TRK-9' },
          { incident, ended: false },
        ],
        [{ timestamp: at('12:00:20.500') }, { incident: null, ended: true }],
        [{ occurredAt: at('12:00:20.500') }, { incident: null, ended: true }],
      ] as const) {
        const { status, body } = await other.rest('POST', '/v1/sdk/sos/resolve', { alert })
        assert.deepEqual([status, body], [200, expected], JSON.stringify(alert))
      }
      // The first of these named a press that had not come yet: it opens nothing.
      const late = await other.rest('POST', '/v1/sdk/sos', { timestamp: at('12:00:20.6') })
      assert.deepEqual([late.status, late.body], [200, { incident: null }])
    },
  ],
  [
    'GET /v1/sdk/sos/history',
    async ({ user }) => {
      const { status, body } = await user.rest('GET', '/v1/sdk/sos/history?limit=1')
      assert.equal(status, 200)
      assert.deepEqual([body.items.length, body.hasMore, body.items[0].status], [1, true, 'resolved'])
      const next = (await user.rest('GET', `/v1/sdk/sos/history?cursor=${encodeURIComponent(body.nextCursor)}`)).body
      assert.deepEqual([next.items.length, next.hasMore, next.nextCursor], [1, false, null])
      const [cancelled] = next.items
      assert.equal(cancelled.status, 'cancelled')
      assert.match(cancelled.creationTelemetry.receivedAt, ISO)
      assert.equal(cancelled.creationTelemetry.latitude, 47.1)
      assert.deepEqual(
        cancelled.positionTrail.map(({ latitude }: any) => latitude),
        [47.1, 47.2],
      )
      const short = (await user.rest('GET', '/v1/sdk/sos/history?trail=off')).body.items
      assert.deepEqual(
        short.map(({ status, positionTrail }: any) => [status, positionTrail]),
        [
          ['resolved', []],
          ['cancelled', []],
        ],
      )
    },
  ],
  [
    'GET /config/device/{country}',
    async ({ user }) => {
      for (const country of ['DE', 'de']) {
        const { status, body } = await send(user, { method: 'GET', path: `/config/device/${country}` })
        assert.equal(status, 200)
        const { deviceConfig, raw, ...rest } = body
        assert.deepEqual(rest, { country: 'DE', regionCode: 'EU868', regionByte: 5, loraRegionByte: 5, sub: null })
        assert.equal(deviceConfig.regionByte, 5)
        assert.equal(raw.plan, 'EU868')
      }
    },
  ],
  [
    'POST /v1/sdk/mqtt/auth/connect',
    async ({ user }) => {
      const client = { username: usernameOf(user), password: user.hash, clientid: 'svc_1' }
      assert.deepEqual(await asks(user, 'connect', client), ALLOW)
      assert.deepEqual(await asks(user, 'connect', { ...client, password: user.hash.toUpperCase() }), ALLOW)
      assert.deepEqual(await asks(user, 'connect', { ...client, password: '0'.repeat(64) }), DENY)
      assert.deepEqual(await asks(user, 'connect', { ...client, username: `sdk:${NOBODYS}:hiker-1` }), DENY)
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const body = new URLSearchParams(client).toString()
      const answer = await send(user, { method: 'POST', path: '/v1/sdk/mqtt/auth/connect', headers, body })
      assert.deepEqual([answer.status, answer.body], [200, { result: 'allow' }])
    },
  ],
  [
    'POST /v1/sdk/mqtt/auth/acl',
    async ({ user }) => {
      const asked = { username: usernameOf(user), clientid: 'svc_1' }
      const may = (action: string, topic: string) => asks(user, 'acl', { ...asked, action, topic })
      assert.deepEqual(await may('publish', `sos/alerts/${user.userId}`), ALLOW)
      assert.deepEqual(await may('publish', `tel/${user.userId}/data`), ALLOW)
      assert.deepEqual(await may('subscribe', `sos/events/${user.userId}`), ALLOW)
      assert.deepEqual(await may('publish', `sos/events/${user.userId}`), DENY)
      assert.deepEqual(await may('subscribe', 'sos/events/+'), DENY)
      assert.deepEqual(await may('publish', `sos/alerts/${NOBODYS}`), DENY)
      assert.deepEqual(await may('publish', `tel/${user.account.externalUserId}/data`), DENY)
    },
  ],
  [
    'POST /v1/sdk/token',
    async ({ user, clock }) => {
      const { status, body } = await user.rest('POST', '/v1/sdk/token')
      assert.equal(status, 200)
      assert.equal(Date.parse(body.expiresAt), clock.now() + 15 * 60_000)
      assert.equal(body.token.split('.').length, 3)
    },
  ],
  [
    'POST /v1/sdk/feedback',
    async (site) => {
      const { user } = site
      const { token } = (await user.rest('POST', '/v1/sdk/token')).body
      const gives = (more: Record<string, string>, from = user) => {
        const headers = { ...signed(from), ...JSON_TYPE, ...more }
        return send(from, {
          method: 'POST',
          path: '/v1/sdk/feedback',
          headers,
          body: '{"message":"Thanks","rating":5}',
        })
      }
      const given = await gives({ 'x-user-token': token })
      assert.equal(given.status, 201)
      assert.match(given.body.id, UUID)
      assert.match(given.body.createdAt, ISO)
      assert.equal((await gives({})).status, 401)
      assert.equal((await gives({ 'x-user-token': token }, site.newUser('somebody-else'))).status, 401)
      await site.advance('15 min')
      assert.equal((await gives({ 'x-user-token': token })).status, 401, 'it has expired')
    },
  ],
]

test('every row of the Endpoints table works on a running site', async (t) => {
  const site = await startSite(t)
  for (const [row, check] of story) await t.test(row, () => check(site))

  await t.test('no row is missing, and each one is documented', async () => {
    const told = story.map(([row]) => row)
    assert.deepEqual(told.toSorted(), [...rows, ...decided].toSorted())
    const documented = async (path: string) => (await send(site.user, { method: 'GET', path })).body.paths
    const paths = { ...(await documented('/openapi.json')), ...(await documented('/openapi-broker.json')) }
    for (const row of told) {
      const [method, path] = row.split(' ') as [string, string]
      assert.ok(paths[path]?.[method.toLowerCase()], row)
    }
  })
})

const LIMITS = { contactsPerUser: 1, devicesPerUser: 1 }
const BIG = 'x'.repeat(1024 * 1024)

/** Every error code with a request that triggers it. `hiker-1` is signed in unless the headers say otherwise. */
const codes: readonly (readonly [code: string, status: number, request: Send & { readonly unsigned?: true }])[] = [
  ...(
    [
      ['PROFILE', 'PUT', '/v1/sdk/me', { email: 'none' }],
      ['CONTACTS', 'POST', '/v1/sdk/contacts', { name: '' }],
      ['SOS', 'POST', '/v1/sdk/sos', {}],
      ['TELEMETRY', 'POST', '/v1/sdk/telemetry', { timestamp: 'yesterday' }],
      ['TELEMETRY', 'POST', '/telemetry/history', 'no rows'],
      ['DEVICES', 'POST', '/v1/sdk/devices', {}],
      ['FEEDBACK', 'POST', '/v1/sdk/feedback', { message: '' }],
    ] as const
  ).flatMap(([family, method, path, bad]) => {
    const request = { method, path, headers: JSON_TYPE }
    const text = { 'content-type': 'text/plain' }
    return [
      [`E_SDK_${family}_VALIDATION`, 400, { ...request, body: JSON.stringify(bad) }],
      [`E_SDK_${family}_VALIDATION`, 400, { ...request, body: '{"broken' }],
      [`E_SDK_${family}_UNAUTHORIZED`, 401, { ...request, body: '{"broken', unsigned: true }],
      [`E_SDK_${family}_TOO_LARGE`, 413, { ...request, body: JSON.stringify({ BIG }) }],
      [`E_SDK_${family}_UNSUPPORTED_MEDIA`, 415, { ...request, body: '{}', headers: text }],
    ] as const
  }),
  ['E_SDK_TOKEN_UNAUTHORIZED', 401, { method: 'POST', path: '/v1/sdk/token', unsigned: true }],
  ['E_SDK_CONTACTS_NOT_FOUND', 404, { method: 'DELETE', path: `/v1/sdk/contacts/${NOBODYS}` }],
  ['E_SDK_CONTACTS_NOT_FOUND', 404, { method: 'DELETE', path: '/v1/sdk/contacts/no-uuid' }],
  [
    'E_SDK_CONTACTS_NOT_FOUND',
    404,
    { method: 'PUT', path: `/v1/sdk/contacts/${NOBODYS}`, headers: JSON_TYPE, body: '{}' },
  ],
  [
    'E_SDK_CONTACTS_LIMIT',
    409,
    { method: 'POST', path: '/v1/sdk/contacts', headers: JSON_TYPE, body: '{"name":"B","phone":"+43660333"}' },
  ],
  ['E_SDK_DEVICES_NOT_FOUND', 404, { method: 'DELETE', path: `/v1/sdk/devices/${NOBODYS}` }],
  ['E_SDK_DEVICES_NOT_FOUND', 404, { method: 'DELETE', path: '/v1/sdk/devices/no-uuid' }],
  ...(
    [
      ['VALIDATION', 400, { hardwareId: 'TRK-2', pairingCode: 'wrong' }],
      ['VALIDATION', 400, { hardwareId: 'TRK-unknown', pairingCode: 'right' }],
      ['CONFLICT', 409, { hardwareId: 'TRK-bens', pairingCode: 'right' }],
      ['LIMIT', 409, { hardwareId: 'TRK-2', pairingCode: 'right' }],
    ] as const
  ).map(
    ([kind, status, body]) =>
      [
        `E_SDK_DEVICES_${kind}`,
        status,
        { method: 'POST', path: '/v1/sdk/devices', headers: JSON_TYPE, body: JSON.stringify(body) },
      ] as const,
  ),
  ['E_SDK_CONFIG_VALIDATION', 400, { method: 'GET', path: '/config/device/ZZ', unsigned: true }],
  ['E_SDK_CONFIG_NOT_FOUND', 404, { method: 'GET', path: '/config/device/AQ', unsigned: true }],
  ['E_SDK_SOS_VALIDATION', 400, { method: 'GET', path: '/v1/sdk/sos/history?limit=101' }],
  ['E_SDK_SOS_VALIDATION', 400, { method: 'GET', path: '/v1/sdk/sos/history?cursor=spoilt' }],
  ['E_SDK_SOS_VALIDATION', 400, { method: 'GET', path: '/v1/sdk/sos/history?trail=short' }],
  ['E_SDK_TELEMETRY_VALIDATION', 400, { method: 'GET', path: '/v1/sdk/telemetry/history?cursor=spoilt' }],
  ['E_SDK_TELEMETRY_VALIDATION', 400, { method: 'GET', path: '/v1/sdk/telemetry/history?from=spoilt' }],
  ['E_NOT_FOUND', 404, { method: 'GET', path: '/v1/sdk/nothing' }],
]

test('every code of the error envelope', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], config: { limits: LIMITS } })
  await register(site, ['TRK-1', 'right'], ['TRK-2', 'right'], ['TRK-bens', 'right'])
  assert.equal((await pair(site.user, 'TRK-1', 'right')).status, 201)
  assert.equal((await pair(site.newUser('ben'), 'TRK-bens', 'right')).status, 201)
  const { token } = (await site.user.rest('POST', '/v1/sdk/token')).body
  for (const [code, status, { unsigned, ...request }] of codes) {
    await t.test(`${request.method} ${request.path} ${request.body?.slice(0, 60) ?? ''} → ${code}`, async () => {
      const own = unsigned ? {} : { ...signed(site.user), 'x-user-token': token as string }
      const answer = await send(site.user, { ...request, headers: { ...own, ...request.headers } })
      assert.equal(answer.status, status)
      assert.equal(answer.body.error.code, code)
      assert.equal(answer.body.error.requestId, answer.headers.get('x-request-id'))
      assert.ok(answer.body.error.message.length > 0)
    })
  }
})

test('five wrong codes lock a device for 15 minutes, without showing it', async (t) => {
  const site = await startSite(t)
  await register(site, ['TRK-1', 'right'])
  const errors = new Set<string>()
  const refusedWith = ({ status, body }: { status: number; body: any }) => {
    assert.equal(status, 400)
    errors.add(JSON.stringify({ ...body.error, requestId: null }))
  }
  refusedWith(await pair(site.user, 'TRK-unknown', 'right'))
  for (let i = 0; i < 5; i++) refusedWith(await pair(site.user, 'TRK-1', `wrong ${i}`))
  refusedWith(await pair(site.user, 'TRK-1', 'right'))
  assert.equal(errors.size, 1)
  await site.advance('15 min')
  assert.equal((await pair(site.user, 'TRK-1', 'right')).status, 201)
})

suite('too many requests', () => {
  const shared = sharedSite({ config: { limits: { requestsPerMinutePerUser: 1 } } })
  /** Another user of the site. With the initial read of the profile, this one is now at the limit. */
  const used = (name: string) => shared().newUser(name).introduce()

  for (const [family, method, path] of [
    ['PROFILE', 'GET', '/v1/sdk/me'],
    ['CONTACTS', 'GET', '/v1/sdk/contacts'],
    ['SOS', 'GET', '/v1/sdk/sos'],
    ['TELEMETRY', 'POST', '/v1/sdk/telemetry'],
    ['DEVICES', 'GET', '/v1/sdk/devices'],
    ['TOKEN', 'POST', '/v1/sdk/token'],
    ['FEEDBACK', 'POST', '/v1/sdk/feedback'],
  ] as const) {
    test(`E_SDK_${family}_RATE_LIMITED`, async () => {
      const user = await used(family)
      const { status, body, headers } = await user.rest(method, path)
      assert.equal(status, 429)
      assert.equal(body.error.code, `E_SDK_${family}_RATE_LIMITED`)
      assert.ok(Number(headers.get('retry-after')) >= 1)
    })
  }

  test('E_SDK_CONFIG_RATE_LIMITED', async (t) => {
    const { user } = await startSite(t, { config: { limits: { requestsPerMinutePerAddress: 1 } } })
    const { status, body } = await send(user, { method: 'GET', path: '/config/device/DE' })
    assert.deepEqual([status, body.error.code], [429, 'E_SDK_CONFIG_RATE_LIMITED'])
  })

  test('never delay an alarm or its end, over REST or MQTT', async () => {
    const user = await used('alarm')
    await user.listen()
    assert.equal((await user.rest('GET', '/v1/sdk/me')).status, 429)
    for (const end of ['cancel', 'resolve']) {
      assert.equal((await user.rest('POST', '/v1/sdk/sos', { timestamp: at(`12:0${end.length}:00`) })).status, 201)
      assert.equal((await user.rest('POST', `/v1/sdk/sos/${end}`)).status, 200)
    }
    await user.presses({ timestamp: at('12:09:00') })
    await user.receives('processed', ({ status }) => status === 'active')
  })
})

test('broker callbacks see within moments what the operator ends elsewhere', async (t) => {
  const site = await startSite(t)
  const { user } = site
  const client = { username: usernameOf(user), password: user.hash, clientid: 'svc_1' }
  const access = { username: usernameOf(user), topic: `sos/alerts/${user.userId}`, action: 'publish' }
  assert.deepEqual(await asks(user, 'connect', client), ALLOW)
  const { appId, externalUserId } = user.account
  const answers = (expected: readonly unknown[]) => async () =>
    JSON.stringify(await asks(user, 'acl', access)) === JSON.stringify(expected)

  await site.beside(async (elsewhere) => {
    await elsewhere.setUserDisabled(appId, externalUserId, true)
    assert.deepEqual(await asks(user, 'connect', client), DENY)
    await until('the cached session is ended', answers(DENY))
    await elsewhere.setUserDisabled(appId, externalUserId, false)
    await until('the user is let in again', answers(ALLOW))
    await elsewhere.updateApplication(appId, { disabled: true })
    await until('the application is shut out', answers(DENY))
  })
})
