import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
const asRoot = process.getuid?.() === 0 ? false : 'only root may install'

const script = promisify(execFile)

/**
 * Where all tests install, one after the other, each into an empty root. Always at the same paths, so that Node finds
 * the code that it has compiled for the test before.
 */
function place() {
  let directory = ''
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tocsin-install-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))
  return {
    /** An empty root, and the installer run into it. */
    async emptyRoot() {
      const root = join(directory, 'root')
      await rm(root, { recursive: true, force: true })
      await mkdir(root)
      const env = { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') }
      const installs = (...args: readonly string[]) =>
        script(join(CHECKOUT, 'systemd/install.sh'), ['--root', root, ...args], { env })
      return { root, installs }
    },
  }
}

/** An upgrade that refuses the configuration leaves the previous version in place. */
async function refusesTheConfiguration(root: string, upgrades: () => Promise<unknown>): Promise<void> {
  // The previous version knows a key that the new one does not.
  const code = join(root, 'opt/tocsin/js/lib')
  const { stdout: found } = await script('grep', ['-rlE', '--include=*.js', '[{,]pollSeconds:', code])
  const file = found.trim()
  const before = await readFile(file, 'utf8')
  const field = /(?<=[{,])pollSeconds:[^,]+\.default\(\d+\),/
  await writeFile(
    file,
    before.replace(field, (its) => its + its.replace('pollSeconds', 'pollEverySeconds')),
  )
  await appendFile(join(root, 'etc/tocsin/tocsin.yaml'), 'twilio:\n  pollEverySeconds: 5\n')
  await assert.rejects(upgrades(), ({ code, stderr }) => code === 1 && /the previous one is back/.test(stderr))
  assert.match(await readFile(file, 'utf8'), /pollEverySeconds/)
  assert.ok(existsSync(join(root, 'opt/tocsin.failed/js')) && !existsSync(join(root, 'opt/tocsin.old')))
}

suite('as root', { skip: asRoot }, () => {
  const { emptyRoot } = place()

  // Without a build of the checkout, each installation makes one, of some seven seconds of processor time.
  test('installed, upgraded, kept when an upgrade fails, removed with the data kept, purged', {
    timeout: 300_000,
  }, async () => {
    const { root, installs } = await emptyRoot()
    const at = (path: string): string => join(root, path)
    const config = at('etc/tocsin/tocsin.yaml')

    const settings = ['--provider', 'outbox', '--public-url', 'https://sos.example.org:8443/a']
    const first = await installs('--copy-modules', ...settings)
    const { nlink } = await stat(at('opt/tocsin/node_modules/better-sqlite3/lib/index.js'))
    assert.equal(nlink, 1, 'nobody who may write to the checkout may write to the installation')
    for (const path of ['src', 'build', 'node_modules/zod']) assert.ok(!existsSync(at(`opt/tocsin/${path}`)), path)
    const { stdout } = await script(at('opt/tocsin/bin/tocsin'), ['--version'])
    assert.match(stdout, /^\d+\.\d+\.\d+ \([^)]*schema: SQLite \d+/)
    assert.match(first.stdout, /NO MESSAGE LEAVES THIS MACHINE/)
    const written = await readFile(config, 'utf8')
    assert.match(written, /^dataDir: \/var\/lib\/tocsin$/m)
    assert.match(written, /^publicUrl: https:\/\/sos\.example\.org:8443\/a$/m)
    assert.match(written, /^https:\n(#.*\n)* {2}port: 443$/m)
    // Set there, the console could not set it.
    assert.match(written, /^#notifications:\n(#.*\n)*# {2}providers: \[outbox\]$/m)
    const modes = { 'etc/tocsin': 0o750, 'etc/tocsin/credentials': 0o700, 'var/lib/tocsin': 0o700 }
    for (const [path, mode] of Object.entries({ ...modes, 'etc/tocsin/tocsin.yaml': 0o640, 'opt/tocsin': 0o755 })) {
      assert.equal((await stat(at(path))).mode & 0o7777, mode, path)
    }
    for (const path of ['usr/local/bin/tocsin', 'etc/systemd/system/tocsin.service', 'opt/tocsin/docs']) {
      assert.ok(existsSync(at(path)), path)
    }

    await appendFile(config, '# mine\n')
    await writeFile(at('var/lib/tocsin/tocsin.db'), 'data')
    await writeFile(at('opt/tocsin/js/left-over.js'), '')
    // A careful root's.
    const umask = process.umask(0o077)
    await installs('--copy-modules', '--provider', 'twilio').finally(() => process.umask(umask))
    assert.equal(await readFile(config, 'utf8'), `${written}# mine\n`)
    const manifest = (await stat(at('opt/tocsin/console/manifest.json'))).mode & 0o7777
    assert.equal(manifest, 0o644, 'the service may read the console')
    assert.ok(!existsSync(at('opt/tocsin/js/left-over.js')), 'the tree of the version before is gone')
    assert.ok(
      !existsSync(at('opt/tocsin.old')) && !existsSync(at('opt/tocsin.new')) && !existsSync(at('opt/tocsin.build')),
    )

    await refusesTheConfiguration(root, () => installs('--copy-modules'))

    // systemd makes it.
    await mkdir(at('var/cache/tocsin'), { recursive: true })
    await installs('--uninstall')
    for (const path of [
      'opt/tocsin',
      'usr/local/bin/tocsin',
      'etc/systemd/system/tocsin.service',
      'var/cache/tocsin',
    ]) {
      assert.ok(!existsSync(at(path)), path)
    }
    assert.equal(await readFile(at('var/lib/tocsin/tocsin.db'), 'utf8'), 'data')
    assert.ok(existsSync(config))

    await installs('--uninstall', '--purge')
    assert.ok(!existsSync(at('etc/tocsin')) && !existsSync(at('var/lib/tocsin')))
    const left = await readdir(root, { recursive: true, withFileTypes: true })
    assert.deepEqual(
      left.filter((entry) => !entry.isDirectory()).map(({ name }) => name),
      [],
    )
  })

  test('a provider whose settings are incomplete says what is missing', async () => {
    const { installs } = await emptyRoot()
    const { stderr } = await installs('--copy-modules', '--provider', 'twilio')
    assert.match(stderr, /twilio.authToken: is required with the provider twilio/)
    assert.match(stderr, /Complete .*tocsin.yaml/)
    // Not a failure on a new machine, but one for an upgrade that cannot start.
    await assert.rejects(
      installs('--copy-modules'),
      ({ code, stderr: said }) => code === 1 && /Complete .*tocsin.yaml/.test(said),
    )
  })
})

test('going back needs a version before an upgrade that failed', { skip: asRoot }, async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'tocsin-back-'))
  t.after(() => rm(root, { recursive: true }))
  const back = () => script(join(CHECKOUT, 'systemd/install.sh'), ['--back', '--root', root])
  await assert.rejects(back(), ({ code, stderr }) => code === 1 && /no version to go back to/.test(stderr))

  for (const [tree, version] of Object.entries({ tocsin: 'new', 'tocsin.old': 'old' })) {
    await mkdir(join(root, 'opt', tree, 'systemd'), { recursive: true })
    for (const name of ['tocsin', 'tocsin.service']) await writeFile(join(root, 'opt', tree, 'systemd', name), version)
  }
  for (const directory of ['etc/systemd/system', 'usr/local/bin'])
    await mkdir(join(root, directory), { recursive: true })
  assert.match((await back()).stdout, /The previous version is back/)
  for (const path of ['opt/tocsin/systemd/tocsin', 'etc/systemd/system/tocsin.service', 'usr/local/bin/tocsin']) {
    assert.equal(await readFile(join(root, path), 'utf8'), 'old')
  }
  assert.equal(await readFile(join(root, 'opt/tocsin.failed/systemd/tocsin'), 'utf8'), 'new')
})

test('wrong use is refused before anything is changed', async () => {
  for (const args of [
    ['--provider', 'pigeon'],
    ['--purge'],
    ['--back', '--uninstall'],
    ['--unknown'],
    ['--root', ''],
    ['--root', '/'],
    ['--public-url', 'sos.example.org'],
    ['--public-url', 'https://a\ndataDir: /etc'],
  ]) {
    await assert.rejects(script(join(CHECKOUT, 'systemd/install.sh'), args), { code: 2 })
  }
})
