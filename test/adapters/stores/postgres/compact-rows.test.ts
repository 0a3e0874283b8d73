import { test } from 'node:test'
import { compactsTextRows } from '../../../contract/text-rows.ts'
import { freshDatabase, openPostgresAt, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'

test('rows of earlier versions become compact, slice by slice, and say the same', {
  skip: withoutPostgres,
}, async (t) => {
  const url = await freshDatabase(t)
  const store = await openPostgresAt(t, url, {})
  const session = await (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))
  endsLastFirst(t, () => session.end())
  await compactsTextRows({
    store,
    run: (sql) => session.query(sql),
    charge: (bytes) =>
      session.query(
        `INSERT INTO usage (user_number, telemetry_bytes) SELECT number, ${bytes} FROM users
         ON CONFLICT (user_number) DO UPDATE SET telemetry_bytes = ${bytes}`,
      ),
    charged: async () => Number((await session.query('SELECT sum(telemetry_bytes) AS n FROM usage')).rows[0].n),
  })
})
