import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { countUnnamedEnds, unnamedEndsConcern } from '../../../src/app/user/unnamed-ends.ts'
import type { CountedEnds } from '../../../src/ports/store.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const settled = async () => {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
}

/** A store that keeps what it is given, and fails where it is told to. */
function counting(t: TestContext) {
  const clock = new VirtualClock(Date.parse('2026-05-01T23:59:00Z'))
  const kept: CountedEnds[] = []
  const state = { fails: false }
  const warnings: string[] = []
  const store = {
    async addUnnamedEnds(counted: readonly CountedEnds[]) {
      if (state.fails) throw new Error('the disk is full')
      kept.push(...counted)
    },
    async unnamedEnds(since: number, max: number) {
      const apps = [...new Set(kept.filter(({ day }) => day >= since).map(({ appId }) => appId))]
      return apps.slice(0, max).map((application) => ({ application, count: 1 }))
    },
  }
  const log = { info() {}, error() {}, warn: (_: unknown, message: string) => void warnings.push(message) }
  const ends = countUnnamedEnds({ store, clock, log })
  t.after(() => ends.stop())
  return { clock, kept, state, store, ends, warnings, advance: (text: string) => clock.advance(text, settled) }
}

test('ends without a name are stored once a minute, a number for each application and day', async (t) => {
  const { clock, kept, ends, advance } = counting(t)
  await settled()
  assert.equal(ends.concern(), null)
  for (const app of ['hut', 'hut', 'peak']) ends.note(app)
  clock.set(60_000)
  ends.note('hut')
  assert.deepEqual(kept, [], 'not while the person waits for the answer')
  await advance('1 min')
  const [may1, may2] = [Date.parse('2026-05-01T00:00:00Z'), Date.parse('2026-05-02T00:00:00Z')]
  assert.deepEqual(kept, [
    { appId: 'hut', day: may1, count: 2 },
    { appId: 'peak', day: may1, count: 1 },
    { appId: 'hut', day: may2, count: 1 },
  ])
  assert.match(ends.concern() ?? '', /^ends_unnamed: 2 applications /)
  ends.note('hut')
  await ends.stop()
  assert.equal(kept.length, 4, 'a stop stores what is left')
})

test('the concern goes 30 days after the last of them, and names applications to the operator only', async (t) => {
  const { clock, store, ends, advance } = counting(t)
  for (const app of ['1', '2', '3', '4', '5', '6']) ends.note(app)
  await advance('1 min')
  assert.match(ends.concern() ?? '', /^ends_unnamed: several applications .*`tocsin readiness` says which/)
  assert.match((await unnamedEndsConcern(store, clock.now())) ?? '', /\(1: 1, 2: 1, 3: 1, 4: 1, 5: 1, and others\)/)
  clock.set(28 * 24 * 3_600_000)
  await advance('1 h')
  assert.notEqual(ends.concern(), null)
  clock.set(3 * 24 * 3_600_000)
  await advance('1 h')
  assert.equal(ends.concern(), null)
})

test('a store that fails loses a figure and nothing else', async (t) => {
  const { kept, state, ends, warnings, advance } = counting(t)
  state.fails = true
  ends.note('hut')
  await advance('1 min')
  assert.match(warnings.join(), /could not store/)
  state.fails = false
  ends.note('hut')
  await advance('1 min')
  assert.equal(kept.length, 1)
})
