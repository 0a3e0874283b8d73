import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifySchema, RouteOptions } from 'fastify'
import { createApp } from '../../../../src/adapters/inbound/http/app.ts'
import { openApiOf } from '../../../../src/adapters/inbound/http/documents/openapi.ts'
import { payloadFields } from '../../../../src/core/ingest/payload.ts'
import { DOCUMENTS, everyDocument, operationsOf, wholeDocument } from './documented.ts'
import { standIn } from './stand-in.ts'

/** Fails where an example is missing or does not fit its schema. Compiles each schema once. */
function exampleCheck(components: object): (name: string, schema: object, example: unknown) => void {
  const validator = new Ajv2020({ strict: false, code: { optimize: false } })
  for (const format of ['uuid', 'date-time', 'email', 'e164']) validator.addFormat(format, true)
  const compiled = new Map<string, ValidateFunction>()
  return (name, schema, example) => {
    assert.notEqual(example, undefined, `${name} has no example`)
    // Most answers are refusals, all of one shape.
    const text = JSON.stringify(schema)
    const validate = compiled.get(text) ?? validator.compile({ ...schema, components })
    compiled.set(text, validate)
    assert.ok(validate(example), `${name}: ${JSON.stringify(validate.errors)}`)
  }
}

suite('the OpenAPI document', () => {
  let document: any
  before(async () => {
    document = await wholeDocument()
  })

  test('is OpenAPI 3.1 and names every route with its success codes', () => {
    const { openapi, paths } = document
    assert.equal(openapi, '3.1.0')
    const ofUsers = Object.entries<Record<string, { responses: object }>>(paths).filter(
      ([path]) => !path.startsWith('/v1/operator/'),
    )
    const routes = ofUsers.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => [
        `${method.toUpperCase()} ${path}`,
        Object.keys(responses)
          .filter((status) => status.startsWith('2'))
          .join(' '),
      ]),
    )
    assert.deepEqual(Object.fromEntries(routes), {
      'GET /healthz': '200',
      'GET /readyz': '200',
      'GET /v1/sdk/me': '200',
      'PUT /v1/sdk/me': '200',
      'POST /v1/sdk/me/phone/code': '202',
      'POST /v1/sdk/me/phone/proof': '200',
      'POST /v1/sdk/me/sms-code': '200',
      'GET /v1/sdk/readiness': '200',
      'GET /v1/sdk/me/card': '200',
      'PUT /v1/sdk/me/card': '200',
      'DELETE /v1/sdk/me/card': '204',
      'GET /v1/sdk/me/app-devices': '200',
      'DELETE /v1/sdk/me/app-devices/{id}': '200',
      'POST /v1/sdk/me/app-devices/{id}/keep': '200',
      'GET /v1/sdk/me/push': '200',
      'PUT /v1/sdk/me/push': '200',
      'DELETE /v1/sdk/me/push': '204',
      'POST /v1/sdk/me/invitations': '201',
      'POST /v1/sdk/me/invitations/contact': '201',
      'POST /v1/sdk/me/erasure': '200',
      'DELETE /v1/sdk/me/erasure': '200',
      'GET /v1/app/applications/{appId}': '200',
      'POST /v1/app/invitations/look': '200',
      'POST /v1/app/enrolments': '201',
      'GET /v1/sdk/contacts': '200',
      'POST /v1/sdk/contacts': '201',
      'PUT /v1/sdk/contacts/reorder': '204',
      'PUT /v1/sdk/contacts/{id}': '200',
      'DELETE /v1/sdk/contacts/{id}': '204',
      'POST /v1/sdk/contacts/{id}/verify': '202',
      'GET /v1/sdk/sos': '200',
      'POST /v1/sdk/sos': '200 201',
      'GET /v1/sdk/sos/history': '200',
      'GET /v1/sdk/sos/messages': '200',
      'POST /v1/sdk/sos/cancel': '200',
      'POST /v1/sdk/sos/messages': '200 201',
      'POST /v1/sdk/sos/resolve': '200',
      'GET /v1/sdk/events': '200',
      'GET /v1/sdk/timers': '200',
      'POST /v1/sdk/timers': '200 201',
      'PATCH /v1/sdk/timers/{id}': '200',
      'DELETE /v1/sdk/timers/{id}': '200',
      'POST /v1/sdk/drills': '201',
      'GET /v1/sdk/drills/{id}': '200',
      'DELETE /v1/sdk/drills/{id}': '200',
      'POST /v1/sdk/telemetry': '202',
      'POST /telemetry/history': '200',
      'POST /v1/sdk/telemetry/history': '200',
      'GET /v1/sdk/telemetry/history': '200',
      'GET /v1/sdk/devices': '200',
      'POST /v1/sdk/devices': '200 201',
      'DELETE /v1/sdk/devices/{id}': '204',
      'GET /config/device/{country}': '200',
      'POST /v1/sdk/token': '200',
      'POST /v1/sdk/feedback': '201',
      'POST /v1/sdk/mqtt/auth/connect': '200',
      'POST /v1/sdk/mqtt/auth/acl': '200',
      'POST /v1/trackers/owntracks': '200',
      'GET /v1/trackers/osmand': '200',
      'POST /v1/trackers/osmand': '200',
      'GET /v1/trackers/osmand/{token}': '200',
      'POST /v1/trackers/osmand/{token}': '200',
      'POST /v1/lorawan/{server}': '204',
      'POST /twilio/sms': '200',
      'POST /twilio/{attemptId}/status': '204',
      'POST /twilio/{attemptId}/call': '200',
    })
  })

  test('names only the routes that this site has', async () => {
    const without = await createApp(standIn().parts)
    const { paths } = (await without.inject('/openapi.json')).json()
    await without.close()
    assert.deepEqual(
      Object.keys(paths).filter((path) => !/^\/(healthz|readyz|v1\/sdk|v1\/app|telemetry|config)\b/.test(path)),
      [],
    )
  })

  /**
   * Every change, so that a new one does not go without a decision (access.md#operators). `free`: what the night shift
   * does with an alarm, what only adds somebody who watches, and what asks for the password itself.
   */
  const proofs: Readonly<Record<string, 'asks' | 'free'>> = {
    'POST /applications/{id}/app-invitations': 'asks',
    'POST /applications/{id}/app-invitations/{invitationId}/end': 'free',
    'POST /applications/{id}/app-invitations/{invitationId}/disable-users': 'asks',
    'POST /applications/{id}/app-invitations/{invitationId}/enable-users': 'free',
    'DELETE /users/{id}/app-devices/{deviceId}': 'asks',
    'POST /applications/{id}/users': 'asks',
    'POST /people/import': 'asks',
    'POST /people/import/preview': 'free',
    'PATCH /users/{id}': 'asks',
    'POST /users/{id}/contacts': 'asks',
    'PATCH /users/{id}/contacts/{contactId}': 'asks',
    'DELETE /users/{id}/contacts/{contactId}': 'asks',
    'POST /users/{id}/contacts/order': 'asks',
    'POST /session': 'free',
    'DELETE /session': 'free',
    'POST /session/first': 'free',
    'POST /session/first/look': 'free',
    'POST /session/setup': 'free',
    'POST /session/setup/look': 'free',
    'POST /session/proof': 'free',
    'POST /password': 'free',
    // Whoever fears a stolen session must not have to look for the password first. A screen that it ends says so.
    'DELETE /sessions/{id}': 'free',
    'PUT /on-call': 'asks',
    'POST /on-call/overrides': 'asks',
    'DELETE /on-call/overrides/{id}': 'asks',
    'POST /on-call/confirm': 'asks',
    'POST /on-call/take': 'free',
    'DELETE /on-call/take/{id}': 'free',
    'POST /recovery-codes': 'asks',
    'POST /session/passkey': 'free',
    'POST /session/passkey/challenge': 'free',
    'POST /passkeys': 'asks',
    'PUT /push': 'free',
    'DELETE /push': 'free',
    'POST /push/test': 'free',
    'POST /passkeys/challenge': 'asks',
    'PATCH /passkeys/{id}': 'asks',
    'DELETE /passkeys/{id}': 'asks',
    'DELETE /operators/{id}/passkeys': 'asks',
    'POST /incidents/{id}/seen': 'free',
    'POST /incidents/{id}/card': 'free',
    'POST /incidents/{id}/take': 'free',
    'POST /incidents/{id}/untake': 'free',
    'POST /incidents/{id}/take-over': 'free',
    'POST /shift/hand-over': 'free',
    'POST /shift/hand-over/accept': 'free',
    'POST /shift/hand-over/decline': 'free',
    'DELETE /shift/hand-over': 'free',
    'POST /shift/note': 'free',
    'POST /shift/note/confirm': 'free',
    'POST /incidents/{id}/resolve': 'free',
    'POST /incidents/{id}/resume': 'free',
    'POST /incidents/{id}/alarm-now': 'free',
    'POST /incidents/{id}/resend': 'free',
    'POST /incidents/{id}/major': 'free',
    'POST /incidents/{id}/major/resolve': 'free',
    'POST /incidents/{id}/messages': 'free',
    'POST /incidents/{id}/notes': 'free',
    'POST /incidents/{id}/called-back': 'free',
    'POST /incidents/{id}/contacts/{contactId}/show-position': 'free',
    'POST /drills': 'free',
    'POST /drills/end': 'free',
    'POST /simulate': 'free',
    'POST /applications/{id}/test': 'free',
    'POST /applications/{id}/texts/preview': 'free',
    'POST /users/{id}/enable': 'free',
    'POST /users/{id}/contacts/{contactId}/verify': 'free',
    'POST /users/{id}/timers': 'free',
    'PATCH /users/{id}/timers/{timerId}': 'asks',
    'DELETE /users/{id}/timers/{timerId}': 'asks',
    'POST /users/{id}/disable': 'asks',
    'DELETE /users/{id}': 'asks',
    'POST /applications': 'asks',
    'PATCH /applications/{id}': 'asks',
    'POST /applications/{id}/contacts': 'asks',
    'POST /applications/{id}/secrets': 'asks',
    'DELETE /applications/{id}/secrets/older': 'asks',
    'PUT /applications/{id}/texts': 'asks',
    'PUT /applications/{id}/actuators/{type}': 'asks',
    'DELETE /applications/{id}/actuators/{type}': 'asks',
    'POST /devices': 'asks',
    'POST /devices/import': 'asks',
    'POST /devices/pair': 'asks',
    'POST /devices/unpair': 'asks',
    'POST /devices/watch': 'asks',
    'POST /devices/token': 'asks',
    'POST /devices/token/revoke': 'asks',
    'POST /nodes/{id}/drain': 'asks',
    'POST /clock/accept': 'asks',
    'POST /operators': 'asks',
    'PATCH /operators/{id}': 'asks',
    'POST /operators/{id}/invitation': 'asks',
    'POST /tokens': 'asks',
    'DELETE /tokens/{id}': 'asks',
    'PUT /setup/{section}': 'asks',
    'POST /setup/providers/{provider}/test': 'asks',
    'POST /setup/providers/{provider}/confirm': 'asks',
    'POST /setup/providers/{provider}/remove': 'asks',
    'POST /setup/undo': 'asks',
  }

  test('says of every change through the operator API whether it asks who sits there', () => {
    const { paths } = document
    const told = Object.entries<Record<string, { description: string }>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { description }]) => [
        `${method.toUpperCase()} ${path.replace('/v1/operator', '')}`,
        description.includes('403 `proof_needed` where') ? 'asks' : 'free',
        path.startsWith('/v1/operator/'),
      ]),
    )
    const changes = told.filter(([operation, , isOperators]) => isOperators && !String(operation).startsWith('GET '))
    assert.deepEqual(Object.fromEntries(changes), proofs)
    assert.deepEqual(
      told.filter(([operation, proof]) => String(operation).startsWith('GET ') && proof === 'asks'),
      [],
      'looking never asks',
    )
  })

  test('describes the ingest payload by its fields', () => {
    const { paths, components } = document
    for (const path of ['/v1/sdk/sos', '/v1/sdk/telemetry']) {
      const { $ref } = paths[path].post.requestBody.content['application/json'].schema
      const isAlert = path === '/v1/sdk/sos'
      assert.equal($ref, `#/components/schemas/${isAlert ? 'Alert' : 'Telemetry'}`)
      const [shared, time] = components.schemas[isAlert ? 'Alert' : 'Telemetry'].allOf.map(
        (part: { $ref: string }) => components.schemas[part.$ref.split('/').at(-1)!],
      )
      const fields = [...Object.keys(payloadFields), ...(isAlert ? ['silent'] : [])]
      assert.deepEqual(Object.keys(shared.properties), fields)
      assert.equal(shared.required, undefined)
      assert.deepEqual(
        time.anyOf.map(({ required }: { required: string[] }) => required),
        [['timestamp'], ['occurredAt']],
        'one of the two times',
      )
    }
  })

  test('says who may call a route, and what a refusal looks like', () => {
    const { paths, components } = document
    const { put } = paths['/v1/sdk/contacts/{id}']
    assert.deepEqual(put.security, [{ appId: [], userId: [], userHash: [] }])
    assert.deepEqual(Object.keys(put.responses), ['200', '400', '401', '404', '413', '415', '429', '503'])
    assert.equal(paths['/v1/sdk/sos'].post.responses['429'], undefined)
    assert.equal(paths['/config/device/{country}'].get.security, undefined)
    assert.deepEqual(paths['/v1/sdk/feedback'].post.security, [{ appId: [], userId: [], userHash: [], userToken: [] }])
    assert.equal(put.responses['404'].content['application/json'].schema.$ref, '#/components/schemas/ApiError')
    assert.deepEqual(Object.keys(components.securitySchemes).toSorted(), [
      'appId',
      'networkServerToken',
      'operatorSession',
      'operatorToken',
      'trackerToken',
      'twilioSignature',
      'userHash',
      'userId',
      'userToken',
    ])
    assert.deepEqual(paths['/twilio/{attemptId}/call'].post.security, [{ twilioSignature: [] }])
  })

  test('is one for apps, one for operators and one for brokers: each whole, valid, and with what it needs', async () => {
    const validator = new Validator()
    const documents = await everyDocument()
    const told = documents.map(({ paths }) => operationsOf(paths).map(({ name }) => name))
    assert.equal(new Set(told.flat()).size, told.flat().length - 2, 'health is in two of them')
    const [apps = [], operators = [], brokers = []] = told
    assert.ok(
      apps.every((name) => /^\w+ (\/v1\/sdk\/|\/v1\/app\/|\/telemetry\/|\/config\/|\/(healthz|readyz)$)/.test(name)),
      String(apps),
    )
    assert.deepEqual(brokers, ['POST /v1/sdk/mqtt/auth/connect', 'POST /v1/sdk/mqtt/auth/acl'])
    assert.ok(operators.length > 100)
    for (const [n, document] of documents.entries()) {
      const path = DOCUMENTS[n]!
      const { valid, errors } = await validator.validate(structuredClone(document))
      assert.ok(valid, `${path}: ${JSON.stringify(errors)?.slice(0, 2000)}`)
      const { components, paths, servers } = document
      assert.deepEqual(servers, [{ url: '/', description: 'The service that this document comes from' }])
      const text = JSON.stringify({ paths, components })
      const referred = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!)
      assert.deepEqual([...new Set(referred)].toSorted(), Object.keys(components.schemas).toSorted(), path)
      const schemes = operationsOf(paths).flatMap(({ operation }) => (operation.security ?? []).flatMap(Object.keys))
      assert.deepEqual([...new Set(schemes)].toSorted(), Object.keys(components.securitySchemes).toSorted(), path)
    }
    const { valid } = await validator.validate({
      ...structuredClone(documents[0]),
      paths: { '/x': { get: {}, shout: 1 } },
    })
    assert.equal(valid, false, 'the control: a spoilt one is refused')
  })

  test('names the codes of its errors, and says where to wait', async () => {
    const documents = await everyDocument()
    for (const [n, { components, paths }] of documents.entries()) {
      const codes: string[] = components.schemas.ErrorCode.enum
      const families =
        n === 1 ? /^E_(OPERATOR_)?[A-Z_]+$/ : n === 2 ? /^E_(SDK_MQTT_)?[A-Z_]+$/ : /^E_(SDK_[A-Z]+_)?[A-Z_]+$/
      assert.ok(codes.every((code) => families.test(code)))
      assert.ok(codes.includes('E_NOT_FOUND'))
      for (const { name, operation } of operationsOf(paths)) {
        assert.ok(
          Object.keys(operation.responses).some((status) => status.startsWith('2')),
          `${name} succeeds`,
        )
        for (const [status, { headers, content }] of Object.entries<any>(operation.responses)) {
          assert.equal(headers?.['Retry-After'] !== undefined, ['429', '503'].includes(status), `${name} ${status}`)
          const code = Number(status) >= 400 && content?.['application/json']?.example?.error?.code
          if (code) assert.ok(codes.includes(code), `${name} ${code}`)
        }
      }
    }
  })

  test('lets nobody misspell a field: only dictionaries have entries of any name', async () => {
    const open: string[] = []
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      if ('additionalProperties' in value) open.push(path)
      for (const [key, one] of Object.entries(value)) if (key !== 'example') look(one, `${path}/${key}`)
    }
    const [apps] = await everyDocument()
    look(apps, '')
    assert.deepEqual(open, ['/components/schemas/CountryPlan/properties/deviceConfig/properties/ids'])
  })

  test('contains every reference that it makes, and closes no shape', () => {
    const { components, paths } = document
    const text = JSON.stringify({ paths, components })
    for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) assert.ok(name! in components.schemas, name)
    assert.ok(!text.includes('"additionalProperties":false'))
  })

  test('documents limit as the number that it is', () => {
    const { paths } = document
    const limit = paths['/v1/sdk/sos/history'].get.parameters.find(({ name }: { name: string }) => name === 'limit')
    assert.deepEqual(limit.schema, { type: 'integer', minimum: 1, maximum: 100 })
    assert.match(limit.description, / 20$/)
    assert.equal(limit.required, false)
  })

  test('gives every operation a unique id, a summary, a description and a tag', () => {
    const { paths } = document
    const all = operationsOf(paths)
    assert.ok(all.length > 20)
    for (const { name, operation } of all) {
      assert.match(operation.operationId ?? '', /^[a-z][A-Za-z]+$/, name)
      assert.ok(operation.summary?.length > 5, name)
      assert.ok(operation.description?.length > 30, name)
      assert.ok(operation.tags?.length > 0, name)
    }
    assert.equal(new Set(all.map(({ operation }) => operation.operationId)).size, all.length)
  })

  test('would not be made of a route without a description, or with the id of another', async () => {
    const route = (url: string, schema: FastifySchema): RouteOptions => ({ method: 'GET', url, schema, handler() {} })
    const described = { operationId: 'lookAround', description: 'Looks around' }
    await assert.doesNotReject(openApiOf([route('/a', described), route('/hidden', { hide: true })]))
    for (const schema of [{}, { operationId: 'lookAround' }, { description: 'Looks around' }]) {
      await assert.rejects(openApiOf([route('/a', schema)]), /GET \/a has no description/)
    }
    await assert.rejects(openApiOf([route('/a', described), route('/b', described)]), /lookAround/)
  })

  test('is made a few routes at a time: whatever else is due gets a turn in between', async () => {
    let turns = 0
    let next = setImmediate(function turn() {
      turns += 1
      next = setImmediate(turn)
    })
    const routes = Array.from(
      { length: 40 },
      (_, n): RouteOptions => ({
        method: n % 2 === 0 ? 'GET' : 'PUT',
        url: `/${n >> 1}`,
        schema: { operationId: `route${n}`, description: 'One of many' },
        handler() {},
      }),
    )
    const { paths } = await openApiOf(routes)
    clearImmediate(next)
    assert.ok(turns >= 10, `${turns} turns`)
    assert.deepEqual(
      Object.keys(paths),
      [...Array(20).keys()].map(String).map((n) => `/${n}`),
    )
    assert.deepEqual(Object.keys(paths['/7']!), ['get', 'put'])
  })

  test('has an example of each body and parameter that fits its schema', () => {
    const { paths, components } = document
    const check = exampleCheck(components)
    for (const { name, operation } of operationsOf(paths)) {
      for (const { name: parameter, schema, example } of operation.parameters ?? []) {
        check(`${name} ${parameter}`, schema, example)
      }
      for (const [type, body] of Object.entries<any>(operation.requestBody?.content ?? {})) {
        check(`${name} body as ${type}`, body.schema, body.example)
      }
      for (const [status, { description, content }] of Object.entries<any>(operation.responses)) {
        assert.notEqual(description, 'Default Response', `${name} ${status}`)
        const answer = content?.['application/json']
        if (answer !== undefined) check(`${name} ${status}`, answer.schema, answer.example)
      }
    }
  })

  test('would fail with an example that does not fit its schema', () => {
    const { components } = document
    const check = exampleCheck(components)
    const schema = { $ref: '#/components/schemas/ApiError' }
    assert.throws(() => check('nothing', schema, undefined), /has no example/)
    assert.throws(() => check('too little', schema, {}), /must have required property/)
    assert.throws(() => check('another type', { type: 'integer' }, '20'), /must be integer/)
  })
})
