import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type pg from 'pg'
import type { SendingNode } from '../../../../src/core/incident/command.ts'
import type { Lease } from '../../../../src/core/incident/delivery.ts'
import { SECOND } from '../../../../src/lib/durations.ts'
import { applicationCalled, incidentOf, SiteUser } from '../../../contract/site.ts'
import { momentAt } from '../../../core/build.ts'
import { freshDatabase, openPostgresAt, suiteWide, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'
import { until } from '../../../harness/wait.ts'

const a = { node: 'a', token: 7 }
const b = { node: 'b', token: 8 }
const node = (lease: Lease, ...others: readonly Lease[]): SendingNode => ({ lease, others, settleMs: 40 * SECOND })

suite('what is due on PostgreSQL', { skip: withoutPostgres }, () => {
  const shared = suiteWide(after, async (t) => {
    const url = await freshDatabase(t)
    // For a test that holds a lock until it sees who waits for it.
    const store = await openPostgresAt(t, url, { limits: { lockTimeoutMs: 9_000, statementTimeoutMs: 10_000 } })
    const sessions = await Promise.all(
      Array.from({ length: 4 }, async () => (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))),
    )
    for (const session of sessions) endsLastFirst(t, () => session.end())
    return { store, sessions, session: sessions[0]! }
  })

  /** A user with a contact who has pressed: the text is due at 10 s, the call at 70 s. Nothing else is in the store. */
  async function pressed() {
    const { store, sessions, session } = await shared()
    await session.query('TRUNCATE applications CASCADE; TRUNCATE claims')
    const application = applicationCalled('Hut')
    await store.createApplication(application, 'secret')
    const user = new SiteUser(store, application.id, 'hiker-1')
    await user.settle(['Ana'])
    const { id } = incidentOf(await user.presses(0))
    const proceeds = (seconds: number, sender: SendingNode, patience: { readonly isPatient?: true } = {}) =>
      user.does(seconds, { type: 'proceed', inFlight: [], node: sender, ...patience }, { incidentId: id })
    const due = async (seconds: number, ...others: readonly Lease[]) =>
      (await store.due(momentAt(seconds), 10, [], others)).real
    const next = async (...others: readonly Lease[]) => {
      const at = await store.nextActionAt([], others)
      return at === null ? null : (at - momentAt(0)) / SECOND
    }
    return { store, user, id, sessions, session, proceeds, due, next }
  }

  test('a claim is due for its own node, and for others once its lease has ended', async () => {
    const { id, proceeds, due, next } = await pressed()
    assert.equal((await proceeds(10, node(a, b))).claimed.length, 1)
    assert.deepEqual(await due(20, b), [id], 'to node a')
    assert.equal(await next(b), 20)
    assert.deepEqual(await due(20, a), [], 'to node b')
    assert.equal(await next(a), 70, 'the call, of which nobody has claimed anything')
    assert.deepEqual(await due(20), [id], 'to node b, when node a is gone')
    assert.deepEqual(await due(20, { ...a, token: 99 }), [id], 'a later lease does not cover it')
  })

  test('what else is due of such an incident is done by any node, and stays listed until it is', async () => {
    const { id, proceeds, due } = await pressed()
    await proceeds(10, node(a, b))
    assert.deepEqual(await due(70, a), [id])
    const { claimed } = await proceeds(70, node(b, a))
    assert.deepEqual(
      claimed.map(({ channel, claim }) => [channel, claim?.by]),
      [['voice', b]],
    )
    assert.deepEqual(await due(79, a), [])
    assert.deepEqual(await due(80, a), [id], 'its own claim, without an outcome')
    assert.deepEqual(await due(80, a, b), [])
  })

  test('a claim that has an outcome, or was taken over, leaves nothing behind', async () => {
    const { user, id, session, proceeds, due } = await pressed()
    const { claimed } = await proceeds(10, node(a, b))
    const claims = async () => (await session.query('SELECT token::integer FROM claims')).rows.map(({ token }) => token)
    assert.deepEqual(await claims(), [7])
    await proceeds(20, node(b))
    assert.deepEqual(await claims(), [8])
    const outcome = { kind: 'sent', provider: 'twilio', providerRef: 'SM1' } as const
    const attemptId = claimed[0]!.id
    await user.does(
      21,
      { type: 'recordOutcome', attemptId, outcome, jitter: 0.5, earlierTries: 0, lease: a },
      { incidentId: id },
    )
    assert.deepEqual(await claims(), [])
    assert.deepEqual(await due(60, a, b), [])
  })

  test('claims do not wait for an owner who is locked, and stay due', async () => {
    const { id, user, session, proceeds, due } = await pressed()
    await session.query(`BEGIN; SELECT 1 FROM users WHERE id = '${user.id}' FOR NO KEY UPDATE`)
    const { verdict, claimed, busy } = await proceeds(12, node(a))
    assert.deepEqual([verdict, claimed, busy], ['unchanged', [], { lateMs: 2000 }])
    assert.deepEqual(await due(10), [id], '/readyz shows how long it stays so')
    await session.query('ROLLBACK')
    assert.equal((await proceeds(13, node(a))).claimed.length, 1)
  })

  test('a patient claim stands in the queue, ahead of those who want the owner after it', async () => {
    const { user, sessions, proceeds } = await pressed()
    const [holder, ahead, behind, observer] = sessions as [pg.Client, pg.Client, pg.Client, pg.Client]
    const lock = (session: pg.Client) =>
      session.query('BEGIN').then(() => session.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [user.id]))
    const waiting = (count: number) =>
      until(`${count} that wait`, async () => {
        const observed = await observer.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        return observed.rowCount === count
      })
    await lock(holder)
    const isAhead = lock(ahead)
    await waiting(1)
    const claim = proceeds(12, node(a), { isPatient: true })
    await waiting(2)
    const isBehind = lock(behind)
    await waiting(3)
    await holder.query('COMMIT')
    await isAhead
    await ahead.query('COMMIT')
    const { claimed } = await claim
    assert.equal(claimed.length, 1)
    await isBehind
    await behind.query('COMMIT')
  })

  test('of two nodes that claim at the same time, one does', async () => {
    const { proceeds } = await pressed()
    const both = await Promise.all([proceeds(10, node(a, b)), proceeds(10, node(b, a))])
    assert.equal(both.flatMap(({ claimed }) => claimed).length, 1)
  })

  test('a held incident, whose claims nobody sees to, is not due', async () => {
    const { store, user, id, proceeds, due, next } = await pressed()
    await proceeds(10, node(a))
    await user.does(11, { type: 'restore' }, { incidentId: id })
    assert.deepEqual([await due(99), await next()], [[], null])
    assert.ok((await store.incident(id))?.incident.held)
  })
})
