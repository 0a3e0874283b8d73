import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PushMark } from '../../src/core/account/push-subscription.ts'
import { momentAt } from '../core/build.ts'
import { appOn, asks, invitationTo } from './enrolment.ts'
import { type Site, type StoreUnderTest, siteIn } from './site.ts'

/** A device of a new user, and what it subscribes with. */
async function enrolled(site: Site) {
  const invitation = invitationTo(site)
  await site.store.inviteToApp(invitation)
  const done = await site.store.enrol(asks(invitation))
  assert.ok('device' in done)
  const { device, user } = done
  const subscription = {
    ...{ deviceId: device.id, userId: user.id, endpoint: `https://push.test/${device.id}`, p256dh: 'p', auth: 'a' },
    ...{ language: 'de' as const, wholeText: true, keptAt: momentAt(1) },
  } as const
  return { device, user, subscription }
}

const mark = (told: string, version: number, given: Partial<PushMark> = {}): PushMark => {
  return { told, since: 10, version, isEnd: false, onlyIfTold: false, ...given }
}

export function pushContract(subject: StoreUnderTest): void {
  suite('Web Push', () => {
    test('one subscription a device, and one device an endpoint', async (t) => {
      const site = await siteIn(subject, t)
      const { store } = site
      await appOn(site)
      const [{ subscription: one, user }, { subscription: two }] = [await enrolled(site), await enrolled(site)]
      assert.equal(await store.arePushesWanted(), false)
      assert.deepEqual(await store.keepPushSubscription(one), { kept: true })
      const nobody = { refused: 'app_device_not_found' }
      assert.deepEqual(await store.keepPushSubscription({ ...one, deviceId: two.deviceId }), nobody)
      await store.notePush(one, { failure: 'refused', at: momentAt(2) })
      const failed = { ...one, sentAt: null, failedAt: momentAt(2), failure: 'refused' }
      assert.deepEqual(await store.pushSubscriptions(user.id), [failed])
      await store.notePush(one, { failure: null, at: momentAt(3) })
      await store.keepPushSubscription({ ...one, endpoint: 'https://push.test/next', wholeText: false })
      await store.notePush(one, { failure: 'refused', at: momentAt(4) })
      const next = { ...failed, endpoint: 'https://push.test/next', wholeText: false }
      assert.deepEqual(await store.pushSubscriptions(user.id), [
        { ...next, sentAt: momentAt(3), failedAt: null, failure: null },
      ])
      await store.keepPushSubscription({ ...two, endpoint: next.endpoint })
      assert.deepEqual(await store.pushSubscriptions(user.id), [])
      assert.equal(await store.arePushesWanted(), true)
      await store.removePushSubscription(two.deviceId, two.endpoint)
      assert.equal(await store.arePushesWanted(), true, 'it has another one by now')
      await store.removePushSubscription(two.deviceId, next.endpoint)
      assert.equal(await store.arePushesWanted(), false)
    })

    test('a device is told once, and never what is older', async (t) => {
      const site = await siteIn(subject, t)
      const { store } = site
      await appOn(site)
      const { subscription: own } = await enrolled(site)
      await store.keepPushSubscription(own)
      const claim = (...given: Parameters<typeof mark>) => store.claimPush(own, mark(...given))
      assert.equal(await claim('nobody', 2, { onlyIfTold: true }), false)
      const both = await Promise.all([claim('ana', 2), claim('ana', 2)])
      assert.deepEqual(both.sort(), [false, true])
      assert.equal(await claim('early', 1), false)
      assert.equal(await claim('nobody', 3, { onlyIfTold: true }), true)
      assert.equal(await claim('of an alarm before', 9, { since: 9 }), false)
      assert.equal(await claim('over', Number.MAX_SAFE_INTEGER), true)
      assert.equal(await claim('of the next', 1, { since: 11 }), true)
      const elsewhere = { ...own, endpoint: 'https://push.test/other' }
      assert.equal(await store.claimPush(elsewhere, mark('x', 9, { since: 12 })), false)
    })

    test('it ends with the device, and with the user', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application } = site
      await appOn(site)
      const [one, two] = [await enrolled(site), await enrolled(site)]
      for (const { subscription } of [one, two]) await store.keepPushSubscription(subscription)
      await store.removeAppDevice(one.user.id, one.device.id, momentAt(5), momentAt(5))
      assert.deepEqual(await store.pushSubscriptions(one.user.id), [])
      for (;;) {
        const batch = await store.eraseUser(application.id, two.user.externalUserId, 100)
        assert.ok('done' in batch)
        if (batch.done) break
      }
      assert.equal(await store.arePushesWanted(), false)
    })

    test('the first key pair counts', async (t) => {
      const { store } = await siteIn(subject, t)
      assert.equal(await store.pushKey(), null)
      assert.equal(await store.keepPushKey('first', 1), 'first')
      assert.equal(await store.keepPushKey('second', 2), 'first')
      assert.equal(await store.pushKey(), 'first')
    })
  })
}
