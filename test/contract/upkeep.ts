import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { momentAt } from '../core/build.ts'
import { type StoreUnderTest, siteIn } from './site.ts'

export function upkeepContract(subject: StoreUnderTest): void {
  suite('upkeep', () => {
    test('a write that fails does not fail its neighbours, and leaves nothing behind', async (t) => {
      const { store, application, user } = await siteIn(subject, t)
      const settled = await Promise.allSettled([
        user.presses(0),
        // Fails at its second statement: the first one must be rolled back.
        store.createApplication({ ...application, id: 'half' }, null as unknown as string),
        store.setUserDisabled(application.id, 'hiker-1', true),
      ])
      assert.deepEqual(
        settled.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.equal(await store.application('half'), null)
      assert.notEqual(await store.openIncident(user.id), null)
      assert.equal((await store.user(user.id))?.disabled, true)
    })

    test('a fault rejects with a StoreError', async (t) => {
      const { store } = await siteIn(subject, t)
      const broken = store.ensureUser({ appId: 'nowhere', externalUserId: 'x', id: 'x', now: momentAt(0) })
      await assert.rejects(broken, { name: 'StoreError', kind: 'fault' })
    })

    test('proves that it can write, however many ask', async (t) => {
      const { store } = await siteIn(subject, t)
      await Promise.all([store.checkWritable(), store.checkWritable()])
      await store.checkWritable()
    })

    test('reports current figures, however many ask', async (t) => {
      const site = await siteIn(subject, t)
      const { store, user, application } = site
      const empty = await store.figures()
      assert.deepEqual([empty.deadLetters, empty.heldIncidents], [0, 0])
      assert.deepEqual(empty.openIncidents, { active: 0, acknowledged: 0 })

      const elsewhere = await site.newApplication('Elsewhere')
      const others = [await site.newUser('hiker-2'), await site.newUser('hiker-3', elsewhere.id)]
      const contactId = await user.adds('Ana')
      for (const presser of [user, ...others]) await presser.presses(0)
      await user.does(20, { type: 'acknowledge', contactId })
      await others[0]!.does(20, { type: 'cancel' })
      await others[1]!.does(20, { type: 'restore' })
      const letter = { userId: user.id, topic: 'tel/x/data', reason: 'no JSON object', payload: new Uint8Array(3) }
      await store.addDeadLetter({ ...letter, receivedAt: momentAt(1) })
      const [one, other] = await Promise.all([store.figures(), store.figures()])
      assert.deepEqual(one.openIncidents, { active: 1, acknowledged: 1 })
      assert.deepEqual([one.deadLetters, one.heldIncidents], [1, 1])
      assert.deepEqual(
        one.ofApplications,
        new Map([
          [application.id, { deadLetters: 1, openIncidents: { active: 0, acknowledged: 1 }, heldIncidents: 0 }],
          [elsewhere.id, { deadLetters: 0, openIncidents: { active: 1, acknowledged: 0 }, heldIncidents: 1 }],
        ]),
      )
      assert.deepEqual(other, one)
    })

    test('close commits everything submitted, then refuses', async (t) => {
      const { place, store, user, application } = await siteIn(subject, t)
      const handedIn = [user.presses(0), user.sends(1)]
      await Promise.all([store.close(), store.close()])
      await Promise.all(handedIn)
      const closed = { name: 'StoreError', kind: 'closed' }
      await assert.rejects(user.presses(2), closed)
      await assert.rejects(store.openIncident(user.id), closed)
      await assert.rejects(store.application(application.id), closed)
      await assert.rejects(store.checkWritable(), closed)
      await assert.rejects(store.figures(), closed)
      const again = await place.open()
      assert.notEqual(await again.openIncident(user.id), null)
    })
  })
}
