import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { overdueRaise } from '../../src/core/timer/overdue-alert.ts'
import { MAX_PAST_TIMERS, MAX_TIMER_TEXTS, MAX_TIMERS, type Timer } from '../../src/core/timer/timer.ts'
import type { Notice, Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { until } from '../harness/wait.ts'
import { type SiteUser, type StoreUnderTest, siteIn } from './site.ts'

const HOUR = 3600
const GRACE = 300
const POSITION = { latitude: 47.1, longitude: 11.4, altitude: null, at: '2026-03-01T11:00:00.000Z' }

/** Sets a timer of the user `dueIn` seconds after the press of the core's stories, at `now`. */
async function setFor(store: Store, user: SiteUser, dueIn: number, now = 0): Promise<Timer> {
  const given = { id: randomUUID(), userId: user.id, dueAt: momentAt(dueIn), note: 'Glungezer', position: POSITION }
  const set = await store.setTimer({ ...given, now: momentAt(now) })
  assert.ok('timer' in set)
  return set.timer
}

const raised = (store: Store, timer: Timer, seconds: number) =>
  store.raiseTimer(
    timer.id,
    overdueRaise(timer, [], { now: momentAt(seconds), incidentId: randomUUID(), linkSecret: randomUUID() }),
  )

const statuses = async (store: Store, user: SiteUser) => (await store.timers(user.id)).map(({ status }) => status)

export function timerContract(subject: StoreUnderTest): void {
  suite('timers', () => {
    test('a timer that runs out raises one SOS, once, however many try', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const timer = await setFor(store, user, HOUR)
      assert.deepEqual(await store.timerAgenda(), { nextAt: momentAt(HOUR - 900), areMoved: false })
      const early = await raised(store, timer, HOUR + GRACE - 1)
      assert.equal(early, null, 'not before its time')
      const tries = await Promise.all([1, 2, 3].map(() => raised(store, timer, HOUR + GRACE)))
      const [committed, ...others] = tries.filter((one) => one !== null)
      assert.equal(others.length, 0)
      assert.equal(committed?.verdict, 'opened')
      const open = await store.openIncident(user.id)
      assert.deepEqual(open?.incident.overdue, { dueAt: momentAt(HOUR), note: 'Glungezer' })
      assert.deepEqual(open?.lastPosition, POSITION, 'with the age that it has')
      const [over] = await store.timers(user.id)
      assert.deepEqual([over?.status, over?.incidentId], ['raised', committed?.incidentId])
      assert.deepEqual(await store.overdueTimers(momentAt(2 * HOUR), 10, null), [])
    })

    test('running timers are paged for operators, due next first, with whose they are', async (t) => {
      const { store, user, application } = await siteIn(subject, t)
      const timers = [
        await setFor(store, user, 3 * HOUR),
        await setFor(store, user, HOUR),
        await setFor(store, user, 2),
      ]
      await store.endTimer({ userId: user.id, timerId: timers[2]!.id, now: momentAt(1) })
      const query = { appIds: null, text: null, after: null, limit: 1 }
      const first = await store.timerPage(query)
      assert.deepEqual(
        first.items.map(({ id, externalUserId, userName }) => [id, externalUserId, userName]),
        [[timers[1]!.id, 'hiker-1', null]],
      )
      assert.deepEqual(first.items[0]?.position, POSITION)
      const rest = await store.timerPage({ ...query, after: first.after, limit: 5 })
      assert.deepEqual(
        rest.items.map(({ id }) => id),
        [timers[0]!.id],
      )
      assert.equal(rest.after, null)
      for (const [given, count] of [
        [{ appIds: [application.id] }, 2],
        [{ appIds: [] }, 0],
        [{ text: 'GLUNGEZER' }, 2],
        [{ text: 'nobody' }, 0],
      ] as const) {
        assert.equal((await store.timerPage({ ...query, limit: 5, ...given })).items.length, count)
      }
    })

    test('reminders by SMS are counted a day, a user and a number, also after a restart', async (t) => {
      const site = await siteIn(subject, t)
      const { store, user, place } = site
      const [phone, otherPhone] = ['+436641111111', '+436642222222']
      const count = (by: Store, userId: string, to: string, seconds: number) =>
        by.countTimerText({ id: randomUUID(), userId, phone: to, now: momentAt(seconds) })
      for (let n = 1; n < MAX_TIMER_TEXTS; n += 1) assert.equal(await count(store, user.id, phone, n), true)
      await store.close()
      const again = await place.open()
      assert.equal(await count(again, user.id, phone, MAX_TIMER_TEXTS), true)
      assert.equal(await count(again, user.id, otherPhone, MAX_TIMER_TEXTS), false, 'the user has had theirs')
      const other = randomUUID()
      await again.ensureUser({ appId: site.application.id, externalUserId: 'other', id: other, now: momentAt(0) })
      assert.equal(await count(again, other, phone, MAX_TIMER_TEXTS), false, 'so has the number')
      assert.equal(await count(again, other, otherPhone, MAX_TIMER_TEXTS), true)
      assert.equal(await count(again, randomUUID(), otherPhone, MAX_TIMER_TEXTS), false, 'nobody')
      assert.equal(await count(again, user.id, phone, 24 * HOUR + 1), true, 'a day after the first one')
      assert.equal(await count(again, user.id, phone, 24 * HOUR + 1), false)
      assert.equal(await count(again, user.id, phone, -24 * HOUR), true, 'a clock set back prolongs nothing')
    })

    test('with an SOS open it counts as a press', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
      const timer = await setFor(store, user, HOUR)
      const press = await user.presses(HOUR)
      const committed = await raised(store, timer, HOUR + GRACE)
      assert.deepEqual([committed?.verdict, committed?.incidentId], ['updated', press.incidentId])
      assert.equal(committed?.incident?.lastAlertAt, momentAt(HOUR + GRACE))
    })

    test('an end that comes first wins, whoever else is about to raise it', async (t) => {
      const { store, user, newUser } = await siteIn(subject, t).then((site) => ({
        store: site.store,
        user: site.user,
        newUser: () => site.newUser('stranger'),
      }))
      const timer = await setFor(store, user, HOUR)
      const stranger = await newUser()
      const now = momentAt(HOUR + GRACE)
      const refused = { refused: 'timer_not_found' }
      assert.deepEqual(await store.endTimer({ userId: stranger.id, timerId: timer.id, now }), refused)
      assert.deepEqual(await store.endTimer({ userId: stranger.id, timerId: null, now }), refused)
      const dueAt = momentAt(9 * HOUR)
      assert.deepEqual(await store.extendTimer({ userId: stranger.id, timerId: timer.id, dueAt, now }), refused)
      const [ended, committed] = await Promise.all([
        store.endTimer({ userId: user.id, timerId: timer.id, now }),
        raised(store, timer, HOUR + GRACE),
      ])
      const isEnded = 'status' in ended && ended.status === 'ended'
      assert.equal(committed === null, isEnded, 'one of them')
      assert.equal((await store.openIncident(user.id)) === null, isEnded)
    })

    test('the one due next ends; what has raised an SOS cannot be ended or extended', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const first = await setFor(store, user, HOUR)
      const second = await setFor(store, user, 2 * HOUR)
      const now = momentAt(60)
      const ended = await store.endTimer({ userId: user.id, timerId: null, now })
      assert.equal('id' in ended && ended.id, first.id)
      assert.deepEqual((await store.timers(user.id))[1], ended)
      await raised(store, second, 2 * HOUR + GRACE)
      const over = { refused: 'timer_over' }
      const key = { userId: user.id, timerId: second.id, now: momentAt(3 * HOUR) }
      assert.deepEqual(await store.endTimer(key), over)
      assert.deepEqual(await store.extendTimer({ ...key, dueAt: momentAt(9 * HOUR) }), over)
    })

    test('extending moves all three moments', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const timer = await setFor(store, user, HOUR)
      const key = { userId: user.id, timerId: null, now: momentAt(1) }
      const extended = await store.extendTimer({ ...key, dueAt: momentAt(3 * HOUR) })
      assert.ok('id' in extended)
      const { dueAt, opensAt, remindsAt } = extended
      const moments = [3 * HOUR, 3 * HOUR + GRACE, 3 * HOUR - 900].map(momentAt)
      assert.deepEqual([extended.id, dueAt, opensAt, remindsAt], [timer.id, ...moments])
      assert.deepEqual(await store.timers(user.id), [extended])
      assert.equal(await raised(store, timer, HOUR + GRACE), null)
    })

    test('the same moment is the same timer; a user has a few of them, and few past ones are kept', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const first = await setFor(store, user, HOUR)
      assert.deepEqual(await setFor(store, user, HOUR, 5), first)
      assert.deepEqual(await store.timers(user.id), [first])
      for (let n = 2; n <= MAX_TIMERS; n += 1) await setFor(store, user, n * HOUR)
      const one = { id: randomUUID(), userId: user.id, dueAt: momentAt(99), note: null, position: null, now: 0 }
      assert.deepEqual(await store.setTimer(one), { refused: 'timer_limit' })
      assert.deepEqual(await store.setTimer({ ...one, userId: randomUUID() }), { refused: 'user_not_found' })
      for (let n = 1; n <= MAX_PAST_TIMERS + 2; n += 1) {
        await store.endTimer({ userId: user.id, timerId: null, now: momentAt(n) })
        await setFor(store, user, (100 + n) * HOUR)
      }
      const past = (await statuses(store, user)).filter((status) => status === 'ended')
      assert.equal(past.length, MAX_PAST_TIMERS)
    })

    test('each reminder is taken once, and other processes hear of it', async (t) => {
      const { store, user, place } = await siteIn(subject, t)
      const timer = await setFor(store, user, HOUR)
      await setFor(store, user, 600)
      const other = await place.open({ leaveNotices: true })
      const heard: Notice[] = []
      t.after(await store.onNotice((notice) => void heard.push(notice)))
      const taken = await Promise.all([1, 2].map(() => other.takeReminders(momentAt(HOUR - 900), 10)))
      assert.deepEqual(
        taken.flat().map(({ id }) => id),
        [timer.id],
        'none for one that was set less than 15 min ahead',
      )
      await until('the service hears of it', () => heard.find(({ kind }) => kind === 'timer'))
      assert.deepEqual((await store.timerAgenda()).nextAt, momentAt(600 + GRACE))
    })

    test('deadlines move with the clock until the date is believed', async (t) => {
      const { store, user } = await siteIn(subject, t)
      await setFor(store, user, HOUR)
      const year = 365 * 86_400
      // A start far in the future: from the last moment that was stored.
      await store.changePending({ type: 'reckonAnew', now: momentAt(year), from: momentAt(60) })
      assert.deepEqual(
        await store.overdueTimers(momentAt(year + HOUR), 10, null),
        [],
        'no timer runs out with the jump',
      )
      const due = await store.overdueTimers(momentAt(year + HOUR + GRACE), 10, null)
      assert.equal(due.length, 1, 'nor is it silenced')
      assert.equal(due[0]?.dueAt, momentAt(HOUR), 'messages name the moment that was given')
      assert.equal((await store.timerAgenda()).areMoved, true)
      assert.equal(await store.anchorTimers(10), 1)
      assert.equal(await store.anchorTimers(10), 0)
      assert.equal((await store.overdueTimers(momentAt(HOUR + GRACE), 10, null)).length, 1)
      assert.deepEqual(await store.timerAgenda(), { nextAt: momentAt(HOUR - 900), areMoved: false })
    })

    test('those that are due are read page by page', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const timers: Timer[] = []
      for (const dueIn of [3, 1, 2]) timers.push(await setFor(store, user, dueIn * HOUR))
      const now = momentAt(4 * HOUR)
      const first = await store.overdueTimers(now, 2, null)
      const second = await store.overdueTimers(now, 2, first.at(-1)!)
      const [third, earliest, middle] = timers.map(({ id }) => id)
      assert.deepEqual(
        [...first, ...second].map(({ id }) => id),
        [earliest, middle, third],
      )
    })

    test('past timers expire, running ones do not; both go with their user', async (t) => {
      const { store, user, application } = await siteIn(subject, t)
      await setFor(store, user, -3 * HOUR, -9 * HOUR)
      await setFor(store, user, HOUR, -9 * HOUR)
      await store.endTimer({ userId: user.id, timerId: null, now: momentAt(-4 * HOUR) })
      const batch = await store.deleteExpired('timers', { before: momentAt(0), max: 10, from: '' })
      assert.deepEqual(batch, { deleted: 1, next: null })
      assert.deepEqual(await statuses(store, user), ['running'])
      const erased = await store.eraseUser(application.id, 'hiker-1', 100)
      assert.ok('done' in erased && erased.done)
      assert.deepEqual(await store.timerAgenda(), { nextAt: null, areMoved: false })
    })
  })
}
