import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const isBundled = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64')

test('the commands find the bundled Node, wherever they are called from and whatever the PATH has', {
  skip: !isBundled && 'no Node comes with the dependencies here',
}, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-launcher-'))
  t.after(() => rm(directory, { recursive: true }))
  // What the launcher itself needs, and a Node that must not be taken.
  const elsewhere = { cwd: directory, env: { PATH: `${directory}:/usr/bin:/bin` } }
  await symlink('/bin/false', join(directory, 'node'))
  await symlink(join(root, 'bin/tocsin'), join(directory, 'tocsin'))
  const { stdout: node } = await run(join(root, 'bin/node'), ['-p', 'process.execPath'], elsewhere)
  assert.match(node, new RegExp(`/node_modules/node-linux-${process.arch}/bin/node\n$`))
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const { stdout } = await run(join(directory, 'tocsin'), ['--version'], elsewhere)
  assert.equal(stdout, `${version}\n`)
})
