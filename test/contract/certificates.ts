import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type StoreUnderTest, siteIn } from './site.ts'

export function certificateContract(subject: StoreUnderTest): void {
  suite('certificates', () => {
    test('one record of each name is kept, and lasts', async (t) => {
      const { place, store } = await siteIn(subject, t)
      assert.deepEqual(await store.certificateRecords(), [])
      await store.keepCertificateRecord('order', 'first', 1_000)
      await store.keepCertificateRecord('certificate', 'pair', 2_000)
      await store.keepCertificateRecord('order', 'second', 3_000)
      const kept = [
        { name: 'certificate', value: 'pair', at: 2_000 },
        { name: 'order', value: 'second', at: 3_000 },
      ]
      assert.deepEqual(await store.certificateRecords(), kept)
      await store.close()
      const again = await place.open()
      assert.deepEqual(await again.certificateRecords(), kept)
    })

    test('a record can be removed, also one that is not there', async (t) => {
      const { store } = await siteIn(subject, t)
      await store.keepCertificateRecord('challenges', 'some', 1_000)
      await store.keepCertificateRecord('challenges', null, 2_000)
      await store.keepCertificateRecord('order', null, 2_000)
      assert.deepEqual(await store.certificateRecords(), [])
    })
  })
}
