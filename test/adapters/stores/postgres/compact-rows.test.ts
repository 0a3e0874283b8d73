import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { compactsTextRows, leavesOutUnreadableRows } from '../../../contract/text-rows.ts'
import { freshDatabase, openPostgresAt, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { quiet } from '../../../fixtures/store-place.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'
import { until } from '../../../harness/wait.ts'

test('rows of earlier versions become compact, slice by slice, and say the same', {
  skip: withoutPostgres,
}, async (t) => {
  const url = await freshDatabase(t)
  const lines: string[] = []
  const error = (fields: object, message: string) => void lines.push(`${message} ${inspect(fields)}`)
  const store = await openPostgresAt(t, url, { log: { ...quiet, error } })
  const session = await (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))
  endsLastFirst(t, () => session.end())
  const run = (sql: string) => session.query(sql)
  await compactsTextRows({
    store,
    run,
    charge: (bytes) =>
      session.query(
        `INSERT INTO usage (user_number, telemetry_bytes) SELECT number, ${bytes} FROM users
         ON CONFLICT (user_number) DO UPDATE SET telemetry_bytes = ${bytes}`,
      ),
    charged: async () => Number((await session.query('SELECT sum(telemetry_bytes) AS n FROM usage')).rows[0].n),
  })

  // As a trim does it: the usage first, then the rows. The server undoes one of two that wait for each other.
  await session.query("UPDATE telemetry SET payload = '{}', compact = NULL; SET deadlock_timeout = '10ms'")
  const { rows } = await store.textRows({ from: '', max: 100 })
  await session.query('BEGIN; SELECT FROM usage FOR UPDATE')
  const compacted = store.compactRows(rows.map((row) => ({ ...row, compact: Uint8Array.of(1, 0, 0) })))
  const waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
  await until('it waits', async () => (await session.query(waits)).rowCount === 1)
  await session.query('DELETE FROM telemetry WHERE ms = (SELECT min(ms) FROM telemetry); COMMIT')
  assert.ok((await compacted).rows > 0)

  await leavesOutUnreadableRows({ store, run, lines, bytes: (hex) => `'\\x${hex}'` })
})
