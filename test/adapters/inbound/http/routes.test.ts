import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { contactView } from '../../../../src/core/account/contact.ts'
import { countryPlanViewSchema } from '../../../../src/core/account/country-plan-schema.ts'
import { deviceView } from '../../../../src/core/account/device.ts'
import { profileView } from '../../../../src/core/account/profile.ts'
import type { IncidentView } from '../../../../src/core/incident/event.ts'
import { isoAt, parseEventTime } from '../../../../src/core/ingest/event-time.ts'
import {
  ANA,
  ask,
  BEN,
  FEEDBACK_RECEIPT,
  incident,
  JSON_TYPE,
  NOBODYS_ID,
  NOW,
  pastIncident,
  sharedHttp,
  standIn,
  startHttp,
  TELEMETRY_ITEM,
  SIGNED as THREE_HEADERS,
  TRACKER,
  USER,
} from './stand-in.ts'

const ALERT = { timestamp: '2026-05-01T14:06:40.123456789Z', latitude: 47, longitude: 11 }
const PHONE = { phoneProvedAt: null, phoneTakenAt: null, smsSos: null }
const SHOWN = { ...profileView(USER), ...PHONE }
const PROFILE = { ...SHOWN, user: SHOWN }
const CHANGED = { ...profileView({ ...USER, name: 'Ann', phone: null }), ...PHONE }
const PROOF = { phoneProvedAt: isoAt(NOW), smsCode: '4711' }

type Success = {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly status: number
  /** Undefined: no body. */
  readonly answers?: unknown
  /** The use case called, with its arguments besides the session. */
  readonly calls: readonly unknown[]
}

/** Every route, and what it does on success (protocol.md#rest). */
const routes: readonly Success[] = [
  { method: 'GET', path: '/v1/sdk/me', status: 200, answers: PROFILE, calls: ['profile'] },
  {
    method: 'PUT',
    path: '/v1/sdk/me',
    body: { name: ' Ann ', phone: null, id: 'not updatable', shoeSize: 44 },
    status: 200,
    answers: { ...CHANGED, user: CHANGED },
    calls: ['updateProfile', { name: 'Ann', phone: null }],
  },
  { method: 'PUT', path: '/v1/sdk/me', body: {}, status: 200, answers: PROFILE, calls: ['updateProfile', {}] },
  {
    method: 'POST',
    path: '/v1/sdk/me/phone/code',
    status: 202,
    answers: { expiresAt: isoAt(NOW) },
    calls: ['askPhoneCode', '127.0.0'],
  },
  {
    method: 'POST',
    path: '/v1/sdk/me/phone/proof',
    body: { code: '123456' },
    status: 200,
    answers: PROOF,
    calls: ['provePhone', '123456'],
  },
  {
    method: 'POST',
    path: '/v1/sdk/me/sms-code',
    body: { smsCode: '4711' },
    status: 200,
    answers: PROOF,
    calls: ['changeSmsCode', '4711'],
  },
  {
    method: 'POST',
    path: '/v1/sdk/me/sms-code',
    body: {},
    status: 200,
    answers: PROOF,
    calls: ['changeSmsCode', null],
  },
  { method: 'GET', path: '/v1/sdk/contacts', status: 200, answers: [contactView(BEN)], calls: ['contacts'] },
  {
    method: 'POST',
    path: '/v1/sdk/contacts',
    body: { name: 'Ben', phone: '+4366087654321', priority: 2, createdAt: 'ignored' },
    status: 201,
    answers: contactView(BEN),
    calls: ['addContact', { name: 'Ben', phone: '+4366087654321', priority: 2 }],
  },
  {
    method: 'PUT',
    path: `/v1/sdk/contacts/${BEN.id}`,
    body: { email: null },
    status: 200,
    answers: contactView(BEN),
    calls: ['updateContact', BEN.id, { email: null }],
  },
  {
    method: 'PUT',
    path: `/v1/sdk/contacts/${BEN.id.toUpperCase()}`,
    body: {},
    status: 200,
    answers: contactView(BEN),
    calls: ['updateContact', BEN.id, {}],
  },
  {
    method: 'PUT',
    path: '/v1/sdk/contacts/reorder',
    body: { contactIds: [BEN.id] },
    status: 204,
    calls: ['reorderContacts', [BEN.id]],
  },
  {
    method: 'PUT',
    path: '/v1/sdk/contacts/reorder',
    body: { ids: [BEN.id] },
    status: 204,
    calls: ['reorderContacts', [BEN.id]],
  },
  {
    method: 'PUT',
    path: '/v1/sdk/contacts/reorder',
    body: [BEN.id],
    status: 204,
    calls: ['reorderContacts', [BEN.id]],
  },
  { method: 'DELETE', path: `/v1/sdk/contacts/${BEN.id}`, status: 204, calls: ['removeContact', BEN.id] },
  {
    method: 'POST',
    path: '/v1/sdk/sos',
    body: ALERT,
    status: 201,
    answers: { incident: incident() },
    calls: ['raiseSos', ALERT],
  },
  {
    method: 'POST',
    path: '/v1/sdk/sos',
    body: { ...ALERT, again: true },
    status: 200,
    answers: { incident: incident() },
    calls: ['raiseSos', { ...ALERT, again: true }],
  },
  { method: 'GET', path: '/v1/sdk/sos', status: 200, answers: { incident: incident() }, calls: ['read'] },
  {
    method: 'GET',
    path: '/v1/sdk/sos/history?limit=1',
    status: 200,
    answers: { items: [pastIncident()], nextCursor: 'next', hasMore: true },
    calls: ['history', { after: null, limit: 1, hasTrails: true }],
  },
  {
    method: 'GET',
    path: '/v1/sdk/sos/history?cursor=a%2Bb&limit=100&trail=off&other=1',
    status: 200,
    answers: { items: [pastIncident()], nextCursor: null, hasMore: false },
    // One incident at a time: a hundred long ones are never in memory together.
    calls: ['history', { after: 'a+b', limit: 1, hasTrails: false }],
  },
  {
    method: 'POST',
    path: '/v1/sdk/sos/cancel',
    status: 200,
    answers: { incident: null },
    calls: ['cancel'],
  },
  {
    method: 'POST',
    path: '/v1/sdk/sos/resolve',
    status: 200,
    answers: { incident: null },
    calls: ['resolve'],
  },
  {
    method: 'POST',
    path: '/v1/sdk/telemetry',
    body: ALERT,
    status: 202,
    answers: { accepted: true, incidentId: incident().incidentId },
    calls: ['ingestTelemetry', ALERT],
  },
  ...['/telemetry/history', '/v1/sdk/telemetry/history'].flatMap((path) => [
    {
      method: 'POST',
      path,
      body: [ALERT, 7, {}],
      status: 200,
      answers: { accepted: 3, duplicates: 0, rejected: [] },
      calls: ['append', [ALERT, 7, {}]],
    },
    {
      method: 'POST',
      path,
      body: { items: [ALERT], more: 1 },
      status: 200,
      answers: { accepted: 1, duplicates: 0, rejected: [] },
      calls: ['append', [ALERT]],
    },
    {
      method: 'POST',
      path,
      body: [],
      status: 200,
      answers: { accepted: 0, duplicates: 0, rejected: [] },
      calls: ['append', []],
    },
  ]),
  {
    method: 'GET',
    path: '/v1/sdk/telemetry/history',
    status: 200,
    answers: { items: [TELEMETRY_ITEM], nextCursor: null, hasMore: false },
    calls: ['readTelemetry', { after: null, limit: 5, from: null, to: null }],
  },
  {
    method: 'GET',
    // The plus of the second offset is not escaped, as if typed by hand.
    path: '/v1/sdk/telemetry/history?from=2026-05-01T16:00:00%2B02:00&to=2026-05-01T17:00:00.5+02:00&limit=5&cursor=a',
    status: 200,
    answers: { items: [TELEMETRY_ITEM], nextCursor: null, hasMore: false },
    calls: [
      'readTelemetry',
      {
        after: 'a',
        limit: 5,
        from: parseEventTime('2026-05-01T16:00:00+02:00'),
        to: parseEventTime('2026-05-01T17:00:00.5+02:00'),
      },
    ],
  },
  { method: 'GET', path: '/v1/sdk/devices', status: 200, answers: [deviceView(TRACKER)], calls: ['list'] },
  {
    method: 'POST',
    path: '/v1/sdk/devices',
    body: { pairingCode: ' 1234 ', hardwareId: 'TRK-1', hardwareModel: null, id: 'ignored' },
    status: 201,
    answers: deviceView(TRACKER),
    calls: ['pair', { pairingCode: '1234', hardwareId: 'TRK-1', hardwareModel: null }, '127.0.0.1'],
  },
  {
    method: 'POST',
    path: '/v1/sdk/devices',
    body: { pairingCode: 'again', hardwareId: 'TRK-1', firmwareVersion: '2.1' },
    status: 200,
    answers: deviceView(TRACKER),
    calls: ['pair', { pairingCode: 'again', hardwareId: 'TRK-1', firmwareVersion: '2.1' }, '127.0.0.1'],
  },
  { method: 'DELETE', path: `/v1/sdk/devices/${TRACKER.id.toUpperCase()}`, status: 204, calls: ['remove', TRACKER.id] },
  {
    method: 'POST',
    path: '/v1/sdk/token',
    status: 200,
    answers: { token: 'a.b.c', expiresAt: '2026-05-01T14:23:12.000Z' },
    calls: ['issueToken'],
  },
  {
    method: 'POST',
    path: '/v1/sdk/feedback',
    body: { message: ' Good ', rating: 5, category: null },
    status: 201,
    answers: FEEDBACK_RECEIPT,
    calls: ['submit', { message: 'Good', rating: 5, category: null }],
  },
]

/** The family name in the error codes of a path. */
const familyOf = (path: string): string => {
  const families: Readonly<Record<string, string>> = { me: 'PROFILE' }
  const name = path.replace(/^\/v1\/sdk/, '').split(/[/?]/)[1]!
  return families[name] ?? name.toUpperCase()
}

/** Feedback needs a user token besides the session; other routes ignore it. */
const SIGNED = { ...THREE_HEADERS, 'x-user-token': 'a.b.c' }

const bodyOf = (body: unknown): RequestInit =>
  body === undefined ? { headers: SIGNED } : { headers: { ...SIGNED, ...JSON_TYPE }, body: JSON.stringify(body) }

suite('a route does its job', () => {
  const shared = sharedHttp()
  for (const { method, path, body, status, answers, calls } of routes) {
    test(`${method} ${path} ${JSON.stringify(body) ?? ''} → ${status}`, async () => {
      const site = shared()
      const answer = await ask(site, method, path, bodyOf(body))
      assert.equal(answer.status, status)
      // Everything sent arrives: no field of an open shape is dropped or added on the way out.
      if (answers === undefined) assert.equal(answer.text, '')
      else assert.deepEqual(answer.json, JSON.parse(JSON.stringify(answers)))
      const [admitted, ...used] = site.calls
      assert.equal(admitted!.use, 'identify')
      assert.deepEqual(
        used.map(({ use, args: [session, ...args] }) => [session, use, ...args]),
        [[ANA, ...calls]],
      )
      assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    })
  }
})

test('fields that a later version adds to an incident are sent unchanged', async (t) => {
  const siren = { id: 'siren', type: 'siren', status: 'sent', outcome: 'success', siren: { loud: true, tones: [1] } }
  const { actuators, ...envelope } = incident()
  const later = { ...envelope, weather: { wind: 7 }, actuators: { ...actuators, items: [siren, ...actuators.items] } }
  const site = standIn()
  const ownIncident = { ...site.parts.ownIncident, read: async () => later as unknown as IncidentView }
  const answer = await ask(await startHttp(t, { ownIncident }), 'GET', '/v1/sdk/sos', { headers: SIGNED })
  assert.deepEqual(answer.json.incident, later)
})

suite('without a valid session nothing happens', () => {
  const { authorization, ...unsigned } = SIGNED
  const causes: Readonly<Record<string, Record<string, string>>> = {
    'no headers': {},
    'no hash': unsigned,
    'a wrong hash': { ...SIGNED, authorization: `Bearer ${'0'.repeat(64)}` },
    'a hash that is too short': { ...SIGNED, authorization: 'Bearer ab' },
    'a hash that is not hex': { ...SIGNED, authorization: 'Bearer zz' },
    'another scheme': { ...SIGNED, authorization: authorization.replace('Bearer', 'Basic') },
    'no application': { 'x-user-id': 'ana', authorization },
    'an unknown application': { ...SIGNED, 'x-app-id': ANA.userId },
    'another user': { ...SIGNED, 'x-user-id': 'ben' },
  }
  for (const { method, path } of uniqueRoutes()) {
    // A server of its own: one that has seen many wrong hashes takes its time to answer.
    test(`${method} ${path}`, async (t) => {
      const site = await startHttp(t)
      const bodies = new Set<string>()
      for (const headers of Object.values(causes)) {
        // The body is broken, too: it must not be read.
        const body = method === 'GET' ? {} : { body: '{"broken' }
        const answer = await ask(site, method, path, { headers: { ...headers, ...JSON_TYPE }, ...body })
        assert.equal(answer.status, 401)
        assert.equal(answer.json.error.requestId, answer.headers.get('x-request-id'))
        bodies.add(JSON.stringify({ ...answer.json.error, requestId: null }))
      }
      assert.equal(bodies.size, 1, 'every cause has the same answer')
      assert.equal(JSON.parse([...bodies][0]!).code, `E_SDK_${familyOf(path)}_UNAUTHORIZED`)
      // Every cause makes the same look-up, so that the answer takes equally long.
      assert.deepEqual(
        site.calls.map(({ use }) => use),
        Object.keys(causes).map(() => 'identify'),
      )
    })
  }
})

suite('an unusable body', () => {
  const shared = sharedHttp()
  const bodies = [
    { what: 'malformed', init: { headers: JSON_TYPE, body: '{"name":' }, status: 400, kind: 'VALIDATION' },
    { what: 'empty', init: { headers: JSON_TYPE }, status: 400, kind: 'VALIDATION' },
    { what: 'missing', init: {}, status: 400, kind: 'VALIDATION', field: 'body' },
    { what: 'null', init: { headers: JSON_TYPE, body: 'null' }, status: 400, kind: 'VALIDATION', field: 'body' },
    { what: 'a string', init: { headers: JSON_TYPE, body: '"x"' }, status: 400, kind: 'VALIDATION', field: 'body' },
    {
      what: 'not UTF-8',
      init: { headers: JSON_TYPE, body: Buffer.from('{"name":"\xff"}', 'latin1') },
      status: 400,
      kind: 'VALIDATION',
    },
    {
      what: 'text',
      init: { headers: { 'content-type': 'text/plain' }, body: '{}' },
      status: 415,
      kind: 'UNSUPPORTED_MEDIA',
    },
    {
      what: 'no media type',
      init: { headers: { 'content-type': 'json' }, body: '{}' },
      status: 415,
      kind: 'UNSUPPORTED_MEDIA',
    },
    {
      what: 'JSON-like',
      init: { headers: { 'content-type': 'application/jsonp' }, body: '{}' },
      status: 415,
      kind: 'UNSUPPORTED_MEDIA',
    },
    {
      what: 'latin1',
      init: { headers: { 'content-type': 'application/json; charset=iso-8859-1' }, body: '{}' },
      status: 415,
      kind: 'UNSUPPORTED_MEDIA',
    },
    {
      what: 'compressed',
      init: { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: '{}' },
      status: 415,
      kind: 'UNSUPPORTED_MEDIA',
    },
    {
      what: '64 KiB and a byte',
      init: { headers: JSON_TYPE, body: `"${'x'.repeat(65_535)}"` },
      status: 413,
      kind: 'TOO_LARGE',
    },
  ] as const
  for (const { method, path } of uniqueRoutes().filter(({ body }) => body !== undefined)) {
    test(`${method} ${path}`, async () => {
      const site = shared()
      for (const { what, init, status, kind, ...rest } of bodies) {
        // Its own limit is sixteen times as high, and tested below.
        if (status === 413 && path.endsWith('/history')) continue
        const headers = { ...SIGNED, ...('headers' in init ? init.headers : {}) }
        const answer = await ask(site, method, path, { ...init, headers })
        assert.equal(answer.status, status, what)
        assert.equal(answer.json.error.code, `E_SDK_${familyOf(path)}_${kind}`, what)
        if ('field' in rest) assert.deepEqual(fieldsOf(answer.json), [rest.field], what)
      }
      assert.ok(
        site.calls.every(({ use }) => use === 'identify'),
        'no use case is reached',
      )
    })
  }

  test('JSON may carry parameters, any case, or no content type at all', async () => {
    const site = shared()
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON;charset="UTF-8"; v=1',
      'application/json ;charset=utf8',
      null,
    ]) {
      const headers = { ...SIGNED, ...(type !== null && { 'content-type': type }) }
      // A Buffer, because fetch adds its own content type to a string.
      const answer = await ask(site, 'PUT', '/v1/sdk/me', { headers, body: Buffer.from('{"name":"Ann"}') })
      assert.equal(answer.status, 200, String(type))
    }
  })

  test('64 KiB are not too much', async () => {
    const site = shared()
    const padding = 'x'.repeat(65_536 - '{"padding":""}'.length)
    const answer = await ask(site, 'PUT', '/v1/sdk/me', bodyOf({ padding }))
    assert.equal(answer.status, 200)
  })
})

suite('cancel, resolve and DELETE ignore body and content type', () => {
  const shared = sharedHttp()
  const inits: Readonly<Record<string, RequestInit>> = {
    'an empty body that says it is JSON': { headers: JSON_TYPE },
    'broken JSON': { headers: JSON_TYPE, body: '{' },
    'an invalid content type': { headers: { 'content-type': 'nonsense' }, body: 'x' },
    'a form': { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' },
    'a megabyte': { body: Buffer.alloc(1_000_000) },
  }
  for (const { method, path, status } of routes.filter(
    ({ path: at, method: how }) => how === 'DELETE' || /cancel|resolve/.test(at),
  )) {
    for (const [what, init] of Object.entries(inits)) {
      test(`${method} ${path} with ${what}`, async () => {
        const site = shared()
        const answer = await ask(site, method, path, { ...init, headers: { ...SIGNED, ...(init.headers as object) } })
        assert.equal(answer.status, status)
      })
    }
  }
})

suite('every bad field is named', () => {
  const shared = sharedHttp()
  const cases: readonly (readonly [method: string, path: string, body: unknown, fields: readonly string[]])[] = [
    ['PUT', '/v1/sdk/me', { name: '', email: 'ana', phone: '0660', address: 7 }, ['address', 'email', 'name', 'phone']],
    ['PUT', '/v1/sdk/me', { name: 'x'.repeat(201), email: `${'x'.repeat(250)}@a.at` }, ['email', 'name']],
    ['PUT', '/v1/sdk/me', { name: '\ud800' }, ['name']],
    ['POST', '/v1/sdk/contacts', {}, ['name', 'phone']],
    [
      'POST',
      '/v1/sdk/contacts',
      { name: 'Ben', phone: '+43', language: 'x y', priority: 0 },
      ['language', 'phone', 'priority'],
    ],
    ['PUT', `/v1/sdk/contacts/${BEN.id}`, { name: null, priority: 1.5 }, ['name', 'priority']],
    ['PUT', '/v1/sdk/contacts/reorder', {}, ['contactIds']],
    ['PUT', '/v1/sdk/contacts/reorder', { contactIds: [BEN.id, 7] }, ['contactIds.1']],
    ['PUT', '/v1/sdk/contacts/reorder', { contactIds: [BEN.id, BEN.id] }, ['contactIds']],
    ['PUT', '/v1/sdk/contacts/reorder', [], ['contactIds']],
    ['POST', '/v1/sdk/devices', {}, ['hardwareId', 'pairingCode']],
    [
      'POST',
      '/v1/sdk/devices',
      { pairingCode: '1', hardwareId: 'a\u0000b', firmwareVersion: 7 },
      ['firmwareVersion', 'hardwareId'],
    ],
    ['POST', '/v1/sdk/feedback', { message: ' ', rating: 6 }, ['message', 'rating']],
    ['POST', '/v1/sdk/feedback', { message: 'x'.repeat(4001), rating: 1.5 }, ['message', 'rating']],
    ['POST', '/v1/sdk/sos', [], ['body']],
    ['POST', '/v1/sdk/sos', { latitude: 91 }, ['latitude', 'timestamp']],
    ['POST', '/v1/sdk/sos', { ...ALERT, deviceBattery: { range: 'full' } }, ['deviceBattery.range']],
    [
      'POST',
      '/v1/sdk/telemetry',
      { ...ALERT, latitude: undefined, mobileBattery: 101 },
      ['latitude', 'longitude', 'mobileBattery'],
    ],
  ]
  for (const [method, path, body, fields] of cases) {
    test(`${method} ${path} ${JSON.stringify(body).slice(0, 80)}`, async () => {
      const site = shared()
      const answer = await ask(site, method, path, bodyOf(body))
      assert.equal(answer.status, 400)
      assert.equal(answer.json.error.code, `E_SDK_${familyOf(path)}_VALIDATION`)
      assert.deepEqual(fieldsOf(answer.json), fields)
    })
  }

  test('a missing field is called required', async () => {
    const { json } = await ask(shared(), 'POST', '/v1/sdk/contacts', bodyOf({ phone: BEN.phone }))
    assert.deepEqual(json.error.fields, [{ field: 'name', message: 'is required' }])
  })

  const queries = [
    'limit=0',
    'limit=101',
    'limit=1.5',
    'limit=',
    'limit=-1',
    'limit=1e1',
    'limit=5&limit=6',
    'cursor=',
    'cursor=spoilt',
  ]
  for (const query of queries) {
    test(`GET /v1/sdk/sos/history?${query}`, async () => {
      const answer = await ask(shared(), 'GET', `/v1/sdk/sos/history?${query}`, { headers: SIGNED })
      assert.equal(answer.status, 400)
      assert.deepEqual(fieldsOf(answer.json), [query.split('=')[0]])
    })
  }

  for (const { method, path } of uniqueRoutes().filter(({ body }) => body !== undefined)) {
    test(`a __proto__ key in ${method} ${path}`, async () => {
      const body = `{"__proto__":{"name":"x"},"timestamp":"${ALERT.timestamp}","name":"a","phone":"+4366012345678","contactIds":[],"items":[],"message":"a","hardwareId":"a","pairingCode":"a","code":"123456"}`
      const answer = await ask(shared(), method, path, { headers: { ...SIGNED, ...JSON_TYPE }, body })
      assert.equal(answer.status, 400)
      assert.deepEqual(fieldsOf(answer.json), ['__proto__'])
    })
  }
})

suite('refusals of the use cases', () => {
  const shared = sharedHttp()
  test('too many wrong pairing codes: when to try again', async () => {
    const body = bodyOf({ pairingCode: 'guessed', hardwareId: 'TRK-1' })
    const { status, headers, json } = await ask(shared(), 'POST', '/v1/sdk/devices', body)
    assert.deepEqual([status, headers.get('retry-after'), json.error.code], [429, '62', 'E_SDK_DEVICES_RATE_LIMITED'])
  })
  const cases = [
    ['PUT', `/v1/sdk/contacts/${NOBODYS_ID}`, {}, 404, 'E_SDK_CONTACTS_NOT_FOUND'],
    ['PUT', '/v1/sdk/contacts/no-uuid', {}, 404, 'E_SDK_CONTACTS_NOT_FOUND'],
    ['PUT', '/v1/sdk/contacts/no-uuid', { name: 7 }, 404, 'E_SDK_CONTACTS_NOT_FOUND'],
    ['PATCH', '/v1/sdk/timers/no-uuid', {}, 404, 'E_SDK_TIMERS_NOT_FOUND'],
    ['PUT', `/v1/sdk/contacts/${'x'.repeat(5_000)}`, {}, 404, 'E_SDK_CONTACTS_NOT_FOUND'],
    ['DELETE', `/v1/sdk/contacts/${NOBODYS_ID}`, undefined, 404, 'E_SDK_CONTACTS_NOT_FOUND'],
    ['DELETE', '/v1/sdk/contacts/no-uuid', undefined, 404, 'E_SDK_CONTACTS_NOT_FOUND'],
    ['DELETE', `/v1/sdk/devices/${NOBODYS_ID}`, undefined, 404, 'E_SDK_DEVICES_NOT_FOUND'],
    ['DELETE', '/v1/sdk/devices/no-uuid', undefined, 404, 'E_SDK_DEVICES_NOT_FOUND'],
    ['POST', '/v1/sdk/contacts', { name: 'eleventh', phone: BEN.phone }, 409, 'E_SDK_CONTACTS_LIMIT'],
  ] as const
  for (const [method, path, body, status, code] of cases) {
    test(`${method} ${path.slice(0, 60)} → ${status}`, async () => {
      const answer = await ask(shared(), method, path, bodyOf(body))
      assert.equal(answer.status, status)
      assert.equal(answer.json.error.code, code)
    })
  }

  test('a user who is erased during the request is no longer admitted', async (t) => {
    const site = shared()
    const erased = async () => ({ refused: 'user_not_found' }) as const
    const ownAccount = { ...site.parts.ownAccount, updateProfile: erased }
    const answer = await ask(await startHttp(t, { ownAccount }), 'PUT', '/v1/sdk/me', bodyOf({}))
    assert.equal(answer.status, 401)
    assert.equal(answer.json.error.code, 'E_SDK_PROFILE_UNAUTHORIZED')
  })
})

suite('an unusable telemetry history', () => {
  const shared = sharedHttp()
  const row = { timestamp: ALERT.timestamp }
  const bodies: readonly (readonly [what: string, body: unknown, field: string])[] = [
    ['an object without items', {}, 'items'],
    ['items that are not an array', { items: row }, 'items'],
    ['1,001 rows', Array.from({ length: 1001 }, () => row), 'body'],
    ['1,001 items', { items: Array.from({ length: 1001 }, () => row) }, 'items'],
  ]
  for (const path of ['/telemetry/history', '/v1/sdk/telemetry/history']) {
    for (const [what, body, field] of bodies) {
      test(`POST ${path}: ${what}`, async () => {
        const site = shared()
        const answer = await ask(site, 'POST', path, bodyOf(body))
        assert.equal(answer.status, 400)
        assert.equal(answer.json.error.code, 'E_SDK_TELEMETRY_VALIDATION')
        assert.deepEqual(fieldsOf(answer.json), [field])
        assert.equal(site.calls.length, 1, 'only the session was asked for')
      })
    }

    test(`POST ${path}: 1,000 rows and 1 MiB are allowed, one byte more is not`, async () => {
      const site = shared()
      const items = Array.from({ length: 1000 }, () => row)
      const bytes = (padding: number) => JSON.stringify({ items, padding: 'x'.repeat(padding) })
      const room = 1024 * 1024 - bytes(0).length
      for (const [padding, status] of [
        [room, 200],
        [room + 1, 413],
      ] as const) {
        const answer = await ask(site, 'POST', path, { headers: { ...SIGNED, ...JSON_TYPE }, body: bytes(padding) })
        assert.equal(answer.status, status)
        if (status === 413) assert.equal(answer.json.error.code, 'E_SDK_TELEMETRY_TOO_LARGE')
      }
    })
  }

  for (const [query, field] of [
    ['from=yesterday', 'from'],
    ['to=2026-05-01', 'to'],
    ['to=2026-05-01T14:00:00', 'to'],
    ['from=2026-02-30T14:00:00Z', 'from'],
    ['from=2026-05-01%2014:00:00Z', 'from'],
    ['from=', 'from'],
    ['from=2026-05-01T14:00:00Z&from=2026-05-01T14:00:00Z', 'from'],
    ['limit=0', 'limit'],
    ['cursor=spoilt', 'cursor'],
  ] as const) {
    test(`GET ?${query}`, async () => {
      const answer = await ask(shared(), 'GET', `/v1/sdk/telemetry/history?${query}`, { headers: SIGNED })
      assert.equal(answer.status, 400)
      assert.equal(answer.json.error.code, 'E_SDK_TELEMETRY_VALIDATION')
      assert.deepEqual(fieldsOf(answer.json), [field])
    })
  }
})

suite('a refused pairing', () => {
  const shared = sharedHttp()
  for (const [pairingCode, status, code, fields] of [
    ['wrong', 400, 'E_SDK_DEVICES_VALIDATION', ['pairingCode']],
    ['taken', 409, 'E_SDK_DEVICES_CONFLICT', []],
    ['eleventh', 409, 'E_SDK_DEVICES_LIMIT', []],
  ] as const) {
    test(code, async () => {
      const body = { pairingCode, hardwareId: 'TRK-1' }
      const answer = await ask(shared(), 'POST', '/v1/sdk/devices', bodyOf(body))
      assert.equal(answer.status, status)
      assert.equal(answer.json.error.code, code)
      assert.deepEqual(fieldsOf(answer.json), fields)
    })
  }
})

suite('feedback needs a user token', () => {
  const shared = sharedHttp()
  for (const [what, headers] of [
    ['no token', {}],
    ['an empty one', { 'x-user-token': '' }],
    ['another one', { 'x-user-token': 'a.b.d' }],
  ] as const) {
    test(what, async () => {
      const site = shared()
      // The body is broken, too: it must not be read.
      const init = { headers: { ...THREE_HEADERS, ...JSON_TYPE, ...headers }, body: '{"broken' }
      const answer = await ask(site, 'POST', '/v1/sdk/feedback', init)
      assert.equal(answer.status, 401)
      assert.equal(answer.json.error.code, 'E_SDK_FEEDBACK_UNAUTHORIZED')
      assert.ok(!site.calls.some(({ use }) => use === 'submit'))
    })
  }
})

suite('country plans need no session', () => {
  const shared = sharedHttp()
  for (const [country, status, code] of [
    ['DE', 200, null],
    ['de', 200, null],
    ['AQ', 404, 'E_SDK_CONFIG_NOT_FOUND'],
    ['ZZ', 400, 'E_SDK_CONFIG_VALIDATION'],
    ['DEU', 400, 'E_SDK_CONFIG_VALIDATION'],
    ['%C3%9F', 400, 'E_SDK_CONFIG_VALIDATION'],
    ['', 400, 'E_SDK_CONFIG_VALIDATION'],
    ['..%2Fetc', 400, 'E_SDK_CONFIG_VALIDATION'],
    ['constructor', 400, 'E_SDK_CONFIG_VALIDATION'],
  ] as const) {
    test(`GET /config/device/${country} → ${status}`, async () => {
      const answer = await ask(shared(), 'GET', `/config/device/${country}`)
      assert.equal(answer.status, status)
      if (code === null) {
        const { country: named, regionCode, regionByte, loraRegionByte, sub } = answer.json
        assert.deepEqual([named, regionCode, regionByte, loraRegionByte, sub], ['DE', 'EU868', 5, 5, null])
        assert.deepEqual(countryPlanViewSchema.parse(answer.json), answer.json)
      } else {
        assert.equal(answer.json.error.code, code)
        assert.deepEqual(fieldsOf(answer.json), status === 400 ? ['country'] : [])
      }
    })
  }
})

suite('requests without a route', () => {
  const shared = sharedHttp()
  const cases = [
    ['GET', '/v1/sdk/unknown', 404, 'E_NOT_FOUND'],
    ['GET', '/v1/sdk/me/', 404, 'E_NOT_FOUND'],
    ['POST', '/v1/sdk/unknown', 404, 'E_NOT_FOUND'],
    ['PROPFIND', '/v1/sdk/me', 404, 'E_NOT_FOUND'],
    ['GET', '/v1/sdk/contacts/%ZZ', 400, 'E_VALIDATION'],
    ['PATCH', '/v1/sdk/me', 405, 'E_METHOD_NOT_ALLOWED'],
    ['OPTIONS', '/v1/sdk/sos', 405, 'E_METHOD_NOT_ALLOWED'],
    ['GET', '/telemetry/history', 405, 'E_METHOD_NOT_ALLOWED'],
    ['PUT', '/v1/sdk/devices', 405, 'E_METHOD_NOT_ALLOWED'],
    ['GET', '/v1/sdk/sos/cancel', 405, 'E_METHOD_NOT_ALLOWED'],
    ['POST', `/v1/sdk/contacts/${BEN.id}`, 405, 'E_METHOD_NOT_ALLOWED'],
    ['DELETE', '/healthz', 405, 'E_METHOD_NOT_ALLOWED'],
    ['GET', '/mqtt', 426, 'E_UPGRADE_REQUIRED'],
    ['POST', '/mqtt', 426, 'E_UPGRADE_REQUIRED'],
  ] as const
  for (const [method, path, status, code] of cases) {
    test(`${method} ${path} → ${status}`, async () => {
      const site = shared()
      const answer = await ask(site, method, path)
      assert.equal(answer.status, status)
      assert.equal(answer.json.error.code, code)
      assert.equal(answer.json.error.requestId, answer.headers.get('x-request-id'))
      assert.equal(answer.headers.get('upgrade'), status === 426 ? 'websocket' : null)
      assert.deepEqual(site.calls, [])
    })
  }

  test('a 405 names the allowed methods', async () => {
    const { headers } = await ask(shared(), 'PATCH', '/v1/sdk/me')
    assert.equal(headers.get('allow'), 'GET, HEAD, PUT')
  })
})

function uniqueRoutes(): readonly Success[] {
  return [
    ...new Map(routes.map((route) => [`${route.method} ${route.path.split('?')[0]!.toLowerCase()}`, route])).values(),
  ]
}

function fieldsOf(json: { error: { fields?: readonly { field: string }[] } }): readonly string[] {
  return (json.error.fields ?? []).map(({ field }) => field).sort()
}
