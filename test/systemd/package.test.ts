import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8')

// What the scripts do is proved in a Debian with systemd: release/prove.

test('the configuration in the package never changes: dpkg would ask every operator who has edited it', async () => {
  const digest = createHash('sha256').update(await read('packaging/debian/tocsin.yaml'))
  assert.equal(digest.digest('hex'), '0b46356d0f99105f0db1eb984c3529cc13a46c2c64b402b5a0b66c17dc99bbe7')
})

test('every maintainer script is one for a plain shell', async () => {
  for (const name of ['preinst', 'postinst', 'prerm', 'postrm']) {
    const script = await read(`packaging/debian/${name}`)
    assert.match(script, /^#!\/bin\/sh\n(#.*\n)*set -e\n/, name)
    const filled = script.replace('@BACK_UP@\n', await read('systemd/back-up.sh')).replaceAll('@VERSION@', '9.9.9')
    const whole = filled.replace('@SQLITE_SCHEMA@', '9').replace('@POSTGRES_SCHEMA@', '9')
    assert.doesNotMatch(whole, /@[A-Z_]+@/, name)
    await run('sh', ['-n', '-c', whole])
  }
})

test('the sentences that decide about a backup are those of the program', async () => {
  const script = await read('systemd/back-up.sh')
  const told = { 'store.url is set': 'cli/backup.ts', 'there is no database': 'adapters/stores/sqlite/files/backup.ts' }
  for (const [sentence, file] of Object.entries({
    ...told,
    'by a newer version of Tocsin': 'adapters/stores/sqlite/engine/migrate.ts',
  })) {
    assert.ok(script.includes(sentence), sentence)
    assert.ok((await read(`src/${file}`)).includes(sentence), `${file}: ${sentence}`)
  }
})

test('the pattern for unattended upgrades means this package and no other', async () => {
  const [, pattern] = /Package-Blacklist \{ "(.+)"; \};/.exec(await read('packaging/debian/no-unattended-upgrades'))!
  assert.deepEqual(
    ['tocsin', 'tocsin-other', 'libtocsin'].filter((name) => new RegExp(pattern!).test(name)),
    ['tocsin'],
  )
})
