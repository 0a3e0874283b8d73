import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { membersOf } from '../../build/together.ts'
import { freshDir } from '../fixtures/store-place.ts'

const TRACE = fileURLToPath(new URL('../../build/trace.mts', import.meta.url))

test('what is loaded on demand is built together, unless two modules export the same name', () => {
  const program = "await import('./app.ts'); await import('./user.ts'); await import('../lib/other.ts')"
  const sources = new Map([
    ['cli/program.ts', program],
    ['cli/app.ts', 'export const addApp = 1\n'],
    ['cli/user.ts', 'export async function addUser() {}\n'],
    ['lib/other.ts', ''],
  ])
  assert.deepEqual([...membersOf(sources)], [['commands', new Set(['cli/app.ts', 'cli/user.ts'])]])
  assert.throws(
    () => membersOf(sources.set('cli/user.ts', 'export class addApp {}\n')),
    /^Error: cli\/app\.ts and cli\/user\.ts are built together, and both export addApp$/,
  )
})

test('a stack trace of a release becomes one of its source', async (t) => {
  const place = await freshDir(t)
  await build({
    stdin: {
      contents: '\nconst fail = () => {\n  throw new Error("no")\n}\nfail()\n',
      sourcefile: 'fail.ts',
      resolveDir: place,
    },
    outfile: join(place, 'js/lib/fail.js'),
    minifyWhitespace: true,
    sourcemap: 'external',
    logLevel: 'silent',
  })
  await mkdir(join(place, 'lib'))
  await copyFile(join(place, 'js/lib/fail.js.map'), join(place, 'lib/fail.js.map'))
  await copyFile(TRACE, join(place, 'trace.mts'))
  const trace = (input: string): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(place, 'trace.mts')], {
      input,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    return stdout
  }
  const { stderr } = spawnSync(process.execPath, [join(place, 'js/lib/fail.js')], { encoding: 'utf8' })
  assert.match(stderr, /at fail \(.*\/js\/lib\/fail\.js:1:/)
  assert.match(trace(stderr), /at fail \(fail\.ts:3:9\)/)
  const logged = JSON.stringify({ stack: 'Error\n    at x (file:///usr/lib/tocsin/js/lib/fail.js:1:24)' })
  assert.match(trace(logged), /^\{"stack":"Error\\n {4}at x \(fail\.ts:3:\d+\)"\}\n$/)
  const strange = 'at y (file:///usr/lib/tocsin/js/lib/fail-OTHER.js:1:24) 192.0.2.1:80'
  assert.equal(trace(strange), `${strange}\n`)
})
