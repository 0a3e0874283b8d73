import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import Database from 'better-sqlite3'
import { holdBackup } from '../../src/adapters/stores/sqlite/files/hold-data-dir.ts'
import { makeBackup } from '../../src/service/backup/make-backup.ts'
import { smallDisk } from '../fixtures/small-disk.ts'
import { runCommand } from '../harness/command-line.ts'
import { commandLine, temporaryDirectory } from './command-line.ts'

const recipientOf = async (identity: string): Promise<string> => identityToRecipient(identity)

/** A site whose backups go to a directory of its own, with the secret key of their recipient in a file. */
async function backedUp(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const elsewhere = await temporaryDirectory(t)
  const to = join(elsewhere, 'stick')
  await mkdir(to)
  const identity = await generateX25519Identity()
  const identityFile = join(elsewhere, 'key.txt')
  await writeFile(identityFile, `# a comment\n${identity}\n`, { mode: 0o600 })
  const config = join(elsewhere, 'tocsin.yaml')
  await writeFile(config, `backup:\n  to: ${to}\n  recipient: ${await recipientOf(identity)}\n  keep: 2\n`)
  const site = await commandLine(t, { TOCSIN_CONFIG: config, TOCSIN_METRICS_TOKEN: 'a secret', ...env })
  return { ...site, elsewhere, to, identityFile, config }
}

test('a backup of the whole site opens with either key, and holds no key of its own', async (t) => {
  const { dataDir, answer, tocsin, to, identityFile, config } = await backedUp(t)
  await answer('app', 'create', '--name', 'Hut')
  await answer('tls', 'show')
  await writeFile(join(dataDir, 'secrets.key'), 'sealed with this', { mode: 0o600 })
  const made = await answer('backup', '--now')
  const [name, ...others] = await readdir(to)
  assert.deepEqual([made.file, others], [join(to, name!), []])
  assert.match(name!, /^tocsin-[0-9a-f]{8}-\d{8}T\d{6}Z\.age$/)
  const { mode, size } = await stat(made.file)
  assert.deepEqual([mode & 0o777, size], [0o600, made.bytes])
  assert.equal((await stat(join(dataDir, 'backup.key'))).mode & 0o777, 0o600)

  const checked = await answer('backup', '--check', made.file)
  const withIdentity = await answer('backup', '--check', made.file, '--identity', identityFile)
  assert.deepEqual(checked, withIdentity)
  assert.deepEqual(
    checked.members.map((member: any) => member.name).toSorted(),
    [
      'about.json',
      'credentials/TOCSIN_METRICS_TOKEN',
      'data/secrets.key',
      ...(await readdir(join(dataDir, 'tls'))).map((file) => `data/tls/${file}`),
      'tocsin.db',
      'tocsin.yaml',
    ].toSorted(),
  )
  assert.deepEqual(
    (await readdir(dataDir)).filter((file) => file.startsWith('tocsin.db.')),
    [],
  )
  const [noted] = await answer('audit', 'list', '--limit', '1')
  assert.deepEqual(
    [noted.action, noted.subject, noted.details],
    ['backup.made', name, { bytes: size, encrypted: true }],
  )
  assert.match(await readFile(config, 'utf8'), /recipient/)
  assert.equal((await tocsin('backup')).code, 2)
  assert.equal((await tocsin('backup', '--now', made.file)).code, 2)
})

test('a whole site is restored in an empty directory with the secret key of the recipient', async (t) => {
  const { dataDir, answer, identityFile, config } = await backedUp(t)
  await answer('app', 'create', '--name', 'Hut')
  const { ca } = await answer('tls', 'show')
  await writeFile(join(dataDir, 'secrets.key'), 'sealed with this', { mode: 0o600 })
  const { file } = await answer('backup', '--now')
  const before = await readFile(config, 'utf8')

  const fresh = await temporaryDirectory(t)
  await rm(fresh, { recursive: true })
  const other = await commandLine(t, { TOCSIN_DATA_DIR: fresh })
  assert.match((await other.tocsin('restore', file)).stderr, /the backup is encrypted, and .*backup\.key is not there/)
  const restored = await other.answer('restore', file, '--identity', identityFile)
  assert.deepEqual([restored.keptAs, restored.heldIncidents, restored.setAside], [null, [], []])
  assert.deepEqual(restored.setup.files.toSorted(), ['credentials/TOCSIN_METRICS_TOKEN', 'tocsin.yaml'])
  assert.equal(await readFile(join(fresh, 'restored/tocsin.yaml'), 'utf8'), before)
  assert.equal(await readFile(join(fresh, 'restored/credentials/TOCSIN_METRICS_TOKEN'), 'utf8'), 'a secret')
  assert.equal(await readFile(join(fresh, 'secrets.key'), 'utf8'), 'sealed with this')
  assert.deepEqual(
    (await other.answer('app', 'list')).map((app: any) => app.name),
    ['Hut'],
  )
  assert.equal((await other.answer('tls', 'show')).ca.fingerprint, ca.fingerprint)

  // Over a site that has another CA and key: they are kept under other names, and once more nothing is lost.
  await writeFile(join(fresh, 'secrets.key'), 'another one')
  await rm(join(fresh, 'tls'), { recursive: true })
  await other.answer('tls', 'show')
  const again = await other.answer('restore', file, '--identity', identityFile)
  assert.deepEqual(
    again.setAside.map((path: string) => path.slice(fresh.length + 1).replace(/-\d{8}T\d{6}Z$/, '')),
    ['tls', 'secrets.key'],
  )
  assert.equal((await other.answer('tls', 'show')).ca.fingerprint, ca.fingerprint)
  const held = (await readdir(fresh)).find((one) => one.startsWith('secrets.key-'))!
  assert.equal(await readFile(join(fresh, held), 'utf8'), 'another one')
})

test('a backup that cannot be opened whole is refused in a sentence, and changes nothing', async (t) => {
  const { dataDir, tocsin, answer, elsewhere, identityFile } = await backedUp(t)
  await answer('app', 'create', '--name', 'Hut')
  const { file } = await answer('backup', '--now')
  const bytes = await readFile(file)
  const named = async (name: string, content: Uint8Array) => {
    await writeFile(join(elsewhere, name), content)
    return join(elsewhere, name)
  }
  const flipped = Buffer.from(bytes)
  flipped[Math.floor(bytes.length / 2)]! ^= 1
  const cut = await named('cut', bytes)
  await truncate(cut, bytes.length - 1000)
  const atAnEdge = await named('at-an-edge', bytes)
  await truncate(atAnEdge, bytes.indexOf('\n---') + 48 + 16 + 65_552)
  const key = await named('other-key', Buffer.from(`${await generateX25519Identity()}\n`))
  const noKey = await named('no-key', Buffer.from('nothing'))
  const header = await named(
    'header',
    Buffer.concat([Buffer.from('age-encryption.org/v1\n'), Buffer.alloc(200_000, 'a')]),
  )
  const refused: readonly (readonly [string[], RegExp])[] = [
    [[await named('flipped', flipped)], /flipped is damaged or incomplete$/],
    [[cut], /cut is damaged or incomplete$/],
    [[atAnEdge], /at-an-edge is damaged or incomplete$/],
    [[header], /header is damaged or incomplete$/],
    [[file, '--identity', key], /cannot be opened with this key$/],
    [[file, '--identity', noKey], /no-key has no secret key of age/],
    [[file, '--identity', join(elsewhere, 'missing')], /cannot read the key in .*missing \(ENOENT\)/],
  ]
  const before = await readdir(dataDir)
  for (const [args, sentence] of refused) {
    for (const command of [['restore'], ['backup', '--check']]) {
      const { code, stderr } = await tocsin(...command, ...args)
      assert.equal(code, 1, args.join(' '))
      assert.match(stderr.trim(), sentence)
      assert.equal(stderr.trim().split('\n').length, 1)
    }
  }
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => !before.includes(name) && !name.endsWith('.lock')),
    [],
  )
  assert.equal((await answer('restore', file, '--identity', identityFile)).heldIncidents.length, 0)
})

test('old backups make room for new ones, and nothing else does', async (t) => {
  const { answer, to } = await backedUp(t)
  await answer('app', 'create', '--name', 'Hut')
  const strangers = [
    'notes.txt',
    'tocsin-00000000-20200101T000000Z.age',
    '.tocsin-00000000-20200101T000000Z.age.unfinished',
  ]
  for (const name of strangers) await writeFile(join(to, name), 'not ours')
  const first = await answer('backup', '--now')
  const left = join(to, `.${first.file.split('/').at(-1)}.unfinished`)
  await writeFile(left, 'of a run that was killed')
  const second = await answer('backup', '--now')
  assert.deepEqual(second.removed, [])
  const third = await answer('backup', '--now')
  assert.deepEqual(third.removed, [first.file.slice(to.length + 1)])
  assert.deepEqual(
    (await readdir(to)).toSorted(),
    [...strangers, ...[second, third].map(({ file }) => file.slice(to.length + 1))].toSorted(),
  )
})

test('a backup that cannot be made says why, and those made before stay', async (t) => {
  const { answer, tocsin, to, dataDir, config } = await backedUp(t)
  await answer('app', 'create', '--name', 'Hut')
  const { file } = await answer('backup', '--now')
  const says = async (sentence: RegExp) => {
    const { code, stderr } = await tocsin('backup', '--now')
    assert.deepEqual([code, sentence.test(stderr)], [1, true], stderr)
  }
  const good = await readFile(config, 'utf8')
  await writeFile(config, good.replace(to, `${to}-gone`))
  await says(/there is no directory .*stick-gone \(backup\.to\): make it, or mount the disk/)
  await writeFile(config, good.replace(to, file))
  await says(/is not a directory/)
  const own = /age1\w+/.exec(await readFile(join(dataDir, 'backup.key'), 'utf8'))![0]
  await writeFile(config, good.replace(/age1\w+/, own))
  await says(/backup\.recipient is the site's own key/)
  await writeFile(config, `${good}  after: [/bin/false, now]\n`)
  const { afterFailure, ...made } = await answer('backup', '--now')
  assert.match(afterFailure, /^\/bin\/false \(backup\.after\) ended with exit code 1$/)
  assert.deepEqual(
    await readdir(to),
    [file, made.file].map((one) => one.slice(to.length + 1)),
  )

  const db = new Database(join(dataDir, 'tocsin.db'))
  db.pragma('user_version = 9999')
  db.close()
  await says(/the copy is not usable: .*newer version/)
})

test('two backups at once do not meet', async (t) => {
  const { answer, tocsin, dataDir } = await backedUp(t)
  await answer('app', 'create', '--name', 'Hut')
  const { file } = await answer('backup', '--now')
  const letGo = await holdBackup(dataDir)
  for (const args of [['--now'], ['--check', file]]) {
    const { code, stderr } = await tocsin('backup', ...args)
    assert.equal(code, 1)
    assert.match(stderr, /is making or checking a backup of .*; try again when it has ended/)
  }
  letGo()
  await answer('backup', '--now')
})

test('a disk that was taken out is noticed, unless somebody accepts the directory that it leaves', async (t) => {
  const { answer, dataDir, to, config } = await backedUp(t)
  await answer('app', 'create', '--name', 'Hut')
  const recipient = /age1\w+/.exec(await readFile(config, 'utf8'))![0]
  const setup = { configFile: config, variables: {}, tls: { cert: null, key: null }, overlays: [] }
  const job = { ...setup, dataDir, to, keep: 2, recipient, after: null, mayPrune: true, since: null, isAsked: false }
  // As it is remembered after a backup to another disk.
  await writeFile(join(dataDir, 'backup.place'), JSON.stringify({ to, apart: true }))
  await assert.rejects(makeBackup(job), {
    message: `the disk of ${to} (backup.to) is not mounted: the backup before went to another disk than the data, and now the directory is on the same; mount it, or accept the directory with: tocsin backup --now`,
  })
  assert.deepEqual(await readdir(to), [])
  await answer('backup', '--now')
  await makeBackup(job)
  assert.equal((await readdir(to)).length, 2)
})

test('a full disk is told and leaves nothing behind, and a disk of its own is remembered', async (t) => {
  const disk = smallDisk(t, 2)
  if (disk === null) return
  const { answer, tocsin, dataDir, to, config } = await backedUp(t)
  await answer('app', 'create', '--name', 'Hut')
  await writeFile(config, (await readFile(config, 'utf8')).replace(to, disk.path))
  const { file } = await answer('backup', '--now')
  const filler = join(disk.path, 'filler')
  const sizes = (await readdir(dataDir)).filter((name) => /^tocsin\.db(-wal)?$/.test(name))
  const needed = (await Promise.all(sizes.map((name) => stat(join(dataDir, name))))).reduce(
    (sum, { size }) => sum + size,
    0,
  )
  // Room for the database, but not for the archive around it.
  await writeFile(filler, Buffer.alloc(disk.free() - Math.ceil(needed / 4096) * 4096))
  assert.match(
    (await tocsin('backup', '--now')).stderr,
    /^error: the disk is full, that of the data or that of .*: make room$/m,
  )
  assert.deepEqual((await readdir(disk.path)).toSorted(), ['filler', file.slice(disk.path.length + 1)])
  await appendFile(filler, Buffer.alloc(4096))
  const said = /^error: the disk of .* has \d MB free, and the backup needs \d MB there: make room$/m
  assert.match((await tocsin('backup', '--now')).stderr, said)
  await rm(filler)
  assert.deepEqual(await readdir(disk.path), [file.slice(disk.path.length + 1)])
  const { apart } = JSON.parse(await readFile(join(dataDir, 'backup.place'), 'utf8'))
  assert.equal(apart, true)
})

test('one made by hand deletes none while the service does not trust the clock', async (t) => {
  const { answer, dataDir, to } = await backedUp(t)
  await answer('app', 'create', '--name', 'Hut')
  const believe = (moment: number) => {
    const db = new Database(join(dataDir, 'tocsin.db'))
    db.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('believed_moment', ?)").run(moment)
    db.close()
  }
  believe(1)
  for (const times of [1, 2, 3]) {
    assert.deepEqual((await answer('backup', '--now')).removed, [])
    assert.equal((await readdir(to)).length, times)
  }
  believe(0)
  assert.equal((await answer('backup', '--now')).removed.length, 2)
})

test('a check leaves the room that alarms may need, and says how much it lacks', async (t) => {
  const disk = smallDisk(t, 64)
  if (disk === null) return
  const { answer, identityFile } = await backedUp(t)
  await answer('app', 'create', '--name', 'Hut')
  const { file } = await answer('backup', '--now')
  const check = ['backup', '--check', file, '--identity', identityFile]
  const { code, stderr } = await runCommand({ TOCSIN_DATA_DIR: disk.path }, check)
  assert.equal(code, 1)
  assert.match(stderr, /^error: the disk of .* has \d+ MB free, and the backup needs \d+ MB there: make room$/m)
})

test('what a restore would lose is listed, for either form of backup, and nothing changes', async (t) => {
  const { answer, tocsin, dataDir, elsewhere } = await backedUp(t)
  await answer('app', 'create', '--name', 'Hut')
  const plain = join(elsewhere, 'plain.db')
  await answer('backup', plain)
  const { file } = await answer('backup', '--now')
  for (const one of [plain, file]) assert.deepEqual((await answer('restore', '--what-is-lost', one)).incidents, [])
  const notes = join(elsewhere, 'notes')
  await writeFile(notes, 'no database')
  assert.match((await tocsin('restore', '--what-is-lost', notes)).stderr, /notes is no backup of Tocsin/)
  await rm(join(dataDir, 'tocsin.db'))
  assert.match((await tocsin('restore', '--what-is-lost', file)).stderr, /there is no database in .*, so nothing would/)
})

/** A user, and incidents written as a service would have with these moments: their numbers count up. */
function incidentsIn(dataDir: string, appId: string) {
  const user = randomUUID()
  const write = (sql: string, ...values: readonly (string | number | null)[]): void => {
    const db = new Database(join(dataDir, 'tocsin.db'))
    db.prepare(sql).run(...values)
    db.close()
  }
  write(
    'INSERT INTO users (id, app_id, external_user_id, created_at, updated_at) VALUES (?, ?, ?, 0, 0)',
    ...[user, appId, 'Mia'],
  )
  return {
    opened: (id: string, at: number) =>
      write(
        `INSERT INTO incidents (id, app_id, user_id, open, occurred_ms, occurred_nanos, opened_at, closed_at, record)
         VALUES (?, ?, ?, 0, 0, 0, ?, ?, '{"state":{"acknowledgedAt":null}}')`,
        ...[id, appId, user, at, at],
      ),
    acknowledged: (id: string, at: number) =>
      write(`UPDATE incidents SET record = json_set(record, '$.state.acknowledgedAt', ?) WHERE id = ?`, at, id),
  }
}

test('what is lost does not go by a clock that has been set back since, and says what it cannot tell', async (t) => {
  const { answer, dataDir, elsewhere } = await backedUp(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const { opened } = incidentsIn(dataDir, appId)
  opened('ahead', Date.now() + 3600_000)
  const plain = join(elsewhere, 'plain.db')
  await answer('backup', plain)
  const { file } = await answer('backup', '--now')
  opened('later', Date.now())
  for (const one of [plain, file]) {
    const json = await answer('restore', '--what-is-lost', one)
    assert.deepEqual(
      json.incidents.map((lost: any) => [lost.incidentId, lost.lost]),
      [['later', 'opened']],
    )
    assert.match(json.warnings.join(), /the clock has been set back since the backup/)
  }
})

test('what is lost names incidents that were acknowledged since', async (t) => {
  const { answer, tocsin, dataDir, elsewhere } = await backedUp(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const { opened, acknowledged } = incidentsIn(dataDir, appId)
  opened('one', Date.now() - 1000)
  const plain = join(elsewhere, 'plain.db')
  await answer('backup', plain)
  const { file } = await answer('backup', '--now')
  acknowledged('one', Date.now())
  for (const one of [plain, file]) {
    const { stdout } = await tocsin('restore', '--what-is-lost', one)
    assert.match(stdout, /^one .* would be active again, and held$/m)
  }
})

test('the doctor opens the newest backup when it is asked to, and says what is wrong with one', async (t) => {
  const { dataDir, answer, tocsin, to } = await backedUp(t)
  const tested = async () => {
    const { json } = await tocsin('doctor', '--restore-test', '--json')
    return json.rows.flatMap(({ id, level, says }: any) => (id === 'restore' ? [`${level} ${says}`] : [])).join()
  }
  assert.equal(await tested(), 'attention not examined: no backup has been made here yet')
  const { file } = await answer('backup', '--now')
  // SQLite's companions of a database that is open for reading do not count.
  const names = async () => (await readdir(dataDir)).filter((name) => !/-(wal|shm)$/.test(name)).toSorted()
  const before = await names()
  const sound = /^fine .*\.age of \d{4}-\d\d-\d\d opens: \d+ files, and the database is sound \(\d+ s\)$/
  assert.match(await tested(), sound)
  assert.deepEqual(await names(), before)
  await truncate(file, 500)
  assert.match(await tested(), new RegExp(`^failed ${file}`))
  await rm(file)
  assert.equal(await tested(), `failed ${to}: there is no backup of this site, or it cannot be read`)
})
