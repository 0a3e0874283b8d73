import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Closers } from '../../src/service/closers.ts'
import { followSettings } from '../../src/service/follow-settings.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('settings that could not be read, or put in force, are read again until they are; a stop ends it', async () => {
  const clock = new VirtualClock()
  const closers = new Closers()
  const errors: string[] = []
  const log = { info: () => {}, warn: assert.fail, error: (_: object, text: string) => void errors.push(text) }
  const site = {
    reads: 0,
    isInForce: true,
    fails: true,
    async reread() {
      site.reads += 1
      if (site.fails) throw new Error('the store is busy')
    },
  }
  const read = followSettings({ site, clock, log }, closers)
  read()
  await clock.advance('29 s', turn)
  assert.equal(site.reads, 1)
  site.fails = false
  site.isInForce = false
  await clock.advance('2 s', turn)
  assert.deepEqual([site.reads, errors.length], [2, 1])
  site.isInForce = true
  await clock.advance('5 min', turn)
  assert.equal(site.reads, 3)
  site.fails = true
  read()
  await turn()
  await closers.closeAll()
  await clock.advance('5 min', turn)
  assert.equal(site.reads, 4)
})
