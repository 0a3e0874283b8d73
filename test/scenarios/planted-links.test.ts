import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { skipWithout } from '../fixtures/requires.ts'
import { freshDir } from '../fixtures/store-place.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { refusedStart, TocsinProcess, tocsin } from '../harness/tocsin-process.ts'

/** The compromised service user, who waits for root to run a command. */
const OWNER = 65_534
const TLS = { TOCSIN_MQTTS_PORT: '0' }
const STARTS = fileURLToPath(new URL('../fixtures/starts-as-owner.ts', import.meta.url))
const isRoot = process.getuid?.() === 0

/** A data directory of that owner, beside a file and a directory of root's. */
async function place(t: TestContext) {
  const parent = await freshDir(t)
  chmodSync(parent, 0o755)
  const [dataDir, victim, roots] = ['data', 'victim', 'roots'].map((name) => join(parent, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(dataDir)
  chownSync(dataDir, OWNER, OWNER)
  mkdirSync(roots, { mode: 0o755 })
  writeFileSync(victim, 'root only', { mode: 0o600 })
  const unharmed = (what: string): void => {
    const { uid, mode } = statSync(victim)
    assert.deepEqual([readFileSync(victim, 'utf8'), uid, mode & 0o777], ['root only', 0, 0o600], what)
    assert.deepEqual(readdirSync(roots), [], what)
  }
  return { dataDir, victim, roots, unharmed }
}

type Planted = { readonly name: string; readonly dataDir: string; readonly unharmed: (what: string) => void }

/** How a start on each of the directories ends, with the rights of its owner: one process for all of them. */
async function startsAsOwner(dataDirs: readonly string[]): Promise<readonly any[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [STARTS, ...dataDirs])
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const owners = (dataDir: string): readonly number[] => [
  ...new Set(readdirSync(dataDir, { recursive: true }).map((name) => lstatSync(join(dataDir, String(name))).uid)),
]

suite('what root runs on data of another user', () => {
  test('starts as the owner of the data, and leaves no file of root there', async (t) => {
    if (skipWithout(t, 'root', isRoot)) return
    const { dataDir } = await place(t)
    const service = await TocsinProcess.start(dataDir, TLS)
    endsLastFirst(t, () => service.kill())
    const status = readFileSync(`/proc/${service.lines.find(({ msg }) => msg === 'ready')?.pid}/status`, 'utf8')
    assert.match(status, new RegExp(`^Uid:(\\s+${OWNER}){4}$`, 'm'))
    assert.match(status, new RegExp(`^Groups:\\s+${OWNER}\\s*$`, 'm'))
    assert.doesNotMatch(service.output, /runs as root/)
    assert.equal(await service.stop(), 0)
    assert.deepEqual(owners(dataDir), [OWNER])
    assert.ok(existsSync(join(dataDir, 'tls', 'ca.key')))
  })

  test('stays root if the data belongs to root, and says so', async (t) => {
    if (skipWithout(t, 'root', isRoot)) return
    const { dataDir } = await place(t)
    chownSync(dataDir, 0, 0)
    const service = await TocsinProcess.start(dataDir)
    endsLastFirst(t, () => service.kill())
    assert.match(service.output, /running as root, because dataDir belongs to root; give the directory to a user/)
  })

  test('neither changes nor creates anything behind a planted link', async (t) => {
    if (skipWithout(t, 'root', isRoot)) return
    const names = ['tocsin.lock', 'tocsin.db', 'tocsin.db-wal', 'tocsin.db-shm', 'tls/ca.key', 'tls/server.pem', 'tls']
    const planted: Planted[] = []
    for (const name of names) {
      for (const isNew of [false, true]) {
        const { dataDir, victim, roots, unharmed } = await place(t)
        if (name.includes('/')) mkdirSync(join(dataDir, 'tls'))
        for (const made of [dataDir, join(dataDir, 'tls')]) if (existsSync(made)) chownSync(made, OWNER, OWNER)
        symlinkSync(isNew ? join(roots, 'new') : victim, join(dataDir, name))
        planted.push({ name, dataDir, unharmed })
      }
    }
    const refused = ({ name, unharmed }: Planted, code: number | null, stderr: string): void => {
      assert.deepEqual([code, stderr.split('\n').length], [1, 2], `${name}: ${stderr}`)
      unharmed(name)
    }
    // The program itself once, then each start with the rights that it has then.
    const { code, stderr } = await refusedStart(planted[0]!.dataDir, { env: TLS })
    refused(planted[0]!, code, stderr)
    const ends = await startsAsOwner(planted.map(({ dataDir }) => dataDir))
    assert.equal(ends.length, planted.length)
    for (const [n, ended] of ends.entries()) {
      assert.deepEqual([ended.uid, ended.gid], [OWNER, OWNER])
      refused(planted[n]!, ended.code, ended.stderr)
    }
  })

  test('follows a link to the directory itself only if it belongs to root or the owner', async (t) => {
    if (skipWithout(t, 'root', isRoot)) return
    const { dataDir, roots, unharmed } = await place(t)
    const link = join(dataDir, 'link')
    symlinkSync(roots, link)
    lchownSync(link, OWNER, OWNER)
    const { code, stderr } = await refusedStart(link)
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^error: dataDir .* goes through the link .*link of user 65534 to .*roots of user 0, which root/,
    )
    await assert.rejects(tocsin(link, ['app', 'list']), /goes through the link/)
    unharmed('the link')
    rmSync(link)
    symlinkSync(dataDir, link)
    await tocsin(link, ['app', 'create', '--name', 'Hut'])
    assert.deepEqual(owners(dataDir).toSorted(), [0, OWNER], 'root’s own link, and nothing else of root’s')
  })

  test('backs up and restores without following one', async (t) => {
    if (skipWithout(t, 'root', isRoot)) return
    const { dataDir, victim, unharmed } = await place(t)
    const { dataDir: other } = await place(t)
    await tocsin(other, ['app', 'create', '--name', 'Other'])
    const database = join(dataDir, 'tocsin.db')
    const file = join(other, '..', 'site.backup')
    await tocsin(other, ['backup', file])
    assert.equal(statSync(file).uid, 0)
    assert.deepEqual(owners(other), [OWNER])

    // Another site's database, whose companion files root would create.
    symlinkSync(join(other, 'tocsin.db'), database)
    await assert.rejects(tocsin(dataDir, ['backup', `${file}.2`]), /tocsin\.db is a symbolic link/)
    await assert.rejects(tocsin(dataDir, ['restore', file]), /tocsin\.db is a symbolic link/)
    rmSync(database)

    symlinkSync(victim, `${file}.3`)
    await assert.rejects(tocsin(other, ['backup', `${file}.3`]), /site\.backup\.3 is not a file/)
    await assert.rejects(tocsin(other, ['backup', `${file}.3`, '--force']), /site\.backup\.3 is not a file/)

    // Among the backups of the service's user: what root reads would be that user's for a while.
    const planted = join(other, 'backup.age')
    symlinkSync(victim, planted)
    for (const args of [['restore'], ['restore', '--what-is-lost'], ['backup', '--check']]) {
      const refused = /backup\.age: it is a symbolic link, which root does not follow; name the file itself/
      await assert.rejects(tocsin(dataDir, [...args, planted]), refused)
    }
    rmSync(planted)
    execFileSync('mkfifo', [planted])
    await assert.rejects(tocsin(dataDir, ['restore', planted]), /backup\.age: it is not a regular file/)

    symlinkSync(victim, join(dataDir, 'tocsin.db.restoring'))
    await tocsin(dataDir, ['restore', file])
    assert.equal((await tocsin(dataDir, ['app', 'list']))[0].name, 'Other')
    assert.deepEqual(owners(dataDir), [OWNER])
    unharmed('restore')
  })
})
