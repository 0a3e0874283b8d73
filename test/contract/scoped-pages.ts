import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import type { Page, ScopedQuery, Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { applicationCalled, incidentOf, type StoreUnderTest, siteIn } from './site.ts'

const everything: ScopedQuery = { appIds: null, text: null, after: null, limit: 100 }

/** All pages of a list, two items each, as what `name` says of each item. */
async function paged<T>(
  read: (query: ScopedQuery) => Promise<Page<T>>,
  name: (item: T) => unknown,
  given: Partial<ScopedQuery> = {},
): Promise<readonly unknown[]> {
  const items: T[] = []
  let after: string | null = null
  do {
    const page: Page<T> = await read({ ...everything, limit: 2, ...given, after })
    assert.ok(page.items.length <= 2)
    items.push(...page.items)
    after = page.after
  } while (after !== null)
  return items.map(name)
}

async function twoApplications(store: Store, appId: string) {
  const other = applicationCalled('Elsewhere')
  await store.createApplication(other, 'x')
  const userOf = (id: string, externalUserId: string) =>
    store.ensureUser({ appId: id, externalUserId, id: randomUUID(), now: momentAt(0) })
  const zoe = await userOf(appId, 'hiker-9')
  await store.updateProfile(zoe.id, { name: 'Zoë ÖLLER', phone: '+4366012345678' }, momentAt(0))
  return { other, zoe, eve: await userOf(other.id, 'climber-1') }
}

export function scopedPageContract(subject: StoreUnderTest): void {
  suite('lists for operators', () => {
    test('users are paged by application and external id, and found by name, number and id', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const { other } = await twoApplications(store, application.id)
      const users = (given: Partial<ScopedQuery>) =>
        paged(
          (query) => store.userPage(query),
          ({ externalUserId }) => externalUserId,
          given,
        )
      assert.deepEqual((await users({})).toSorted(), ['climber-1', 'hiker-1', 'hiker-9'])
      assert.deepEqual(await users({ appIds: [application.id] }), ['hiker-1', 'hiker-9'])
      assert.deepEqual(await users({ appIds: [other.id] }), ['climber-1'])
      assert.deepEqual((await users({ appIds: [other.id, application.id] })).length, 3)
      assert.deepEqual(await users({ appIds: [] }), [])
      for (const text of ['öller', 'HIKER-9', '366012']) assert.deepEqual(await users({ text }), ['hiker-9'], text)
      assert.deepEqual(await users({ text: "%' OR 1=1 --" }), [])
      assert.deepEqual(await users({ appIds: [other.id], text: 'hiker' }), [])
      for (const after of ['nonsense', (await store.hardwarePage(everything)).after ?? 'x']) {
        assert.deepEqual(await store.userPage({ ...everything, after }), { items: [], after: null, badCursor: true })
      }
    })

    test('trackers are paged with their owners', async (t) => {
      const { store, application, user } = await siteIn(subject, t)
      const { other } = await twoApplications(store, application.id)
      const hardware = (hardwareId: string) => ({ hardwareId, codeHash: 'h', model: 'T1000' })
      await store.registerHardware(application.id, ['T-3', 'T-1', 'T-2'].map(hardware), momentAt(0))
      await store.registerHardware(other.id, [hardware('T-1')], momentAt(0))
      const pairing = {
        id: 'd1',
        appId: application.id,
        userId: user.id,
        hardwareId: 'T-2',
        now: momentAt(1),
        limit: 5,
      }
      await store.pair({ ...pairing, firmwareVersion: null, hardwareModel: null })
      const owned = {
        hardwareId: 'T-2',
        model: 'T1000',
        userId: user.id,
        externalUserId: 'hiker-1',
        pairedAt: momentAt(1),
        lockedUntil: null,
        silentAfterMinutes: null,
        silentSince: null,
      }
      assert.deepEqual(await store.hardware(application.id, 'T-2'), owned)
      assert.equal(await store.hardware(other.id, 'T-2'), null)
      const trackers = (given: Partial<ScopedQuery>) =>
        paged(
          (query) => store.hardwarePage(query),
          ({ hardwareId }) => hardwareId,
          given,
        )
      assert.deepEqual(await trackers({ appIds: [application.id] }), ['T-1', 'T-2', 'T-3'])
      assert.deepEqual((await trackers({})).toSorted(), ['T-1', 'T-1', 'T-2', 'T-3'])
      assert.deepEqual(await trackers({ text: 'Hiker' }), ['T-2'])
      const { items } = await store.hardwarePage({ ...everything, text: 't-2' })
      assert.deepEqual(items, [{ appId: application.id, ...owned }])
    })

    test('messages, dead letters and feedback come newest first, each to whom its application is', async (t) => {
      const { store, application, user } = await siteIn(subject, t, { actuators: {} })
      const { other, eve } = await twoApplications(store, application.id)
      const { id: incidentId } = incidentOf(await user.presses(0))
      const message = (attemptId: string, given: { incidentId?: string; to?: string } = {}) =>
        store.addToOutbox({
          attemptId,
          incidentId,
          contactId: '',
          channel: 'sms',
          to: '+43660111',
          text: `Text ${attemptId}`,
          createdAt: momentAt(0),
          ...given,
        })
      await message('a')
      await message('test', { incidentId: '', to: '+43660222' })
      await message('b')
      const outbox = (given: Partial<ScopedQuery>) =>
        paged(
          (query) => store.outboxPage(query),
          ({ attemptId, appId }) => [attemptId, appId],
          given,
        )
      const { id } = application
      assert.deepEqual(await outbox({}), [
        ['b', id],
        ['test', null],
        ['a', id],
      ])
      assert.deepEqual(await outbox({ appIds: [id] }), [
        ['b', id],
        ['a', id],
      ])
      assert.deepEqual(await outbox({ appIds: [other.id] }), [])
      assert.deepEqual(await outbox({ text: '222' }), [['test', null]])

      const payload = new Uint8Array(5000).fill(7)
      for (const [userId, topic] of [
        [user.id, 'one'],
        [eve.id, 'two'],
        [user.id, 'three'],
      ] as const) {
        await store.addDeadLetter({ userId, topic, reason: 'not JSON', payload, receivedAt: momentAt(1) })
      }
      const letters = (given: Partial<ScopedQuery>) =>
        paged(
          (query) => store.deadLetterPage(query),
          ({ topic, appId }) => [topic, appId],
          given,
        )
      assert.deepEqual(await letters({}), [
        ['three', id],
        ['two', other.id],
        ['one', id],
      ])
      assert.deepEqual(await letters({ appIds: [other.id] }), [['two', other.id]])
      const [letter] = (await store.deadLetterPage({ ...everything, text: 'THREE' })).items
      assert.deepEqual([letter?.payload.byteLength, letter?.payload[0], letter?.payloadBytes], [4096, 7, 5000])

      const say = (feedbackId: string, userId: string, at: number) =>
        store.addFeedback({
          id: feedbackId,
          userId,
          message: `Says ${feedbackId}`,
          category: null,
          rating: 5,
          createdAt: at,
        })
      await say('f1', user.id, 1)
      await say('f3', eve.id, 2)
      await say('f2', user.id, 2)
      const feedback = (given: Partial<ScopedQuery>) =>
        paged(
          (query) => store.feedbackPage(query),
          (one) => one.id,
          given,
        )
      assert.deepEqual(await feedback({}), ['f3', 'f2', 'f1'])
      assert.deepEqual(await feedback({ appIds: [id] }), ['f2', 'f1'])
      assert.deepEqual(await feedback({ text: 'SAYS F1' }), ['f1'])
    })
  })
}
