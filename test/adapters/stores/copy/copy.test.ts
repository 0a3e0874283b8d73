import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { beginAlone } from '../../../../src/adapters/stores/postgres/copy/alone.ts'
import { openForCopy } from '../../../../src/adapters/stores/postgres/copy/open.ts'
import { openSource } from '../../../../src/adapters/stores/postgres/copy/source.ts'
import { siteTables } from '../../../../src/adapters/stores/shared/site-tables.ts'
import { openSource as openSqliteSource } from '../../../../src/adapters/stores/sqlite/copy/source.ts'
import { holdDataDir } from '../../../../src/adapters/stores/sqlite/files/hold-data-dir.ts'
import { bin } from '../../../cli/command-line.ts'
import { applicationCalled, SiteUser } from '../../../contract/site.ts'
import { emptyDatabase, freshDatabase, openPostgresAt, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { freshDir, openHere } from '../../../fixtures/store-place.ts'
import { runCommand } from '../../../harness/command-line.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'
import { mountSmallDisk } from '../../../harness/tmpfs.ts'
import { START_TIMEOUT_MS } from '../../../harness/tocsin-process.ts'
import { until } from '../../../harness/wait.ts'
import { earlierSite } from '../sqlite/earlier-site.ts'
import { makeFullSite, readFullSite, rowsOf } from './full-site.ts'

const { appId, open } = earlierSite
const LEFT = 'the site has been copied elsewhere; nothing was stored here'

async function fullSite(t: TestContext): Promise<string> {
  const dataDir = await freshDir(t)
  makeFullSite(dataDir)
  return dataDir
}

const tocsin = (settings: { readonly dataDir: string; readonly url?: string }, ...args: readonly string[]) =>
  runCommand(
    {
      TOCSIN_DATA_DIR: settings.dataDir,
      ...(settings.url !== undefined && {
        TOCSIN_STORE_URL: settings.url,
        TOCSIN_PUBLIC_URL: 'https://sos.example.org',
      }),
    },
    args,
  )

async function sessionOn(t: TestContext, url: string) {
  const session = await (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))
  endsLastFirst(t, () => session.end())
  return session
}

suite('tocsin store copy', { skip: withoutPostgres }, () => {
  test('everything goes to PostgreSQL and back, and each place that it has left starts no more', async (t) => {
    const dataDir = await fullSite(t)
    const before = await openHere(t, dataDir)
    const seen = await readFullSite(before)
    await before.close()
    const rows = rowsOf(dataDir)
    const url = await emptyDatabase(t)
    const keys = [
      ['user-token.key', randomBytes(32)],
      ['tls/ca.key', Buffer.from('-----BEGIN PRIVATE KEY-----\nk\n-----END PRIVATE KEY-----\n')],
      ['tls/ca.crt', Buffer.from('-----BEGIN CERTIFICATE-----\nc\n-----END CERTIFICATE-----\n')],
    ] as const
    await mkdir(join(dataDir, 'tls'))
    for (const [name, value] of keys) await writeFile(join(dataDir, name), value)
    const file = join(dataDir, 'address')
    await writeFile(file, `${url}\n`)

    const there = await tocsin({ dataDir }, 'store', 'copy', '--to-file', file, '--json')
    assert.equal(there.stderr, '')
    assert.deepEqual(
      there.json.tables.map(({ table }: any) => table),
      siteTables.map(({ name }) => name),
    )
    assert.deepEqual(
      there.json.tables.filter((copied: any) => copied.rows === 0),
      [],
    )
    assert.doesNotMatch(JSON.stringify(there.json.to), /tocsin@/)

    // The message that nobody can type in PostgreSQL.
    const carried = inJson(seen)
    const postgres = await openPostgresAt(t, url)
    assert.deepEqual(inJson(await readFullSite(postgres)), carried)
    const left = /^error: everything here was copied to the PostgreSQL database .* tocsin store reopen\n$/
    for (const args of [
      ['app', 'list'],
      ['app', 'create', '--name', 'X'],
      ['store', 'copy', '--to', url],
    ]) {
      assert.match((await tocsin({ dataDir }, ...args)).stderr, left)
    }

    // An id of somebody who is gone is never given again.
    const user = await postgres.ensureUser({ appId, externalUserId: 'new', id: 'new', now: 1 })
    assert.deepEqual(await postgres.eraseUser(appId, 'new', 100), { userId: user.id, done: true })
    await postgres.addSecret(appId, 'another', 1)
    await postgres.retireSecret(appId)
    await postgres.close()

    const target = join(dataDir, 'back')
    await mkdir(join(target, 'tls'), { recursive: true })
    await writeFile(join(target, 'tls', 'ca.crt'), 'another')
    const back = await tocsin({ dataDir, url }, 'store', 'copy', '--to', target, '--json')
    assert.equal(back.stderr, '')
    assert.match((await tocsin({ dataDir, url }, 'app', 'list')).stderr, /^error: everything here was copied to \//)
    for (const [name, value] of keys) assert.deepEqual(await readFile(join(target, name)), value)
    assert.equal(await readFile(join(target, 'tls', 'ca.crt.former'), 'utf8'), 'another')
    const expected = inJson(rows)
    expected.application_secrets[0] = { id: 71, app_id: appId, secret: 'another', created_at: 1 }
    for (const row of expected.sqlite_sequence) if (/^(users|application_secrets)$/.test(row.name)) row.seq = 71
    assert.deepEqual(inJson(rowsOf(target)), expected)
    const after = await openHere(t, target)
    const { admitting, ...others } = inJson(await readFullSite(after))
    assert.deepEqual({ ...others, admitting: carried.admitting }, carried)
    assert.deepEqual(
      admitting.secrets.map(({ id, secret }: any) => [id, secret]),
      [[71, 'another']],
    )
  })

  test('a copy is refused while anything uses one of its ends, and where something is in the target', async (t) => {
    const dataDir = await fullSite(t)
    const url = await freshDatabase(t)
    const copy = (...args: readonly string[]) => tocsin({ dataDir }, 'store', 'copy', ...args)
    const release = await holdDataDir(dataDir)
    assert.match((await copy('--to', url)).stderr, /^error: another process \(\d+\) is already running Tocsin on /)
    release()
    const session = await sessionOn(t, url)
    await session.query(
      "INSERT INTO nodes (id, place, version, token, started_at, lease_until) VALUES ('another', '', '', 1, 0, 1e15)",
    )
    assert.match((await copy('--to', url)).stderr, /^error: a service runs on the database/)
    assert.match(
      (await tocsin({ dataDir, url }, 'store', 'copy', '--to', join(dataDir, 'x'))).stderr,
      /^error: a service runs/,
    )
    await session.query('DELETE FROM nodes')
    await session.query('BEGIN; LOCK TABLE contacts IN ROW EXCLUSIVE MODE')
    const { connection } = await openForCopy(url)
    for (const mode of ['ACCESS EXCLUSIVE', 'SHARE'] as const) {
      await assert.rejects(beginAlone(connection, mode, 50), { message: /^another process uses the database/ })
    }
    await connection.close()
    await session.query("ROLLBACK; INSERT INTO erased VALUES ('somebody', 1)")
    assert.match((await copy('--to', url)).stderr, /^error: the database is not empty: there are erased in it; /)
    assert.match(
      (await tocsin({ dataDir, url }, 'store', 'copy', '--to', dataDir)).stderr,
      /^error: there is a database in /,
    )
    for (const args of [[], ['--to', url, '--to-file', 'x'], ['--to', join(dataDir, 'x')]]) {
      assert.equal((await copy(...args)).code, 1)
    }
    assert.equal((await tocsin({ dataDir, url }, 'store', 'copy', '--to', url)).code, 1)
    // Nothing of all this has changed the source.
    assert.equal((await tocsin({ dataDir }, 'app', 'list')).code, 0)
  })

  test('a row that is not the same in the target, or a disk that is full, undoes the copy', async (t) => {
    const dataDir = await fullSite(t)
    const url = await freshDatabase(t)
    const copy = () => tocsin({ dataDir }, 'store', 'copy', '--to', url)
    const session = await sessionOn(t, url)
    const meanwhile = (body: string) =>
      session.query(
        `CREATE OR REPLACE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NEW; END $$`,
      )
    await meanwhile('NEW.payload = replace(NEW.payload, \'"n":1997\', \'"n":9197\');')
    await session.query('CREATE TRIGGER meanwhile BEFORE INSERT ON telemetry FOR EACH ROW EXECUTE FUNCTION meanwhile()')
    assert.match((await copy()).stderr, /^error: the copy of telemetry is not the same: .*; nothing was changed\n$/)
    await meanwhile("RAISE EXCEPTION 'no space' USING ERRCODE = '53100';")
    assert.match((await copy()).stderr, /^error: the disk of the database is full\n$/)
    await session.query('DROP FUNCTION meanwhile CASCADE')
    const { rows } = await session.query('SELECT (SELECT count(*) FROM users) AS users, state FROM site_copy')
    assert.deepEqual(rows, [{ users: '0', state: 'arriving' }])
    const unfinished = /^error: a copy of \/.* into this database began at .* and is not complete/
    assert.match((await tocsin({ dataDir, url }, 'app', 'list')).stderr, unfinished)
    assert.equal((await copy()).code, 0)

    const disk = mountSmallDisk(t, 1)
    if (disk === null) return
    await disk.fill(150_000)
    const full = await tocsin({ dataDir, url }, 'store', 'copy', '--to', join(disk.path, 'site'))
    assert.match(full.stderr, /^error: the disk of .* is full; nothing was changed\n$/)
    assert.deepEqual(
      (await readdir(join(disk.path, 'site'))).filter((name) => name !== 'tocsin.lock'),
      [],
    )
    assert.equal((await tocsin({ dataDir, url }, 'app', 'list')).code, 0)
  })

  test('a copy that is killed leaves no site in the target, and the next one begins again', async (t) => {
    const dataDir = await fullSite(t)
    const url = await freshDatabase(t)
    const session = await sessionOn(t, url)
    // Stops the copy within the telemetry until the test lets it go on.
    await session.query(`CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0
      AS $$ BEGIN IF NEW.ms = 1500 THEN PERFORM pg_advisory_xact_lock(1); END IF; RETURN NEW; END $$;
      CREATE TRIGGER waits BEFORE INSERT ON telemetry FOR EACH ROW EXECUTE FUNCTION waits()`)
    await session.query('SELECT pg_advisory_lock(1)')
    const others = async (condition: string): Promise<number> => {
      const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${condition}`
      return (await session.query(sql)).rows.length
    }
    const child = spawn(process.execPath, [bin, 'store', 'copy', '--to', url], {
      env: { PATH: process.env.PATH, TOCSIN_DATA_DIR: dataDir },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    endsLastFirst(t, async () => {
      child.kill('SIGKILL')
      await ended
    })
    const isInTheMiddle = async () => (await others("wait_event = 'advisory'")) === 1
    await until('the copy is in the middle', isInTheMiddle, START_TIMEOUT_MS)
    assert.match((await tocsin({ dataDir }, 'store', 'copy', '--to', url)).stderr, /is already running Tocsin on/)
    child.kill('SIGKILL')
    await ended
    await session.query('SELECT pg_advisory_unlock(1)')
    await until('the server has noticed', async () => (await others("backend_type = 'client backend'")) === 0)
    assert.match((await tocsin({ dataDir, url }, 'app', 'list')).stderr, /^error: a copy of .* is not complete/)
    assert.equal((await tocsin({ dataDir }, 'app', 'list')).code, 0)
    assert.equal((await tocsin({ dataDir }, 'store', 'copy', '--to', url)).code, 0)
    assert.equal((await tocsin({ dataDir, url }, 'app', 'list')).code, 0)
  })

  test('a place that was left is reopened, and open incidents are held after a recovery, when the operator says so', async (t) => {
    const dataDir = await fullSite(t)
    const url = await freshDatabase(t)
    const db = new Database(join(dataDir, 'tocsin.db'))
    db.prepare("UPDATE incidents SET record = json_remove(record, '$.held'), next_action_at = 1 WHERE id = ?").run(open)
    db.close()
    assert.equal((await tocsin({ dataDir }, 'store', 'copy', '--to', url)).code, 0)
    assert.match((await tocsin({ dataDir }, 'store', 'restored')).stderr, /^error: everything here was copied to /)
    await (await sessionOn(t, url)).query("INSERT INTO site_copy VALUES (true, 'arriving', '/srv', 0)")
    for (const [place, copiedTo] of [
      [{ dataDir }, /^the PostgreSQL database /],
      [{ dataDir, url }, /^\/srv$/],
    ] as const) {
      assert.match((await tocsin(place, 'store', 'reopen', '--json')).json.place, copiedTo)
      assert.match((await tocsin(place, 'store', 'reopen')).stderr, /^error: the store is in use/)
    }
    for (const place of [{ dataDir }, { dataDir, url }]) {
      // The deadlines of this one are set by the server's clock, whatever this machine believes.
      if ('url' in place) t.mock.timers.enable({ apis: ['Date'], now: 0 })
      const { json, stderr } = await tocsin(place, 'store', 'restored', '--json')
      t.mock.timers.reset()
      assert.equal(stderr, '')
      const openedAt = new Date(earlierSite.openedAt).toISOString()
      assert.deepEqual(json.heldIncidents, [
        { incidentId: open, externalUserId: 'hiker-1', status: 'active', openedAt },
      ])
      const shown = await tocsin(place, 'incident', 'show', open, '--json')
      assert.deepEqual([shown.json.snapshotVersion > 10_000, shown.json.status], [true, 'active'])
    }
    const { rows } = await (await sessionOn(t, url)).query(
      `SELECT held, next_action_at, EXISTS (
         SELECT 1 FROM json_array_elements(record -> 'deliveries') AS attempt WHERE attempt ->> 'status' = 'skipped'
       ) AS has_skipped FROM incidents WHERE open`,
    )
    assert.deepEqual(rows, [{ held: true, next_action_at: null, has_skipped: true }])
    // No attempt id is given out twice, of a closed incident neither.
    const left = new Database(join(dataDir, 'tocsin.db'), { readonly: true })
    const here = left.prepare("SELECT open, record ->> '$.planned' > 10000 AS ahead FROM incidents").all()
    left.close()
    const sql = "SELECT open, (record ->> 'planned')::bigint > 10000 AS ahead FROM incidents"
    const there = (await (await sessionOn(t, url)).query(sql)).rows
    assert.deepEqual([here.length > 1, here.every((row: any) => row.ahead === 1)], [true, true])
    assert.deepEqual([there.length, there.every(({ ahead }) => ahead)], [here.length, true])
  })

  test('a node that was opened before everything was copied gets no lease', async (t) => {
    const url = await emptyDatabase(t)
    const { nodes } = await openPostgresAt(t, url)
    const session = await sessionOn(t, url)
    await session.query("INSERT INTO site_copy VALUES (true, 'left', '/srv', 0)")
    const asked = { id: 'frozen', place: '', process: '', version: '' }
    for (const token of [null, 7]) {
      const answer = await nodes.lease(asked, { lengthMs: 1000, token, isStart: token === null })
      assert.ok('refused' in answer && answer.refused === 'left')
      assert.match(answer.why, /^everything here was copied to \/srv /)
    }
    assert.deepEqual((await nodes.nodes()).nodes, [])
  })

  test('what waits for the end of a copy is refused in the source, and so is all that comes later', async (t) => {
    const url = await emptyDatabase(t)
    // Longer than the copy.
    const patient = { limits: { lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 } }
    const store = await openPostgresAt(t, url, patient)
    const beside = await openPostgresAt(t, url, { leaveNotices: true, ...patient })
    const application = applicationCalled('Hut')
    await store.createApplication(application, 'secret')
    const user = new SiteUser(store, application.id, 'hiker-1')
    await user.settle([])
    const { incident } = await user.presses(0)
    const session = await sessionOn(t, url)
    const blocked = () =>
      session.query(`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'tocsin' AND wait_event_type = 'Lock'`)
    const writes = {
      alarm: () => user.presses(1),
      telemetry: () => user.sends(2),
      login: () => store.ensureUser({ appId: application.id, externalUserId: 'new', id: 'new', now: 3 }),
      profile: () => store.updateProfile(user.id, { name: 'Mia' }, 4),
      proof: () => store.checkWritable(),
      'of a command': () =>
        beside.changeIncident({ incidentId: incident!.id }, { type: 'resolve', now: 5, by: 'operator' }),
      'erased by a command': () => beside.eraseUser(application.id, 'hiker-1', 6),
    }
    const refused = async (written: readonly Promise<unknown>[]) => {
      for (const [place, result] of (await Promise.allSettled(written)).entries()) {
        const error = result.status === 'rejected' ? result.reason : new Error('it was stored')
        const name = Object.keys(writes)[place]
        assert.deepEqual([name, error.kind, error.message], [name, 'fault', LEFT])
      }
    }

    const source = await openSource(url)
    endsLastFirst(t, () => source.close())
    // The proof waits with the alarm, which is in the same batch.
    const waiting = Object.values(writes).map((write) => write())
    const all = refused(waiting)
    await until('everything waits', async () => (await blocked()).rowCount === waiting.length - 1)
    const comeBack = await source.leave('/srv')
    await all
    await refused(Object.values(writes).map((write) => write()))
    await comeBack()
    assert.equal((await user.presses(8)).verdict, 'updated')
  })

  test('a command that waits for the end of a copy from SQLite is refused', async (t) => {
    const dataDir = await freshDir(t)
    const store = await openHere(t, dataDir, { leaveNotices: true })
    const application = applicationCalled('Hut')
    await store.createApplication(application, 'secret')
    const user = new SiteUser(store, application.id, 'hiker-1')
    await user.settle([])
    const source = await openSqliteSource(dataDir, { keys: [], now: 7 })
    await source.leave('postgres')
    await source.close()
    // Its writer was opened before the copy began.
    await assert.rejects(store.eraseUser(application.id, 'hiker-1', 8), {
      kind: 'fault',
      message: /^everything here was copied to postgres at /,
    })
    assert.notEqual(await store.user(user.id), null)
  })

  test('every column of both stores travels, or stays for a reason', async (t) => {
    const travels = new Set(
      siteTables.flatMap(({ name, columns }) => Object.keys(columns).map((one) => `${name}.${one}`)),
    )
    const names = new Set<string>(siteTables.map(({ name }) => name))
    const left = (found: readonly { readonly name: string; readonly column: string }[], stays: readonly string[]) =>
      [...new Set(found.map(({ name, column }) => (names.has(name) ? `${name}.${column}` : name)))].filter(
        (one) => !travels.has(one) && !stays.includes(one),
      )
    const session = await sessionOn(t, await freshDatabase(t))
    const postgres = await session.query(
      "SELECT table_name AS name, column_name AS column FROM information_schema.columns WHERE table_schema = 'public'",
    )
    // What a database without a site has as well, what is only for the moment, and what `clock` consists of.
    const moment = [
      'nodes',
      'claims',
      'erased',
      'notices',
      'provider_turns',
      'clock_jumps',
      'clock_confirmed',
      'setup_links',
    ]
    const stays = ['schema_version', 'site_copy', 'meta', 'moments', 'incidents.free_at', ...moment]
    assert.deepEqual(left(postgres.rows, stays), [])

    const db = new Database(join(await fullSite(t), 'tocsin.db'), { readonly: true })
    const sqlite = db.prepare<[], { name: string; column: string }>(
      `SELECT tables.name AS name, columns.name AS "column" FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table'`,
    )
    // Columns that have another name elsewhere, or are a table there.
    const other = ['user', 'incident'].flatMap((one) => [...names].map((name) => `${name}.${one}`))
    const own = ['sqlite_sequence', 'departure', 'meta', 'relays', 'users.telemetry_bytes', 'users.dead_letter_bytes']
    assert.deepEqual(left(sqlite.all(), [...own, 'notices', 'setup_links', ...other]), [])
    db.close()
  })
})

const inJson = (value: unknown): any => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '\ufffd'))
