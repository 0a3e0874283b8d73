import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { setTimeout as later } from 'node:timers/promises'
import { Primary } from '../../../../src/adapters/stores/postgres/engine/connect.ts'
import { targetOf } from '../../../../src/adapters/stores/postgres/engine/target.ts'
import { LEASE_SESSION, nodesOn } from '../../../../src/adapters/stores/postgres/nodes.ts'
import { COMMAND, entry } from '../../../../src/core/operator/audit.ts'
import type { NodeStore } from '../../../../src/ports/node-store.ts'
import { applicationCalled, SiteUser } from '../../../contract/site.ts'
import { freshDatabase, openPostgresAt, suiteWide, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'
import { PostgresGate } from '../../../harness/postgres-gate.ts'
import { until } from '../../../harness/wait.ts'

const LENGTH_MS = 60_000
const drained = entry({ at: 0, actor: COMMAND, action: 'node.drain', subject: 'a' })

suite('nodes on PostgreSQL', { skip: withoutPostgres }, () => {
  const shared = suiteWide(after, async (t) => {
    const url = await freshDatabase(t)
    const [one, two] = [await openPostgresAt(t, url), await openPostgresAt(t, url)]
    const session = await (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))
    endsLastFirst(t, () => session.end())
    return { url, one, two, session }
  })

  /** Two machines with a database that no node has used, and the test's own session on it. */
  async function machines() {
    const { one, two, session } = await shared()
    await session.query('DELETE FROM nodes')
    const asks = (
      store: { nodes: NodeStore },
      id: string,
      place: string,
      token: number | null = null,
      isStart = token === null,
    ) =>
      store.nodes.lease(
        { id, place, process: store === one ? 'one' : 'two', version: '1.2.3' },
        { lengthMs: LENGTH_MS, token, isStart },
      )
    const gets = async (...asked: Parameters<typeof asks>) => {
      const answer = await asks(...asked)
      assert.ok(!('refused' in answer))
      return answer
    }
    const leasesEnd = () => session.query('UPDATE nodes SET lease_until = 0')
    return { one, two, asks, gets, leasesEnd, session }
  }

  test('a node wakes the others with NOTIFY, and nobody while it lives alone', async () => {
    const { one, two, gets, session } = await machines()
    let heard = 0
    session.on('notification', () => {
      heard += 1
    })
    await session.query('LISTEN tocsin_notices')
    await one.onNotice(() => {})
    const { lease } = await gets(one, 'a', 'here')
    await one.announceClients?.([{ key: 'k', since: 0 }])
    await gets(two, 'b', 'there')
    await gets(one, 'a', 'here', lease.token)
    await one.announceClients?.([{ key: 'k', since: 0 }])
    await until('a bell', () => heard > 0)
    await session.query('UNLISTEN tocsin_notices')
    // The first announcement would have been heard before the second.
    assert.equal(heard, 1)
  })

  test('a lease is renewed under its token, counts in database time, and shows to the others', async () => {
    const { one, two, gets } = await machines()
    const { lease, now, others } = await gets(one, 'a', 'here')
    assert.deepEqual(others, [])
    assert.deepEqual((await gets(one, 'a', 'here', lease.token)).lease, lease)
    const seen = (await gets(two, 'b', 'there')).others
    assert.deepEqual(
      seen.map(({ startedAt: _, leaseUntil: __, ...node }) => node),
      [{ lease, version: '1.2.3', isDraining: false, isStopped: false }],
    )
    const leftMs = seen[0]!.leaseUntil - now
    assert.ok(leftMs >= LENGTH_MS && leftMs < 2 * LENGTH_MS, `${leftMs}`)
  })

  test('a renewal has as much time to commit as everything else, though a session that is dead is noticed sooner', async (t) => {
    const { url } = await shared()
    const gate = await PostgresGate.before(t, await sharedPostgres())
    const primary = new Primary(targetOf(`postgresql://tocsin@${gate.host}/${url.slice(url.lastIndexOf('/') + 1)}`))
    assert.ok(!('commitTimeoutMs' in LEASE_SESSION), 'as for every commit')
    // More than that, for a machine that is busy.
    const nodes = nodesOn(() => primary.connect({ ...LEASE_SESSION, commitTimeoutMs: 60_000 }))
    endsLastFirst(t, () => nodes.close())
    const identity = { id: 'slow', place: 'here', process: 'this', version: '1' }
    const asks = () => nodes.lease(identity, { lengthMs: LENGTH_MS, token: null, isStart: true })
    await asks()
    const held = gate.holds('COMMIT')
    const renewed = asks()
    await held
    await later(LEASE_SESSION.answerTimeoutMs! + 200)
    gate.releases()
    assert.ok('lease' in (await renewed))
  })

  test('rows are written as text while a node of another version may still run, though its lease has ended', async (t) => {
    const { one, gets, leasesEnd, session } = await machines()
    const { url } = await shared()
    const other = nodesOn(() => new Primary(targetOf(url), LEASE_SESSION).connect(LEASE_SESSION))
    endsLastFirst(t, () => other.close())
    const application = applicationCalled('Hut')
    await one.createApplication(application, 'secret')
    const user = new SiteUser(one, application.id, 'ana')
    await user.settle([])
    let sent = 0
    const isText = async (by = user) => {
      if (by === user) await gets(one, 'a', 'here', null, false)
      await by.sends(++sent)
      const { rows } = await session.query('SELECT compact IS NULL AS text FROM telemetry ORDER BY ms DESC LIMIT 1')
      return rows[0].text
    }
    const service = await openPostgresAt(t, url, { node: 'a' })
    assert.equal(await isText(user.in(service)), true, 'it has not been told of others yet')
    assert.equal(await isText(), false)
    const identity = { id: 'old', place: 'there', process: 'old', version: '1.2.2' }
    const answer = await other.lease(identity, { lengthMs: LENGTH_MS, token: null, isStart: true })
    assert.ok('lease' in answer)
    assert.equal(await isText(), true)
    await leasesEnd()
    await session.query(
      "UPDATE nodes SET lease_until = (extract(epoch FROM now()) * 1000)::bigint - 60000 WHERE id = 'old'",
    )
    assert.equal(await isText(), true, 'it may be frozen, or the database was away')
    await other.endLease(answer.lease)
    assert.equal(await isText(), false, 'it has stopped')
  })

  test('a lease that has ended comes back only under another token', async () => {
    const { one, gets, leasesEnd } = await machines()
    const { lease } = await gets(one, 'a', 'here')
    await leasesEnd()
    const again = (await gets(one, 'a', 'here', lease.token)).lease
    assert.ok(again.token > lease.token)
  })

  test('a node that has not heard of what was granted to it is not taken for another one, and gets another lease', async () => {
    const { one, gets } = await machines()
    const unheard = (await gets(one, 'a', 'here', null, false)).lease
    const { lease } = await gets(one, 'a', 'here', unheard.token - 1)
    assert.ok(lease.token > unheard.token)
    assert.deepEqual((await gets(one, 'a', 'here', lease.token)).lease, lease)
  })

  test('a second machine with the same id gets no lease while the first one has it', async () => {
    const { one, two, asks, gets, leasesEnd } = await machines()
    const { lease } = await gets(one, 'a', 'here')
    const answer = await asks(two, 'a', 'there')
    assert.ok('refused' in answer)
    await leasesEnd()
    assert.ok((await gets(two, 'a', 'there')).lease.token > lease.token)
    assert.ok('refused' in (await asks(one, 'a', 'here', lease.token)))
  })

  test('a restart takes its own id over at once, and what ran before gets no lease any more', async () => {
    const { one, two, asks, gets } = await machines()
    const before = (await gets(one, 'a', 'here')).lease
    const after = (await gets(two, 'a', 'here')).lease
    assert.ok(after.token > before.token)
    for (const token of [before.token, null]) assert.ok('refused' in (await asks(one, 'a', 'here', token, false)))
  })

  test('a lease that is given back has ended; what nobody has any more cannot be given back', async () => {
    const { one, two, gets } = await machines()
    const { lease } = await gets(one, 'a', 'here')
    await one.nodes.endLease({ ...lease, token: lease.token - 1 })
    const stopped = async () => (await gets(two, 'b', 'there')).others.map(({ isStopped }) => isStopped)
    assert.deepEqual(await stopped(), [false])
    await one.nodes.endLease(lease)
    assert.deepEqual(await stopped(), [true])
    const { now, nodes } = await two.nodes.nodes()
    assert.ok(nodes[0]!.leaseUntil <= now)
  })

  test('the operator drains a node until it is told otherwise or starts anew', async () => {
    const { one, two, gets } = await machines()
    const { lease } = await gets(one, 'a', 'here')
    const isDraining = async (token: number | null) => (await gets(one, 'a', 'here', token)).isDraining
    assert.equal(await two.nodes.drain('nobody', true, drained), false)
    assert.equal(await two.nodes.drain('a', true, drained), true)
    assert.equal(await isDraining(lease.token), true)
    const rows = (await two.auditRows({ after: null, limit: 10 })).items
    assert.deepEqual(
      rows.map(({ action, subject }) => [action, subject]),
      [['node.drain', 'a']],
    )
    await two.nodes.drain('a', false, drained)
    assert.equal(await isDraining(lease.token), false)
    await two.nodes.drain('a', true, drained)
    assert.equal((await gets(two, 'a', 'here')).isDraining, false)
  })

  test('nodes that have been gone for a week are forgotten at a start', async () => {
    const { one, two, gets, session } = await machines()
    await gets(one, 'a', 'here')
    await session.query('UPDATE nodes SET lease_until = (extract(epoch FROM now()) * 1000)::bigint - 8 * 86400000')
    assert.deepEqual((await gets(two, 'b', 'there')).others, [])
  })

  test('an answer says whether it comes from the same run of the same server', async () => {
    const { one, gets, session } = await machines()
    const { token } = (await gets(one, 'a', 'here')).lease
    const again = () => gets(one, 'a', 'here', token)
    const onAnotherSession = async () => {
      await session.query(
        `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
      // The end of the session may be noticed only now.
      return again().catch(again)
    }
    assert.equal((await again()).isSameServer, true)
    assert.equal((await onAnotherSession()).isSameServer, true, 'a line that broke says nothing about the server')
    // As after its start.
    await session.query(`
      CREATE FUNCTION public.pg_postmaster_start_time() RETURNS timestamptz LANGUAGE sql AS 'SELECT ''2026-11-22''::timestamptz';
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$`)
    assert.equal((await onAnotherSession()).isSameServer, false)
    assert.equal((await again()).isSameServer, true)
  })
})
