import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { contactPlacesOf, placesOf, relayedPositionOf } from '../../src/core/incident/places.ts'
import type { Store } from '../../src/ports/store.ts'
import { isoAfter, momentAt } from '../core/build.ts'
import { appOn, asks, invitationTo } from './enrolment.ts'
import { at, incidentOf, type SiteUser, type StoreUnderTest, siteIn } from './site.ts'

/** rules.md#relays: a gateway acts for the owner of a device. */
export function relayContract(subject: StoreUnderTest): void {
  suite('a payload that names a device', () => {
    test('belongs to the device’s owner, with the gateway as relay', async (t) => {
      const site = await siteIn(subject, t)
      const gateway = await site.newUser('gateway')
      await site.user.pairs('tracker-1')
      const opened = await gateway.presses(0, { deviceId: 'tracker-1', ...at(47) })
      assert.equal(opened.unknownDevice, false)
      assert.equal(incidentOf(opened).userId, site.user.id)
      assert.equal(incidentOf(opened).relayUserId, gateway.id)
      assert.equal(await site.store.openIncident(gateway.id), null)
      const fed = await gateway.sends(30, { deviceId: 'tracker-1', ...at(48) })
      // Whether the owner is in an SOS is nothing that a relay is told.
      assert.deepEqual(fed, { duplicate: false, incidentId: null, unknownDevice: false })
      assert.equal((await site.store.openIncident(site.user.id))?.lastPosition?.latitude, 48)
      const rows = (userId: string) =>
        site.store.telemetryHistory(userId, { after: null, limit: 9, from: null, to: null })
      const owners = await rows(site.user.id)
      assert.equal('items' in owners && owners.items.length, 1)
      assert.deepEqual(await rows(gateway.id), { items: [], after: null })
    })

    test('belongs to the owner in every spelling of a DevEUI, and is one alert in all of them', async (t) => {
      const site = await siteIn(subject, t)
      const gateway = await site.newUser('gateway')
      await site.user.pairs('A8-40-41-17-D1-85-12-34')
      const [plain, colons] = [{ deviceId: 'a8404117d1851234' }, { deviceId: 'A8:40:41:17:d1:85:12:34' }]
      const opened = await gateway.presses(0, plain)
      assert.deepEqual([incidentOf(opened).userId, opened.unknownDevice], [site.user.id, false])
      const { verdict, incident } = await gateway.presses(0, colons)
      assert.deepEqual([verdict, incident?.id], ['repeated', opened.incidentId])
      const sent = await gateway.sends(5, { ...colons, ...at(47) })
      assert.deepEqual([sent.incidentId, sent.unknownDevice], [null, false])
      assert.equal((await site.store.positionTrail(opened.incidentId!)).at(-1)?.latitude, 47)
      assert.equal((await gateway.sends(6, { deviceId: 'a8404117d1851235' })).unknownDevice, true)
    })

    test('is one alert, whoever relays it', async (t) => {
      const site = await siteIn(subject, t)
      const gateways = [await site.newUser('gateway-1'), await site.newUser('gateway-2')]
      await site.user.pairs('tracker-1')
      const verdicts: string[] = []
      for (const sender of [...gateways, site.user]) {
        verdicts.push((await sender.presses(0, { deviceId: 'tracker-1' })).verdict)
      }
      // The owner's own confirms what only others had raised.
      assert.deepEqual(verdicts, ['opened', 'repeated', 'updated'])
      assert.equal((await site.user.presses(0, { deviceId: 'tracker-1' })).verdict, 'repeated')
    })

    test('is one position, however many relay it at the same time', async (t) => {
      const site = await siteIn(subject, t)
      const gateways = [await site.newUser('gateway-1'), await site.newUser('gateway-2')]
      await site.user.pairs('tracker-1')
      await site.user.presses(0, at(47))
      const relayed = { deviceId: 'tracker-1', ...at(48) }
      // Ahead of both arrivals, which are what tells positions apart then.
      const sent = await Promise.all(gateways.map((gateway, n) => gateway.sends(60, relayed, 30 + n)))
      assert.deepEqual(sent.map(({ duplicate }) => duplicate).toSorted(), [false, true])
      assert.ok(sent.every(({ incidentId }) => incidentId === null))
      const page = await site.store.history(site.user.id, { after: null, limit: 1 })
      assert.equal('items' in page && page.items[0]?.trail.length, 2)
    })

    test('dated ahead neither hides the owner’s position nor blocks what the owner sends until then', async (t) => {
      const site = await siteIn(subject, t)
      const gateway = await site.newUser('gateway')
      await site.user.pairs('tracker-1')
      const ahead = { deviceId: 'tracker-1', timestamp: isoAfter(300), latitude: 1, longitude: 1 }
      const { id } = incidentOf(await gateway.presses(0, ahead))
      await gateway.sends(10, ahead)
      await site.user.sends(60, { deviceId: 'tracker-1', latitude: 47.1, longitude: 12.1 })
      assert.equal((await site.store.incident(id))?.lastPosition?.latitude, 47.1)
    })

    test('belongs to the reporter if nobody has paired the device, and says so', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const opened = await user.presses(0, { deviceId: 'stray' })
      assert.equal(opened.unknownDevice, true)
      assert.equal(incidentOf(opened).userId, user.id)
      assert.equal(incidentOf(opened).relayUserId, null)
      assert.deepEqual((await store.incident(opened.incidentId!))?.incident.unknownDevices, ['stray'])
      const stored = await user.sends(1, { deviceId: 'stray' })
      assert.deepEqual(stored, { duplicate: false, incidentId: incidentOf(opened).id, unknownDevice: true })
      await user.does(5, { type: 'cancel' })
      const alone = await user.sends(6, { deviceId: 'stray' })
      assert.deepEqual(alone, { duplicate: false, incidentId: null, unknownDevice: true })
    })

    test('never reaches into another application', async (t) => {
      const site = await siteIn(subject, t)
      const elsewhere = await site.newApplication('Elsewhere')
      const stranger = await site.newUser('stranger', elsewhere.id)
      await site.user.pairs('tracker-1')
      const opened = await stranger.presses(0, { deviceId: 'tracker-1' })
      assert.equal(opened.unknownDevice, true)
      assert.equal(incidentOf(opened).userId, stranger.id)
      assert.equal((await stranger.sends(1, { deviceId: 'tracker-1' })).unknownDevice, true)
      assert.equal(await site.store.openIncident(site.user.id), null)
      await stranger.pairs('tracker-1')
      assert.equal((await stranger.presses(2, { deviceId: 'tracker-1' })).unknownDevice, false)
    })

    test('belongs to the reporter again once the pairing is removed', async (t) => {
      const site = await siteIn(subject, t)
      const gateway = await site.newUser('gateway')
      await site.user.pairs('tracker-1')
      const [device] = await site.store.devices(site.user.id)
      await site.store.unpair(site.user.id, device!.id)
      assert.equal(incidentOf(await gateway.presses(0, { deviceId: 'tracker-1' })).userId, gateway.id)
    })
  })

  suite('the positions of other users', () => {
    const tracker = { deviceId: 'tracker-1' }
    const withGateway = async (t: TestContext) => {
      const site = await siteIn(subject, t)
      const gateway = await site.newUser('gateway')
      await site.user.pairs('tracker-1')
      return { ...site, user: site.user, store: site.store, gateway }
    }
    const recordIn = async ({ store, user }: { store: Store; user: SiteUser }) => (await store.openIncident(user.id))!
    const rowsIn = async ({ store, user }: { store: Store; user: SiteUser }, query = {}, limit = 20) => {
      const page = await store.telemetryHistory(user.id, { after: null, limit, from: null, to: null, ...query })
      if ('refused' in page) throw new Error(page.refused)
      return page
    }

    test('stay apart from the owner’s own for 15 minutes, and are given beside them', async (t) => {
      const site = await withGateway(t)
      const { user, gateway } = site
      await user.presses(0, at(47))
      await gateway.sends(60, { ...tracker, ...at(10) })
      const near = await recordIn(site)
      assert.deepEqual([near.lastPosition?.latitude, near.lastPosition?.source], [47, 'session'])
      assert.equal(relayedPositionOf(near)?.latitude, 10)
      await gateway.sends(901, { ...tracker, ...at(11) })
      const far = await recordIn(site)
      assert.deepEqual([far.lastPosition?.latitude, far.lastPosition?.source], [11, 'other'])
      assert.equal(relayedPositionOf(far), null)
      await user.sends(902, at(48))
      const again = await recordIn(site)
      assert.deepEqual([again.lastPosition?.latitude, relayedPositionOf(again)], [48, null])
      const trail = await site.store.positionTrail(again.incident.id)
      assert.deepEqual(
        trail.map(({ latitude, source }) => [latitude, source]),
        [
          [47, 'session'],
          [10, 'other'],
          [11, 'other'],
          [48, 'session'],
        ],
      )
    })

    test('never make an own row or point of the same moment a duplicate, whichever comes first', async (t) => {
      const site = await withGateway(t)
      const { user, gateway } = site
      await user.presses(0)
      const sent = await Promise.all([
        gateway.sends(60, { ...tracker, ...at(10) }),
        user.sends(60, { ...tracker, ...at(47) }),
        user.sends(70, { ...tracker, ...at(48) }),
        gateway.sends(70, { ...tracker, ...at(11) }),
      ])
      assert.ok(sent.every(({ duplicate }) => !duplicate))
      assert.equal((await gateway.sends(60, { ...tracker, ...at(12) })).duplicate, true)
      assert.equal((await recordIn(site)).lastPosition?.latitude, 48)
      const { items } = await rowsIn(site)
      assert.deepEqual(
        items.map(({ payload, source }) => [payload.latitude, source]),
        [
          [48, 'session'],
          [11, 'other'],
          [47, 'session'],
          [10, 'other'],
        ],
      )
    })

    test('are in the history page by page, and can be left out of it', async (t) => {
      const site = await withGateway(t)
      for (const second of [1, 2, 3]) {
        await site.user.sends(second, { ...tracker, ...at(second) })
        await site.gateway.sends(second, { ...tracker, ...at(-second) })
      }
      const seen: (number | undefined)[] = []
      for (let after: string | null = null; ; ) {
        const page: Awaited<ReturnType<typeof rowsIn>> = await rowsIn(site, { after }, 1)
        seen.push(...page.items.map(({ payload }) => payload.latitude))
        after = page.after
        if (after === null) break
      }
      assert.deepEqual(seen, [3, -3, 2, -2, 1, -1])
      const own = await rowsIn(site, { isOwn: true })
      assert.deepEqual(
        own.items.map(({ payload }) => payload.latitude),
        [3, 2, 1],
      )
    })

    test('of a listed relay and of the tracker itself are the owner’s own', async (t) => {
      const site = await withGateway(t)
      const { user, gateway } = site
      await gateway.relays()
      const opened = await gateway.presses(0, { ...tracker, ...at(46) })
      assert.deepEqual([opened.lastPosition?.source, opened.incident?.raisedByOthers], ['relay', undefined])
      await user.sends(10, { ...tracker, ...at(47) }, 10, { byDevice: true })
      const record = await recordIn(site)
      assert.deepEqual([record.lastPosition?.latitude, record.lastPosition?.source], [47, 'device'])
      assert.equal((await gateway.sends(10, { ...tracker, ...at(47) })).duplicate, true)
      assert.equal((await gateway.sends(11, tracker)).incidentId, null)
    })

    test('stand behind those of the tracker that was pressed, and so do those of the phone', async (t) => {
      const site = await withGateway(t)
      const { user, gateway } = site
      await user.pairs('car')
      await user.presses(0, { ...tracker, ...at(46) }, 0, { byDevice: true })
      await user.sends(100, { deviceId: 'car', ...at(1) }, 100, { byDevice: true })
      await user.sends(200, at(2))
      await gateway.sends(300, { ...tracker, ...at(3) })
      const record = await recordIn(site)
      assert.equal(record.lastPosition?.latitude, 46)
      assert.deepEqual(
        placesOf(record.incident, record).map(({ latitude }) => latitude),
        [46, 2, 3],
      )
    })

    test('are all that is known until an own source confirms what others have raised', async (t) => {
      const site = await withGateway(t)
      const { user, gateway } = site
      const opened = await gateway.presses(0, { ...tracker, ...at(10) })
      assert.deepEqual(opened.incident?.raisedByOthers, { deviceId: 'tracker-1', at: isoAfter(0) })
      await user.sends(10, at(47))
      const raised = await recordIn(site)
      assert.deepEqual(
        contactPlacesOf(raised.incident, raised).map(({ latitude }) => latitude),
        [10],
      )
      // The same press, heard by an own source as well.
      const own = await user.presses(0, { ...tracker, ...at(46) }, 20, { byDevice: true })
      assert.deepEqual([own.verdict, own.incident?.raisedByOthers], ['updated', undefined])
      assert.equal(contactPlacesOf(own.incident!, own)[0]?.latitude, 46)
    })

    test('are kept, counted and erased like the owner’s own', async (t) => {
      const site = await withGateway(t)
      const { user, gateway } = site
      await gateway.presses(0, { ...tracker, ...at(10) })
      await gateway.sends(5, { ...tracker, ...at(11) })
      await user.sends(6, at(47))
      const { incident } = await user.does(20, { type: 'resolve' })
      const all = (kind: 'telemetry' | 'incidents') => deleteAll(site.store, kind, momentAt(1000))
      assert.equal(await all('telemetry'), 2)
      assert.deepEqual((await rowsIn(site)).items, [])
      await gateway.sends(30, tracker)
      for (;;) {
        const erased = await site.store.eraseUser(site.application.id, 'hiker-1', 2)
        if ('refused' in erased) throw new Error(erased.refused)
        if (erased.done) break
      }
      await site.store.finishErasure(user.id, momentAt(0))
      assert.deepEqual(await site.store.positionTrail(incident!.id), [])
      assert.deepEqual((await rowsIn(site)).items, [])
    })
  })

  suite('a relay that is not admitted', () => {
    for (const { relays, isListed } of [
      { relays: 'off', isListed: true },
      { relays: 'listed', isListed: false },
    ] as const) {
      test(`with relays ${relays} has its own alarm, and its telemetry is not stored`, async (t) => {
        const site = await siteIn(subject, t)
        const gateway = await site.newUser('gateway')
        if (isListed) await gateway.relays()
        await site.user.pairs('tracker-1')
        await site.store.updateApplication(site.application.id, { relays })
        const opened = await gateway.presses(0, { deviceId: 'tracker-1', ...at(47) })
        assert.deepEqual([opened.unknownDevice, incidentOf(opened).userId], [true, gateway.id])
        assert.equal(incidentOf(opened).relayUserId, null)
        const sent = await gateway.sends(1, { deviceId: 'tracker-1', ...at(48) })
        assert.deepEqual([sent.isBarred, sent.incidentId], [true, null])
        const page = (userId: string) =>
          site.store.telemetryHistory(userId, { after: null, limit: 9, from: null, to: null })
        assert.deepEqual(await page(site.user.id), { items: [], after: null })
        assert.deepEqual(await page(gateway.id), { items: [], after: null })
        assert.equal((await site.user.presses(2, { deviceId: 'tracker-1' })).unknownDevice, false)
      })
    }

    test('is one whom a poster has brought, until it is listed', async (t) => {
      const site = await siteIn(subject, t)
      await appOn(site)
      await site.user.pairs('tracker-1')
      const poster = invitationTo(site, { kind: 'poster', places: 2 })
      await site.store.inviteToApp(poster)
      const enrolled = await site.store.enrol(asks(poster))
      assert.ok('user' in enrolled)
      const stranger = await site.newUser(enrolled.user.externalUserId)
      const opened = await stranger.presses(0, { deviceId: 'tracker-1', ...at(47) })
      assert.deepEqual([opened.unknownDevice, incidentOf(opened).userId], [true, stranger.id])
      assert.equal((await stranger.sends(1, { deviceId: 'tracker-1', ...at(48) })).isBarred, true)
      await stranger.relays()
      const listed = await stranger.presses(2, { deviceId: 'tracker-1', ...at(47) })
      assert.equal(incidentOf(listed).userId, site.user.id)
    })

    test('is admitted again once it is listed', async (t) => {
      const site = await siteIn(subject, t)
      const gateway = await site.newUser('gateway')
      await site.user.pairs('tracker-1')
      await site.store.updateApplication(site.application.id, { relays: 'listed' })
      assert.equal((await site.store.application(site.application.id))?.relays, 'listed')
      await gateway.relays()
      assert.equal((await site.store.user(gateway.id))?.relay, true)
      const opened = await gateway.presses(0, { deviceId: 'tracker-1', ...at(47) })
      assert.deepEqual([incidentOf(opened).userId, opened.lastPosition?.source], [site.user.id, 'relay'])
    })
  })
}

/** How many rows are gone. */
async function deleteAll(store: Store, kind: 'telemetry' | 'incidents', before: number): Promise<number> {
  let deleted = 0
  for (let from: string | null = ''; from !== null; ) {
    const batch: { deleted: number; next: string | null } = await store.deleteExpired(kind, { before, max: 10, from })
    deleted += batch.deleted
    from = batch.next
  }
  return deleted
}
