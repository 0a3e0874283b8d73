import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { momentAt } from '../core/build.ts'
import { type StoreUnderTest, siteIn } from './site.ts'

/** devices.md#silence. */
export function silenceContract(subject: StoreUnderTest): void {
  suite('devices that fall silent', () => {
    test('are heard where they are watched, by their own interval or their application’s, and marked', async (t) => {
      const { store, application, user } = await siteIn(subject, t)
      const { id: appId } = application
      const ids = ['T-1', 'T-2', 'T-3']
      await store.registerHardware(
        appId,
        ids.map((hardwareId) => ({ hardwareId, codeHash: 'h', model: null })),
        momentAt(0),
      )
      for (const hardwareId of ids) {
        const pairing = { id: `d of ${hardwareId}`, appId, userId: user.id, hardwareId, now: momentAt(0), limit: 5 }
        await store.pair({ ...pairing, firmwareVersion: null, hardwareModel: null })
      }
      const hear = (seconds: number) =>
        store.noteHeard([...ids, 'unknown'].map((hardwareId) => ({ appId, hardwareId, heardAt: momentAt(seconds) })))
      const heard = async () =>
        (await store.heardDevices('', 10)).map((one) => [one.hardwareId, one.heardAt, one.silentAfterMinutes])
      await hear(1)
      assert.deepEqual(await heard(), [], 'nobody watches them')

      await store.updateApplication(appId, { silentAfterMinutes: 720 })
      assert.deepEqual(await store.watchHardware(appId, 'T-1', 60), { set: true })
      assert.deepEqual(await store.watchHardware(appId, 'T-3', 0), { set: true })
      assert.deepEqual(await store.watchHardware(appId, 'unknown', 60), { refused: 'hardware_not_found' })
      await hear(2)
      await hear(3)
      assert.deepEqual(await heard(), [
        ['T-1', momentAt(3), 60],
        ['T-2', momentAt(3), 720],
      ])
      assert.equal((await store.application(appId))?.silentAfterMinutes, 720)

      const [first, second] = await store.heardDevices('', 10)
      const marks = [
        { ...first!, silentSince: first!.heardAt },
        { ...second!, heardAt: momentAt(2), silentSince: momentAt(2) },
      ]
      assert.deepEqual(await store.keepSilence(marks), [first!.deviceId])
      assert.deepEqual(await store.keepSilence(marks), [], 'of two nodes, one has it')
      const query = { appIds: [appId], text: null, after: null, limit: 10 }
      const silent = await store.hardwarePage({ ...query, onlySilent: true })
      assert.deepEqual(
        silent.items.map(({ hardwareId, silentSince, silentAfterMinutes }) => [
          hardwareId,
          silentSince,
          silentAfterMinutes,
        ]),
        [['T-1', momentAt(3), 60]],
        'not the one that was heard meanwhile',
      )
      assert.deepEqual(
        (await store.heardDevices('d of T-1', 1)).map(({ hardwareId }) => hardwareId),
        ['T-2'],
      )
      await hear(4)
      const [again] = await store.heardDevices('', 1)
      assert.deepEqual([again?.heardAt, again?.silentSince], [momentAt(4), momentAt(3)])

      await store.setUserDisabled(appId, 'hiker-1', true)
      assert.deepEqual(
        (await heard()).map(([, , minutes]) => minutes),
        [0, 0],
        'a disabled user cannot be heard',
      )
      await store.unpairHardware(appId, 'T-1')
      assert.deepEqual((await store.heardDevices('', 10)).length, 1, 'it ends with the pairing')
    })
  })
}
