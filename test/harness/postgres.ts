import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, globSync, openSync, readFileSync } from 'node:fs'
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { until } from './wait.ts'

/** What a test without a server says. */
export const POSTGRES = 'a PostgreSQL server (Debian: apt-get install postgresql)'

/** Where its programs are: in the PATH, or where Debian puts them. Null: it is not installed. */
const programs = (): string | null =>
  [...(process.env.PATH ?? '').split(':'), ...globSync('/usr/lib/postgresql/*/bin').sort().reverse()].find(
    (directory) => ['initdb', 'postgres', 'pg_basebackup'].every((name) => existsSync(join(directory, name))),
  ) ?? null

function required(): string {
  const bin = programs()
  if (bin === null) throw new Error(`this needs ${POSTGRES}`)
  return bin
}

/** Where the compiled code is, too. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/tocsin/', import.meta.url))

/** How long a start may take on a busy machine. */
const START_TIMEOUT_MS = 60_000
/** How long the session that makes databases waits for the next one. */
const ADMINISTRATION_IDLE_MS = 2_000

/** Whether tests can start a server here. */
export const hasPostgres = (): boolean => programs() !== null

/** Makes a database cluster in `data`, which takes a second of processor time, and writes it to stdout. */
const INITDB = `
D=$(mktemp -d) && cd "$D" && {
  "$PROGRAMS/initdb" --pgdata=data --username=tocsin --auth=trust --encoding=UTF8 --locale=C --no-sync --no-instructions >initdb.log 2>&1 || { cat initdb.log >&2; false; }
} && tar --create data
code=$?
cd / && rm -rf "$D"
exit $code
`

/** How the data of a server begins. As a new cluster, handed over as fd 3. */
const UNPACK = 'tar --extract <&3'
/** As a copy of the server in `$PRIMARY`, which then follows it under the name `$NAME`. */
const FOLLOW = `"$PROGRAMS/pg_basebackup" --pgdata=data --checkpoint=fast --wal-method=stream --write-recovery-conf --no-sync --dbname="host=$PRIMARY user=tocsin application_name=$NAME"`

/**
 * Runs until its input ends, which it does with the process that started it, however that ends. Then it stops the
 * server at once and leaves nothing behind.
 */
const KEEPER = `
cd "$DIRECTORY"
eval "$BEGIN" >begin.log 2>&1 && {
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

/** A new cluster, as an archive beside the compiled code: it is made once, and unpacked by every server. */
async function newCluster(bin: string): Promise<string> {
  const file = join(CACHE, `cluster-${bin.replaceAll('/', '-')}.tar`)
  if (existsSync(file)) return file
  await mkdir(CACHE, { recursive: true })
  const draft = `${file}.${process.pid}`
  const [program = 'sh', ...args] = [...otherUser().launcher, 'sh', '-c', INITDB]
  const archive = openSync(draft, 'w')
  try {
    const { status, stderr } = spawnSync(program, args, {
      stdio: ['ignore', archive, 'pipe'],
      env: { PATH: process.env.PATH ?? '', PROGRAMS: bin },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
    // Two processes at once make it twice.
    await rename(draft, file)
  } finally {
    closeSync(archive)
    await rm(draft, { force: true })
  }
  return file
}

type Settings = Readonly<Record<string, string>>

/** A server of PostgreSQL, whose socket is in its directory. */
export class PostgresServer {
  readonly directory: string
  readonly #keeper: ChildProcess
  /** One session for many databases: to open one costs the server half as much as to copy a database. */
  readonly #administration: pg.Pool

  /**
   * Starts one. `settings`: as for `postgres -c`. `files`: for its directory, which is where paths begin. It ends with
   * `stop`, or with this process.
   */
  static async start(settings: Settings = {}, files: Settings = {}): Promise<PostgresServer> {
    const bin = required()
    const archive = openSync(await newCluster(bin), 'r')
    try {
      return await PostgresServer.#begin({ BEGIN: UNPACK, PROGRAMS: bin }, { archive, settings, files })
    } finally {
      closeSync(archive)
    }
  }

  /** Starts a standby of this server, which streams from it under that name. */
  async startStandby(name: string, settings: Settings = {}): Promise<PostgresServer> {
    const begin = { BEGIN: FOLLOW, PROGRAMS: required(), PRIMARY: this.directory, NAME: name }
    return PostgresServer.#begin(begin, { settings })
  }

  static async #begin(
    begin: Settings,
    { archive, settings, files = {} }: { archive?: number; settings: Settings; files?: Settings },
  ): Promise<PostgresServer> {
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
      stdio: ['pipe', 'ignore', 'ignore', archive ?? 'ignore'],
      env: {
        ...begin,
        PATH: process.env.PATH ?? '',
        DIRECTORY: directory,
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
    const pool = { max: 1, idleTimeoutMillis: ADMINISTRATION_IDLE_MS, allowExitOnIdle: true }
    this.#administration = new pg.Pool({ host: directory, user: 'tocsin', database: 'postgres', ...pool })
    // A server that is stopped or crashes takes the idle session with it. The next statement opens another.
    this.#administration.on('error', () => {})
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

  /**
   * An empty database of its own. From PostgreSQL 15 on the server by default writes each page of the template to its
   * log as well, which takes it half as long again.
   */
  async createDatabase(template = 'template1'): Promise<string> {
    const name = `site_${randomBytes(8).toString('hex')}`
    await this.#administer((version) => {
      const strategy = version < 15 ? '' : ' STRATEGY file_copy'
      return `CREATE DATABASE ${name} TEMPLATE ${template}${strategy}`
    })
    return name
  }

  async dropDatabase(name: string): Promise<void> {
    await this.#administer(() => `DROP DATABASE ${name} WITH (FORCE)`)
  }

  /** All its processes are frozen: none notices the end of another. */
  async #freeze(): Promise<void> {
    const stopped = new Set<number>()
    // The first process starts the others: once it is frozen, no more appear.
    for (let pids = [await this.pid()]; pids.length > 0; ) {
      for (const pid of pids) signal(pid, 'SIGSTOP')
      for (const pid of pids) stopped.add(pid)
      pids = childrenOf(await this.pid()).filter((pid) => !stopped.has(pid))
    }
  }

  /** The process ids of all its processes. */
  async pids(): Promise<readonly number[]> {
    const pid = await this.pid()
    return [...childrenOf(pid), pid]
  }

  /** As a machine that loses its power: every process is gone at once, and none says goodbye. */
  async crash(): Promise<void> {
    await this.#freeze()
    for (const pid of await this.pids()) signal(pid, 'SIGKILL')
  }

  async stop(): Promise<void> {
    // It ends with the server, which may not answer any more.
    this.#administration.end().catch(() => {})
    this.#keeper.ref()
    this.#keeper.stdin?.end()
    if (this.#keeper.exitCode !== null || this.#keeper.signalCode !== null) return
    await new Promise((resolve) => this.#keeper.once('exit', resolve))
  }

  /** `sqlFor`: the statement for a server of this major version. */
  async #administer(sqlFor: (version: number) => string): Promise<void> {
    const { rows } = await this.#administration.query(
      "SELECT current_setting('server_version_num')::int / 10000 AS version",
    )
    await this.#administration.query(sqlFor(rows[0].version))
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
      ['begin.log', 'server.log'].map((file) => readFile(join(this.directory, file), 'utf8').catch(() => '')),
    )
    return texts.join('')
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It has just ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The processes that this one has started. */
const childrenOf = (pid: number): readonly number[] =>
  globSync(`/proc/${pid}/task/*/children`)
    .flatMap((file) => readFileSync(file, 'utf8').split(' '))
    .filter((text) => text !== '')
    .map(Number)

let shared: Promise<PostgresServer> | null = null

/** One server for all tests of this process. It ends with the process. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= PostgresServer.start()
  return shared
}
