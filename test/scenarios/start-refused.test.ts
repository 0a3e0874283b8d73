import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { skipWithout } from '../fixtures/requires.ts'
import { smallDisk } from '../fixtures/small-disk.ts'
import { freshDir } from '../fixtures/store-place.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { command, refusedStart, startHere, TocsinProcess } from '../harness/tocsin-process.ts'

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

const PAGE_BYTES = 4096

function damage(database: string, page: number): void {
  const file = openSync(database, 'r+')
  writeSync(file, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES)
  closeSync(file)
}

/** Checks for one sentence on stderr and exit code 1, where the reason does not depend on the process. */
async function isRefusedHere(
  dataDir: string,
  sentence: RegExp,
  env: Parameters<typeof startHere>[1] = {},
): Promise<void> {
  const { code, stderr } = await startHere(dataDir, env)
  assert.equal(code, 1, stderr)
  assert.match(stderr, /^error: [^\n]+\n$/)
  assert.match(stderr, sentence)
}

/** The same of the program, and that it never reported ready. */
async function isRefused(
  dataDir: string,
  sentence: RegExp,
  options?: Parameters<typeof refusedStart>[1],
): Promise<void> {
  const { code, stdout, stderr } = await refusedStart(dataDir, options)
  assert.equal(code, 1, stderr)
  assert.match(stderr, /^error: [^\n]+\n$/)
  assert.match(stderr, sentence)
  assert.doesNotMatch(stdout, /"msg":"ready"/)
}

/** Overwrites the first page of the table with rubbish. */
function damagePageOf(database: string, table: string): void {
  const db = new Database(database, { readonly: true })
  const page = db.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table)
  assert.deepEqual([db.pragma('page_size', { simple: true }), typeof page], [PAGE_BYTES, 'number'])
  db.close()
  damage(database, Number(page))
}

const RESTORE = /tocsin\.db is damaged \(.+\); restore a backup with: tocsin restore FILE\n$/

suite('a start', () => {
  let stopped: string
  let compiled: string
  before(async () => {
    compiled = await mkdtemp(join(tmpdir(), 'tocsin-compiled-'))
    if (isRoot) chownSync(compiled, NOBODY, NOBODY)
    stopped = await mkdtemp(join(tmpdir(), 'tocsin-stopped-'))
    await command(stopped, ['app', 'create', '--name', 'Hut'])
    // A write-ahead log would repair the damage to the file.
    const db = new Database(join(stopped, 'tocsin.db'))
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
  })
  after(async () => {
    for (const directory of [stopped, compiled]) await rm(directory, { recursive: true, force: true })
  })
  /** Our own cache is not for this user, and to compile everything takes longer than the start. */
  const asNobody = () => ({ uid: NOBODY, env: { NODE_COMPILE_CACHE: compiled } })

  /** A data directory as left by a stopped service, with an application in it. */
  async function site(t: TestContext): Promise<{ readonly dataDir: string; readonly database: string }> {
    const dataDir = join(await freshDir(t), 'data')
    await cp(stopped, dataDir, { recursive: true })
    return { dataDir, database: join(dataDir, 'tocsin.db') }
  }

  test('a database whose first page is rubbish', async (t) => {
    const { dataDir, database } = await site(t)
    damage(database, 1)
    await isRefused(dataDir, RESTORE)
  })

  test('a database that was cut short', async (t) => {
    const { dataDir, database } = await site(t)
    truncateSync(database, statSync(database).size - PAGE_BYTES)
    await isRefusedHere(dataDir, RESTORE)
  })

  for (const table of ['contacts', 'incidents', 'hardware']) {
    test(`a database with a damaged page of ${table}, which no start would read`, async (t) => {
      const { dataDir, database } = await site(t)
      damagePageOf(database, table)
      await isRefusedHere(dataDir, RESTORE)
    })
  }

  test('a database of a newer version', async (t) => {
    const { dataDir, database } = await site(t)
    const db = new Database(database)
    db.pragma('user_version = 9999')
    db.close()
    await isRefusedHere(
      dataDir,
      /written by a newer version of Tocsin \(its schema is version 9999, .*; update Tocsin, or restore/,
    )
  })

  test('a lock that is rubbish', async (t) => {
    const { dataDir } = await site(t)
    writeFileSync(join(dataDir, 'tocsin.lock'), 'rubbish '.repeat(1000))
    await isRefusedHere(dataDir, /tocsin\.lock is damaged; delete it/)
  })

  test('a damaged page of history does not prevent a start, but the process that then holds the data does', async (t) => {
    const { dataDir, database } = await site(t)
    damagePageOf(database, 'telemetry')
    const service = await TocsinProcess.start(dataDir, { TOCSIN_RETENTION_TELEMETRY_DAYS: '0' })
    endsLastFirst(t, () => service.kill())
    await isRefused(
      dataDir,
      /another process \(\d+\) is already running Tocsin on .*; stop it first, or choose another dataDir/,
    )
    assert.ok(service.isRunning)
    assert.equal(await service.stop(), 0)
  })

  test('a port that is in use', async (t) => {
    const { dataDir } = await site(t)
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    t.after(() => taken.close())
    const address = taken.address()
    assert.ok(address !== null && typeof address === 'object')
    const TOCSIN_MQTT_PORT = String(address.port)
    await isRefusedHere(dataDir, /mqtt\.host 127\.0\.0\.1, mqtt\.port \d+: the port is in use/, { TOCSIN_MQTT_PORT })
  })

  test('a data directory that is a file, or inside one', async (t) => {
    const file = join(await freshDir(t), 'file')
    writeFileSync(file, 'mine')
    for (const dataDir of [file, join(file, 'data')]) await isRefusedHere(dataDir, /must be a directory/)
    assert.equal(readFileSync(file, 'utf8'), 'mine')
  })

  test('a database that is a directory', async (t) => {
    const dataDir = await freshDir(t)
    mkdirSync(join(dataDir, 'tocsin.db'))
    await isRefusedHere(dataDir, /tocsin\.db is not a regular file/)
  })

  test('a database, or its log, that belongs to another user', async (t) => {
    if (skipWithout(t, 'root', isRoot)) return
    const { dataDir, database } = await site(t)
    chmodSync(join(dataDir, '..'), 0o755)
    chownSync(dataDir, NOBODY, NOBODY)
    const sentence =
      /user 65534 has no permission to read and write .*tocsin\.db(-wal)?, which belongs to user 0; .* with chown/
    await isRefused(dataDir, sentence, asNobody())
    chownSync(database, NOBODY, NOBODY)
    writeFileSync(`${database}-wal`, '', { mode: 0o600 })
    await isRefused(dataDir, sentence, asNobody())
  })

  test('a data directory of another user, and one that is read-only', async (t) => {
    if (skipWithout(t, 'root', isRoot)) return
    const { dataDir } = await site(t)
    chmodSync(join(dataDir, '..'), 0o755)
    const sentence = /user 65534 has no permission to read and write .*data, which belongs to user /
    await isRefused(dataDir, new RegExp(`${sentence.source}0`), asNobody())
    chownSync(dataDir, NOBODY, NOBODY)
    chmodSync(dataDir, 0o500)
    await isRefused(dataDir, new RegExp(`${sentence.source}65534`), asNobody())
  })

  test('a disk that is mounted read-only', async (t) => {
    const disk = smallDisk(t, 8)
    if (disk === null) return
    const dataDir = join(disk.path, 'data')
    await command(dataDir, ['app', 'create', '--name', 'Hut'])
    execFileSync('mount', ['-o', 'remount,ro', disk.path])
    await isRefusedHere(dataDir, /data is on a disk that is mounted read-only/)
  })
})
