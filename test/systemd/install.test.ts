import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
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
    await linkedCheckout(join(directory, 'checkout'))
  })
  after(() => rm(directory, { recursive: true, force: true }))
  return {
    /** An empty root, and the installer run from a checkout into it. */
    async emptyRoot() {
      const root = join(directory, 'root')
      await rm(root, { recursive: true, force: true })
      await mkdir(root)
      const env = { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') }
      const installs = (checkout: string, ...args: readonly string[]) =>
        script(join(checkout, 'systemd/install.sh'), ['--root', root, ...args], { env })
      const light = (...args: readonly string[]) => installs(join(directory, 'checkout'), ...args)
      return { root, installs, light }
    },
  }
}

/**
 * A checkout whose modules are links to ours: copying those 500 MB takes seconds each time, and doing it once is
 * enough.
 */
async function linkedCheckout(checkout: string): Promise<void> {
  await mkdir(join(checkout, 'node_modules/.cache'), { recursive: true })
  await writeFile(join(checkout, 'node_modules/.cache/of-the-checkout'), '')
  const parts = ['bin', 'config', 'console', 'docs', 'src', 'systemd', 'package.json', 'package-lock.json']
  const pages = ['README.md', 'CHANGELOG.md']
  await script('cp', ['-R', ...[...parts, ...pages].map((part) => join(CHECKOUT, part)), checkout])
  for (const name of await readdir(join(CHECKOUT, 'node_modules'))) {
    if (!name.startsWith('.')) await symlink(join(CHECKOUT, 'node_modules', name), join(checkout, 'node_modules', name))
  }
}

suite('as root', { skip: asRoot }, () => {
  const { emptyRoot } = place()

  // It copies 500 MB, which took up to 123 s beside other work, and 12 s alone.
  test('installed twice, upgraded, removed with the data kept, purged', { timeout: 300_000 }, async () => {
    const { root, installs, light } = await emptyRoot()
    const at = (path: string): string => join(root, path)
    const config = at('etc/tocsin/tocsin.yaml')

    const settings = ['--provider', 'outbox', '--public-url', 'https://sos.example.org:8443/a']
    const first = await installs(CHECKOUT, '--copy-modules', ...settings)
    assert.ok((await lstat(at('opt/tocsin/node_modules/zod'))).isDirectory(), 'the modules were copied')
    assert.match(first.stdout, /NO MESSAGE LEAVES THIS MACHINE/)
    const written = await readFile(config, 'utf8')
    assert.match(written, /^dataDir: \/var\/lib\/tocsin$/m)
    assert.match(written, /^publicUrl: https:\/\/sos\.example\.org:8443\/a$/m)
    assert.match(written, /^https:\n(#.*\n)* {2}port: 443$/m)
    assert.match(written, /^notifications:\n(#.*\n)* {2}providers: \[outbox\]$/m)
    const modes = { 'etc/tocsin': 0o750, 'etc/tocsin/credentials': 0o700, 'var/lib/tocsin': 0o700 }
    for (const [path, mode] of Object.entries({ ...modes, 'etc/tocsin/tocsin.yaml': 0o640, 'opt/tocsin': 0o755 })) {
      assert.equal((await stat(at(path))).mode & 0o7777, mode, path)
    }
    for (const path of ['usr/local/bin/tocsin', 'etc/systemd/system/tocsin.service', 'opt/tocsin/docs']) {
      assert.ok(existsSync(at(path)), path)
    }

    // A careful root's.
    const umask = process.umask(0o077)
    await light('--copy-modules', '--provider', 'outbox').finally(() => process.umask(umask))
    assert.equal(await readFile(config, 'utf8'), written)
    const manifest = (await stat(at('opt/tocsin/dist/console/manifest.json'))).mode & 0o7777
    assert.equal(manifest, 0o644, 'the service may read the console')
    assert.ok(!existsSync(at('opt/tocsin/node_modules/.cache/of-the-checkout')), 'a cache is not copied')

    await appendFile(config, '# mine\n')
    await writeFile(at('var/lib/tocsin/tocsin.db'), 'data')
    await writeFile(at('opt/tocsin/src/left-over.ts'), '')
    await light('--copy-modules', '--provider', 'twilio')
    assert.equal(await readFile(config, 'utf8'), `${written}# mine\n`)
    assert.ok(!existsSync(at('opt/tocsin/src/left-over.ts')), 'the tree of the version before is gone')
    assert.ok(!existsSync(at('opt/tocsin.old')) && !existsSync(at('opt/tocsin.new')))

    // systemd makes it.
    await mkdir(at('var/cache/tocsin'), { recursive: true })
    await light('--uninstall')
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

    await light('--uninstall', '--purge')
    assert.ok(!existsSync(at('etc/tocsin')) && !existsSync(at('var/lib/tocsin')))
    const left = await readdir(root, { recursive: true, withFileTypes: true })
    assert.deepEqual(
      left.filter((entry) => !entry.isDirectory()).map(({ name }) => name),
      [],
    )
  })

  test('a provider whose settings are incomplete says what is missing', async () => {
    const { light } = await emptyRoot()
    const { stderr } = await light('--copy-modules', '--provider', 'twilio')
    assert.match(stderr, /twilio.authToken: is required with the provider twilio/)
    assert.match(stderr, /Complete .*tocsin.yaml/)
    // Not a failure on a new machine, but one for an upgrade that cannot start.
    await assert.rejects(
      light('--copy-modules'),
      ({ code, stderr: said }) => code === 1 && /Complete .*tocsin.yaml/.test(said),
    )
  })

  test('an upgrade that refuses the configuration leaves the previous version in place', async () => {
    const { root, light } = await emptyRoot()
    await light('--copy-modules', '--provider', 'outbox')
    // The previous version knows a key that the new one does not.
    const fields = join(root, 'opt/tocsin/src/config/schema.ts')
    const schema = await readFile(fields, 'utf8')
    await writeFile(
      fields,
      schema.replace('pollSeconds', 'pollEverySeconds: wholeNumber(1, 60).default(5),\n    pollSeconds'),
    )
    await appendFile(join(root, 'etc/tocsin/tocsin.yaml'), 'twilio:\n  pollEverySeconds: 5\n')
    await assert.rejects(
      light('--copy-modules'),
      ({ code, stderr }) => code === 1 && /the previous one is back/.test(stderr),
    )
    assert.match(await readFile(fields, 'utf8'), /pollEverySeconds/)
    assert.ok(existsSync(join(root, 'opt/tocsin.failed/src')) && !existsSync(join(root, 'opt/tocsin.old')))
  })
})

test('wrong use is refused before anything is changed', async () => {
  for (const args of [
    ['--provider', 'pigeon'],
    ['--purge'],
    ['--unknown'],
    ['--root', ''],
    ['--root', '/'],
    ['--public-url', 'sos.example.org'],
    ['--public-url', 'https://a\ndataDir: /etc'],
  ]) {
    await assert.rejects(script(join(CHECKOUT, 'systemd/install.sh'), args), { code: 2 })
  }
})
