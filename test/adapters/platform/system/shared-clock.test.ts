import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createSharedClock, type SharedClock } from '../../../../src/adapters/platform/system/shared-clock.ts'
import type { ClockJumps, SharedTime, TimeReading } from '../../../../src/ports/shared-time.ts'

const START = Date.parse('2026-03-01T12:00:00Z')
const MINUTE = 60_000

/** A database whose clock the test sets, and what nodes have written about it. */
class Database {
  now = START
  jumps: ClockJumps = { count: 0, totalMs: 0 }
  confirmed: { at: number; node: string } | null = null
  /** Every shift of the stored deadlines. */
  readonly moved: number[] = []
  isDown = false

  /** As the node called `node` sees it. `slow`: called while an answer is on its way. */
  timeFor(node: string, slow: () => void): SharedTime & { followed: ClockJumps[] } {
    const followed: ClockJumps[] = []
    return {
      followed,
      read: async (): Promise<TimeReading> => {
        if (this.isDown) throw new Error('the database is down')
        const { now, jumps, confirmed } = this
        slow()
        return { now, jumps, confirmed: confirmed && { at: confirmed.at, isOwn: confirmed.node === node } }
      },
      confirm: async (at, { count }) => {
        if (count === this.jumps.count) this.confirmed = { at, node }
      },
      move: async ({ jumps, byMs, passed }) => {
        if (this.isDown) throw new Error('the database is down')
        if (jumps.count !== this.jumps.count || (this.confirmed?.at ?? 0) > passed) return null
        this.moved.push(byMs)
        this.jumps = { count: jumps.count + 1, totalMs: jumps.totalMs + byMs }
        if (this.confirmed !== null) this.confirmed = { ...this.confirmed, at: this.now }
        return this.jumps
      },
      follow: (jumps) => void followed.push(jumps),
    }
  }
}

/** A machine whose clocks the test sets, with its node. */
type Node = {
  wall: number
  monotonic: number
  suspended: number
  slow: () => void
  clock: SharedClock
  shifts: number[]
  warnings: string[]
  followed: ClockJumps[]
}

async function nodeOn(t: TestContext, database: Database, { name = 'a', wall = START } = {}): Promise<Node> {
  const site = { wall, monotonic: 5_000, suspended: 7_777, slow: () => {} }
  const warnings: string[] = []
  const log = { info() {}, error() {}, warn: (_fields: object, message: string) => void warnings.push(message) }
  const time = database.timeFor(name, () => site.slow())
  const sources = {
    wall: () => site.wall,
    monotonic: () => site.monotonic,
    sinceBoot: () => site.monotonic + site.suspended,
  }
  const clock = await createSharedClock({ time, log, sources })
  t.after(() => clock.stop())
  const shifts: number[] = []
  clock.onShift((byMs) => shifts.push(byMs))
  return Object.assign(site, { clock, shifts, warnings, followed: time.followed })
}

/** Time passes everywhere. */
function pass(ms: number, database: Database, ...nodes: readonly Node[]): void {
  database.now += ms
  for (const node of nodes) {
    node.monotonic += ms
    node.wall += ms
  }
}

/** Two readings of each node, with the usual time before each. */
async function twice(database: Database, ...nodes: readonly Node[]): Promise<void> {
  for (let reading = 1; reading <= 2; reading += 1) {
    pass(2_000, database, ...nodes)
    for (const { clock } of nodes) await clock.compare()
  }
}

test('time is that of the database, whatever this machine believes, and runs on between readings', async (t) => {
  const database = new Database()
  const node = await nodeOn(t, database, { wall: START - 365 * 24 * 60 * MINUTE })
  assert.equal(node.clock.now(), START)
  pass(1_500, database, node)
  assert.equal(node.clock.now(), START + 1_500)
  database.isDown = true
  pass(MINUTE, database, node)
  await node.clock.compare()
  assert.equal(node.clock.now(), START + 1_500 + MINUTE)
})

for (const byMs of [60 * MINUTE, -60 * MINUTE, 300, -300]) {
  test(`a jump of the database's clock by ${byMs} ms moves the deadlines once, and both nodes take it over`, async (t) => {
    const database = new Database()
    const one = await nodeOn(t, database, { name: 'a' })
    const other = await nodeOn(t, database, { name: 'b' })
    await twice(database, one, other)
    database.now += byMs
    await twice(database, one, other)
    assert.deepEqual(database.moved, [byMs])
    await twice(database, one, other)
    assert.deepEqual(database.moved, [byMs])
    for (const { clock, shifts, followed } of [one, other]) {
      assert.deepEqual(shifts, [byMs])
      assert.ok(Math.abs(clock.now() - database.now) <= 1)
      assert.deepEqual(followed.at(-1), { count: 1, totalMs: byMs })
    }
  })
}

test('until the deadlines are moved, a node carries the old time on', async (t) => {
  const database = new Database()
  const node = await nodeOn(t, database)
  database.now += 60 * MINUTE
  pass(2_000, database, node)
  await node.clock.compare()
  assert.deepEqual(database.moved, [])
  assert.equal(node.clock.now(), START + 2_000)
  database.isDown = true
  await twice(database, node)
  assert.equal(node.clock.now(), START + 6_000)
  assert.deepEqual(node.shifts, [])
  database.isDown = false
  await twice(database, node)
  assert.deepEqual(node.shifts, [60 * MINUTE])
})

test('a node that was away during the jump learns of it, and moves nothing', async (t) => {
  const database = new Database()
  const [here, away] = [await nodeOn(t, database, { name: 'a' }), await nodeOn(t, database, { name: 'b' })]
  database.now -= 60 * MINUTE
  pass(2_000, database, here, away)
  await here.clock.compare()
  pass(2_000, database, here, away)
  await here.clock.compare()
  pass(10 * MINUTE, database, here, away)
  await away.clock.compare()
  assert.deepEqual(database.moved, [-60 * MINUTE])
  assert.deepEqual(away.shifts, [-60 * MINUTE])
})

test('a suspended machine takes its own time up again, and moves nothing', async (t) => {
  const database = new Database()
  const node = await nodeOn(t, database)
  node.suspended += 60 * MINUTE
  node.wall += 60 * MINUTE
  database.now += 60 * MINUTE
  assert.equal(node.clock.now(), START + 60 * MINUTE)
  await twice(database, node)
  assert.deepEqual([database.moved, node.shifts], [[], []])
})

test('a paused machine, none of whose clocks knows, learns from the others that it was the one', async (t) => {
  const database = new Database()
  const [running, paused] = [await nodeOn(t, database, { name: 'a' }), await nodeOn(t, database, { name: 'b' })]
  let woken = false
  paused.clock.after(10 * MINUTE, () => {
    woken = true
  })
  pass(20 * MINUTE, database, running)
  await running.clock.compare()
  await twice(database, running, paused)
  assert.deepEqual([database.moved, running.shifts, paused.shifts], [[], [], []])
  assert.equal(paused.clock.now(), running.clock.now())
  await new Promise((resolve) => setTimeout(resolve, 1))
  assert.ok(woken, 'what became due meanwhile is done at once')
})

test('a pause shorter than a reading is told from a jump by the next confirmation', async (t) => {
  const database = new Database()
  const [running, paused] = [await nodeOn(t, database, { name: 'a' }), await nodeOn(t, database, { name: 'b' })]
  await twice(database, running, paused)
  pass(1_500, database, running)
  await paused.clock.compare()
  assert.deepEqual(paused.shifts, [])
  pass(500, database, running, paused)
  await running.clock.compare()
  pass(1_500, database, running, paused)
  await paused.clock.compare()
  assert.deepEqual([database.moved, paused.shifts], [[], []])
  assert.equal(paused.clock.now(), running.clock.now())
})

test('a slow answer moves nothing', async (t) => {
  const database = new Database()
  const node = await nodeOn(t, database)
  node.slow = () => pass(3_000, database, node)
  await twice(database, node)
  assert.deepEqual([database.moved, node.shifts], [[], []])
  assert.equal(node.clock.now(), database.now)
})

test('a node that first reads of a jump in an answer too slow to prove it does not move the deadlines again', async (t) => {
  const database = new Database()
  const [first, slow] = [await nodeOn(t, database, { name: 'a' }), await nodeOn(t, database, { name: 'b' })]
  await twice(database, first, slow)
  database.now -= 3_000
  await twice(database, first)
  pass(4_000, new Database(), slow)
  slow.slow = () => pass(7_000, database, first, slow)
  await slow.clock.compare()
  slow.slow = () => {}
  await twice(database, slow, first)
  assert.deepEqual(database.moved, [-3_000])
  assert.deepEqual([first.shifts, slow.shifts], [[-3_000], [-3_000]])
  assert.equal(slow.clock.now(), database.now)
})

test('small deviations are taken over, and time never runs back for them', async (t) => {
  const database = new Database()
  const node = await nodeOn(t, database)
  database.now += 100
  await node.clock.compare()
  assert.ok(Math.abs(node.clock.now() - database.now) <= 1)
  const before = node.clock.now()
  database.now -= 100
  await node.clock.compare()
  assert.equal(node.clock.now(), before)
  pass(200, database, node)
  assert.ok(Math.abs(node.clock.now() - database.now) <= 1)
  assert.deepEqual([database.moved, node.shifts], [[], []])
})

test('a node that starts just after a jump waits for the one that is about to move the deadlines', async (t) => {
  const database = new Database()
  const running = await nodeOn(t, database, { name: 'a' })
  await twice(database, running)
  database.now += 60 * MINUTE
  let left = 4
  const early = nodeOn(t, database, { name: 'b' })
  while (left > 0) {
    left -= 1
    await running.clock.compare()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const starting = await early
  assert.deepEqual(starting.followed, [{ count: 1, totalMs: 60 * MINUTE }])
  assert.deepEqual(database.moved, [60 * MINUTE])
})

test('a machine whose own clock is wrong is named', async (t) => {
  const database = new Database()
  const node = await nodeOn(t, database)
  assert.equal(node.clock.concern(), null)
  node.wall += 5_000
  await twice(database, node)
  assert.equal(node.clock.machineLeadMs(), 5_000)
  const sentence = "the clock of this machine is 5 s ahead of the database's, whose time counts; synchronise both (NTP)"
  assert.equal(node.clock.concern(), sentence)
  assert.deepEqual(node.warnings, [sentence])
  assert.equal(node.clock.now(), database.now)
})
