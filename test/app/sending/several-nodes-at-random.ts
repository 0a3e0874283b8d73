import assert from 'node:assert/strict'
import { workerData } from 'node:worker_threads'
import fc from '../../harness/fast-check.ts'
import { type Fate, LEASE_MS, nodesOnOneStore } from '../../harness/several-nodes.ts'

/*
 * A thread of `several-nodes.test.ts`: whatever happens to two of three nodes, every message is sent, and once.
 * `workerData`: the number of stories.
 */

const fate = fc.record({
  at: fc.constantFrom<'statement' | 'commit' | 'send'>('statement', 'commit', 'send'),
  afterCalls: fc.integer({ min: 0, max: 4 }),
  fate: fc.constantFrom<Fate>('dies', 'freezes', 'is not answered'),
})

const property = fc.asyncProperty(fc.array(fate, { minLength: 1, maxLength: 6 }), fc.nat(60), async (fates, thawAt) => {
  const site = nodesOnOneStore(['a', 'b', 'c'], { contacts: ['Ana', 'Ben'], survivor: 'c' })
  for (const { at, afterCalls, fate: what } of fates) site.fateOf(at, what, afterCalls)
  await site.passes(`${LEASE_MS / 1000 + thawAt} s`)
  site.thaws()
  await site.passes('4 min')
  assert.deepEqual(site.taken, [...new Set(site.taken)])
  assert.deepEqual(site.open(), [], 'nothing that was due is forgotten')
  assert.equal(site.taken.length, site.wanted().length)
})
await fc.assert(property, { numRuns: workerData })
