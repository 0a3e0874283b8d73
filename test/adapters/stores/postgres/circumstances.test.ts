import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import type pg from 'pg'
import { openPostgres } from '../../../../src/adapters/stores/postgres/open-store.ts'
import { defaultSettings } from '../../../../src/core/account/settings.ts'
import { MAX_TIMER_TEXTS } from '../../../../src/core/timer/timer.ts'
import { applicationCalled, SiteUser } from '../../../contract/site.ts'
import { momentAt } from '../../../core/build.ts'
import { emptyDatabase, openPostgresAt, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { quiet, uncounted } from '../../../fixtures/store-place.ts'
import type { Ending } from '../../../harness/ending.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'
import { until } from '../../../harness/wait.ts'

async function databaseOn(t: Ending) {
  const url = await emptyDatabase(t)
  const database = url.slice(url.lastIndexOf('/') + 1)
  const session = await (await sharedPostgres()).session(database)
  endsLastFirst(t, () => session.end())
  return { url, database, session }
}

/** A role that owns nothing, dropped with the test, and the address at which it logs in. */
async function roleOn(session: pg.Client, t: Ending, url: string): Promise<{ role: string; url: string }> {
  const role = `role_${url.slice(-8)}`
  await session.query(`CREATE ROLE ${role} LOGIN`)
  const server = await (await sharedPostgres()).session()
  endsLastFirst(t, async () => {
    await server.query(`DROP ROLE ${role}`)
    await server.end()
  })
  return { role, url: url.replace('tocsin@', `${role}@`) }
}

/** Answers in the place of a function of the server, whose own come last in the path. */
async function answersWith(session: pg.Client, database: string, sql: string): Promise<void> {
  await session.query(`CREATE FUNCTION public.${sql}; ALTER DATABASE ${database} SET search_path = public, pg_catalog`)
}

const parts = { defaults: defaultSettings, leaveNotices: false, log: quiet, meter: uncounted }
const refused = (url: string, kind: string, message: RegExp): Promise<void> =>
  assert.rejects(openPostgres({ url, ...parts }), (error: Error & { kind?: string }) => {
    assert.deepEqual([error.kind, message.test(error.message)], [kind, true], error.message)
    return true
  })

suite('bad circumstances on PostgreSQL', { skip: withoutPostgres }, () => {
  test('no server: each host and why', () =>
    refused(
      'postgresql://tocsin@127.0.0.1:1,%2Fnowhere/tocsin',
      'unreachable',
      /^no PostgreSQL primary can be reached \(127\.0\.0\.1:1: .*ECONNREFUSED.*; \/nowhere:5432: .*ENOENT/,
    ))

  test('only a standby', async (t) => {
    const { url, database, session } = await databaseOn(t)
    await answersWith(session, database, 'pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS $$ SELECT true $$')
    await refused(url, 'unreachable', /: it is a standby\)$/)
  })

  test('an older server', async (t) => {
    const { url, database, session } = await databaseOn(t)
    await answersWith(
      session,
      database,
      `current_setting(name text) RETURNS text LANGUAGE sql AS $$
        SELECT CASE name WHEN 'server_version_num' THEN '130009' WHEN 'server_version' THEN '13.9'
          ELSE pg_catalog.current_setting(name) END $$`,
    )
    await refused(url, 'fault', /^the database server is PostgreSQL 13\.9; Tocsin needs 14 or later$/)
  })

  test('a role without rights', async (t) => {
    const { url, session } = await databaseOn(t)
    const other = await roleOn(session, t, url)
    await session.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC')
    await refused(other.url, 'fault', /^permission denied for schema public; the role has to own the database: ALTER/)
  })

  test('a pooler of transactions: sessions are shared, and do not keep what was set', async (t) => {
    const pooled = /^the session is shared with others, or has lost its settings: a pooler .* has to pool sessions/
    const shared = await databaseOn(t)
    await shared.session.query(`ALTER DATABASE ${shared.database} SET tocsin.session = 'on'`)
    await refused(shared.url, 'fault', pooled)
    const lost = await databaseOn(t)
    const nothing = `current_setting(name text, missing boolean) RETURNS text LANGUAGE sql AS 'SELECT NULL::text'`
    await answersWith(lost.session, lost.database, nothing)
    await refused(lost.url, 'fault', pooled)
  })

  test('no space: what is written is refused as such, nothing is lost, and it goes on by itself', async (t) => {
    const { url, session } = await databaseOn(t)
    const store = await openPostgresAt(t, url)
    const application = applicationCalled('Hut')
    await store.createApplication(application, 'secret')
    const user = new SiteUser(store, application.id, 'hiker-1')
    await user.settle([])
    await session.query(`CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER no_space BEFORE INSERT ON incidents EXECUTE FUNCTION no_space()`)
    await assert.rejects(user.presses(0), { kind: 'disk_full', message: 'the disk of the database is full' })
    // The test write of readiness still finds room.
    await store.checkWritable()
    assert.equal(store.trouble(), 'the store cannot write: the disk is full')
    await session.query('DROP TRIGGER no_space ON incidents')
    assert.equal((await user.presses(0)).verdict, 'opened')
  })

  test('readers that all hang do not hold up who has to end', async (t) => {
    const { url, session } = await databaseOn(t)
    const store = await openPostgresAt(t, url, { limits: { lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 } })
    const application = applicationCalled('Hut')
    await store.createApplication(application, 'a secret')
    await session.query('BEGIN; LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE')
    const hanging = Promise.allSettled(Array.from({ length: 8 }, () => store.contacts('nobody')))
    let legacy: boolean | undefined
    void store.readmission(application.id, []).then((admitted) => {
      legacy = admitted?.legacy
    })
    try {
      await until('the answer', () => legacy !== undefined)
    } finally {
      await session.query('ROLLBACK')
    }
    await hanging
  })

  test('a request for a contact who is verified already waits for no lock', async (t) => {
    const { url, session } = await databaseOn(t)
    const store = await openPostgresAt(t, url)
    const application = applicationCalled('Hut')
    await store.createApplication(application, 'a secret')
    const user = new SiteUser(store, application.id, 'hiker-1')
    await user.settle([])
    const contactId = await user.adds('Ana')
    const request = { token: 'a-token-of-22-letters-', now: momentAt(1), perDay: 100 }
    const asks = () => store.requestVerification(user.id, contactId, request)
    assert.deepEqual(await asks(), { verdict: 'asked' })
    await store.answerVerification(request.token, 'confirmed', momentAt(2))
    await session.query('BEGIN; SELECT 1 FROM users FOR UPDATE')
    try {
      assert.deepEqual(await asks(), { verdict: 'verified' })
    } finally {
      await session.query('ROLLBACK')
    }
  })

  test('two nodes that remind two users at one number count one after the other', async (t) => {
    const { url, session } = await databaseOn(t)
    const [one, two] = [await openPostgresAt(t, url), await openPostgresAt(t, url)]
    const application = applicationCalled('Hut')
    await one.createApplication(application, 'a secret')
    const users = await Promise.all(
      ['first', 'second', 'third'].map((name) => new SiteUser(one, application.id, name).settle([])),
    )
    const [phone, now] = ['+436641111111', momentAt(0)]
    const count = (store: typeof one, k: number, id: string = randomUUID()) =>
      store.countTimerText({ id, userId: users[k]!.id, phone, now })
    for (let n = 1; n < MAX_TIMER_TEXTS; n += 1) assert.equal(await count(one, 0), true)
    // A row with its id that is not committed yet holds the first one up behind its count.
    const id = randomUUID()
    const inTheWay = 'INSERT INTO timer_texts (id, user_id, phone, sent_at) VALUES ($1, $2, $3, $4)'
    const waiting = async (sessions: number): Promise<boolean> => {
      // A transaction sees the activity of its first look again.
      await session.query('SELECT pg_stat_clear_snapshot()')
      const sql =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tocsin' AND wait_event_type = 'Lock'"
      return (await session.query(sql)).rows.length === sessions
    }
    await session.query('BEGIN')
    await session.query(inTheWay, [id, users[0]!.id, '+436642222222', now])
    const first = count(one, 1, id)
    await until('the first one waits', () => waiting(1))
    let isCounted = false
    const second = count(two, 2).finally(() => {
      isCounted = true
    })
    await until('the second one waits', async () => isCounted || (await waiting(2)))
    await session.query('ROLLBACK')
    assert.deepEqual(await Promise.all([first, second]), [true, false])
  })

  test('no further session: a service has one for each purpose from its start, and the log says so', async (t) => {
    const { url, session } = await databaseOn(t)
    await (await openPostgresAt(t, url)).close()
    const { role, url: limited } = await roleOn(session, t, url)
    await session.query(
      `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
    )
    endsLastFirst(t, async () => {
      await session.query(`DROP OWNED BY ${role}`)
    })
    const warnings: string[] = []
    const log = { info() {}, error() {}, warn: (_fields: object, message: string) => void warnings.push(message) }
    const store = await openPostgresAt(t, limited, { log, notify: false, node: 'north' })
    const { rows } = await session.query<{ count: string }>(
      'SELECT count(*) FROM pg_stat_activity WHERE usename = $1',
      [role],
    )
    await session.query(`ALTER ROLE ${role} CONNECTION LIMIT ${rows[0]?.count}`)
    const application = applicationCalled('Hut')
    await store.createApplication(application, 'secret')
    const users = Array.from({ length: 12 }, (_, n) => new SiteUser(store, application.id, `hiker-${n}`))
    await Promise.all(users.map((user) => user.settle([])))
    const pressed = await Promise.all(users.map((user) => user.presses(0)))
    assert.deepEqual(new Set(pressed.map(({ verdict }) => verdict)), new Set(['opened']))
    await Promise.all(Array.from({ length: 20 }, () => store.incidents({ openOnly: true })))
    const proceed = { type: 'proceed', now: 60_000, inFlight: [] } as const
    const sent = await Promise.all(
      pressed.map(({ incidentId }) => store.changeIncident({ incidentId: incidentId! }, proceed)),
    )
    assert.equal(sent.length, users.length)
    assert.match(warnings.join('\n'), /the database server has no session left; raise its max_connections/)
  })
})
