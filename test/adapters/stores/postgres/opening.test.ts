import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { issueAuthority, issueServer, newKey } from '../../../../src/adapters/platform/tls/issue.ts'
import { Primary } from '../../../../src/adapters/stores/postgres/engine/connect.ts'
import type { Connection } from '../../../../src/adapters/stores/postgres/engine/connection.ts'
import { migrate } from '../../../../src/adapters/stores/postgres/engine/migrate.ts'
import { targetOf } from '../../../../src/adapters/stores/postgres/engine/target.ts'
import { nodeIdentity } from '../../../../src/adapters/stores/postgres/node-id.ts'
import { type Migration, migrationsIn } from '../../../../src/adapters/stores/shared/migrations.ts'
import { emptyDatabase, openPostgresAt, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import type { Ending } from '../../../harness/ending.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { PostgresServer, sharedPostgres } from '../../../harness/postgres.ts'
import { PostgresGate } from '../../../harness/postgres-gate.ts'
import { until } from '../../../harness/wait.ts'

async function connectionTo(t: Ending, url: string): Promise<Connection> {
  const connection = await new Primary(targetOf(url)).connect()
  endsLastFirst(t, () => connection.close())
  return connection
}

/** The migrations in a directory with these texts, in order. */
async function migrationsOf(t: Ending, ...texts: readonly string[]): Promise<readonly Migration[]> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-migrations-'))
  endsLastFirst(t, () => rm(directory, { recursive: true }))
  for (const [n, text] of texts.entries()) await writeFile(join(directory, `000${n + 1}-step.sql`), text)
  return migrationsIn(pathToFileURL(`${directory}/`))
}

const tables = async (connection: Connection): Promise<readonly string[]> => {
  const sql = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"
  return (await connection.rows<{ relname: string }>(sql)).map(({ relname }) => relname)
}

suite('opening PostgreSQL', { skip: withoutPostgres }, () => {
  test('a connection that dies between the login and the first answer is given up, however it dies', async (t) => {
    const url = new URL(await emptyDatabase(t))
    const gate = await PostgresGate.before(t, await sharedPostgres())
    const limits = { connectTimeoutMs: 500 }
    const primary = new Primary(targetOf(`postgresql://tocsin@${gate.host}${url.pathname}`), limits)
    for (const state of ['black hole', 'reset'] as const) {
      let isThere = false
      gate.holds('SET').then(() => {
        isThere = true
        gate.becomes(state)
      })
      // On a busy machine the login alone may take too long.
      while (!isThere) await assert.rejects(primary.connect(), /no PostgreSQL primary can be reached/)
      gate.releases()
      gate.becomes('open')
    }
    const connection = await connectionTo(t, `postgresql://tocsin@${gate.host}${url.pathname}`)
    assert.deepEqual(await connection.rows('SELECT 1 AS one'), [{ one: 1 }])
  })

  test('a session sets itself what must not depend on the server', async (t) => {
    const url = await emptyDatabase(t)
    const connection = await connectionTo(t, url)
    const database = url.slice(url.lastIndexOf('/') + 1)
    const weak = {
      synchronous_commit: 'off',
      default_transaction_isolation: "'repeatable read'",
      lock_timeout: 0,
      jit: 'on',
    }
    for (const [name, value] of Object.entries(weak)) {
      await connection.run(`ALTER DATABASE ${database} SET ${name} = ${value}`)
    }
    const next = await connectionTo(t, url)
    const [set] = await next.rows(
      `SELECT current_setting('synchronous_commit') AS commit, current_setting('transaction_isolation') AS isolation,
         current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle,
         current_setting('jit') AS jit`,
    )
    assert.deepEqual(set, { commit: 'on', isolation: 'read committed', lock: '2s', idle: '5s', jit: 'off' })
    await connection.run(`ALTER DATABASE ${database} SET synchronous_commit = remote_apply`)
    const strong = await connectionTo(t, url)
    assert.deepEqual(await strong.rows("SELECT current_setting('synchronous_commit') AS commit"), [
      { commit: 'remote_apply' },
    ])
  })

  test('of several hosts the one that takes writes is used', async (t) => {
    const url = await emptyDatabase(t)
    const [, directory = '', database = ''] = /@(.*)\/(.*)$/.exec(url) ?? []
    const connection = await connectionTo(
      t,
      `postgresql:///${database}?user=tocsin&host=127.0.0.1,${directory}&port=1,5432&sslmode=disable`,
    )
    await connection.run(`ALTER DATABASE ${database} SET default_transaction_read_only = on`)
    await assert.rejects(new Primary(targetOf(url)).connect(), {
      kind: 'unreachable',
      message: /no PostgreSQL primary can be reached \(\/.*: it only allows reading/,
    })
  })

  test('sslmode protects as PostgreSQL says', async (t) => {
    const key = newKey()
    const authority = { key, cert: await issueAuthority(key, Date.now()) }
    // An address of its own, so that no port has to be found.
    const address = ['127', ...randomBytes(3)].join('.')
    const other = await issueServer(authority, ['127.0.0.1', 'localhost'], Date.now())
    const right = await issueServer(authority, [address], Date.now())
    const hba = 'local all all trust\nhost all all all trust\n'
    const files = { 'server.crt': right.cert, 'server.key': right.key, 'pg_hba.conf': hba }
    const settings = {
      ssl: 'on',
      ssl_cert_file: '../server.crt',
      ssl_key_file: '../server.key',
      hba_file: 'pg_hba.conf',
      listen_addresses: address,
    }
    const server = await PostgresServer.start(settings, files)
    endsLastFirst(t, () => server.stop())
    const directory = await mkdtemp(join(tmpdir(), 'tocsin-ca-'))
    endsLastFirst(t, () => rm(directory, { recursive: true }))
    const ca = join(directory, 'ca.crt')
    await writeFile(ca, authority.cert)

    /** Whether the connection is encrypted, or why there is none. */
    const connected = async (query: string): Promise<boolean | string> => {
      try {
        const connection = await new Primary(targetOf(`postgresql://tocsin@${address}/postgres?${query}`)).connect()
        const [row] = await connection.rows<{ ssl: boolean }>(
          'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
        )
        await connection.close()
        return row!.ssl
      } catch (error) {
        return (error as Error).message
      }
    }
    const givenUp = await new Primary(targetOf(`postgresql://tocsin@${address}/postgres?sslmode=require`)).connect()
    const unanswered = assert.rejects(givenUp.rows('SELECT pg_sleep(600)'), { kind: 'unreachable' })
    givenUp.destroy()
    await unanswered

    const trusting = `sslrootcert=${encodeURIComponent(ca)}`
    assert.equal(await connected('sslmode=disable'), false)
    assert.equal(await connected(''), true)
    assert.equal(await connected('sslmode=require'), true)
    assert.equal(await connected(`sslmode=verify-full&${trusting}`), true)
    assert.match(String(await connected('sslmode=verify-full')), /no PostgreSQL primary can be reached/)

    // The certificate of another host, from the same authority.
    await writeFile(join(server.directory, 'server.crt'), other.cert)
    await writeFile(join(server.directory, 'server.key'), other.key)
    const session = await server.session()
    await session.query('SELECT pg_reload_conf()')
    await session.end()
    await until('the other certificate', async () => (await connected(`sslmode=verify-full&${trusting}`)) !== true)
    assert.match(String(await connected(`sslmode=verify-full&${trusting}`)), /does not match certificate's altnames/)
    assert.equal(await connected(`sslmode=verify-ca&${trusting}`), true)
  })

  test('a database with another encoding is refused', async (t) => {
    const url = await emptyDatabase(t)
    const connection = await connectionTo(t, url)
    const latin = `${url.slice(url.lastIndexOf('/') + 1)}_latin`
    await connection.run(`CREATE DATABASE ${latin} ENCODING 'LATIN1' TEMPLATE template0`)
    endsLastFirst(t, () => connection.run(`DROP DATABASE ${latin}`))
    await assert.rejects(new Primary(targetOf(`${url}_latin`)).connect(), {
      kind: 'fault',
      message: /the database has the encoding LATIN1; create one with/,
    })
  })

  test('processes that begin together on an empty database migrate it once', async (t) => {
    const url = await emptyDatabase(t)
    const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresAt(t, url)))
    for (const store of stores) assert.deepEqual(await store.applications(), [])
  })

  test('a migration that fails leaves everything as it was', async (t) => {
    const connection = await connectionTo(t, await emptyDatabase(t))
    const first = await migrationsOf(t, 'CREATE TABLE one (a integer)')
    await migrate(connection, first)
    const broken = await migrationsOf(t, 'CREATE TABLE one (a integer)', 'CREATE TABLE two (a integer); SELECT nothing')
    await assert.rejects(migrate(connection, broken), {
      message: /could not be upgraded \(0002-step\.sql: .*"nothing".*\); nothing was changed/,
    })
    assert.deepEqual(await tables(connection), ['one', 'schema_version'])
    await migrate(connection, first)
  })

  test('a newer schema is refused', async (t) => {
    const connection = await connectionTo(t, await emptyDatabase(t))
    await migrate(connection, await migrationsOf(t, 'SELECT 1', 'SELECT 2'))
    await assert.rejects(migrate(connection, await migrationsOf(t, 'SELECT 1')), {
      message: /written by a newer version of Tocsin \(its schema is version 2, this one supports up to 1\)/,
    })
  })

  test('no two migration files have the same number', async () => {
    const directory = new URL('../../../../src/adapters/stores/postgres/migrations/', import.meta.url)
    const numbers = (await readdir(directory)).map((file) => Number(file.slice(0, 4)))
    assert.equal(new Set(numbers).size, numbers.length)
    assert.ok(numbers.every((number) => number > 0))
  })

  test('a data directory keeps its place, and its node has a name that people can read', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-node-'))
    endsLastFirst(t, () => rm(dataDir, { recursive: true }))
    const { id, place, process } = nodeIdentity(dataDir, null)
    const again = nodeIdentity(dataDir, null)
    assert.deepEqual([again.id, again.place, again.process === process], [id, place, false])
    assert.match(id, new RegExp(`^[\\w-]+-${place.slice(0, 4)}$`))
    const named = nodeIdentity(dataDir, 'north')
    assert.deepEqual([named.id, named.place], ['north', place])
    await writeFile(join(dataDir, 'node.id'), 'half')
    assert.notEqual(nodeIdentity(dataDir, null).place, place)
    assert.deepEqual(await readdir(dataDir), ['node.id'])
  })
})
