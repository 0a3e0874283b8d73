import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeStore } from '../../src/app/doctor/judge-parts.ts'
import { sharedSources } from '../../src/service/doctor/facts.ts'

// docs/doctor.md: store.

type Needs = Parameters<typeof sharedSources>[0]
type Look = Awaited<ReturnType<NonNullable<Needs['server']>>>

const unused = (): never => assert.fail('not asked')
const answering: Look = {
  ...{ schema: 40, known: 40, standbys: 2, synchronousStandbys: 1, lagMs: 3, roundTripMs: 0.5, aheadMs: 0 },
  concerns: [],
}

/** The lines about a database server that looks like this. */
async function linesOf(server: NonNullable<Needs['server']>): Promise<readonly string[]> {
  const config = { console: { enabled: false } } as Needs['config']
  const { store } = sharedSources({ config, server, publicUrl: unused, store: unused, now: unused, modem: unused })
  return judgeStore(await store!()).map(({ level, says }) => `${level}: ${says}`)
}

test('a standby that is behind by more than ten seconds has a line of its own', async () => {
  for (const [lagMs, behind, more] of [
    [16.4, '16 ms', []],
    [9_900, '10 s', []],
    [90_000, '90 s', ['attention: a standby is far behind']],
  ] as const) {
    assert.deepEqual(await linesOf(async () => ({ ...answering, lagMs })), [
      `fine: PostgreSQL answers within 0.5 ms; standbys: 2 (synchronous: 1), the slowest ${behind} behind`,
      ...more,
    ])
  }
})

test('a server that cannot be asked is told in its own sentence', async () => {
  const why = 'no PostgreSQL primary can be reached at db-1, db-2'
  assert.deepEqual(await linesOf(() => Promise.reject(new Error(why))), [`failed: ${why}`])
})
