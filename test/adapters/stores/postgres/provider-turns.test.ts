import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { TurnStore } from '../../../../src/ports/node-store.ts'
import { turnRequest } from '../../../core/pacing/build.ts'
import { freshDatabase, openPostgresAt, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import type { Ending } from '../../../harness/ending.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'
import { PostgresProxy } from '../../../harness/postgres-proxy.ts'
import { until } from '../../../harness/wait.ts'

/** What one process asks the accounts with: each command is a node of its own. */
async function nodeAt(t: Ending, url: string, limits = {}): Promise<TurnStore> {
  const { turns } = await openPostgresAt(t, url, { leaveNotices: true, limits })
  return turns ?? assert.fail('the store has no accounts of turns')
}

/** A session of the test's own. */
async function sessionOn(t: Ending, url: string): Promise<pg.Client> {
  const session = await (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))
  endsLastFirst(t, () => session.end())
  return session
}

/** Waits until as many nodes wait for the account. */
const blocked = (session: pg.Client, count: number): Promise<unknown> =>
  until('a node that waits for the account', async () => {
    // Within a transaction it would see the same again and again.
    await session.query('SELECT pg_stat_clear_snapshot()')
    const { rowCount } = await session.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    return rowCount === count
  })

const ACCOUNT = 'twilio:sms:'

suite('turns at a provider, from PostgreSQL', { skip: withoutPostgres }, () => {
  test('many nodes that ask at once never get more than the rate', async (t) => {
    const url = await freshDatabase(t)
    const nodes = await Promise.all([1, 2, 3, 4].map(() => nodeAt(t, url)))
    const session = await sessionOn(t, url)
    const now = async (): Promise<number> =>
      (await session.query('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now')).rows[0].now
    const perSecond = 200
    const [total, burst] = [120, perSecond / 4]
    const rate = { perSecond, maxAtOnce: 1_000 }
    const startedAt = await now()
    const got = nodes.map(() => 0)
    const sum = () => got.reduce((all, one) => all + one, 0)
    await Promise.all(
      [...nodes.entries(), ...nodes.entries()].map(async ([n, node]) => {
        while (sum() < total) {
          const { granted, askAgainMs } = await node.takeTurns(ACCOUNT, turnRequest({ rate, wanted: 5 }))
          got[n]! += granted
          if (granted === 0) await pause(Math.min(askAgainMs, 5))
        }
      }),
    )
    const tookMs = (await now()) - startedAt
    assert.ok(tookMs >= ((sum() - burst - 1) * 1_000) / perSecond, `${sum()} turns in ${tookMs} ms`)
  })

  test('each account is kept apart, and what one node tells the others hear', async (t) => {
    const url = await freshDatabase(t)
    const [a, b] = [await nodeAt(t, url), await nodeAt(t, url)]
    const rate = { perSecond: 0.001, maxAtOnce: 100 }
    assert.equal((await a.takeTurns(ACCOUNT, turnRequest({ rate }))).granted, 1)
    const refused = await b.takeTurns(ACCOUNT, turnRequest({ rate }))
    assert.equal(refused.granted, 0)
    assert.ok(refused.nextInMs > 900_000 && refused.nextInMs <= 1_000_000, `${refused.nextInMs} ms`)
    assert.equal((await b.takeTurns('twilio:voice:', turnRequest({ rate }))).granted, 1)
    // Given back: the other node has it at once.
    await a.takeTurns(ACCOUNT, turnRequest({ rate, first: null, wanted: 0, used: -1 }))
    assert.equal((await b.takeTurns(ACCOUNT, turnRequest({ rate }))).granted, 1)
    await a.takeTurns(ACCOUNT, turnRequest({ rate, first: null, wanted: 0, pauseMs: 60_000 }))
    const paused = await b.takeTurns(ACCOUNT, turnRequest({ rate }))
    assert.ok(paused.pausedMs > 0 && paused.pausedMs <= 60_000, `${paused.pausedMs} ms`)
  })

  test('a node that freezes while it decides does not keep the account from the others', async (t) => {
    const url = await freshDatabase(t)
    const proxy = await PostgresProxy.before(t, await sharedPostgres(), url)
    const patient = { lockTimeoutMs: 9_000, statementTimeoutMs: 10_000 }
    const [frozen, other] = [await nodeAt(t, proxy.url, patient), await nodeAt(t, url, patient)]
    assert.equal(
      (await frozen.takeTurns(ACCOUNT, turnRequest({ rate: { perSecond: 1_000, maxAtOnce: 9 } }))).granted,
      1,
    )
    // Until both wait, in this order, the test has the account.
    const session = await sessionOn(t, url)
    await session.query('BEGIN')
    await session.query('SELECT 1 FROM provider_turns FOR UPDATE')
    proxy.allow(0)
    const lost = assert.rejects(frozen.takeTurns(ACCOUNT, turnRequest()), { name: 'StoreError' })
    await blocked(session, 1)
    const granted = other.takeTurns(ACCOUNT, turnRequest())
    await blocked(session, 2)
    await session.query('ROLLBACK')
    assert.equal((await granted).granted, 1)
    proxy.allow(Number.POSITIVE_INFINITY)
    await lost
  })
})
