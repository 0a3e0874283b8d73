import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { hardwareLines } from '../../../src/core/account/hardware-lines.ts'
import { fieldMessage } from '../../../src/core/ingest/field-message.ts'
import { readPayload } from '../../../src/core/ingest/payload.ts'
import { readTimerMessage } from '../../../src/core/timer/timer-schema.ts'

const rows: readonly (readonly [schema: z.ZodType, value: unknown, message: string])[] = [
  [z.string(), undefined, 'is required'],
  [z.string(), null, 'is required'],
  [z.string(), 7, 'must be text'],
  [z.number(), '7', 'must be a number'],
  [z.number().int(), 1.5, 'must be a whole number'],
  [z.number().int(), 1e300, 'is out of range'],
  [z.boolean(), 'on', 'must be true or false'],
  [z.array(z.string()), {}, 'must be an array'],
  [z.object({}), [], 'must be an object'],
  [z.record(z.string(), z.string()), 7, 'must be an object'],
  [z.number().min(0), -1, 'must be at least 0'],
  [z.number().max(100), 101, 'must be at most 100'],
  [z.number().gt(0), 0, 'must be more than 0'],
  [z.number().lt(1), 1, 'must be less than 1'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(10), 'short', 'must be at least 10 characters long'],
  [z.string().max(2), 'abc', 'must be at most 2 characters long'],
  [z.array(z.string()).min(1), [], 'must have at least 1 entry'],
  [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 entries'],
  [z.enum(['low', 'ok']), 'full', 'must be one of low, ok'],
  [z.literal('end'), 'stop', 'must be end'],
  [z.email(), 'ana', 'must be an email address'],
  [z.url(), 'ana', 'must be an address that begins with http:// or https://'],
  [z.uuid(), 'ana', 'must be a UUID'],
  [z.iso.datetime(), 'now', 'must be an ISO 8601 date-time such as 2026-01-31T12:00:00Z'],
  [z.string().regex(/^a$/), 'b', 'has the wrong format'],
  [z.union([z.number(), z.string()]), true, 'must be a number or text'],
  [z.union([z.number(), z.string().min(1)]), '', 'must not be empty'],
  [z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), {}, 'is not valid'],
  [z.number().multipleOf(5), 7, 'is not valid'],
  [z.string().refine(() => false), 'x', 'is not valid'],
  [z.string().refine(() => false, 'must rhyme'), 'x', 'must rhyme'],
  [z.strictObject({}), { plam: 1, prot: 2 }, 'has unknown fields: plam, prot'],
]
for (const [schema, value, message] of rows) {
  test(`a refusal says: ${message}`, () => {
    assert.equal(schema.safeParse(value, { error: fieldMessage }).error?.issues[0]?.message, message)
  })
}

test('a payload, a timer message and a file of trackers are refused in the same words', () => {
  const { problems } = readPayload({ mobileBattery: 101, mobileCoverage: { signalStrength: true } }, 0, 'telemetry')
  assert.deepEqual(problems, [
    { field: 'mobileBattery', message: 'must be at most 100' },
    { field: 'mobileCoverage.signalStrength', message: 'must be a number or text' },
    { field: 'timestamp', message: 'is required unless occurredAt is present' },
  ])
  assert.deepEqual(readTimerMessage({ action: 'stop' }), {
    problems: [{ field: 'action', message: 'must be one of set, extend, end' }],
  })
  assert.deepEqual(readTimerMessage({ action: 'set' }), { problems: [{ field: 'dueAt', message: 'is required' }] })
  const header = { line: 1, fields: ['hardwareId', 'pairingCode', 'model'] }
  const read = hardwareLines([header, { line: 2, fields: ['x'.repeat(129), 'swordfish-1', ''] }])
  assert.ok('bad' in read)
  assert.deepEqual(read.bad, [{ line: 2, field: 'hardwareId', message: 'must be at most 128 characters long' }])
})
