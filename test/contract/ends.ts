import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PressName } from '../../src/core/incident/end.ts'
import { parseEventTime } from '../../src/core/ingest/event-time.ts'
import { isoAfter, momentAt } from '../core/build.ts'
import { incidentOf, type SiteUser, type StoreUnderTest, siteIn } from './site.ts'

const DAY_SECONDS = 24 * 3600
const EUI = 'a84041ffff123456'

/** Names the press of these seconds, or of this time. */
const press = (sent: number | string, deviceId: string | null = null): PressName => ({
  kind: 'press',
  deviceId,
  sentAt: parseEventTime(typeof sent === 'string' ? sent : isoAfter(sent)),
})

/** What an end says: whether what it names is over, and whether anything is open. */
const ends = async (user: SiteUser, seconds: number, end: PressName | { kind: 'incident'; incidentId: string }) => {
  const { ended, incident } = await user.does(seconds, { type: 'cancel', end })
  return [ended, incident?.state.status ?? null]
}

/** An end is for one alarm. rules.md#ends. */
export function endContract(subject: StoreUnderTest): void {
  suite('an end', () => {
    test('that names an incident ends that one of the caller’s, or none', async (t) => {
      const site = await siteIn(subject, t)
      const { user } = site
      const other = await site.newUser('hiker-2')
      const [first, theirs] = [incidentOf(await user.presses(0)), incidentOf(await other.presses(0))]
      const named = (incidentId: string) => ({ kind: 'incident', incidentId }) as const
      assert.deepEqual(await ends(user, 5, named(theirs.id)), [false, 'active'])
      assert.deepEqual(await ends(user, 6, named(first.id)), [true, 'cancelled'])
      const second = incidentOf(await user.presses(10))
      // It waited: the person has pressed again.
      assert.deepEqual(await ends(user, 11, named(first.id)), [true, 'active'])
      assert.deepEqual(await ends(user, 12, named(second.id)), [true, 'cancelled'])
      assert.deepEqual(await ends(user, 13, named(second.id)), [true, null])
      assert.deepEqual(await ends(user, 14, named(theirs.id)), [false, null])
      assert.equal((await site.store.openIncident(other.id))?.incident.state.status, 'active')
    })

    test('without a name does nothing to an incident opened after it began', async (t) => {
      const { user } = await siteIn(subject, t)
      await user.presses(10)
      const unnamed = (since: number) => {
        const end = { kind: 'unnamed', since: momentAt(since), decideBy: momentAt(since + 5) } as const
        return user.does(since + 1, { type: 'resolve', end })
      }
      assert.deepEqual([(await unnamed(9)).verdict, (await unnamed(10)).verdict], ['unchanged', 'changed'])
    })

    test('that names a press finds it by what was sent, in any spelling', async (t) => {
      const { user } = await siteIn(subject, t)
      await user.presses(0, { deviceId: EUI })
      const spelled = press(isoAfter(0).replace('Z', '000000+00:00'), 'A8-40-41-FF-FF-12-34-56')
      assert.deepEqual(await ends(user, 1, press(0)), [false, 'active'])
      assert.deepEqual(await ends(user, 2, spelled), [true, 'cancelled'])
      assert.deepEqual(await ends(user, 3, spelled), [true, null])
      // Its clock is ten minutes fast: the arrival counts as event time.
      await user.presses(620, {}, 20)
      assert.deepEqual(await ends(user, 21, press(620)), [true, 'cancelled'])
    })

    test('that names a press ends the incident that it joined, unless an own source has pressed since', async (t) => {
      const { user } = await siteIn(subject, t)
      await user.presses(0)
      await user.presses(10)
      assert.deepEqual(await ends(user, 11, press(0)), [false, 'active'])
      assert.deepEqual(await ends(user, 12, press(10)), [true, 'cancelled'])
      await user.presses(20)
      // Sent again, it is the same press.
      await user.presses(20, {}, 25)
      assert.deepEqual(await ends(user, 26, press(20)), [true, 'cancelled'])
      await user.presses(40)
      // Pressed before, but heard of only now.
      await user.presses(30, { deviceId: 'tracker-1' }, 45)
      assert.deepEqual(await ends(user, 46, press(40)), [false, 'active'])
    })

    test('finds the press in a batch that has both', async (t) => {
      const { user } = await siteIn(subject, t)
      const [, first, , , second] = await Promise.all([
        user.presses(0),
        ends(user, 1, press(0)),
        user.presses(2),
        user.presses(3),
        ends(user, 4, press(2)),
        user.presses(0, {}, 5),
      ])
      assert.deepEqual(
        [first, second],
        [
          [true, 'cancelled'],
          [false, 'active'],
        ],
      )
    })

    test('that comes before its press lets exactly this one open and join nothing', async (t) => {
      const { store, user } = await siteIn(subject, t)
      assert.deepEqual(await ends(user, 1, press(0)), [false, null])
      for (const arrival of [2, 3]) {
        const { verdict, incident, events } = await user.presses(0, {}, arrival)
        assert.deepEqual([verdict, incident, events], ['ended_before', null, []])
      }
      assert.equal(await store.openIncident(user.id), null)
      // A retry of that end: its press has come, and is over. Of another press nothing is known.
      assert.deepEqual(await ends(user, 3.5, press(0)), [true, null])
      assert.deepEqual(await ends(user, 3.6, press(0, 'tracker-2')), [false, null])
      const opened = await user.presses(4)
      assert.equal(opened.verdict, 'opened')
      assert.equal((await user.presses(0, {}, 5)).verdict, 'ended_before')
      assert.deepEqual((await store.openIncident(user.id))?.incident, opened.incident)
      await user.does(6, { type: 'cancel' })
      // Another device, and no time that anybody could name.
      assert.equal((await user.presses(0, { deviceId: 'tracker-1' }, 7)).verdict, 'opened')
      await user.does(8, { type: 'cancel' })
      assert.equal((await user.presses(0, { timestamp: 'noon' }, 9)).verdict, 'opened')
    })

    test('and its press of one batch, the end first: the press opens nothing', async (t) => {
      const { user } = await siteIn(subject, t)
      const [ended, pressed, retried] = await Promise.all([
        ends(user, 1, press(0)),
        user.presses(0, {}, 2),
        ends(user, 3, press(0)),
      ])
      assert.deepEqual([ended, pressed.verdict, retried], [[false, null], 'ended_before', [true, null]])
    })

    test('stops no press of a tracker, and none of another session', async (t) => {
      const site = await siteIn(subject, t)
      const { user } = site
      await user.pairs('tracker-1')
      const relay = await site.newUser('hut')
      assert.deepEqual(await ends(user, 1, press(0, 'tracker-1')), [false, null])
      assert.deepEqual(await ends(relay, 1, press(4, 'tracker-1')), [false, null])
      const ofTracker = { deviceId: 'tracker-1' }
      assert.equal((await user.presses(0, ofTracker, 2, { byDevice: true })).verdict, 'opened')
      await user.does(3, { type: 'cancel' })
      assert.equal((await relay.presses(4, ofTracker, 5)).verdict, 'opened')
    })

    test('of a press on its way counts for a day, and the newest twenty of a user do', async (t) => {
      const { user } = await siteIn(subject, t)
      for (let n = 0; n < 21; n += 1) await ends(user, n, press(n))
      assert.equal((await user.presses(0, {}, 30)).verdict, 'opened')
      await user.does(31, { type: 'cancel' })
      assert.equal((await user.presses(1, {}, 32)).verdict, 'ended_before')
      assert.equal((await user.presses(1, {}, DAY_SECONDS)).verdict, 'ended_before')
      assert.equal((await user.presses(1, {}, DAY_SECONDS + 2)).verdict, 'opened')
    })

    test('without a name is counted, by application and day, for as long as it is kept', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application } = site
      const appId = application.id
      const day = (n: number) => n * DAY_SECONDS * 1000
      await store.addUnnamedEnds([
        { appId, day: day(1), count: 2 },
        { appId, day: day(2), count: 1 },
      ])
      await store.addUnnamedEnds([{ appId, day: day(2), count: 3 }])
      const other = await site.newApplication('Peak')
      const found = async (since: number, max = 5, appIds: readonly string[] | null = null) =>
        (await store.unnamedEnds(day(since), max, appIds)).map(({ application, count }) => [application, count])
      const name = application.name
      assert.deepEqual([await found(1), await found(2), await found(3)], [[[name, 6]], [[name, 4]], []])
      await store.addUnnamedEnds([{ appId: other.id, day: day(2), count: 9 }])
      assert.deepEqual(await found(1, 1), [[other.name, 9]])
      assert.deepEqual(await found(1, 1, [appId]), [[name, 6]])
      assert.deepEqual([await found(1, 5, [appId, 'gone']), await found(1, 5, [])], [[[name, 6]], []])
      const expire = () => store.deleteExpired('unnamedEnds', { before: day(2), max: 10, from: '' })
      assert.deepEqual([(await expire()).deleted, (await expire()).deleted], [1, 0])
      assert.deepEqual(await found(1), [
        [other.name, 9],
        [name, 4],
      ])
    })

    test('of a press on its way goes with its user, and in time', async (t) => {
      const { store, user, application } = await siteIn(subject, t)
      await ends(user, 0, press(0))
      const expire = (seconds: number) =>
        store.deleteExpired('awaitedEnds', { before: momentAt(seconds), max: 10, from: '' })
      assert.deepEqual([(await expire(0)).deleted, (await expire(1)).deleted], [0, 1])
      assert.equal((await user.presses(0, {}, 2)).verdict, 'opened')
      await user.does(3, { type: 'cancel' })
      await ends(user, 4, press(4))
      const { done } = { done: false, ...(await store.eraseUser(application.id, 'hiker-1', 100)) }
      assert.equal(done, true)
    })
  })
}
