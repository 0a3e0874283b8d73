import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  appendFile,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
const SCRIPT = join(CHECKOUT, 'systemd/install.sh')
const asRoot = process.getuid?.() === 0 ? false : 'only root may install'

/**
 * The installer of a checkout whose modules are links to ours: copying those 500 MB takes seconds each time, and doing
 * it once is enough.
 */
async function lightScript(t: TestContext): Promise<string> {
  const checkout = await mkdtemp(join(tmpdir(), 'tocsin-checkout-'))
  t.after(() => rm(checkout, { recursive: true, force: true }))
  for (const part of ['bin', 'config', 'docs', 'src', 'systemd', 'package.json', 'package-lock.json']) {
    await cp(join(CHECKOUT, part), join(checkout, part), { recursive: true })
  }
  for (const page of ['README.md', 'CHANGELOG.md']) await cp(join(CHECKOUT, page), join(checkout, page))
  await mkdir(join(checkout, 'node_modules/.cache'), { recursive: true })
  await writeFile(join(checkout, 'node_modules/.cache/of-the-checkout'), '')
  for (const name of await readdir(join(CHECKOUT, 'node_modules'))) {
    if (!name.startsWith('.')) await symlink(join(CHECKOUT, 'node_modules', name), join(checkout, 'node_modules', name))
  }
  return join(checkout, 'systemd/install.sh')
}

// It copies 500 MB, which took up to 123 s beside other work, and 12 s alone.
test('installed twice, upgraded, removed with the data kept, purged', { skip: asRoot, timeout: 300_000 }, async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'tocsin-root-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const light = await lightScript(t)
  const script = (...args: readonly string[]) => promisify(execFile)(light, ['--root', root, ...args])
  const at = (path: string): string => join(root, path)
  const config = at('etc/tocsin/tocsin.yaml')

  const settings = ['--provider', 'outbox', '--public-url', 'https://sos.example.org:8443/a']
  const first = await promisify(execFile)(SCRIPT, ['--root', root, '--copy-modules', ...settings])
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

  await script('--copy-modules', '--provider', 'outbox')
  assert.equal(await readFile(config, 'utf8'), written)
  assert.ok(!existsSync(at('opt/tocsin/node_modules/.cache/of-the-checkout')), 'a cache is not copied')

  await appendFile(config, '# mine\n')
  await writeFile(at('var/lib/tocsin/tocsin.db'), 'data')
  await writeFile(at('opt/tocsin/src/left-over.ts'), '')
  await script('--copy-modules', '--provider', 'twilio')
  assert.equal(await readFile(config, 'utf8'), `${written}# mine\n`)
  assert.ok(!existsSync(at('opt/tocsin/src/left-over.ts')), 'the tree of the version before is gone')
  assert.ok(!existsSync(at('opt/tocsin.old')) && !existsSync(at('opt/tocsin.new')))

  await script('--uninstall')
  for (const path of ['opt/tocsin', 'usr/local/bin/tocsin', 'etc/systemd/system/tocsin.service']) {
    assert.ok(!existsSync(at(path)), path)
  }
  assert.equal(await readFile(at('var/lib/tocsin/tocsin.db'), 'utf8'), 'data')
  assert.ok(existsSync(config))

  await script('--uninstall', '--purge')
  assert.ok(!existsSync(at('etc/tocsin')) && !existsSync(at('var/lib/tocsin')))
  const left = await readdir(root, { recursive: true, withFileTypes: true })
  assert.deepEqual(
    left.filter((entry) => !entry.isDirectory()).map(({ name }) => name),
    [],
  )
})

test('a provider whose settings are incomplete says what is missing', { skip: asRoot }, async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'tocsin-root-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const light = await lightScript(t)
  const { stderr } = await promisify(execFile)(light, ['--root', root, '--copy-modules', '--provider', 'twilio'])
  assert.match(stderr, /twilio.authToken: is required with the provider twilio/)
  assert.match(stderr, /Complete .*tocsin.yaml/)
  // Not a failure on a new machine, but one for an upgrade that cannot start.
  const again = promisify(execFile)(light, ['--root', root, '--copy-modules'])
  await assert.rejects(again, ({ code, stderr: said }) => code === 1 && /Complete .*tocsin.yaml/.test(said))
})

test('an upgrade that refuses the configuration leaves the previous version in place', {
  skip: asRoot,
}, async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'tocsin-root-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const light = await lightScript(t)
  const script = promisify(execFile)
  await script(light, ['--root', root, '--copy-modules', '--provider', 'outbox'])
  // The previous version knows a key that the new one does not.
  const fields = join(root, 'opt/tocsin/src/config/schema.ts')
  const schema = await readFile(fields, 'utf8')
  await writeFile(
    fields,
    schema.replace('pollSeconds', 'pollEverySeconds: wholeNumber(1, 60).default(5),\n    pollSeconds'),
  )
  await appendFile(join(root, 'etc/tocsin/tocsin.yaml'), 'twilio:\n  pollEverySeconds: 5\n')
  const upgrade = script(light, ['--root', root, '--copy-modules'])
  await assert.rejects(upgrade, ({ code, stderr }) => code === 1 && /the previous one is back/.test(stderr))
  assert.match(await readFile(fields, 'utf8'), /pollEverySeconds/)
  assert.ok(existsSync(join(root, 'opt/tocsin.failed/src')) && !existsSync(join(root, 'opt/tocsin.old')))
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
    await assert.rejects(promisify(execFile)(SCRIPT, args), { code: 2 })
  }
})
