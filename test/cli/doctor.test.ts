import assert from 'node:assert/strict'
import { open, readdir, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import Database from 'better-sqlite3'
import { Primary } from '../../src/adapters/stores/postgres/engine/connect.ts'
import { targetOf } from '../../src/adapters/stores/postgres/engine/target.ts'
import { emptyDatabase, openPostgresAt, withoutPostgres } from '../fixtures/postgres-place.ts'
import { runCommand } from '../harness/command-line.ts'
import { freePort } from '../harness/free-port.ts'
import { isOnBuild } from '../harness/program.ts'
import { storeEnvironment } from '../harness/site-store.ts'
import { commandLine, temporaryDirectory } from './command-line.ts'
import { program } from './program.ts'

const off = { TOCSIN_MQTT_PORT: 'off', TOCSIN_MQTTS_PORT: 'off', TOCSIN_HTTP_PORT: 'off', TOCSIN_HTTPS_PORT: 'off' }

type Found = { readonly id: string; readonly level: string; readonly says: string; readonly remedy: string | null }
const lineOf = (rows: readonly Found[], id: string): string =>
  rows
    .filter((row) => row.id === id)
    .map(({ level, says }) => `${level} ${says}`)
    .join('\n')

suite('tocsin doctor', () => {
  test('beside a service that does not run: says so with exit code 1, and changes nothing', async (t) => {
    const { dataDir, tocsin } = await commandLine(t, { ...off, TOCSIN_MQTT_PORT: String(await freePort()) })
    // SQLite's own companions of a database that is open for reading are not counted.
    const state = async () => [
      (await readdir(dataDir)).filter((name) => !/-(wal|shm)$/.test(name)),
      (await stat(join(dataDir, 'tocsin.db'))).mtimeMs,
    ]
    const before = await state()
    const { code, stdout, stderr } = await tocsin('doctor')
    assert.equal(code, 1)
    assert.match(stdout, /^✓ Version {9}0\.\d+\.\d+ /)
    assert.match(stdout, /\n✗ Service {9}the service is not running: nobody can press SOS\n {18}→ sudo systemctl start/)
    assert.match(stdout, /\n✓ Store {11}SQLite, .*checked: sound\n/)
    assert.match(stdout, /\n\n1 failed, \d+ to look at, \d+ fine\n$/)
    assert.match(stderr, /^error: 1 of \d+ findings may keep an alarm from getting through\n$/)
    assert.deepEqual(await state(), before)

    const asJson = await tocsin('doctor', '--json')
    assert.equal(asJson.json.level, 'failed')
    assert.equal(lineOf(asJson.json.rows, 'backup'), 'attention no backup has been made yet')
    assert.equal(lineOf(asJson.json.rows, 'drill'), 'attention no exercise has been held')
    assert.equal(lineOf(asJson.json.rows, 'canary'), 'attention not examined: only the running service knows')
  })

  test('where nothing was ever started', async (t) => {
    const dataDir = join(await temporaryDirectory(t), 'none', 'yet')
    const { json } = await runCommand({ ...off, TOCSIN_DATA_DIR: dataDir }, ['doctor', '--json'])
    assert.equal(lineOf(json.rows, 'store'), `attention there is no database in ${dataDir} yet`)
    assert.equal(lineOf(json.rows, 'disk'), `attention not examined: there is no ${dataDir} yet`)
    await assert.rejects(stat(dataDir))
  })

  test('a configuration with mistakes: they are the report, and no value is shown', async (t) => {
    const directory = await temporaryDirectory(t)
    const file = join(directory, 'tocsin.yaml')
    await writeFile(file, 'twilio:\n  authToken: hunter2\n  acountSid: AC1\nhttps:\n  port: seven\n')
    const { code, json, stdout, stderr } = await runCommand({}, ['doctor', '--config', file, '--json'])
    assert.equal(code, 1)
    assert.match(lineOf(json.rows, 'configuration'), /^failed .*https\.port.*\nfailed .*acountSid/)
    assert.deepEqual([...new Set(json.rows.map(({ id }: Found) => id))], ['version', 'configuration'])
    assert.doesNotMatch(stdout + stderr, /hunter2/)
  })

  test('names the program that has the port', async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    t.after(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const { tocsin } = await commandLine(t, { ...off, TOCSIN_HTTPS_PORT: String(port) })
    const { json } = await tocsin('doctor', '--json')
    const taken = new RegExp(`^failed 0\\.0\\.0\\.0:${port} \\(https\\) is taken by .+, process ${process.pid}$`)
    assert.match(lineOf(json.rows, 'ports'), taken)
    assert.match(lineOf(json.rows, 'certificate'), /^attention the certificate .*server\.pem does not exist$/)
  })

  test('a damaged database is found, one of an earlier version is left as it is', async (t) => {
    const { dataDir, tocsin } = await commandLine(t, off)
    const path = join(dataDir, 'tocsin.db')
    const db = new Database(path)
    const newest = Number(db.pragma('user_version', { simple: true }))
    db.pragma(`user_version = ${newest - 1}`)
    db.close()
    const { json } = await tocsin('doctor', '--json')
    assert.match(lineOf(json.rows, 'store'), new RegExp(`attention the schema of the database is ${newest - 1}, these`))
    assert.equal(lineOf(json.rows, 'backup'), 'attention not examined: the database has another schema')
    const again = new Database(path, { readonly: true })
    assert.equal(again.pragma('user_version', { simple: true }), newest - 1)
    again.close()

    const { size } = await stat(path)
    const file = await open(path, 'r+')
    await file.write(Buffer.alloc(size - 8192, 0xa5), 0, size - 8192, 8192)
    await file.close()
    const damaged = await tocsin('doctor', '--json')
    assert.match(lineOf(damaged.json.rows, 'store'), /^failed the database (is damaged|in .* cannot be read)/)
  })

  test('a PostgreSQL that cannot be reached: the reason, and no password', async (t) => {
    const { tocsin } = await commandLine(t, {
      ...off,
      ...storeEnvironment('postgresql://tocsin:hunter2@127.0.0.1:1/tocsin'),
    })
    const { json, stdout, stderr } = await tocsin('doctor', '--json')
    assert.match(lineOf(json.rows, 'store'), /^failed no PostgreSQL primary can be reached \(127\.0\.0\.1:1: /)
    assert.equal(lineOf(json.rows, 'nodes'), 'attention not examined: the database cannot be read')
    assert.equal(lineOf(json.rows, 'drill'), 'attention not examined: no database can be read here')
    assert.doesNotMatch(lineOf(json.rows, 'clock'), /not examined/)
    assert.doesNotMatch(stdout + stderr, /hunter2/)
  })

  test('an empty PostgreSQL database stays empty', { skip: withoutPostgres }, async (t) => {
    const url = await emptyDatabase(t)
    const { tocsin } = await commandLine(t, { ...off, ...storeEnvironment(url) })
    const { json } = await tocsin('doctor', '--json')
    assert.match(
      lineOf(json.rows, 'store'),
      /^fine PostgreSQL answers within .*\nattention the schema of the database is 0,/,
    )
    assert.equal(lineOf(json.rows, 'nodes'), 'failed no node has been started yet')
    const connection = await new Primary(targetOf(url)).connect()
    t.after(() => connection.close())
    assert.deepEqual(await connection.rows("SELECT 1 FROM pg_tables WHERE schemaname = 'public'"), [])

    await openPostgresAt(t, url, { node: 'a' })
    const later = await tocsin('doctor', '--json')
    assert.match(
      lineOf(later.json.rows, 'store'),
      /^fine PostgreSQL answers within \d+\.\d ms; standbys: 0 \(synchronous: 0\)$/,
    )
    assert.equal(lineOf(later.json.rows, 'drill'), 'attention no exercise has been held')
    assert.equal(
      lineOf(later.json.rows, 'backup'),
      "fine PostgreSQL's own tools make the backups, which Tocsin does not see: test that one can be restored",
    )
    assert.doesNotMatch(lineOf(later.json.rows, 'clock'), /ahead|behind/)
  })

  test('asks a running service: whether it is ready, which version it is, and its memory', async (t) => {
    const port = String(await freePort())
    const { start, command } = await program(t, { ...off, TOCSIN_HTTP_PORT: port, TOCSIN_MQTT_PORT: '0' })
    const { child } = await start()
    const { code, json } = await command('doctor', '--json')
    assert.equal(code, 0, JSON.stringify(json))
    assert.equal(lineOf(json.rows, 'service'), 'fine ready')
    // The command runs in this process, from the checkout.
    const version = isOnBuild
      ? /^attention the files are .* \(a checkout\), and the service is still running .* \([0-9a-f]{12}\)$/
      : /^fine .*, which is what the service runs$/
    assert.match(lineOf(json.rows, 'version'), version)
    assert.match(lineOf(json.rows, 'ports'), new RegExp(`^fine http 127\\.0\\.0\\.1:${port}$`))
    assert.match(
      lineOf(json.rows, 'memory'),
      /^fine [\d,]+ MB, [\d,]+ MB used; room for [\d,]+ MQTT and [\d,]+ HTTP connections$/,
    )
    assert.equal(lineOf(json.rows, 'canary'), 'fine the first synthetic SOS follows a minute after the start')

    // One that hangs is not one that is stopped.
    child.kill('SIGSTOP')
    const hung = await command('doctor', '--json')
    child.kill('SIGCONT')
    assert.equal(hung.code, 1)
    assert.match(
      lineOf(hung.json.rows, 'service'),
      new RegExp(`^failed process ${child.pid} runs, but does not answer: connection timeout`),
    )
  })
})
