import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApp } from '../../../../src/adapters/inbound/http/app.ts'
import { DOCUMENTS } from './documented.ts'
import { operatorStandIn, withToken } from './operator/stand-in.ts'
import { BEN, SIGNED, standIn } from './stand-in.ts'

/** Values that most fields refuse, each in another way. */
const junk = ['', 'x'.repeat(4_001), -1e300, [null], { also: 1 }]

test('every refusal of a field says in our own words what to send', async (t) => {
  const app = await createApp({ ...standIn().parts, operator: operatorStandIn() })
  t.after(() => app.close())
  const seen = new Set<string>()
  const documents = []
  for (const document of DOCUMENTS) documents.push((await app.inject(document)).json())
  const paths = Object.assign({}, ...documents.map((document) => document.paths))
  const schemas = Object.assign({}, ...documents.map(({ components }) => components.schemas))
  const resolved = (schema: any = {}): any => (schema.$ref ? schemas[schema.$ref.split('/').at(-1)] : schema)
  for (const [path, methods] of Object.entries<Record<string, any>>(paths)) {
    // A broker is only told to allow or to deny.
    if (path.startsWith('/v1/sdk/mqtt/')) continue
    const url = path.replace('actuators/{type}', 'actuators/chat').replaceAll(/\{\w+\}/g, BEN.id)
    const headers = path.startsWith('/v1/operator/') ? withToken('admin') : { ...SIGNED, 'x-user-token': 'a.b.c' }
    for (const [method, operation] of Object.entries(methods)) {
      const fields = Object.keys(resolved(operation.requestBody?.content['application/json']?.schema).properties ?? {})
      if (fields.length === 0) continue
      const bodies = junk.map((value) => Object.fromEntries(fields.map((field) => [field, value])))
      for (const payload of [...bodies, { surprise: 1 }]) {
        const answer = await app.inject({ method: method as 'post', url, headers, payload })
        for (const { field, message } of answer.json().error?.fields ?? []) {
          const refusal = `${method} ${path} ${field}: ${message}`
          assert.match(message, /^(must|is|has|names) /, refusal)
          assert.doesNotMatch(message, /expected|received|is not valid/i, refusal)
          seen.add(refusal)
        }
      }
    }
  }
  assert.ok(seen.size > 150, `only ${seen.size} were refused`)
})
