import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ProcessSite, startProcessSite, UNHURRIED } from '../harness/process-site.ts'

const NOW = new Date().toISOString()
const DEEP = 500_000
/** The deepest nesting that the body limit of 64 KiB allows. */
const DEEPEST = 32_000

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const alert = (fields: string): string => `{"timestamp":"${NOW}",${fields}}`

/** Possible mistakes in a payload of alerts and telemetry, with the fields that the response names. */
const badFields = [
  [
    'wrong types',
    alert('"latitude":"47","longitude":true,"mobileBattery":"9"'),
    ['latitude', 'longitude', 'mobileBattery'],
  ],
  ['a latitude without longitude', alert('"latitude":47'), ['latitude', 'longitude']],
  ['a longitude without latitude', alert('"longitude":12,"latitude":null'), ['latitude', 'longitude']],
  ['a latitude beyond the pole', alert('"latitude":90.5,"longitude":12'), ['latitude', 'longitude']],
  ['a battery of 101', alert('"mobileBattery":101'), ['mobileBattery']],
  ['a battery of 1.5', alert('"mobileBattery":1.5'), ['mobileBattery']],
  ['an unknown range', alert('"deviceBattery":{"rawValue":3,"range":"full"}'), ['deviceBattery.range']],
  ['a time without zone', '{"timestamp":"2026-05-01T14:06:40"}', ['timestamp']],
  ['a time that never existed', '{"timestamp":"2026-02-30T14:06:40Z"}', ['timestamp']],
  ['no time at all', '{}', ['timestamp']],
  ['a number too large for one', alert('"altitude":1e999'), ['altitude']],
  ['a lone surrogate', alert('"deviceId":"\\ud800"'), ['deviceId']],
  ['a malicious key', alert('"__proto__":{"admin":true}'), ['__proto__']],
  ['deep nesting in a field', alert(`"deviceBattery":${nested(DEEPEST)}`), ['deviceBattery']],
  [
    'everything at once',
    '{"timestamp":5,"latitude":91,"longitude":181,"altitude":"high"}',
    ['altitude', 'latitude', 'longitude', 'timestamp'],
  ],
] as const

/** Bodies that are not payloads. */
const noPayload: readonly (readonly [string, string | Buffer])[] = [
  ['nothing', ''],
  ['half an object', '{"timestamp":'],
  ['an array', '[]'],
  ['null', 'null'],
  ['a text', '"help"'],
  ['the deepest nesting possible', nested(DEEPEST)],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
]

const tooLarge = [
  ['10 MB of spaces', ' '.repeat(10 * 1024 * 1024)],
  ['10 MB in a field', alert(`"deviceId":"${'x'.repeat(10 * 1024 * 1024)}"`)],
  [`${DEEP} levels of arrays`, alert(`"more":${nested(DEEP)}`)],
  [`${DEEP} levels of objects`, `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`],
] as const

test('hostile requests get the right refusal, and the next SOS is heard', async (t) => {
  const site = await startProcessSite(t, { settings: UNHURRIED })
  const user = await site.user('mia')
  const signed = {
    'x-app-id': site.appId,
    'x-user-id': 'mia',
    authorization: `Bearer ${user.hash}`,
    'content-type': 'application/json',
  }
  const ask = (method: string, path: string, body: string | Buffer | null, headers: Record<string, string> = signed) =>
    request(site, method, path, body, headers)

  const ingests = [
    ['/v1/sdk/sos', 'SOS'],
    ['/v1/sdk/telemetry', 'TELEMETRY'],
  ] as const
  for (const [path, family] of ingests) {
    for (const [what, body, fields] of badFields) {
      await t.test(`${path}: ${what}`, async () => {
        await refused(ask('POST', path, body), 400, `E_SDK_${family}_VALIDATION`, fields)
        await site.stillAlarms()
      })
    }
    for (const [what, body] of noPayload) {
      await t.test(`${path}: ${what}`, async () => {
        await refused(ask('POST', path, body), 400, `E_SDK_${family}_VALIDATION`)
        await site.stillAlarms()
      })
    }
    for (const [what, body] of tooLarge) {
      await t.test(`${path}: ${what}`, async () => {
        await refused(ask('POST', path, body), 413, `E_SDK_${family}_TOO_LARGE`)
        await site.stillAlarms()
      })
    }
    await t.test(`${path}: another media type`, async () => {
      const answer = ask('POST', path, alert('"altitude":1'), { ...signed, 'content-type': 'text/plain' })
      await refused(answer, 415, `E_SDK_${family}_UNSUPPORTED_MEDIA`)
    })
  }

  await t.test('deep nesting under an unknown key is tolerated', async () => {
    const { status, body } = await ask('POST', '/v1/sdk/sos', alert(`"more":${nested(DEEPEST - 50)}`))
    assert.equal(status, 201)
    assert.equal(body.incident.status, 'active')
    assert.equal((await ask('POST', '/v1/sdk/sos/cancel', null)).status, 200)
    await site.stillAlarms()
  })

  const others = [
    ['PUT', '/v1/sdk/me', '{"name":"\\udc00"}', 400, 'E_SDK_PROFILE_VALIDATION', ['name']],
    ['PUT', '/v1/sdk/me', '{"email":"mia","phone":"0660 1"}', 400, 'E_SDK_PROFILE_VALIDATION', ['email', 'phone']],
    ['PUT', '/v1/sdk/me', `{"address":"${'x'.repeat(501)}"}`, 400, 'E_SDK_PROFILE_VALIDATION', ['address']],
    ['PUT', '/v1/sdk/me', '{"__proto__":{"id":1}}', 400, 'E_SDK_PROFILE_VALIDATION', ['__proto__']],
    ['POST', '/v1/sdk/contacts', '{"name":7}', 400, 'E_SDK_CONTACTS_VALIDATION', ['name', 'phone']],
    ['POST', '/v1/sdk/contacts', '{', 400, 'E_SDK_CONTACTS_VALIDATION', undefined],
    ['PUT', '/v1/sdk/contacts/reorder', '{"contactIds":["no-uuid"]}', 400, 'E_SDK_CONTACTS_VALIDATION', undefined],
    ['PUT', '/v1/sdk/contacts/no-uuid', '{"name":"Ana"}', 404, 'E_SDK_CONTACTS_NOT_FOUND', undefined],
    ['DELETE', '/v1/sdk/contacts/%00', null, 404, 'E_SDK_CONTACTS_NOT_FOUND', undefined],
    ['GET', '/v1/sdk/sos/history?limit=101', null, 400, 'E_SDK_SOS_VALIDATION', ['limit']],
    ['GET', '/v1/sdk/sos/history?limit=1e999', null, 400, 'E_SDK_SOS_VALIDATION', ['limit']],
    ['GET', '/v1/sdk/sos/history?cursor=%F0%9F', null, 400, undefined, undefined],
    ['GET', '/v1/sdk/sos/history?cursor=AAAA', null, 400, 'E_SDK_SOS_VALIDATION', ['cursor']],
    ['GET', '/v1/sdk/nothing', null, 404, 'E_NOT_FOUND', undefined],
    ['GET', '/v1/sdk/__proto__', null, 404, 'E_NOT_FOUND', undefined],
    ['POST', '/%', '{}', 400, undefined, undefined],
  ] as const
  for (const [method, path, body, status, code, fields] of others) {
    await t.test(`${method} ${path.slice(0, 50)} ${body?.slice(0, 40) ?? ''}`, async () => {
      await refused(ask(method, path, body), status, code, fields)
      await site.stillAlarms()
    })
  }

  await t.test('a wrong hash of any length opens nothing, and every refusal is the same', async () => {
    const wrong = ['', 'a', user.hash.slice(1), flipped(user.hash), `${user.hash}0`, '0'.repeat(4096), 'ü', '../..']
    const answers = [
      ...wrong.map((hash) => ({ ...signed, authorization: `Bearer ${Buffer.from(hash).toString('latin1')}` })),
      { ...signed, authorization: user.hash },
      { ...signed, 'x-app-id': '00000000-0000-0000-0000-000000000000' },
      { ...signed, 'x-app-id': '__proto__' },
      { ...signed, 'x-user-id': 'somebody' },
      { 'content-type': 'application/json' },
    ]
    const messages = new Set<string>()
    for (const headers of answers) {
      messages.add(
        await refused(ask('POST', '/v1/sdk/sos', alert('"altitude":1'), headers), 401, 'E_SDK_SOS_UNAUTHORIZED'),
      )
      await refused(ask('GET', '/v1/sdk/contacts', null, headers), 401, 'E_SDK_CONTACTS_UNAUTHORIZED')
    }
    assert.equal(messages.size, 1)
    const upper = { ...signed, authorization: `Bearer ${user.hash.toUpperCase()}` }
    assert.deepEqual((await ask('GET', '/v1/sdk/sos', null, upper)).body, { incident: null })
    await site.stillAlarms()
  })

  await t.test('none of these requests raised an alarm or left a trace in the history', async () => {
    const { body } = await ask('GET', '/v1/sdk/sos/history', null)
    assert.equal(body.items.length, 1)
    assert.deepEqual(
      await site.look((store) => store.telemetryHistory(user.userId, { after: null, limit: 9, from: null, to: null })),
      { items: [], after: null },
    )
    assert.deepEqual(await site.tocsin('dead-letter', 'list'), [])
    assert.equal(await site.stop(), 0)
  })
})

const flipped = (hash: string): string => (hash.startsWith('0') ? '1' : '0') + hash.slice(1)

async function request(
  { http }: ProcessSite,
  method: string,
  path: string,
  body: string | Buffer | null,
  headers: Record<string, string>,
) {
  const response = await fetch(`${http}${path}`, {
    method,
    headers,
    ...(body !== null && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  })
  const text = await response.text()
  return { status: response.status, requestId: response.headers.get('x-request-id'), body: JSON.parse(text) }
}

/** protocol.md#errors: checks the error body. Resolves with the message. */
async function refused(
  asked: ReturnType<typeof request>,
  status: number,
  code?: string,
  fields?: readonly string[],
): Promise<string> {
  const answer = await asked
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  const { error } = answer.body
  if (code !== undefined) assert.equal(error.code, code)
  assert.equal(error.requestId, answer.requestId)
  assert.equal(typeof error.message, 'string')
  const named = (error.fields ?? []).map(({ field, message }: any) => {
    assert.equal(typeof message, 'string')
    return field
  })
  if (fields !== undefined) assert.deepEqual([...new Set(named)].sort(), [...fields])
  return error.message
}
