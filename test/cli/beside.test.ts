import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { endsFirst } from '../../src/adapters/platform/system/process-limits.ts'
import { runCommandLine } from '../../src/cli/program.ts'

test('every command but the service itself makes way for it', async () => {
  const ways = async (...argv: readonly string[]): Promise<number> => {
    let made = 0
    const nowhere = { write: () => true }
    await runCommandLine(argv, {
      serve: async () => {},
      beside: () => {
        made += 1
      },
      stdout: nowhere,
      stderr: nowhere,
    })
    return made
  }
  assert.equal(await ways('backup'), 1)
  assert.equal(await ways('--config', 'start', 'incident', 'list', '--frob'), 1)
  assert.equal(await ways('start', '--frob'), 0)
  assert.equal(await ways('--config', 'x', 'start', '--frob'), 0)
})

test('where memory ends, it ends before others, and never later than it would have', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-ends-first-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'oom_score_adj')
  const after = (before: string): string => {
    writeFileSync(file, before)
    endsFirst(file)
    return readFileSync(file, 'utf8').trim()
  }
  assert.deepEqual(['-900\n', '0\n', '800\n'].map(after), ['500', '500', '800'])
  endsFirst(join(directory, 'nothing'))
})
