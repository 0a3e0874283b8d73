import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Announced } from '../../../../src/adapters/stores/postgres/notices/announced.ts'
import { Follower } from '../../../../src/adapters/stores/postgres/notices/follower.ts'
import type { Notice } from '../../../../src/ports/store.ts'
import { quiet } from '../../../fixtures/store-place.ts'
import type { Ending } from '../../../harness/ending.ts'
import { until } from '../../../harness/wait.ts'

const HOUR_MS = 3_600_000

type Row = { id: number; xact: number; origin: string; incidentId: string | null; mark: number | null; notice: string }

/** A follower on a table in memory. By default it looks only when the test asks it to. */
async function followed(t: Ending, pollMs = HOUR_MS) {
  const table: Row[] = []
  const heard: Notice[] = []
  /** Each purge, until `settle` says which of its notices are left, or why it failed. */
  const purges: { ids: readonly number[]; settle: (left: readonly number[] | Error) => void }[] = []
  const clocks = { monotonic: 0, sinceBoot: 0, wall: 0, server: 0 }
  const state = { xmin: 1, failsNext: false, sessions: 0 }
  const rows = async (statement: { name: string }, [value]: readonly unknown[]) => {
    if (statement.name === 'notice-heads') {
      const horizon = { xmin: state.xmin, now: clocks.server }
      const found = table.filter(({ xact }) => xact >= Number(value))
      return found.length === 0 ? [{ ...horizon, id: null }] : found.map((row) => ({ ...horizon, ...row }))
    }
    if (state.failsNext) {
      state.failsNext = false
      throw new Error('not now')
    }
    return table.filter(({ id }) => (value as number[]).includes(id))
  }
  const announced = new Announced()
  const follower = new Follower({
    connect: async () => {
      const session = ++state.sessions
      return {
        get isUsable() {
          return session === state.sessions
        },
        rows,
        async close() {},
      } as never
    },
    origin: 'here',
    announced,
    hear: (notice) => heard.push(notice),
    purge: (ids) =>
      new Promise((resolve, reject) => {
        purges.push({ ids, settle: (left) => (left instanceof Error ? reject(left) : resolve(left)) })
      }),
    listens: false,
    pollMs,
    clocks: () => ({ ...clocks }),
    log: quiet,
  })
  await follower.start()
  t.after(() => {
    for (const { settle } of purges) settle([])
    return follower.stop()
  })
  const leave = (id: number, more: Partial<Row> = {}): void => {
    const notice = JSON.stringify({ kind: 'admission', appId: String(id) })
    table.push({ id, xact: id, origin: 'elsewhere', incidentId: null, mark: null, notice, ...more })
    table.sort((one, other) => one.id - other.id)
  }
  const hears = async (): Promise<readonly string[]> => {
    let isCaughtUp = false
    void follower.caughtUp().then(() => {
      isCaughtUp = true
    })
    await until('the look', () => isCaughtUp, 5_000)
    return heard.splice(0).map((notice) => (notice.kind === 'admission' ? notice.appId : notice.kind))
  }
  const purgesTable = (ids: readonly number[]): void => {
    for (const id of ids) {
      table.splice(
        table.findIndex((row) => row.id === id),
        1,
      )
    }
  }
  return { leave, purgesTable, hears, heard, announced, state, clocks, follower, purges }
}

test('each notice is read once, also one that becomes visible behind younger ones', async (t) => {
  const { leave, hears, state } = await followed(t)
  leave(2)
  leave(3)
  assert.deepEqual(await hears(), ['2', '3'])
  // The transaction with the number 1 is still under way: the horizon stays there.
  leave(1)
  state.xmin = 4
  assert.deepEqual(await hears(), ['1'])
  leave(4)
  assert.deepEqual(await hears(), ['4'])
})

test('events are delivered once, whether this process has announced them or not', async (t) => {
  const { leave, hears, announced } = await followed(t)
  announced.take('one', 8)
  leave(1, { origin: 'here', incidentId: 'one', mark: 8 })
  // The answer to this commit was lost.
  leave(2, { origin: 'here', incidentId: 'one', mark: 9 })
  leave(3, { incidentId: 'another', mark: 4 })
  assert.deepEqual(await hears(), ['2', '3'])
  assert.equal(announced.take('one', 9), false)
  assert.equal(announced.take('another', 4), false)
})

test('of its own process nothing else is read', async (t) => {
  const { leave, hears } = await followed(t)
  leave(1, { origin: 'here' })
  leave(2, { origin: 'here', incidentId: 'one' })
  leave(3, { incidentId: 'one' })
  assert.deepEqual(await hears(), ['3'])
})

test('what could not be read is read at the next look', async (t) => {
  const { leave, hears, state } = await followed(t, 1)
  leave(1)
  state.failsNext = true
  state.xmin = 2
  assert.deepEqual(await hears(), ['1'])
  assert.equal(state.failsNext, false)
})

test('after 15 s without a look, by either clock, it is cut off until the next one', async (t) => {
  for (const clock of ['monotonic', 'sinceBoot'] as const) {
    const { leave, hears, heard, clocks, follower } = await followed(t)
    clocks[clock] += 14_000
    follower.checkLate()
    assert.deepEqual(heard, [])
    clocks[clock] += 2_000
    follower.checkLate()
    follower.checkLate()
    assert.deepEqual(heard.splice(0), [{ kind: 'cut_off' }])
    leave(1)
    assert.deepEqual(await hears(), ['1', 'back'])
    // A process that was suspended looks before it has checked anything.
    clocks[clock] += 16_000
    leave(2)
    assert.deepEqual(await hears(), ['cut_off', '2', 'back'])
    assert.deepEqual(await hears(), [])
  }
})

test('a wall clock that is set sends nobody away, unless the server’s says that so much time has passed', async (t) => {
  const { hears, clocks, follower } = await followed(t)
  clocks.wall += 3_600_000
  follower.checkLate()
  assert.deepEqual(await hears(), [])
  clocks.server += 3_600_000
  assert.deepEqual(await hears(), [])
  // A virtual machine that was paused, and told so.
  for (const clock of ['wall', 'server'] as const) clocks[clock] += 16_000
  assert.deepEqual(await hears(), ['cut_off', 'back'])
  assert.deepEqual(await hears(), [])
})

test('a new session reads everything: the server may give numbers of transactions out again', async (t) => {
  const { leave, hears, state } = await followed(t)
  leave(1)
  // The transactions up to 9 were rings, which are on no disk.
  state.xmin = 10
  assert.deepEqual(await hears(), ['1'])
  state.sessions += 1
  leave(2)
  state.xmin = 3
  assert.deepEqual(await hears(), ['2'])
})

test('what a purge has left is not heard again by a new session', async (t) => {
  const { leave, hears, clocks, state, purges, purgesTable } = await followed(t)
  const minutePasses = async (): Promise<void> => {
    clocks.monotonic += 61_000
    await hears()
  }
  for (const id of [1, 2]) leave(id)
  await hears()
  await minutePasses()
  // Another node has the second one locked.
  purgesTable([1])
  purges[0]!.settle([2])
  // The standby that takes over has not heard of the purge.
  leave(1)
  state.sessions += 1
  assert.deepEqual(await hears(), [])
  purgesTable([1])
  await minutePasses()
  purges[1]!.settle(new Error('overloaded'))
  await minutePasses()
  assert.deepEqual(
    purges.map(({ ids }) => ids),
    [[1, 2], [2], [2]],
  )
  state.sessions += 1
  assert.deepEqual(await hears(), [])
})

test('an id that is given out again after a fail-over is another notice', async (t) => {
  const { leave, hears, state, purgesTable } = await followed(t)
  leave(1, { xact: 5 })
  assert.deepEqual(await hears(), ['1'])
  purgesTable([1])
  state.sessions += 1
  leave(1, { xact: 4 })
  assert.deepEqual(await hears(), ['1'])
  assert.deepEqual(await hears(), [])
})

test('a purge that hangs holds no look up', async (t) => {
  const { leave, hears, clocks, purges } = await followed(t)
  leave(1)
  assert.deepEqual(await hears(), ['1'])
  clocks.monotonic += 60_000
  await hears()
  assert.deepEqual(
    purges.map(({ ids }) => ids),
    [[1]],
  )
  leave(2)
  assert.deepEqual(await hears(), ['2'])
  // Nor does another purge begin.
  clocks.monotonic += 60_000
  await hears()
  assert.equal(purges.length, 1)
})
