import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { z } from 'zod'
import { operations } from '../../../../src/adapters/inbound/http/operations.ts'
import { contactSchema, profileSchema } from '../../../../src/adapters/inbound/http/schemas/account.ts'
import { deviceSchema } from '../../../../src/adapters/inbound/http/schemas/device.ts'
import { errorSchema } from '../../../../src/adapters/inbound/http/schemas/error.ts'
import {
  historyItemSchema,
  incidentSchema,
  telemetryItemSchema,
} from '../../../../src/adapters/inbound/http/schemas/incident.ts'
import { pageSchema } from '../../../../src/adapters/inbound/http/schemas/page.ts'
import { payloadFields } from '../../../../src/core/ingest/payload.ts'
import { operatorStandIn } from './operator/stand-in.ts'
import { ask, SIGNED, type Site, sharedHttp } from './stand-in.ts'

const document = async (site: Site) => (await ask(site, 'GET', '/openapi.json')).json

suite('the OpenAPI document', () => {
  const shared = sharedHttp({ operator: operatorStandIn() })
  test('is OpenAPI 3.1 and names every route with its success codes', async () => {
    const { openapi, paths } = await document(shared())
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
      'GET /v1/sdk/readiness': '200',
      'GET /v1/sdk/contacts': '200',
      'POST /v1/sdk/contacts': '201',
      'PUT /v1/sdk/contacts/reorder': '204',
      'PUT /v1/sdk/contacts/{id}': '200',
      'DELETE /v1/sdk/contacts/{id}': '204',
      'POST /v1/sdk/contacts/{id}/verify': '202',
      'GET /v1/sdk/sos': '200',
      'POST /v1/sdk/sos': '200 201',
      'GET /v1/sdk/sos/history': '200',
      'POST /v1/sdk/sos/cancel': '200',
      'POST /v1/sdk/sos/resolve': '200',
      'GET /v1/sdk/timers': '200',
      'POST /v1/sdk/timers': '200 201',
      'PATCH /v1/sdk/timers/{id}': '200',
      'DELETE /v1/sdk/timers/{id}': '200',
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
    })
  })

  test('says of every operation that asks who sits there that it does', async () => {
    const { paths } = await document(shared())
    const asking = Object.entries<Record<string, { description: string }>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { description }]) => description.includes('403 `proof_needed` where'))
        .map(([method]) => `${method.toUpperCase()} ${path.replace('/v1/operator', '')}`),
    )
    assert.deepEqual(asking.toSorted(), [
      'DELETE /applications/{id}/actuators/{type}',
      'DELETE /applications/{id}/secrets/older',
      'DELETE /tokens/{id}',
      'DELETE /users/{id}',
      'PATCH /applications/{id}',
      'PATCH /operators/{id}',
      'POST /applications/{id}/contacts',
      'POST /applications/{id}/secrets',
      'POST /devices',
      'POST /devices/import',
      'POST /devices/token',
      'POST /devices/token/revoke',
      'POST /devices/unpair',
      'POST /operators',
      'POST /operators/{id}/invitation',
      'POST /recovery-codes',
      'POST /tokens',
      'POST /users/{id}/disable',
      'PUT /applications/{id}/actuators/{type}',
      'PUT /applications/{id}/texts',
    ])
  })

  test('describes the ingest payload by its fields', async () => {
    const { paths } = await document(shared())
    for (const path of ['/v1/sdk/sos', '/v1/sdk/telemetry']) {
      const { schema } = paths[path].post.requestBody.content['application/json']
      assert.deepEqual(Object.keys(schema.properties), Object.keys(payloadFields))
      assert.equal(schema.required, undefined)
    }
  })

  test('says who may call a route, and what a refusal looks like', async () => {
    const { paths, components } = await document(shared())
    const { put } = paths['/v1/sdk/contacts/{id}']
    assert.deepEqual(put.security, [{ appId: [], userId: [], userHash: [] }])
    assert.deepEqual(Object.keys(put.responses), ['200', '400', '401', '404', '413', '415', '429', '503'])
    assert.equal(paths['/v1/sdk/sos'].post.responses['429'], undefined)
    assert.equal(paths['/config/device/{country}'].get.security, undefined)
    assert.deepEqual(paths['/v1/sdk/feedback'].post.security, [{ appId: [], userId: [], userHash: [], userToken: [] }])
    assert.equal(put.responses['404'].content['application/json'].schema.$ref, '#/components/schemas/Error')
    assert.deepEqual(Object.keys(components.securitySchemes), [
      'appId',
      'userId',
      'userToken',
      'userHash',
      'operatorSession',
      'operatorToken',
    ])
  })

  test('contains every reference that it makes, and closes no shape', async () => {
    const { components, paths } = await document(shared())
    const text = JSON.stringify({ paths, components })
    for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) assert.ok(name! in components.schemas, name)
    assert.ok(!text.includes('"additionalProperties":false'))
  })

  test('documents limit as the number that it is', async () => {
    const { paths } = await document(shared())
    const limit = paths['/v1/sdk/sos/history'].get.parameters.find(({ name }: { name: string }) => name === 'limit')
    assert.deepEqual(limit.schema, { type: 'integer', minimum: 1, maximum: 100 })
    assert.match(limit.description, / 20$/)
    assert.equal(limit.required, false)
  })
})

suite('every operation', () => {
  const shared = sharedHttp({ operator: operatorStandIn() })
  const ajv = () => {
    const validator = new Ajv2020({ strict: false, allErrors: true })
    for (const format of ['uuid', 'date-time', 'email', 'e164']) validator.addFormat(format, true)
    return validator
  }

  test('has a unique id, a summary, a description and a tag', async () => {
    const { paths } = await document(shared())
    const all = operationsOf(paths)
    assert.ok(all.length > 20)
    for (const { name, operation } of all) {
      assert.match(operation.operationId ?? '', /^[a-z][A-Za-z]+$/, name)
      assert.ok(operation.summary?.length > 5, name)
      assert.ok(operation.description?.length > 30, name)
      assert.ok(operation.tags?.length > 0, name)
    }
    assert.equal(new Set(all.map(({ operation }) => operation.operationId)).size, all.length)
    assert.deepEqual(all.map(({ name }) => name).toSorted(), Object.keys(operations).toSorted())
  })

  test('has an example of each body and parameter, and each example fits its schema', async () => {
    const { paths, components } = await document(shared())
    const validator = ajv()
    const check = (name: string, schema: object, example: unknown): void => {
      assert.notEqual(example, undefined, `${name} has no example`)
      const validate = validator.compile({ ...schema, components })
      assert.ok(validate(example), `${name}: ${JSON.stringify(validate.errors)}`)
    }
    for (const { name, operation } of operationsOf(paths)) {
      for (const { name: parameter, schema, example } of operation.parameters ?? []) {
        check(`${name} ${parameter}`, schema, example)
      }
      const body = operation.requestBody?.content['application/json']
      if (body !== undefined) check(`${name} body`, body.schema, body.example)
      for (const [status, { description, content }] of Object.entries<any>(operation.responses)) {
        assert.notEqual(description, 'Default Response', `${name} ${status}`)
        const answer = content?.['application/json']
        if (answer !== undefined) check(`${name} ${status}`, answer.schema, answer.example)
      }
    }
  })

  const operationsOf = (paths: Record<string, Record<string, any>>) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
    )
})

suite('answers match the document', () => {
  const shared = sharedHttp({ operator: operatorStandIn() })
  const cases: readonly (readonly [string, z.ZodType, (json: any) => unknown])[] = [
    ['/v1/sdk/me', profileSchema, (json) => json],
    ['/v1/sdk/contacts', contactSchema, ([contact]) => contact],
    ['/v1/sdk/sos', incidentSchema, (json) => json.incident],
    ['/v1/sdk/sos/history', pageSchema(historyItemSchema), (json) => json],
    ['/v1/sdk/devices', deviceSchema, ([device]) => device],
    ['/v1/sdk/telemetry/history', pageSchema(telemetryItemSchema), (json) => json],
    ['/v1/sdk/sos/history?limit=0', errorSchema, (json) => json],
  ]
  for (const [path, schema, pick] of cases) {
    test(path, async () => {
      const { json } = await ask(shared(), 'GET', path, { headers: SIGNED })
      // Parsing drops fields that the schema does not name, so nothing may be missing afterwards.
      assert.deepEqual(schema.parse(pick(json)), pick(json))
    })
  }
})
