import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { onceAtRest, releaseMemory } from '../../src/lib/release-memory.ts'

const unused = (): WeakRef<object> => new WeakRef({ of: 'the start' })

test('what nothing needs any more is collected', async () => {
  const garbage = unused()
  // A reference that was just made keeps its object until the end of the turn.
  await turn()
  assert.equal(await releaseMemory(Number.POSITIVE_INFINITY), true)
  assert.equal(garbage.deref(), undefined)
})

test('a heap that would take long stays as it is: an alarm does not wait for a saving', async () => {
  const garbage = unused()
  await turn()
  assert.equal(await releaseMemory(1024), false)
  assert.notEqual(garbage.deref(), undefined)
})

test('memory is released once, in the first second of rest', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const shares = [0.3, 0.02, 0.01, 0]
  let released = 0
  onceAtRest(
    () => (released += 1),
    () => () => shares.shift()!,
  )
  const afterNextLook = (): number => {
    t.mock.timers.tick(20_000)
    t.mock.timers.tick(1000)
    return released
  }
  assert.deepEqual([afterNextLook(), afterNextLook(), afterNextLook(), afterNextLook()], [0, 0, 1, 1])
  assert.deepEqual(shares, [0])
})

test('a release that is called off does not come', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let released = 0
  const keep = onceAtRest(
    () => (released += 1),
    () => () => 0,
  )
  t.mock.timers.tick(20_000)
  keep()
  t.mock.timers.tick(1000)
  assert.equal(released, 0)
})

test('Node lets go of the cached code when it is told to, and not only at its end', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-cached-code-'))
  t.after(() => rm(directory, { recursive: true }))
  const ownFile = new URL('../../src/lib/release-memory.ts', import.meta.url)
  const toldBy = (act: string): string => {
    const code = `const { releaseCachedCode } = await import('${ownFile}'); ${act}; process._rawDebug('ends')`
    const env = { NODE_COMPILE_CACHE: directory, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
    return spawnSync(process.execPath, ['--input-type=module', '-e', code], { env, encoding: 'utf8' }).stderr
  }
  const RELEASED = /Clear deserialized cache[\s\S]*ends/
  assert.match(toldBy('releaseCachedCode()'), RELEASED)
  const control = toldBy('')
  assert.match(control, /release-memory\.ts[\s\S]*ends/)
  assert.doesNotMatch(control, RELEASED)
})
