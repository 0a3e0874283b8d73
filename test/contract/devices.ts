import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { PAIRING_LOCK_MS, PAIRING_TRIES } from '../../src/core/account/device.ts'
import { WRONG_CODES } from '../../src/core/account/pairing-limit.ts'
import { HOUR, MINUTE } from '../../src/lib/durations.ts'
import { momentAt } from '../core/build.ts'
import { type Site, type SiteUser, type StoreUnderTest, siteIn } from './site.ts'

const registered = (hardwareId: string, codeHash = 'hash') => ({ hardwareId, codeHash, model: 'T-1000' })

const pairing = (site: Site, user: SiteUser, hardwareId: string, seconds = 0, limit = 10) => ({
  id: randomUUID(),
  appId: site.application.id,
  userId: user.id,
  hardwareId,
  firmwareVersion: '1.0',
  hardwareModel: null,
  now: momentAt(seconds),
  limit,
})

/** access.md#pairing. */
export function deviceContract(subject: StoreUnderTest): void {
  suite('devices', () => {
    test('a try to pair returns the registration and is counted', async (t) => {
      const { store, application } = await siteIn(subject, t)
      await store.registerHardware(application.id, [registered('t-1')], momentAt(0))
      assert.deepEqual(await store.beginPairing(application.id, 't-1', momentAt(1)), { registered: registered('t-1') })
      const unknown = await store.beginPairing(application.id, 't-2', momentAt(1))
      assert.deepEqual(unknown, { refused: 'unknown_hardware' })
    })

    test('the models of registered trackers are counted, of some applications or of all', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application } = site
      const elsewhere = await site.newApplication('Elsewhere')
      const of = (hardwareId: string, model: string | null) => ({ ...registered(hardwareId), model })
      await store.registerHardware(application.id, [of('t-1', 'A'), of('t-2', 'A'), of('t-3', null)], momentAt(0))
      await store.registerHardware(elsewhere.id, [of('t-4', 'B')], momentAt(0))
      const [a, b] = [
        { model: 'A', trackers: 2 },
        { model: 'B', trackers: 1 },
      ]
      assert.deepEqual(await store.hardwareModels(null), [a, b])
      assert.deepEqual(await store.hardwareModels([elsewhere.id]), [b])
      assert.deepEqual(await store.hardwareModels([]), [])
    })

    test('five parallel tries exhaust the limit until the lock expires', async (t) => {
      const { store, application } = await siteIn(subject, t)
      await store.registerHardware(application.id, [registered('t-1')], momentAt(0))
      const beginning = (ms: number) => store.beginPairing(application.id, 't-1', ms)
      const tries = await Promise.all(Array.from({ length: PAIRING_TRIES + 2 }, () => beginning(momentAt(1))))
      assert.equal(tries.filter((begun) => 'registered' in begun).length, PAIRING_TRIES)
      const lockedUntil = momentAt(1) + PAIRING_LOCK_MS
      assert.equal((await store.registeredHardware(application.id))[0]?.lockedUntil, lockedUntil)
      assert.deepEqual(await beginning(lockedUntil - 1), { refused: 'locked' })
      assert.ok('registered' in (await beginning(lockedUntil)))
    })

    test('the right code resets the count of wrong ones', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application, user } = site
      await store.registerHardware(application.id, [registered('t-1')], momentAt(0))
      for (let k = 1; k < PAIRING_TRIES; k += 1) await store.beginPairing(application.id, 't-1', momentAt(k))
      await store.pair(pairing(site, user, 't-1'))
      for (let k = 1; k < PAIRING_TRIES; k += 1) await store.beginPairing(application.id, 't-1', momentAt(k))
      assert.ok('registered' in (await store.beginPairing(application.id, 't-1', momentAt(9))))
    })

    test('pairing creates a device, pairing again updates it', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application, user } = site
      await store.registerHardware(application.id, [registered('t-1')], momentAt(-1))
      const first = await store.pair(pairing(site, user, 't-1', 1))
      assert.ok('device' in first && first.created)
      assert.equal(first.device.pairedAt, momentAt(1))
      assert.deepEqual(await store.devices(user.id), [first.device])
      const second = await store.pair({ ...pairing(site, user, 't-1', 2), firmwareVersion: '2.0' })
      assert.ok('device' in second && !second.created)
      assert.equal(second.device.id, first.device.id)
      assert.deepEqual([second.device.firmwareVersion, second.device.createdAt], ['2.0', momentAt(1)])
      assert.deepEqual(await store.devices(user.id), [second.device])
      const [row] = await store.registeredHardware(application.id)
      assert.deepEqual([row?.hardwareId, row?.externalUserId], ['t-1', 'hiker-1'])
    })

    test('another user’s device, and one device too many, are refused', async (t) => {
      const site = await siteIn(subject, t)
      const other = await site.newUser('hiker-2')
      const { store, user } = site
      const first = await store.pair(pairing(site, user, 't-1'))
      assert.ok('device' in first)
      assert.deepEqual(await store.pair(pairing(site, other, 't-1')), { refused: 'paired_to_another' })
      const tooMany = await Promise.all([
        store.pair(pairing(site, user, 't-2', 0, 2)),
        store.pair(pairing(site, user, 't-3', 0, 2)),
      ])
      assert.ok('device' in tooMany[0])
      assert.deepEqual(tooMany[1], { refused: 'device_limit' })
      assert.deepEqual(await store.unpair(other.id, first.device.id), { refused: 'device_not_found' })
      const text = {
        id: 'text',
        userId: user.id,
        asked: 'trackerLeft',
        until: momentAt(9),
        dueAt: momentAt(0),
        phone: null,
      } as const
      assert.deepEqual(await store.unpair(user.id, 'nothing', [text]), { refused: 'device_not_found' })
      assert.deepEqual(await store.dueRemovalTexts(momentAt(0), 9), [])
      assert.deepEqual(await store.unpair(user.id, first.device.id, [text]), { removed: true })
      assert.deepEqual(await store.dueRemovalTexts(momentAt(0), 9), [text])
      assert.ok('device' in (await store.pair(pairing(site, other, 't-1'))))
    })

    test('a tracker is found by its token and its hardware id, with what is kept of it', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application, user } = site
      const paired = await store.pair(pairing(site, user, 't-1'))
      assert.ok('device' in paired)
      const deviceId = paired.device.id
      const found = { deviceId, appId: application.id, userId: user.id, hardwareId: 't-1', model: null }
      assert.deepEqual(await store.setDeviceToken(deviceId, 'old', momentAt(1)), { set: true })
      assert.deepEqual(await store.setDeviceToken(deviceId, 'new', momentAt(2)), { set: true })
      assert.deepEqual(await store.setDeviceToken('nothing', 'x', momentAt(2)), { refused: 'not_paired' })
      assert.equal(await store.deviceByToken('old'), null)
      assert.deepEqual(await store.deviceByToken('new'), { ...found, state: null })

      const flag = { heardAt: momentAt(3), press: null, incidentId: 'i1' }
      for (const state of [
        { heardAt: momentAt(3), battery: 40, flag },
        { heardAt: momentAt(4), battery: null, flag: null },
      ]) {
        await store.keepFieldState(deviceId, state)
        assert.deepEqual(await store.deviceByToken('new'), { ...found, state })
        assert.deepEqual(await store.fieldStates(user.id), [state])
      }
      await store.keepFieldState('nothing', { heardAt: 1, battery: null, flag: null })

      await store.setUserDisabled(application.id, 'hiker-1', true)
      assert.equal(await store.deviceByToken('new'), null)
      await store.setUserDisabled(application.id, 'hiker-1', false)
      await store.unpair(user.id, deviceId)
      assert.equal(await store.deviceByToken('new'), null)
      assert.deepEqual(await store.fieldStates(user.id), [])
    })

    test('operators see everything about one tracker, in its own application, disabled or not', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application, user } = site
      const detail = () => store.hardwareDetail(application.id, 't-1')
      assert.equal(await detail(), null)
      await store.registerHardware(application.id, [registered('t-1')], momentAt(0))
      await store.updateApplication(application.id, { silentAfterMinutes: 60 })
      const row = await store.hardware(application.id, 't-1')
      const nothing = { heardAt: null, tokenMadeAt: null, state: null }
      const about = { appId: application.id, disabled: false, applicationSilentAfterMinutes: 60 }
      assert.deepEqual(await detail(), { ...row, ...about, deviceId: null, ...nothing })

      const paired = await store.pair(pairing(site, user, 't-1'))
      assert.ok('device' in paired)
      const { id: deviceId } = paired.device
      await store.setDeviceToken(deviceId, 'hash', momentAt(2))
      const state = { heardAt: momentAt(3), battery: 40, flag: null }
      await store.keepFieldState(deviceId, state)
      const known = {
        ...(await store.hardware(application.id, 't-1')),
        ...about,
        deviceId,
        tokenMadeAt: momentAt(2),
        state,
      }
      assert.deepEqual(await detail(), { ...known, heardAt: momentAt(3) })
      await store.noteHeard([{ appId: application.id, hardwareId: 't-1', heardAt: momentAt(4) }])
      assert.deepEqual(await detail(), { ...known, heardAt: momentAt(4) })

      await store.setUserDisabled(application.id, 'hiker-1', true)
      assert.deepEqual(await detail(), { ...known, heardAt: momentAt(4), disabled: true })
      await store.setUserDisabled(application.id, 'hiker-1', false)
      await store.updateApplication(application.id, { disabled: true })
      assert.equal((await detail())?.disabled, true)
      assert.deepEqual(
        [await store.hardwareDetail(application.id, 'T-1'), await store.hardwareDetail('elsewhere', 't-1')],
        [null, null],
      )
    })

    test('a tracker is found by its DevEUI in any spelling, in its own application alone', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application, user } = site
      const spellings = ['A8404117D1851234', 'a8:40:41:17:d1:85:12:35', 'A840-4117 D185.1236']
      await store.registerHardware(application.id, [registered(spellings[1]!)], momentAt(0))
      for (const spelling of spellings) await store.pair(pairing(site, user, spelling))
      for (const [at, spelling] of spellings.entries()) {
        const found = await store.deviceByEui(application.id, `a8404117d185123${4 + at}`)
        assert.deepEqual([found?.hardwareId, found?.model], [spelling, at === 1 ? 'T-1000' : null])
      }
      assert.equal(await store.deviceByEui('elsewhere', 'a8404117d1851234'), null)
      assert.equal(await store.deviceByEui(application.id, 'a8404117d1851239'), null)
    })

    test('a DevEUI in another spelling is the same registration, the same try to pair and the same device', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application, user } = site
      const other = await site.newUser('hiker-2')
      const [colons, plain, dashes] = [
        'A8:40:41:17:D1:85:12:34',
        'a8404117d1851234',
        'a8-40-41-17-d1-85-12-34',
      ] as const
      const register = (...given: readonly [id: string, hash: string][]) => {
        const list = given.map(([id, hash]) => registered(id, hash))
        return store.registerHardware(application.id, list, momentAt(0))
      }
      await register([colons, 'one'], ['T-1', 'h'])
      await register([plain, 'two'], ['t-1', 'h'])
      await register(['A8404117D1851299', 'three'], ['a8-40-41-17-d1-85-12-99', 'four'])
      const ids = (await store.registeredHardware(application.id)).map(({ hardwareId }) => hardwareId)
      assert.deepEqual(ids, [colons, 'A8404117D1851299', 'T-1', 't-1'].toSorted())

      const begun = await store.beginPairing(application.id, dashes, momentAt(1))
      assert.deepEqual(begun, { registered: registered(colons, 'two') })
      const later = await store.beginPairing(application.id, 'a8404117d1851299', momentAt(1))
      assert.deepEqual(later, { registered: registered('A8404117D1851299', 'four') })
      for (let tries = 1; tries < PAIRING_TRIES; tries += 1) {
        await store.beginPairing(application.id, [plain, dashes][tries % 2]!, momentAt(1))
      }
      assert.deepEqual(await store.beginPairing(application.id, colons, momentAt(2)), { refused: 'locked' })

      const first = await store.pair(pairing(site, user, colons))
      assert.ok('device' in first)
      assert.deepEqual(await store.pair(pairing(site, other, dashes)), { refused: 'paired_to_another' })
      const again = await store.pair(pairing(site, user, plain))
      assert.ok('device' in again && !again.created && again.device.id === first.device.id)
      await store.watchHardware(application.id, plain, 60)
      await store.noteHeard([plain, dashes].map((id, n) => ({ appId: application.id, hardwareId: id, heardAt: n + 1 })))
      const seen = await store.hardwareDetail(application.id, plain)
      assert.deepEqual([seen?.hardwareId, seen?.deviceId, seen?.heardAt], [colons, first.device.id, 2])
      assert.deepEqual(
        [seen?.silentAfterMinutes, (await store.hardware(application.id, dashes))?.userId],
        [60, user.id],
      )
      assert.deepEqual(await store.unpairHardware(application.id, dashes), { removed: true })
      assert.deepEqual(await store.devices(user.id), [])
      assert.equal(await store.hardware('elsewhere', plain), null)
    })

    test('twenty wrong codes of a user in an hour are counted in advance, whatever they were for; a right one is not', async (t) => {
      const site = await siteIn(subject, t)
      const { store, user } = site
      const other = await site.newUser('hiker-2')
      const tries = await Promise.all(Array.from({ length: 22 }, () => store.tryCode(user.id, momentAt(0))))
      assert.equal(tries.filter((wait) => wait === null).length, WRONG_CODES.ofUser.times)
      assert.deepEqual(new Set(tries), new Set([null, HOUR]))
      assert.equal(await store.tryCode(user.id, momentAt(60)), HOUR - MINUTE)
      assert.equal(await store.tryCode(other.id, momentAt(60)), null)
      await store.pair({ ...pairing(site, user, 't-1'), triedAt: momentAt(0) })
      assert.equal(await store.tryCode(user.id, momentAt(61)), null, 'the right one was given back')
      assert.notEqual(await store.tryCode(user.id, momentAt(62)), null)
      assert.equal(await store.tryCode(user.id, momentAt(3600)), null)
    })

    test('feedback is stored once', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const feedback = { id: randomUUID(), userId: user.id, message: 'ü', category: null, rating: 5, createdAt: 1 }
      await store.addFeedback(feedback)
      await assert.rejects(store.addFeedback(feedback), { name: 'StoreError', kind: 'fault' })
    })
  })
}
