import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import type pg from 'pg'
import { MAX_DRILLS_KEPT, UNLIMITED } from '../../../../src/adapters/stores/shared/quotas.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { drills } from '../../../contract/drills.ts'
import { appended, applicationCalled, incidentOf, SiteUser, telemetryAt } from '../../../contract/site.ts'
import { momentAt } from '../../../core/build.ts'
import { turnRequest } from '../../../core/pacing/build.ts'
import { freshDatabase, openPostgresAt, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import type { Ending } from '../../../harness/ending.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { PostgresServer, sharedPostgres } from '../../../harness/postgres.ts'
import { PostgresProxy } from '../../../harness/postgres-proxy.ts'
import { until } from '../../../harness/wait.ts'

/** An application with a user, in a database of its own. */
async function filled(t: Ending, url: string, options: Parameters<typeof openPostgresAt>[2] = {}) {
  const store = await openPostgresAt(t, url, options)
  const application = applicationCalled('Hut')
  await store.createApplication(application, 'secret')
  const newUser = async (name: string): Promise<SiteUser> => {
    const user = new SiteUser(store, application.id, name)
    await user.settle([])
    return user
  }
  return { store, application, user: await newUser('hiker-1'), newUser }
}

/** For tests that hold a lock until they see who waits for it. */
const PATIENT = { limits: { lockTimeoutMs: 9_000, statementTimeoutMs: 10_000 } }

/** A session of the test's own. What it has begun is undone with the test. */
async function sessionOn(t: Ending, url: string): Promise<pg.Client> {
  const session = await (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))
  endsLastFirst(t, () => session.end())
  return session
}

/** Waits until as many sessions of the store wait for a lock. */
const blocked = (session: pg.Client, count = 1): Promise<unknown> =>
  until('a session that waits for a lock', async () => {
    // Within a transaction it would see the same again and again.
    await session.query('SELECT pg_stat_clear_snapshot()')
    const { rowCount } = await session.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'tocsin' AND wait_event_type = 'Lock'`,
    )
    return rowCount === count
  })

const openedBy = async (store: Store, { id }: SiteUser): Promise<string | null> =>
  (await store.openIncident(id))?.incident.id ?? null

/** How many users were read by reading all of them. */
async function readWhole(session: pg.Client): Promise<number> {
  const { rows } = await session.query("SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'users'")
  return Number(rows[0].seq_tup_read)
}

suite('batches on PostgreSQL', { skip: withoutPostgres }, () => {
  // preparing.md#drills.
  test('on two nodes at once a drill and a press never meet, and one incident alarms', async (t) => {
    const url = await freshDatabase(t)
    const { store: one, application, newUser } = await filled(t, url)
    const two = await openPostgresAt(t, url)
    for (let k = 0; k < 10; k += 1) {
      const user = await newUser(`hut-${k}`)
      const [drill, press] = await Promise.all([drills(two, user, 0), user.presses(0)])
      assert.equal(press.verdict, 'opened')
      assert.equal(await openedBy(two, user), press.incidentId)
      assert.ok(drill.verdict === 'opened' || drill.refused === 'incident_open')
    }
    assert.deepEqual(
      await one.drills({ appId: application.id, userId: null, since: 0, limit: 10, isOpen: true }),
      [],
      'a press has ended each of them',
    )
  })

  test('an alert costs two round trips', async (t) => {
    const url = await freshDatabase(t)
    const proxy = await PostgresProxy.before(t, await sharedPostgres(), url)
    const { user } = await filled(t, proxy.url)
    await user.presses(0)
    const before = proxy.asked
    const asks = (count: number) => until(`${count} requests`, () => proxy.asked - before === count)

    proxy.allow(0)
    let isSettled = false
    const pressed = user.presses(60).then((committed) => {
      isSettled = true
      return committed
    })
    // BEGIN, the locks, the situations.
    await asks(3)
    proxy.allow(3)
    // What is written, the newest moment, COMMIT.
    await asks(6)
    assert.equal(isSettled, false)
    proxy.allow(3)
    assert.equal((await pressed).verdict, 'updated')
    assert.equal(proxy.asked - before, 6)
    proxy.allow(Number.POSITIVE_INFINITY)
  })

  test('a press reads no whole table, however many users there are', async (t) => {
    const url = await freshDatabase(t)
    const { store, user } = await filled(t, url)
    const session = await sessionOn(t, url)
    const others = 5_000
    await session.query(
      `INSERT INTO users (id, app_id, external_user_id, created_at, updated_at)
       SELECT 'other-' || n, app_id, 'other-' || n, 0, 0 FROM users, generate_series(1, ${others}) AS n`,
    )
    await session.query('ANALYZE')
    const read = async () => {
      const { rows } = await session.query(
        'SELECT seq_tup_read, idx_scan FROM pg_stat_user_tables WHERE relname = $1',
        ['users'],
      )
      return { whole: Number(rows[0].seq_tup_read), byKey: Number(rows[0].idx_scan) }
    }
    const before = await read()
    // From the sixth time on the server keeps one plan.
    const presses = 10
    for (let n = 0; n < presses; n += 1) await user.presses(n)
    // What a session has counted shows when it ends.
    await store.close()
    const after = await until('the counters', async () => {
      const now = await read()
      return now.byKey >= before.byKey + presses && now
    })
    assert.ok(after.whole - before.whole < others, `${after.whole - before.whole} users read`)
  })

  test('neither does telemetry, though its statement was planned when there were no users', async (t) => {
    const url = await freshDatabase(t)
    const { store, application, user } = await filled(t, url)
    const session = await sessionOn(t, url)
    const sends = async (from: number) => {
      // From the sixth time on the server may keep one plan.
      for (let n = from; n < from + 8; n += 1) {
        await appended(store, { appId: application.id, userId: user.id }, telemetryAt(n))
      }
    }
    // Statistics would have it planned anew.
    await session.query('ALTER TABLE users SET (autovacuum_enabled = off)')
    await sends(0)
    const others = 5_000
    await session.query(
      `INSERT INTO users (id, app_id, external_user_id, created_at, updated_at)
       SELECT 'other-' || n, app_id, 'other-' || n, 0, 0 FROM users, generate_series(1, ${others}) AS n`,
    )
    const wholeBefore = await readWhole(session)
    await sends(100)
    await store.close()
    const wholeAfter = await until('the counters', async () => {
      await session.query('SELECT pg_stat_clear_snapshot()')
      const { rows } = await session.query("SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'telemetry'")
      return Number(rows[0].n_tup_ins) >= 16 && readWhole(session)
    })
    assert.ok(wholeAfter - wholeBefore < others, `${wholeAfter - wholeBefore} users read`)
  })

  test('a commit that is not answered is abandoned, and its outcome is unknown', async (t) => {
    const url = await freshDatabase(t)
    const proxy = await PostgresProxy.before(t, await sharedPostgres(), url)
    const { store, user } = await filled(t, proxy.url, { limits: { commitTimeoutMs: 200 } })
    await user.presses(0)
    const before = proxy.asked
    proxy.allow(0)
    const cancelled = user.does(60, { type: 'cancel' })
    await until('the situations are asked for', () => proxy.asked - before === 3)
    // Everything is answered but COMMIT.
    proxy.allow(5)
    await assert.rejects(cancelled, { name: 'StoreError', kind: 'unknown' })
    proxy.allow(Number.POSITIVE_INFINITY)
    // It was stored. The same again finds that out.
    const session = await sessionOn(t, url)
    await until(
      'the commit',
      async () => (await session.query('SELECT 1 FROM incidents WHERE NOT open')).rowCount === 1,
    )
    assert.equal((await user.does(61, { type: 'cancel' })).verdict, 'unchanged')
    assert.equal(await openedBy(store, user), null)
  })

  test('a claim whose commit is not answered is sent by nobody before it has been looked up', async (t) => {
    const url = await freshDatabase(t)
    const proxy = await PostgresProxy.before(t, await sharedPostgres(), url)
    const { store, user } = await filled(t, proxy.url, { limits: { commitTimeoutMs: 200 } })
    await user.adds('Ana')
    const { id } = incidentOf(await user.presses(0))
    const proceeds = (seconds: number) => user.does(seconds, { type: 'proceed', inFlight: [] }, { incidentId: id })
    await proceeds(1)
    const before = proxy.asked
    proxy.allow(0)
    const claimed = proceeds(10)
    await until('the situations are asked for', () => proxy.asked - before === 3)
    // Everything is answered but COMMIT.
    proxy.allow(5)
    await assert.rejects(claimed, { kind: 'unknown' })
    proxy.allow(Number.POSITIVE_INFINITY)
    await until('the claim', async () => (await store.incident(id))?.incident.deliveries[0]?.claim != null)
    const again = await proceeds(11)
    assert.deepEqual([again.claimed, again.unsure], [[], []])
    const later = await proceeds(20)
    assert.deepEqual([later.claimed.length, later.unsure.length], [0, 1])
  })

  test('a commit that waits for a standby is abandoned but never cancelled', async (t) => {
    const server = await PostgresServer.start()
    endsLastFirst(t, () => server.stop())
    const database = await server.createDatabase()
    // Above the time that a statement may take: a commit must not be cut off by it.
    const limits = { lockTimeoutMs: 500, statementTimeoutMs: 2_000, commitTimeoutMs: 4_000 }
    const { store, user } = await filled(t, server.url(database), { limits })
    const session = await server.session(database)
    endsLastFirst(t, () => session.end())
    const waitFor = async (standby: string): Promise<void> => {
      await session.query(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`)
      await session.query('SELECT pg_reload_conf()')
    }
    await user.presses(0)
    await waitFor('nobody')
    // Until every session has heard of it, a commit may still go through.
    let seconds = 60
    const outcome = await until('a commit that waits', () => {
      seconds += 1
      return user.presses(seconds).then(
        () => null,
        (error) => error,
      )
    })
    assert.deepEqual([outcome.name, outcome.kind], ['StoreError', 'unknown'])
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    assert.equal((await session.query(waiting)).rowCount, 1)
    // It holds the user's row, so the next caller knows nothing of it.
    await assert.rejects(user.presses(500), { kind: 'busy' })
    // A turn at a provider waits for no standby.
    assert.equal((await store.turns?.takeTurns('twilio:sms:', turnRequest()))?.granted, 1)
    await waitFor('')
    await until('the end of the wait', async () => (await session.query(waiting)).rowCount === 0)
    assert.equal((await user.presses(600)).verdict, 'updated')
    assert.equal((await store.incidents({ openOnly: true })).length, 1)
  })

  test('a server that goes away before the commit leaves nothing, and the next session goes on', async (t) => {
    const url = await freshDatabase(t)
    const { store, user } = await filled(t, url)
    await user.presses(0)
    const session = await sessionOn(t, url)
    await session.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tocsin'",
    )
    assert.equal((await user.presses(60)).verdict, 'updated')
    assert.notEqual(await openedBy(store, user), null)
  })

  test('a user whose row is locked does not hold up the others', async (t) => {
    const url = await freshDatabase(t)
    const { store, user, newUser } = await filled(t, url)
    const others = [await newUser('hiker-2'), await newUser('hiker-3')]
    const session = await sessionOn(t, url)
    await session.query('BEGIN')
    await session.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [user.id])
    const settled = await Promise.allSettled([user, ...others].map((one) => one.presses(0)))
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled'],
    )
    assert.equal((settled[0] as PromiseRejectedResult).reason.kind, 'busy')
    await session.query('ROLLBACK')
    assert.equal((await user.presses(1)).verdict, 'opened')
    assert.notEqual(await openedBy(store, others[0]!), null)
  })

  test('outcomes that wait for their owners do not hold up others', async (t) => {
    const url = await freshDatabase(t)
    // Long enough for the test: an outcome that gave up would be refused.
    const limits = { lockTimeoutMs: 50_000, statementTimeoutMs: 55_000, answerTimeoutMs: 60_000 }
    const { store, user, newUser } = await filled(t, url, { limits })
    const others = [await newUser('hiker-2'), await newUser('hiker-3')]
    const incidents: string[] = []
    for (const each of [user, ...others]) incidents.push(incidentOf(await each.presses(0)).id)
    const session = await sessionOn(t, url)
    // As a frozen node does: an owner for each session of the lane.
    await session.query('BEGIN')
    await session.query('SELECT 1 FROM users WHERE id = ANY ($1) FOR UPDATE', [[user.id, others[0]!.id]])
    const records = async (place: number) => {
      const key = { incidentId: incidents[place]! }
      const attempt = { attemptId: `${incidents[place]}.1`, outcome: { kind: 'unknown' } as const, jitter: 0.5 }
      return store.changeIncident(key, { type: 'recordOutcome', now: momentAt(5), earlierTries: 0, ...attempt })
    }
    const first = records(0)
    await blocked(session)
    const second = records(1)
    await blocked(session, 2)
    assert.equal((await records(2)).verdict, 'unchanged')
    await blocked(session, 2)
    await session.query('COMMIT')
    assert.deepEqual(
      (await Promise.all([first, second])).map(({ verdict }) => verdict),
      ['unchanged', 'unchanged'],
    )
  })

  test('a device that changes hands while its alert waits alarms for its new owner', async (t) => {
    const url = await freshDatabase(t)
    const { store, application, user, newUser } = await filled(t, url, PATIENT)
    const [before, after] = [await newUser('hiker-2'), await newUser('hiker-3')]
    await before.pairs('tracker')
    const session = await sessionOn(t, url)
    await session.query('BEGIN')
    await session.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [before.id])
    const pressed = user.presses(0, { deviceId: 'tracker' })
    await blocked(session)
    await session.query('UPDATE devices SET user_id = $1 WHERE app_id = $2', [after.id, application.id])
    await session.query('COMMIT')
    assert.equal(incidentOf(await pressed).userId, after.id)
    assert.equal(await openedBy(store, before), null)
  })

  test('two stores take turns at one user', async (t) => {
    const url = await freshDatabase(t)
    const { store, application, user } = await filled(t, url)
    const other = new SiteUser(await openPostgresAt(t, url), application.id, 'hiker-1')
    await other.settle([])
    const presses = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? user : other).presses(n))
    const verdicts = (await Promise.all(presses)).map(({ verdict }) => verdict)
    assert.equal(verdicts.filter((verdict) => verdict === 'opened').length, 1)
    assert.equal((await store.incidents({ openOnly: false })).length, 1)
  })

  test('two rows that arrive in the same millisecond in two stores are both kept', async (t) => {
    const url = await freshDatabase(t)
    const { store, application, user } = await filled(t, url, PATIENT)
    const session = await sessionOn(t, url)
    await session.query('BEGIN')
    // Another store's row, not committed yet.
    await session.query(
      `INSERT INTO telemetry (user_number, ms, nanos, device_id, at, received_at, payload)
       SELECT number, $2, 0, '', 'x', $2, '{}' FROM users WHERE id = $1`,
      [user.id, momentAt(5)],
    )
    const row = telemetryAt(5, { timestamp: undefined })
    const sent = appended(store, { appId: application.id, userId: user.id }, row)
    await blocked(session)
    await session.query('COMMIT')
    assert.equal((await sent).duplicate, false)
    const { rows } = await session.query('SELECT nanos FROM telemetry ORDER BY nanos')
    assert.deepEqual(
      rows.map(({ nanos }) => nanos),
      [0, 1],
    )
  })

  test('simultaneous batches with the same rows do not deadlock, and store each row once', async (t) => {
    const url = await freshDatabase(t)
    const { store, application, user, newUser } = await filled(t, url)
    const second = await openPostgresAt(t, url)
    const users = [user, await newUser('hiker-2'), await newUser('hiker-3')]
    const times = Array.from({ length: 30 }, (_, n) => n)
    const send = (to: Store, order: readonly number[]) =>
      order.flatMap((n) => users.map(({ id }) => appended(to, { appId: application.id, userId: id }, telemetryAt(n))))
    const sent = await Promise.all([...send(store, times), ...send(second, times.toReversed())])
    assert.equal(sent.filter(({ duplicate }) => !duplicate).length, 90)
  })

  test('beyond their quota the oldest rows go', async (t) => {
    const url = await freshDatabase(t)
    const quotas = { telemetryBytes: 3000, deadLetterBytes: 20_000, feedbackRows: 2, incidents: 2 }
    const { store, application, user } = await filled(t, url, { quotas })
    const session = await sessionOn(t, url)
    const count = async (table: string) => (await session.query(`SELECT 1 FROM ${table}`)).rowCount ?? 0
    for (let n = 0; n < 60; n += 1) {
      await appended(store, { appId: application.id, userId: user.id }, telemetryAt(n))
      const letter = { userId: user.id, topic: 't', reason: 'r', receivedAt: momentAt(n) }
      await store.addDeadLetter({ ...letter, payload: Buffer.alloc(600) })
    }
    for (let n = 0; n < 4; n += 1) {
      const feedback = { id: randomUUID(), userId: user.id, message: 'Good', category: null, rating: null }
      await store.addFeedback({ ...feedback, createdAt: momentAt(n) })
      await user.presses(100 * n)
      await user.does(100 * n + 5, { type: 'cancel' })
    }
    for (let n = 0; n < MAX_DRILLS_KEPT + 5; n += 1) {
      const { incidentId } = await drills(store, user, 1000 + n)
      await user.does(1000 + n, { type: 'overtake' }, { incidentId: incidentId! })
    }
    await until('the old rows are gone', async () => {
      const [rows, letters] = [await count('telemetry'), await count('dead_letters')]
      return rows < 60 && letters < 60 && (await count('incidents')) === 3 + MAX_DRILLS_KEPT + 1
    })
    assert.equal(await count('feedback'), 2)
    const page = await store.telemetryHistory(user.id, { after: null, limit: 100, from: null, to: null })
    assert.ok('items' in page)
    assert.equal(page.items[0]?.at.ms, momentAt(59))

    // Of a user whom a poster has brought, a sixteenth: here none but the one that is open.
    await session.query(`UPDATE users SET enrolled_by = 'poster' WHERE id = $1`, [user.id])
    await user.presses(2000)
    const own = () => session.query('SELECT 1 FROM incidents WHERE NOT drill')
    await until('no more than a sixteenth is left', async () => (await own()).rowCount === 2)
  })

  test('what opens an incident waits for no housekeeping of its user, nor does the first claim', async (t) => {
    const url = await freshDatabase(t)
    const { store, user } = await filled(t, url, { ...PATIENT, quotas: { ...UNLIMITED, incidents: 1 } })
    await user.adds('Ana')
    for (const at of [0, 100]) {
      await user.presses(at)
      await user.does(at + 5, { type: 'cancel' })
    }
    const session = await sessionOn(t, url)
    await session.query('BEGIN')
    // As if that took long: the incident beyond the quota cannot go yet.
    await session.query('LOCK TABLE incident_notes IN SHARE MODE')
    const { incidentId } = await user.presses(200)
    await blocked(session)
    const claims = await user.does(210, { type: 'proceed', inFlight: [] }, { incidentId: incidentId! })
    assert.deepEqual([claims.busy, claims.claimed.length], [undefined, 1])
    assert.equal((await user.presses(211)).verdict, 'updated')
    await session.query('COMMIT')
    const kept = async () => (await store.incidents({ openOnly: false })).map(({ incident }) => incident)
    await until('the oldest is gone', async () => (await kept()).length === 2)

    await user.does(220, { type: 'cancel' })
    const oldest = (await kept()).toSorted((one, other) => one.openedAt - other.openedAt)[0]!
    await session.query('BEGIN')
    await session.query('SELECT 1 FROM incidents WHERE id = $1 FOR UPDATE', [oldest.id])
    await user.presses(300)
    // Behind the housekeeping, which leaves alone what others are changing.
    await store.deleteExpired('audit', { before: 0, max: 1, from: '' })
    assert.equal((await kept()).length, 3)

    await session.query('COMMIT')
    await user.does(310, { type: 'cancel' })
    await user.presses(400)
    await until('what was left has gone as well', async () => (await kept()).length === 2)
  })
})
