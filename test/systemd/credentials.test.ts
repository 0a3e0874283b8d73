import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { problemText, readConfig } from '../../src/config.ts'

async function read(t: TestContext, files: Record<string, string>, env: Record<string, string> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-credentials-'))
  t.after(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, 'tocsin.yaml'), '')
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
  const file = join(directory, 'tocsin.yaml')
  return readConfig({ file, env: { CREDENTIALS_DIRECTORY: directory, ...env }, cwd: directory })
}

const tokenOf = (read: ReturnType<typeof readConfig>): string | undefined => {
  assert.ok('config' in read, 'the configuration has mistakes')
  return read.config.metrics.token?.reveal()
}

test('a credential named like a variable sets that variable', async (t) => {
  assert.equal(tokenOf(await read(t, { TOCSIN_METRICS_TOKEN: 'from a file\n', other: 'x' })), 'from a file')
})

test('systemd’s directory prefix is ignored', async (t) => {
  assert.equal(tokenOf(await read(t, { credentials_TOCSIN_METRICS_TOKEN: 'from a file' })), 'from a file')
})

test('a variable that is set wins', async (t) => {
  const files = { TOCSIN_METRICS_TOKEN: 'from a file' }
  assert.equal(tokenOf(await read(t, files, { TOCSIN_METRICS_TOKEN: 'set' })), 'set')
  assert.equal(tokenOf(await read(t, files, { TOCSIN_METRICS_TOKEN: '' })), 'from a file')
})

test('a misspelt credential and an unreadable directory are mistakes', async (t) => {
  const misspelt = await read(t, { TOCSIN_METRIC_TOKEN: 'x' })
  assert.ok('problems' in misspelt)
  assert.match(misspelt.problems.map(problemText).join(), /TOCSIN_METRIC_TOKEN: is not a known setting; did you mean/)
  const gone = await read(t, {}, { CREDENTIALS_DIRECTORY: '/nowhere' })
  assert.ok('problems' in gone)
  assert.match(gone.problems.map(problemText).join(), /the credentials in \/nowhere could not be read \(ENOENT\)/)
})
