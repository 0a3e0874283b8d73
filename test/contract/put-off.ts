import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import type { Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { effort } from '../harness/effort.ts'
import fc from '../harness/fast-check.ts'
import { PutOffModel } from './put-off-model.ts'
import { at, incidentOf, type SiteUser, type StoreUnderTest, siteIn } from './site.ts'

const MINUTE = 60

/** The ids that boards, and the list of the command line, show as open. */
async function onBoard(store: Store): Promise<readonly string[]> {
  const filter = { statuses: null, applications: null, from: null, to: null, text: null } as const
  const { items } = await store.board({ ...filter, state: 'open' }, { after: null, limit: 10 })
  const closed = await store.board({ ...filter, state: 'closed' }, { after: null, limit: 10 })
  const ids = items.map(({ incident }) => incident.id)
  assert.deepEqual(
    (await store.incidents({ openOnly: true })).map(({ incident }) => incident.id).sort(),
    ids.toSorted(),
  )
  assert.ok(closed.items.every(({ incident }) => !ids.includes(incident.id)))
  return ids
}

/** `count` presses, 5 s apart. Returns the second of the last one. */
async function run(user: SiteUser, from: number, count: number, fields: Record<string, unknown> = {}): Promise<number> {
  for (let k = 0; k < count; k += 1) await user.presses(from + k * 5, fields)
  return from + (count - 1) * 5
}

const resolves = (user: SiteUser, seconds: number, by: 'operator' | 'user' = 'operator') =>
  user.does(seconds, { type: 'resolve', by })

/** rules.md#put-off. */
export function putOffContract(subject: StoreUnderTest): void {
  suite('presses that no hand makes', () => {
    test('are put off for 15, then 30 min once an operator has ended the alarm, and after a restart', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { user, place } = site
      let { store } = site
      const last = await run(user, 0, 20, at(46))
      const first = incidentOf(await resolves(user, last + 1))
      const put = await user.presses(last + 5, at(47))
      assert.deepEqual([put.verdict, put.incidentId, put.events], ['put_off', first.id, []])
      assert.equal(incidentOf(put).putOff?.until, momentAt(last + 5 + 15 * MINUTE))
      assert.equal(put.nextActionAt, momentAt(last + 5 + 15 * MINUTE + 15))
      assert.deepEqual(await onBoard(store), [first.id])
      assert.equal((await store.boardRecord(first.id))?.presses, 21)
      await store.close()
      store = await place.open()
      const again = user.in(store)
      let now = last + 20
      for (; now < last + 5 + 15 * MINUTE; now += 10)
        assert.equal((await again.presses(now, at(48))).verdict, 'put_off')
      assert.deepEqual(
        [(await store.positionTrail(first.id)).at(-1)?.latitude, await store.openIncident(user.id)],
        [46, null],
      )
      // Nobody has looked: it alarms, and nothing is put off any more.
      const second = await again.presses(now, at(48))
      assert.equal(second.verdict, 'opened')
      assert.deepEqual(
        second.overtaken?.map(({ incidentId }) => incidentId),
        [first.id],
      )
      assert.deepEqual(await onBoard(store), [second.incidentId])
      await resolves(again, now + 1)
      assert.equal(incidentOf(await again.presses(now + 5, at(48))).putOff?.until, momentAt(now + 5 + 30 * MINUTE))
    })

    const others: readonly [string, (user: SiteUser, now: number) => Promise<{ verdict: string }>][] = [
      ['with other names of fields', (user, now) => user.presses(now, at(47))],
      ['from another device', (user, now) => user.presses(now, { deviceId: 'phone-2' })],
    ]
    for (const [what, pressesOtherwise] of others) {
      test(`are presses: one ${what} alarms, before and while they are put off`, async (t) => {
        const { user, store } = await siteIn(subject, t)
        const last = await run(user, 0, 20)
        await resolves(user, last + 1)
        assert.equal((await pressesOtherwise(user, last + 5)).verdict, 'opened')
        await resolves(user, last + 30)
        const next = await run(user, last + 100, 20)
        await resolves(user, next + 1)
        assert.equal((await user.presses(next + 5)).verdict, 'put_off')
        const opened = await pressesOtherwise(user, next + 10)
        assert.equal(opened.verdict, 'opened')
        assert.deepEqual(await onBoard(store), [incidentOf(await user.presses(next + 22)).id])
      })
    }

    test('are too few, or ended by the person: they alarm', async (t) => {
      const { user } = await siteIn(subject, t)
      const last = await run(user, 0, 18)
      await resolves(user, last + 1)
      assert.equal((await user.presses(last + 5)).verdict, 'opened')
      await resolves(user, last + 6, 'user')
      assert.equal((await user.presses(last + 10)).verdict, 'opened')
    })

    test('were ended by the person, within seconds of an operator’s end as well: only those since then count', async (t) => {
      const { user } = await siteIn(subject, t)
      const last = await run(user, 0, 25)
      await resolves(user, last + 1, 'user')
      // The first is of a new run, though none of the gaps is long.
      for (const k of [1, 2]) {
        assert.equal((await user.presses(last + k * 5)).verdict, 'opened')
        await resolves(user, last + k * 5 + 1)
      }
      const next = await run(user, last + 15, 17)
      await resolves(user, next + 1)
      assert.equal((await user.presses(next + 5)).verdict, 'put_off')
    })

    test('of another user count for nobody else: what a relay sends puts no press of the owner off', async (t) => {
      const site = await siteIn(subject, t)
      const { user } = site
      const gateway = await site.newUser('gateway')
      await user.pairs('tracker-1')
      const fields = { deviceId: 'tracker-1' }
      const last = await run(gateway, 0, 25, fields)
      await resolves(user, last + 1)
      // Nor its own: an unlisted relay is never put off.
      assert.equal((await gateway.presses(last + 5, fields)).verdict, 'opened')
      await gateway.relays()
      const next = await run(gateway, last + 10, 25, fields)
      await resolves(user, next + 1)
      assert.equal((await gateway.presses(next + 3, fields)).verdict, 'put_off')
      assert.equal((await user.presses(next + 5, fields)).verdict, 'opened')
    })

    test('are alarmed with when an operator says so, from the press that was put off', async (t) => {
      const { user, store } = await siteIn(subject, t, { contacts: ['Ana'], settings: { graceSeconds: 10 } })
      const last = await run(user, 0, 20)
      await resolves(user, last + 1)
      const { putOff } = incidentOf(await user.presses(last + 5))
      const ids = { incidentId: randomUUID(), linkSecret: randomUUID() }
      const command = { type: 'raise', alert: putOff!.alert, reporterId: user.id, alarmNow: true, ...ids } as const
      const raised = await user.does(last + 8, command)
      assert.deepEqual([raised.verdict, raised.nextActionAt], ['opened', momentAt(last + 8)])
      assert.equal(incidentOf(raised).occurredAt.ms, momentAt(last + 5))
      assert.deepEqual(await onBoard(store), [raised.incidentId])
      assert.equal((await user.presses(last + 10)).verdict, 'updated')
    })

    test('are put off in the batch that has the end, and an end by the person there breaks the run', async (t) => {
      const { user } = await siteIn(subject, t)
      const last = await run(user, 0, 20)
      const [, put, another] = await Promise.all([
        resolves(user, last + 1),
        user.presses(last + 5),
        user.presses(last + 6),
      ])
      assert.deepEqual([put.verdict, another.verdict], ['put_off', 'put_off'])
      const next = await run(user, last + 100, 20)
      const [, opened] = await Promise.all([resolves(user, next + 1, 'user'), user.presses(next + 5)])
      await resolves(user, next + 6)
      assert.deepEqual([opened.verdict, (await user.presses(next + 10)).verdict], ['opened', 'opened'])
    })

    test('are put off as the model says, in random stories', async (t) => {
      const site = await siteIn(subject, t)
      let [users, now] = [0, 0]
      const step = fc.oneof(
        {
          weight: 8,
          arbitrary: fc.record({ what: fc.constant('runs' as const), count: fc.integer({ min: 18, max: 20 }) }),
        },
        {
          weight: 8,
          arbitrary: fc.record({ what: fc.constant('presses' as const), count: fc.integer({ min: 1, max: 3 }) }),
        },
        { weight: 6, arbitrary: fc.record({ what: fc.constant('resolves' as const), count: fc.constant(1) }) },
        { weight: 1, arbitrary: fc.record({ what: fc.constant('ends' as const), count: fc.constant(1) }) },
        { weight: 1, arbitrary: fc.record({ what: fc.constant('waits' as const), count: fc.constant(1) }) },
      )
      const told = fc.record({
        step,
        gap: fc.constantFrom(1, 5, 15, 15, 16),
        device: fc.constantFrom(...['', '', '', 'tracker']),
        names: fc.constantFrom(...['', '', '', 'altitude']),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(told, { minLength: 4, maxLength: 14 }), async (story) => {
          const user = await site.newUser(`user ${++users}`)
          const device = `tracker-${users}`
          await user.pairs(device)
          const model = new PutOffModel()
          now += 100_000
          for (const { step, gap, device: from, names } of story) {
            const fields = { ...(from && { deviceId: device }), ...(names && { [names]: 500 + gap }) }
            for (let k = 0; k < step.count; k += 1) {
              now += step.what === 'waits' ? 14 * MINUTE : step.what === 'runs' ? Math.min(gap, 15) : gap
              switch (step.what) {
                case 'runs':
                case 'presses':
                  assert.equal((await user.presses(now, fields)).verdict, model.press(now, from, names), `at ${now}`)
                  break
                case 'resolves':
                  await resolves(user, now)
                  model.operatorEnds()
                  break
                case 'ends':
                  await resolves(user, now, 'user')
                  model.userEnds()
                  break
              }
            }
          }
        }),
        { numRuns: effort(20, 200) },
      )
    })

    test('end with an end by the person, whose next press alarms', async (t) => {
      const { user, store } = await siteIn(subject, t)
      const last = await run(user, 0, 20)
      await resolves(user, last + 1)
      assert.equal((await user.presses(last + 5)).verdict, 'put_off')
      await resolves(user, last + 6, 'user')
      assert.deepEqual(await onBoard(store), [])
      assert.equal((await user.presses(last + 8)).verdict, 'opened')
    })

    test('are forgotten by boards once they have stopped', async (t) => {
      const { user, store } = await siteIn(subject, t)
      const last = await run(user, 0, 20)
      await resolves(user, last + 1)
      const put = await user.presses(last + 5)
      const key = { incidentId: put.incidentId! }
      await user.does(last + 5 + 15 * MINUTE + 14, { type: 'proceed', inFlight: [] }, key)
      assert.deepEqual(await onBoard(store), [put.incidentId])
      const over = await user.does(last + 5 + 15 * MINUTE + 15, { type: 'proceed', inFlight: [] }, key)
      assert.deepEqual([await onBoard(store), over.nextActionAt], [[], null])
      assert.equal((await user.presses(last + 2000)).verdict, 'opened')
    })
  })
}
