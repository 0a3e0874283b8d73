import assert from 'node:assert/strict'
import { readdir, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { PhoneUser } from '../harness/phone-user.ts'
import { until } from '../harness/wait.ts'
import { anyPorts, program, temporaryDirectory } from './command-line.ts'

const MINUTE = 60_000

test('a backup of the running service is restored with its open incidents held until they are resumed', async (t) => {
  const { dataDir, tocsin, answer, start } = await program(t, anyPorts)
  const first = await start()
  const { appId, secret } = await answer('app', 'create', '--name', 'Hut')
  await answer('app', 'actuator', 'set', appId, 'emergency_contacts', '--grace-seconds', '600')
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
  assert.match((await tocsin('backup', file)).stderr, /^error: .* is there already; --force overwrites it\n$/)
  await answer('backup', file, '--force')
  assert.match((await tocsin('backup', join(dataDir, 'tocsin.db'), '--force')).stderr, /is the database itself/)

  const refused = await tocsin('restore', file)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^error: another process \(\d+\) already runs Tocsin on /)
  await answer('app', 'create', '--name', 'After the backup')
  first.child.kill('SIGTERM')
  await first.ended

  // As if the file were two hours old: its first SMS and calls are overdue by more than an hour.
  const db = new Database(file)
  const { record } = db.prepare<[], { record: string }>('SELECT record FROM incidents').get()!
  const incident = JSON.parse(record)
  for (const row of incident.deliveries) row.dueAt -= 120 * MINUTE
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
  assert.deepEqual(statuses(await answer('incident', 'show', incidentId)), ['skipped'])

  await start()
  await answer('incident', 'resume', incidentId)
  assert.deepEqual(await answer('outbox', 'list'), [])
})

test('restore refuses what is no sound backup, and leaves the site as it was', async (t) => {
  const { dataDir, tocsin, answer } = await program(t)
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
    text: /damaged or no database/,
    foreign: /is no database of Tocsin/,
    newer: /newer version of Tocsin \(its schema is 9999/,
    cut: /damaged/,
    missing: /no such file/,
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
