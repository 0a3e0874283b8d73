import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { z } from 'zod'
import { errorSchema } from '../../../../src/adapters/inbound/http/schemas/error.ts'
import { pageSchema } from '../../../../src/adapters/inbound/http/schemas/page.ts'
import { contactSchema } from '../../../../src/adapters/inbound/http/sdk/contacts.ts'
import { deviceSchema } from '../../../../src/adapters/inbound/http/sdk/devices.ts'
import { historyItemSchema } from '../../../../src/adapters/inbound/http/sdk/history-item.ts'
import { incidentSchema } from '../../../../src/adapters/inbound/http/sdk/incident.ts'
import { telemetryItemSchema } from '../../../../src/adapters/inbound/http/sdk/payload.ts'
import { profileSchema } from '../../../../src/adapters/inbound/http/sdk/profile.ts'
import { ask, SIGNED, sharedHttp } from './stand-in.ts'

suite('what routes answer is what the document says', () => {
  const shared = sharedHttp()
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
