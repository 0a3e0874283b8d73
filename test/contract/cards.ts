import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { momentAt } from '../core/build.ts'
import { type StoreUnderTest, siteIn } from './site.ts'

export function cardContract(subject: StoreUnderTest): void {
  suite('cards', () => {
    test('one a user, replaced only where it is still the one that was read', async (t) => {
      const { place, store, user } = await siteIn(subject, t)
      const keep = (value: string | null, before: string | null, seconds: number) =>
        store.keepCard(user.id, { value, before, at: momentAt(seconds) })
      assert.equal(await store.card(user.id), null)
      assert.equal(await store.anyCard(), null)
      assert.deepEqual(await keep('first', null, 1), { kept: true })
      assert.deepEqual(await keep('other', null, 2), { refused: 'card_changed' })
      assert.deepEqual(await keep('other', 'zeroth', 2), { refused: 'card_changed' })
      assert.deepEqual(await keep('second', 'first', 3), { kept: true })
      const kept = { value: 'second', updatedAt: momentAt(3) }
      assert.deepEqual(await store.card(user.id), kept)
      assert.deepEqual(await store.anyCard(), { userId: user.id, value: 'second' })
      await store.close()
      const again = await place.open()
      assert.deepEqual(await again.card(user.id), kept)
      assert.deepEqual(await again.keepCard(user.id, { value: null, before: 'second', at: momentAt(4) }), {
        kept: true,
      })
      assert.equal(await again.card(user.id), null)
    })

    test('it is removed whatever it is, and there is none of nobody', async (t) => {
      const { store, user } = await siteIn(subject, t)
      await store.keepCard(user.id, { value: 'first', before: null, at: momentAt(1) })
      assert.deepEqual(await store.removeCard(user.id), { removed: true })
      assert.deepEqual(await store.removeCard(user.id), { refused: 'no_card' })
      const nobody = await store.keepCard('nobody', { value: 'x', before: null, at: momentAt(1) })
      assert.deepEqual(nobody, { refused: 'user_not_found' })
    })

    test('it goes with its user', async (t) => {
      const { store, user, application } = await siteIn(subject, t)
      await store.keepCard(user.id, { value: 'first', before: null, at: momentAt(1) })
      for (;;) {
        const batch = await store.eraseUser(application.id, 'hiker-1', 100)
        assert.ok('done' in batch)
        if (batch.done) break
      }
      assert.equal(await store.card(user.id), null)
      assert.equal(await store.anyCard(), null)
    })
  })
}
