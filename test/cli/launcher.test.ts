import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { skipWithout } from '../fixtures/requires.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const isBundled = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64')

test('the commands find the bundled Node, whatever the directory and the PATH', {
  skip: !isBundled && 'no Node comes with the dependencies here',
}, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-launcher-'))
  t.after(() => rm(directory, { recursive: true }))
  // Only what the launcher needs, plus a Node that it must not use.
  const elsewhere = { cwd: directory, env: { PATH: `${directory}:/usr/bin:/bin` } }
  await symlink('/bin/false', join(directory, 'node'))
  await symlink(join(root, 'bin/tocsin'), join(directory, 'tocsin'))
  const { stdout: node } = await run(join(root, 'bin/node'), ['-p', 'process.execPath'], elsewhere)
  assert.match(node, new RegExp(`/node_modules/node-linux-${process.arch}/bin/node\n$`))
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const { stdout } = await run(join(directory, 'tocsin'), ['--version'], elsewhere)
  assert.ok(stdout.startsWith(`${version} (`), stdout)
})

test('the commands give Node its option and nothing else', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-launcher-'))
  t.after(() => rm(directory, { recursive: true }))
  await copyFile(join(root, 'bin/tocsin'), join(directory, 'tocsin'))
  await writeFile(join(directory, 'node'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 })
  const { stdout } = await run(join(directory, 'tocsin'), ['outbox', 'two words'])
  const real = await realpath(directory)
  assert.deepEqual(stdout.split('\n'), ['--max-semi-space-size=8', `${real}/tocsin.js`, 'outbox', 'two words', ''])
})

/** The launcher with its own, empty dependencies. */
async function copyOf(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-launcher-'))
  t.after(() => rm(directory, { recursive: true }))
  await chmod(directory, 0o755)
  await mkdir(join(directory, 'bin'))
  await mkdir(join(directory, 'node_modules'))
  await copyFile(join(root, 'bin/tocsin.js'), join(directory, 'bin/tocsin.js'))
  await symlink(join(root, 'src'), join(directory, 'src'))
  const version = (user: object = {}) =>
    run(process.execPath, [join(directory, 'bin/tocsin.js'), '--version'], {
      env: { PATH: process.env.PATH, TMPDIR: directory },
      ...user,
    })
  return { directory, version, kept: () => readdir(join(directory, 'node_modules')) }
}

test('compiled code is cached beside one’s own dependencies', async (t) => {
  const { directory, version, kept } = await copyOf(t)
  await version()
  assert.deepEqual(await kept(), ['.cache'])
  assert.notDeepEqual(await readdir(join(directory, 'node_modules/.cache/tocsin')), [])
  assert.deepEqual(await readdir(directory), ['bin', 'node_modules', 'src'], 'and in no place that others share')
})

test('it is not cached if they belong to someone else or are read-only, and everything works', async (t) => {
  if (skipWithout(t, 'root', process.getuid?.() === 0)) return
  const { directory, version, kept } = await copyOf(t)
  const modules = join(directory, 'node_modules')
  const { stderr } = await version({ uid: 65_534, gid: 65_534 })
  assert.deepEqual([stderr, await kept()], ['', []])
  await chown(modules, 65_534, 65_534)
  await version()
  assert.deepEqual(await kept(), [])
  await chmod(modules, 0o555)
  const readOnly = await version({ uid: 65_534, gid: 65_534 })
  assert.deepEqual([readOnly.stderr, await kept()], ['', []])
})

const TELLS = `data:text/javascript,import m from 'node:module'; m.registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context) } })`

test('a command loads nothing of the service', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-launcher-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const env = { PATH: process.env.PATH, TOCSIN_DATA_DIR: dataDir, TOCSIN_CONFIG: '' }
  const args = ['--import', TELLS, join(root, 'bin/tocsin.js'), 'app', 'list']
  const { stderr: loaded } = await run(process.execPath, args, { env })
  assert.match(loaded, /src\/adapters\/stores\/sqlite\/open-store\.ts/, 'the control: what is loaded is seen')
  assert.doesNotMatch(
    loaded,
    /node_modules\/(undici|pino|fastify|aedes|twilio|mqtt|jose|@peculiar)\/|src\/(service|cli\/incident|cli\/tls)\.ts/,
  )
})
