import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { float8s, int4s, int8s, texts } from '../../../../src/adapters/stores/postgres/engine/binary-arrays.ts'
import { withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'

suite('binary arrays', { skip: withoutPostgres }, () => {
  test('arrive as they were sent', async (t) => {
    const session = await (await sharedPostgres()).session()
    t.after(() => session.end())
    const sent = {
      int4s: [0, null, -1, 2 ** 31 - 1, -(2 ** 31)],
      int8s: [0, -1, null, 2 ** 32, -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
      float8s: [0.1, -180, null, Number.MAX_VALUE, Number.MIN_VALUE],
      texts: ['', 'NULL', null, '{"a","\\b"}', 'Grüße, 山 🏔', 'x'.repeat(70_000)],
      none: [],
    }
    const { rows } = await session.query(
      `SELECT to_json($1::integer[]) AS int4s, to_json($2::bigint[]) AS int8s, to_json($3::double precision[]) AS float8s,
         to_json($4::text[]) AS texts, to_json($5::text[]) AS none`,
      [int4s(sent.int4s), int8s(sent.int8s), float8s(sent.float8s), texts(sent.texts), texts(sent.none)],
    )
    assert.deepEqual(rows, [sent])
  })
})
