import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSharedClock, type SharedClock } from '../../../../src/adapters/platform/system/shared-clock.ts'
import { Calendar } from '../../../../src/app/upkeep/calendar.ts'
import { defaultSettings } from '../../../../src/core/account/settings.ts'
import { applicationCalled, incidentOf, SiteUser } from '../../../contract/site.ts'
import { momentAt } from '../../../core/build.ts'
import { freshDatabase, openPostgresAt, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { quiet } from '../../../fixtures/store-place.ts'
import type { Ending } from '../../../harness/ending.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'
import { until } from '../../../harness/wait.ts'

const HOUR = 3_600_000

/** What a slow machine may add to a jump, because it does not know when exactly the server answered. */
const SLACK_MS = 10_000

/** A server whose clock the test sets, and nodes on it. */
async function siteOn(t: Ending) {
  const url = await freshDatabase(t)
  const database = url.slice(url.lastIndexOf('/') + 1)
  const session = await (await sharedPostgres()).session(database)
  endsLastFirst(t, () => session.end())
  // The server's own functions come last in the path, so that this one is used.
  await session.query(`CREATE TABLE lead (ms bigint NOT NULL); INSERT INTO lead VALUES (0);
    CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
      $$ SELECT pg_catalog.clock_timestamp() + (SELECT ms FROM public.lead) * interval '1 millisecond' $$;
    ALTER DATABASE ${database} SET search_path = public, pg_catalog`)
  const application = applicationCalled('Hut')
  const newNode = async () => {
    const store = await openPostgresAt(t, url)
    const clock = await createSharedClock({ time: store.time, log: quiet })
    // It is read when the test says so.
    await clock.stop()
    const shifts: number[] = []
    clock.onShift((byMs) => shifts.push(byMs))
    const calendar = new Calendar({
      store,
      clock,
      isSynchronised: async () => false,
      defaults: defaultSettings,
      log: quiet,
    })
    endsLastFirst(t, () => calendar.stop())
    return {
      store,
      clock,
      shifts,
      calendar,
      /** Somebody presses, at this node, at the time that it believes it is. Returns when something is due. */
      async pressed(name: string): Promise<{ readonly at: number; readonly dueAt: number }> {
        const user = new SiteUser(store, application.id, name)
        await user.settle(['Ana'])
        const at = clock.now()
        const committed = await user.presses((at - momentAt(0)) / 1000)
        return { at, dueAt: incidentOf(committed).deliveries[0]!.dueAt }
      },
    }
  }
  const one = await newNode()
  await one.store.createApplication(application, 'secret')
  return {
    one,
    newNode,
    session,
    set: (ms: number) => session.query('UPDATE lead SET ms = ms + $1', [ms]),
    jumps: async () => {
      const { rows } = await session.query<{ count: string; ms: string }>(
        'SELECT count, total_ms AS ms FROM clock_jumps',
      )
      return { count: Number(rows[0]?.count ?? 0), totalMs: Number(rows[0]?.ms ?? 0) }
    },
  }
}

/** Two readings in a row: a single one says nothing yet. */
async function twice({ clock }: { readonly clock: SharedClock }): Promise<void> {
  await clock.compare()
  await clock.compare()
}

/** Another node has moved the deadlines. On a busy machine the first answers may be too slow to say by how much. */
const takesOver = ({ clock, shifts }: { readonly clock: SharedClock; readonly shifts: readonly number[] }) =>
  until('the jump is taken over', async () => {
    await clock.compare()
    return shifts.length > 0
  })

const isAbout = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) < SLACK_MS, `${actual} is not about ${expected}`)

suite('the clock of PostgreSQL', { skip: withoutPostgres }, () => {
  for (const byMs of [HOUR, -HOUR]) {
    test(`a jump by ${byMs} ms moves the deadlines once; a node that has not noticed stamps in the new time`, async (t) => {
      const { one, newNode, set, jumps } = await siteOn(t)
      const other = await newNode()
      const before = await one.pressed('before')
      await set(byMs)
      await twice(one)
      const { count, totalMs } = await jumps()
      assert.equal(count, 1)
      isAbout(totalMs, byMs)
      assert.deepEqual(one.shifts, [totalMs])
      assert.equal(await one.store.nextActionAt(), before.dueAt + totalMs)

      assert.equal((await one.store.clockRecord()).missesJump, undefined)
      assert.equal((await other.store.clockRecord()).missesJump, true)
      const unaware = await other.pressed('unaware')
      isAbout(unaware.at, before.at)
      assert.equal(unaware.dueAt - (unaware.at + totalMs), before.dueAt - before.at)
      await takesOver(other)
      isAbout(other.shifts[0] ?? 0, byMs)
      assert.equal((await other.store.clockRecord()).missesJump, undefined)
      const aware = await other.pressed('aware')
      assert.equal(aware.dueAt - aware.at, before.dueAt - before.at)
      isAbout(aware.at, before.at + byMs)
      await Promise.all([twice(one), twice(other)])
      assert.deepEqual(await jumps(), { count, totalMs })
    })
  }

  test('a jump does not wait behind all other upkeep', async (t) => {
    const { one } = await siteOn(t)
    const { store, clock } = one
    const done: string[] = []
    const others = Array.from({ length: 20 }, () => store.finishErasure('nobody', 0).then(() => done.push('other')))
    const now = clock.now()
    const move = store.time.move({ jumps: { count: 0, totalMs: 0 }, now, byMs: 1000, passed: now + HOUR })
    await Promise.all([...others, move.then(() => done.push('jump'))])
    assert.ok(done.indexOf('jump') <= 2, String(done))
  })

  test('a jump ends no lease of a living node, and keeps none alive for as long', async (t) => {
    const { one, session, set } = await siteOn(t)
    const renewed = async (token: number | null) => {
      const node = { id: 'a', place: 'here', process: 'this', version: '1' }
      const answer = await one.store.nodes.lease(node, { lengthMs: 15_000, token, isStart: token === null })
      if ('refused' in answer) throw new Error('refused')
      return answer
    }
    const { lease } = await renewed(null)
    assert.equal((await renewed(lease.token)).isSameServer, true)
    await set(-HOUR)
    assert.equal((await renewed(lease.token)).isSameServer, false, 'the others are not held to be gone')
    await session.query("UPDATE nodes SET lease_until = lease_until + 3600000 WHERE id = 'a'")
    await twice(one)
    const { rows } = await session.query(
      'SELECT lease_until - extract(epoch FROM clock_timestamp()) * 1000 AS left FROM nodes',
    )
    assert.ok(Number(rows[0]?.left) <= 15_000, rows[0]?.left)
  })

  test('while a batch holds its locks nothing is moved, and its node stays in the old time', async (t) => {
    const { one, session, set, jumps } = await siteOn(t)
    const before = await one.pressed('before')
    await set(HOUR)
    await session.query('BEGIN')
    await session.query('SELECT count(*) FROM clock_jumps')
    await twice(one)
    assert.deepEqual([one.shifts, await jumps()], [[], { count: 0, totalMs: 0 }])
    isAbout(one.clock.now(), before.at)
    await session.query('COMMIT')
    await twice(one)
    assert.equal((await jumps()).count, 1)
    assert.equal(one.shifts.length, 1)
  })

  test('a node that starts with the clock set back moves the deadlines, and the others take that over', async (t) => {
    const { one, newNode, set, jumps } = await siteOn(t)
    const { dueAt } = await one.pressed('before')
    await set(-HOUR)
    const starting = await newNode()
    await starting.calendar.start()
    const { count, totalMs } = await jumps()
    assert.equal(count, 1)
    assert.equal(await one.store.nextActionAt(), dueAt + totalMs)
    await takesOver(one)
    await twice(starting)
    isAbout(one.shifts[0] ?? 0, -HOUR)
    assert.deepEqual(starting.shifts, [])
    assert.equal((await jumps()).count, 1)
    const { at, dueAt: next } = await starting.pressed('after')
    isAbout(next - at, 10_000)
  })
})
