import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { keepRetention } from '../../../src/app/upkeep/retention.ts'
import type { DeletedBatch, Expired, ExpiringKind } from '../../../src/ports/store.ts'
import { momentAt } from '../../core/build.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const quiet = { info() {}, warn() {}, error() {} }
const DAY_SECONDS = 24 * 3600
const forEver = {
  telemetry: 0,
  incidents: 0,
  outbox: 0,
  deadLetters: 0,
  feedback: 0,
  audit: 0,
  timers: 0,
  awaitedEnds: 0,
  unnamedEnds: 0,
  settingChanges: 0,
  appInvitations: 0,
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A store that records its calls and has this many batches left of each kind. */
function noting(t: TestContext, days: Partial<typeof forEver>, batches = 1) {
  const clock = new VirtualClock(momentAt(0))
  const asked: { readonly kind: ExpiringKind; readonly expired: Expired }[] = []
  let failing = false
  let believed = true
  const store = {
    async deleteExpired(kind: ExpiringKind, expired: Expired): Promise<DeletedBatch> {
      asked.push({ kind, expired })
      if (failing) throw new Error('the disk is full')
      const done = Number(expired.from) + 1
      return { deleted: 1, next: done < batches ? String(done) : null }
    },
  }
  const stop = keepRetention({
    store,
    clock,
    log: quiet,
    days: { ...forEver, ...days },
    mayDelete: () => believed,
  })
  t.after(stop)
  return {
    asked,
    clock,
    stop,
    fail: (yes: boolean) => {
      failing = yes
    },
    believe: (yes: boolean) => {
      believed = yes
    },
    /** Advances the clock and gives the event loop a turn after each timer. */
    advance: (text: string) => clock.advance(text, turn),
  }
}

test('every kind is kept for its own number of days, 0 for ever', async (t) => {
  const { asked, advance } = noting(t, { telemetry: 90, incidents: 730, feedback: 1 })
  await advance('1 s')
  assert.deepEqual(
    asked.map(({ kind, expired }) => [kind, (momentAt(0) - expired.before) / 1000 / DAY_SECONDS]),
    [
      ['telemetry', 90],
      ['incidents', 730],
      ['feedback', 1],
    ],
  )
})

test('it runs at the start and then every hour, also after a fault', async (t) => {
  const { asked, advance, fail } = noting(t, { telemetry: 1 })
  await advance('59 min')
  assert.equal(asked.length, 1)
  fail(true)
  await advance('2 min')
  assert.equal(asked.length, 2)
  fail(false)
  await advance('60 min')
  assert.equal(asked.length, 3)
})

test('nothing is deleted while the date is not believed, not even the rest of a run that has begun', async (t) => {
  const { asked, advance, believe } = noting(t, { telemetry: 1, outbox: 1 }, 1000)
  await advance('100 ms')
  believe(false)
  const soFar = asked.length
  assert.ok(soFar > 0)
  await advance('3 h')
  assert.equal(asked.length, soFar)
  believe(true)
  await advance('61 min')
  assert.ok(asked.length > soFar)
})

test('there is a pause between two batches, and stopping takes effect there', async (t) => {
  const { asked, advance, stop } = noting(t, { telemetry: 1, outbox: 1 }, 1000)
  await turn()
  assert.equal(asked.length, 1, 'no second batch before time has passed')
  await advance('100 ms')
  const soFar = asked.length
  assert.ok(soFar > 1 && soFar < 1000, String(soFar))
  assert.deepEqual(
    asked.map(({ expired }) => expired.from),
    ['', ...Array.from({ length: soFar - 1 }, (_, n) => String(n + 1))],
  )
  await stop()
  await advance('120 min')
  assert.equal(asked.length, soFar)
})
