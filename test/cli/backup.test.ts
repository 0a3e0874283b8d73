import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { copyFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { keepAs } from '../../src/adapters/stores/sqlite/files/copy-file.ts'
import { PhoneUser } from '../harness/phone-user.ts'
import { until } from '../harness/wait.ts'
import { anyPorts, bin, commandLine, temporaryDirectory } from './command-line.ts'
import { program } from './program.ts'

const MINUTE = 60_000

test('a backup of the running service is restored with its open incidents held until they are resumed', async (t) => {
  const { dataDir, command, answer, start } = await program(t, anyPorts)
  const first = await start()
  const { appId, secret } = await answer('app', 'create', '--name', 'Hut')
  await answer('app', 'update', appId, '--verify-contacts', 'off')
  await answer('app', 'actuator', 'set', appId, 'emergency_contacts', '--grace-seconds', '600', '--voice', 'off')
  await answer('app', 'actuator', 'set', appId, 'emergency_contacts', '--ack-timeout-seconds', '1')
  const user = new PhoneUser({ ...first.ready.listeners, appId, secret, externalUserId: 'hiker-1' })
  t.after(() => user.disconnect())
  await user.introduce({ name: 'Mia' })
  await user.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436600001' })
  await user.listen()
  await user.presses({ timestamp: new Date().toISOString(), latitude: 47, longitude: 12 })
  const { incidentId } = await until('the incident is open', () => user.openIncident())

  const file = join(await temporaryDirectory(t), 'site.backup')
  const { bytes } = await answer('backup', file)
  const made = await stat(file)
  assert.deepEqual([made.size, made.mode & 0o777], [bytes, 0o600])
  assert.match((await command('backup', file)).stderr, /^error: .* already exists; overwrite it with --force\n$/)
  await answer('backup', file, '--force')
  const [noted] = await answer('audit', 'list', '--limit', '1')
  assert.deepEqual([noted.action, noted.actor.kind, noted.details], ['backup.made', 'command', { bytes }])
  assert.match((await command('backup', join(dataDir, 'tocsin.db'), '--force')).stderr, /is the database itself/)

  const refused = await command('restore', file)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^error: another process \(\d+\) is already running Tocsin on /)
  await answer('app', 'create', '--name', 'After the backup')
  first.child.kill('SIGTERM')
  await first.ended

  // Makes the file look two hours old: its first SMS and calls are overdue by more than an hour.
  const db = new Database(file)
  const { record } = db.prepare<[], { record: string }>('SELECT record FROM incidents').get()!
  const incident = JSON.parse(record)
  for (const row of incident.deliveries) row.dueAt -= 120 * MINUTE
  incident.cascade.startedAt -= 120 * MINUTE
  db.prepare('UPDATE incidents SET record = ?').run(JSON.stringify(incident))
  db.close()

  const { keptAs, heldIncidents } = await answer('restore', file)
  assert.deepEqual(
    heldIncidents.map((held: any) => [held.incidentId, held.externalUserId, held.status]),
    [[incidentId, 'hiker-1', 'active']],
  )
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => /restoring|-wal|-shm/.test(name)),
    [],
  )
  const kept = new Database(keptAs, { readonly: true })
  assert.equal(kept.prepare('SELECT count(*) FROM applications').pluck().get(), 2)
  kept.close()
  assert.equal((await answer('app', 'list')).length, 1)
  const isHeld = () => {
    const site = new Database(join(dataDir, 'tocsin.db'), { readonly: true })
    const row = site.prepare("SELECT record ->> '$.held' AS held, next_action_at AS next FROM incidents").get()
    site.close()
    return row
  }
  assert.deepEqual(isHeld(), { held: 1, next: null })
  const statuses = ({ actuators }: any) => actuators.items.map(({ status }: any) => status)
  const shown = await answer('incident', 'show', incidentId)
  assert.deepEqual(statuses(shown), ['skipped'])
  // keeping.md#restore: clients that saw later versions than the file has must take these as new.
  assert.equal(shown.snapshotVersion, incident.snapshotVersion + 10_000)

  const again = await start()
  const phone = new PhoneUser({ ...again.ready.listeners, appId, secret, externalUserId: 'hiker-1' })
  t.after(() => phone.disconnect())
  await phone.introduce()
  await phone.listen()
  assert.equal((await phone.openIncident()).snapshotVersion, incident.snapshotVersion + 10_000)
  assert.deepEqual(await answer('outbox', 'list'), [])
  await answer('incident', 'resume', incidentId)
  // The first round's text has expired and nobody has answered, so the second round follows and nothing else.
  const [text, ...others] = await until('the second round is sent', async () => {
    const texts = await answer('outbox', 'list')
    return texts.length > 0 && texts
  })
  assert.deepEqual([text.incidentId, text.to, others], [incidentId, '+436600001', []])
  const rounds = await until('the second round is recorded', () => {
    const rows = deliveriesIn(dataDir)
    return rows.length === 2 && rows[1].status === 'sent' && rows
  })
  assert.deepEqual(rounds, [
    { round: 1, status: 'skipped' },
    { round: 2, status: 'sent' },
  ])
  const { body } = await phone.ends('cancel')
  assert.deepEqual(body, { incident: null, ended: true })
  await until('the end is told', () => phone.events.some(({ type }) => type === 'cancelled'))
  const versions = phone.events.flatMap(({ snapshotVersion = null }) => snapshotVersion ?? [])
  assert.ok(
    versions.every((version) => version >= incident.snapshotVersion + 10_000),
    String(versions),
  )
})

function deliveriesIn(dataDir: string): any[] {
  const site = new Database(join(dataDir, 'tocsin.db'), { readonly: true })
  const rows = site.prepare('SELECT round, status FROM deliveries ORDER BY attempt_id').all()
  site.close()
  return rows
}

test('a backup under load holds everything that was acknowledged before it began', async (t) => {
  const { tocsin, answer, start } = await program(t, { ...anyPorts, ...UNLIMITED })
  const { ready } = await start()
  const { appId, secret } = await answer('app', 'create', '--name', 'Hut')
  const user = new PhoneUser({ ...ready.listeners, appId, secret, externalUserId: 'hiker-1' })
  const acknowledged: number[] = []
  const began = Date.now()
  let next = began
  let loaded = true
  const load = Array.from({ length: 8 }, async () => {
    while (loaded) {
      const at = next--
      const { status } = await user.rest('POST', '/v1/sdk/telemetry', { timestamp: new Date(at).toISOString() })
      if (status !== 202) throw new Error(`telemetry is refused: ${status}`)
      acknowledged.push(at)
      // Hundreds of rows a second are load enough, and leave the processor to the backup.
      await sleep(10)
    }
  })
  const elsewhere = await temporaryDirectory(t)
  for (const name of ['first', 'second', 'third']) {
    const file = join(elsewhere, name)
    const least = acknowledged.length + 50
    await until('more is acknowledged', () => acknowledged.length > least)
    const before = [...acknowledged]
    // A process of its own: this one goes on with the load.
    const { code, stderr } = await tocsin('backup', file)
    assert.equal(code, 0, stderr)
    const db = new Database(file, { readonly: true })
    const held = new Set(db.prepare('SELECT ms FROM telemetry').pluck().all())
    db.close()
    assert.deepEqual(
      before.filter((at) => !held.has(at)),
      [],
    )
    // Control: the load continued meanwhile.
    assert.ok(acknowledged.length > before.length)
  }
  loaded = false
  await Promise.all(load)
})

const UNLIMITED = {
  TOCSIN_LIMITS_REQUESTS_PER_MINUTE_PER_USER: '0',
  TOCSIN_LIMITS_REQUESTS_PER_MINUTE_PER_ADDRESS: '0',
}

/** As many restores as this may end before the kill that was meant for them. */
const MAX_LATE = 25

// Some fifteen processes one after the other, which take a busy machine more than the usual two minutes.
test('a killed restore leaves the old site or the new one, and can be repeated', { timeout: 240_000 }, async (t) => {
  // Only inspection runs in this process; the restore itself runs in one that gets killed.
  const { dataDir, answer } = await commandLine(t)
  const { start } = await program(t, { ...anyPorts, TOCSIN_DATA_DIR: dataDir })
  await answer('app', 'create', '--name', 'Hut')
  const file = join(await temporaryDirectory(t), 'site.backup')
  await answer('backup', file)
  const names = async () => (await answer('app', 'list')).map(({ name }: any) => name).toSorted()
  const seen = new Set<string>()
  let killed = 0
  let late = 0
  // Kills it at the first change of the directory's names, then at the second, and so on, until it makes fewer. On a
  // busy machine the kill may come too late: then once more at the same change, but not forever.
  for (let changes = 1; ; ) {
    if ((await names()).length === 1) await answer('app', 'create', '--name', 'Later')
    const ended = await killedAfter(changes, dataDir, file)
    const left = await names()
    seen.add(left.join())
    assert.ok(['Hut', 'Hut,Later'].includes(left.join()), left.join())
    if (ended.changes < changes) break
    if (ended.signal === null) {
      late += 1
      assert.ok(late < MAX_LATE, `the kill came too late ${late} times, now at change ${changes}`)
      continue
    }
    killed += 1
    changes += 1
  }
  assert.deepEqual([...seen].toSorted(), ['Hut', 'Hut,Later'])
  assert.ok(killed > 5, `killed ${killed} times`)
  assert.deepEqual(await names(), ['Hut'])

  await writeFile(join(dataDir, 'tocsin.db.restoring'), 'left by a restore that was killed')
  const { child, ended } = await start()
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  assert.ok(!(await readdir(dataDir)).some((name) => name.includes('restoring')))
})

/**
 * Runs a restore and kills it after this many names have appeared or disappeared in the directory. Resolves with the
 * signal that ended it, if it did, and how many names have changed by then.
 */
async function killedAfter(
  changes: number,
  dataDir: string,
  file: string,
): Promise<{ readonly signal: NodeJS.Signals | null; readonly changes: number }> {
  const env = { PATH: process.env.PATH, TOCSIN_CONFIG: '', TOCSIN_DATA_DIR: dataDir }
  let seen = 0
  let isRead = false
  const watcher = watch(dataDir, (event, name) => {
    if (name === LAST) isRead = true
    // Only names count; a write into a file is not a step.
    else if (event === 'rename') seen += 1
    if (seen === changes) child.kill('SIGKILL')
  })
  const child = spawn(process.execPath, [bin, 'restore', file], { cwd: dataDir, env, stdio: 'ignore' })
  const [, signal] = await once(child, 'close')
  // Changes are told in order, so all of the restore's are known when this one is.
  await writeFile(join(dataDir, LAST), '')
  await until('all changes are told', () => isRead)
  watcher.close()
  await rm(join(dataDir, LAST))
  return { signal, changes: seen }
}

const LAST = 'the-last-change'

test('a journal that a killed restore left is not taken for one of the next copy', async (t) => {
  const { dataDir, answer } = await commandLine(t)
  await answer('app', 'create', '--name', 'Hut')
  const elsewhere = await temporaryDirectory(t)
  const file = join(elsewhere, 'site.backup')
  await answer('backup', file)
  await copyFile(await hotJournal(elsewhere), join(dataDir, 'tocsin.db.restoring-journal'))
  await answer('restore', file)
  assert.equal((await answer('app', 'list')).length, 1)
  assert.ok(!(await readdir(dataDir)).some((name) => name.includes('restoring')))
})

/** A copy of a journal that SQLite has begun to use, as it is when a process is killed while it writes. */
async function hotJournal(directory: string): Promise<string> {
  const db = new Database(join(directory, 'killed.db'))
  // With so small a cache it writes within the transaction.
  db.pragma('cache_size = 1')
  const rows = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)'
  db.exec(`CREATE TABLE t (a); ${rows} INSERT INTO t SELECT randomblob(1000) FROM n`)
  db.exec('BEGIN IMMEDIATE; UPDATE t SET a = randomblob(1000)')
  const copy = join(directory, 'hot-journal')
  await copyFile(join(directory, 'killed.db-journal'), copy)
  db.exec('ROLLBACK')
  db.close()
  return copy
}

test('a damaged database is replaced, and kept unchanged with its log', async (t) => {
  const { dataDir, tocsin, answer } = await commandLine(t)
  await answer('app', 'create', '--name', 'Hut')
  const file = join(await temporaryDirectory(t), 'site.backup')
  await answer('backup', file)
  const rubbish = 'not a database any more\n'.repeat(1000)
  await writeFile(join(dataDir, 'tocsin.db'), rubbish)
  await writeFile(join(dataDir, 'tocsin.db-wal'), rubbish)
  await rm(join(dataDir, 'tocsin.db-shm'), { force: true })
  assert.match((await tocsin('app', 'list')).stderr, /is damaged .* tocsin restore FILE/)
  const { keptAs } = await answer('restore', file)
  assert.equal((await answer('app', 'list')).length, 1)
  assert.equal(await readFile(keptAs, 'utf8'), rubbish)
})

test('a restore does not wait for a command that does not end', async (t) => {
  const { dataDir, tocsin, answer } = await program(t)
  await answer('app', 'create', '--name', 'Hut')
  const file = join(await temporaryDirectory(t), 'site.backup')
  await answer('backup', file)
  const command = new Database(join(dataDir, 'tocsin.db'))
  t.after(() => command.close())
  command.prepare('SELECT count(*) FROM applications').get()
  const { code, stderr } = await tocsin('restore', file)
  assert.deepEqual([code, /^error: another tocsin command has the database open; [^\n]+\n$/.test(stderr)], [1, true])
  command.exec("UPDATE applications SET name = 'Still mine'")
  command.close()
  assert.deepEqual(
    (await answer('app', 'list')).map(({ name }: any) => name),
    ['Still mine'],
  )
  assert.equal((await answer('restore', file)).heldIncidents.length, 0)
})

test('on a disk without hard links a copy is kept', async (t) => {
  const directory = await temporaryDirectory(t)
  const [path, kept] = [join(directory, 'tocsin.db'), join(directory, 'kept.db')]
  await writeFile(path, 'what was there')
  keepAs(path, kept, () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })
  })
  await writeFile(path, 'what came')
  assert.equal(await readFile(kept, 'utf8'), 'what was there')
})

test('restore refuses a file that is not a sound backup, and leaves the site unchanged', async (t) => {
  const { dataDir, tocsin, answer } = await commandLine(t)
  await answer('app', 'create', '--name', 'Hut')
  const elsewhere = await temporaryDirectory(t)
  const file = (name: string): string => join(elsewhere, name)
  await writeFile(file('text'), 'not a database, but long enough to look like one\n'.repeat(100))
  new Database(file('foreign')).exec('CREATE TABLE t (a); PRAGMA user_version = 1').close()
  await answer('backup', file('newer'))
  new Database(file('newer')).exec('PRAGMA user_version = 9999').close()
  await answer('backup', file('cut'))
  await truncate(file('cut'), 4096 * 3)

  const sentences = {
    text: /damaged or not a database/,
    foreign: /is not a Tocsin database/,
    newer: /newer version of Tocsin \(its schema is version 9999/,
    cut: /damaged/,
    missing: /^error: cannot read .*missing: no such file$/m,
  }
  for (const [name, sentence] of Object.entries(sentences)) {
    const { code, stderr } = await tocsin('restore', file(name))
    assert.equal(code, 1, name)
    assert.match(stderr, sentence)
    assert.equal(stderr.trim().split('\n').length, 1)
  }
  assert.equal((await answer('app', 'list')).length, 1)
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => /restoring|tocsin-/.test(name)),
    [],
  )
})
