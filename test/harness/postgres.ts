import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { chown, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { until } from './wait.ts'

/** What a test without a server says. */
export const POSTGRES = 'a PostgreSQL server (Debian: apt-get install postgresql)'

/** Where its programs are: in the PATH, or where Debian puts them. Null: it is not installed. */
const programs = (): string | null =>
  [...(process.env.PATH ?? '').split(':'), ...globSync('/usr/lib/postgresql/*/bin').sort().reverse()].find(
    (directory) => existsSync(join(directory, 'initdb')) && existsSync(join(directory, 'postgres')),
  ) ?? null

/** How long a start may take on a busy machine. */
const START_TIMEOUT_MS = 60_000

/** Whether tests can start a server here. */
export const hasPostgres = (): boolean => programs() !== null

/**
 * Runs until its input ends, which it does with the process that started it, however that ends. Then it stops the
 * server at once and leaves nothing behind.
 */
const KEEPER = `
cd "$DIRECTORY"
"$PROGRAMS/initdb" --pgdata=data --username=tocsin --auth=trust --encoding=UTF8 --locale=C --no-sync --no-instructions >initdb.log 2>&1 && {
  "$PROGRAMS/postgres" -D data -k "$DIRECTORY" -c listen_addresses='' -c shared_buffers=32MB -c max_connections=200 $SETTINGS >server.log 2>&1 &
  server=$!
}
cat >/dev/null
[ -z "$server" ] || { kill -INT $server && wait $server; }
cd / && rm -rf "$DIRECTORY"
`

/** Root may not run a server: another user does it. Empty for an ordinary user. */
function otherUser(): { readonly launcher: readonly string[]; readonly uid: number | null } {
  if (process.getuid?.() !== 0) return { launcher: [], uid: null }
  const name = spawnSync('id', ['-u', 'postgres']).status === 0 ? 'postgres' : 'nobody'
  const uid = Number(spawnSync('id', ['-u', name], { encoding: 'utf8' }).stdout)
  return { launcher: ['setpriv', `--reuid=${name}`, `--regid=${name}`, '--clear-groups'], uid }
}

/** A server of PostgreSQL, whose socket is in its directory. */
export class PostgresServer {
  readonly directory: string
  readonly #keeper: ChildProcess

  /**
   * Starts one. `settings`: as for `postgres -c`. `files`: for its directory, which is where paths begin. It ends with
   * `stop`, or with this process.
   */
  static async start(
    settings: Readonly<Record<string, string>> = {},
    files: Readonly<Record<string, string>> = {},
  ): Promise<PostgresServer> {
    const bin = programs()
    if (bin === null) throw new Error(`this needs ${POSTGRES}`)
    const directory = await mkdtemp(join(tmpdir(), 'tocsin-postgres-'))
    const { launcher, uid } = otherUser()
    if (uid !== null) await chown(directory, uid, -1)
    for (const [name, text] of Object.entries(files)) {
      const path = join(directory, name)
      await writeFile(path, text, { mode: 0o600 })
      if (uid !== null) await chown(path, uid, -1)
    }
    const [program = 'sh', ...args] = [...launcher, 'sh', '-c', KEEPER]
    const keeper = spawn(program, args, {
      // A signal to the group of the tests, such as Ctrl-C, must not reach it: it ends with its input.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {
        PATH: process.env.PATH ?? '',
        DIRECTORY: directory,
        PROGRAMS: bin,
        SETTINGS: Object.entries(settings)
          .map(([name, value]) => `-c ${name}=${value}`)
          .join(' '),
      },
    })
    keeper.unref()
    // The pipe alone must not keep this process alive.
    ;(keeper.stdin as unknown as { unref(): void }).unref()
    const server = new PostgresServer(directory, keeper)
    try {
      await server.#answers()
    } catch (error) {
      const log = await server.#log()
      await server.stop()
      throw new Error(`the PostgreSQL server did not start: ${log}`, { cause: error })
    }
    return server
  }

  private constructor(directory: string, keeper: ChildProcess) {
    this.directory = directory
    this.#keeper = keeper
  }

  /** The address of a database, as in `store.url`. */
  url(database: string): string {
    return `postgresql://tocsin@${encodeURIComponent(this.directory)}/${database}`
  }

  /** The process id of the server. */
  async pid(): Promise<number> {
    return Number((await readFile(join(this.directory, 'data/postmaster.pid'), 'utf8')).split('\n')[0])
  }

  /** A session of the test's own, as the owner of everything. */
  async session(database = 'postgres'): Promise<pg.Client> {
    const client = new pg.Client({ host: this.directory, user: 'tocsin', database })
    await client.connect()
    return client
  }

  /** An empty database of its own. */
  async createDatabase(template = 'template1'): Promise<string> {
    const name = `site_${randomBytes(8).toString('hex')}`
    await this.#administer(`CREATE DATABASE ${name} TEMPLATE ${template}`)
    return name
  }

  async dropDatabase(name: string): Promise<void> {
    await this.#administer(`DROP DATABASE ${name} WITH (FORCE)`)
  }

  async stop(): Promise<void> {
    this.#keeper.ref()
    this.#keeper.stdin?.end()
    if (this.#keeper.exitCode !== null || this.#keeper.signalCode !== null) return
    await new Promise((resolve) => this.#keeper.once('exit', resolve))
  }

  async #administer(sql: string): Promise<void> {
    const session = await this.session()
    try {
      await session.query(sql)
    } finally {
      await session.end()
    }
  }

  async #answers(): Promise<void> {
    await until(
      'an answer of the PostgreSQL server',
      () =>
        this.session().then(
          (session) => session.end().then(() => true),
          () => false,
        ),
      START_TIMEOUT_MS,
    )
  }

  async #log(): Promise<string> {
    const texts = await Promise.all(
      ['initdb.log', 'server.log'].map((file) => readFile(join(this.directory, file), 'utf8').catch(() => '')),
    )
    return texts.join('')
  }
}

let shared: Promise<PostgresServer> | null = null

/** One server for all tests of this process. It ends with the process. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= PostgresServer.start()
  return shared
}
