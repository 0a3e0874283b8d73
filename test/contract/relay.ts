import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isoAfter } from '../core/build.ts'
import { at, incidentOf, type StoreUnderTest, siteIn } from './site.ts'

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
      assert.deepEqual(fed, { duplicate: false, incidentId: incidentOf(opened).id, unknownDevice: false })
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
      assert.deepEqual([sent.incidentId, sent.unknownDevice], [opened.incidentId, false])
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
      assert.deepEqual(verdicts, ['opened', 'repeated', 'repeated'])
    })

    test('is one position, however many relay it at the same time', async (t) => {
      const site = await siteIn(subject, t)
      const gateways = [await site.newUser('gateway-1'), await site.newUser('gateway-2')]
      await site.user.pairs('tracker-1')
      const { id } = incidentOf(await site.user.presses(0, at(47)))
      const relayed = { deviceId: 'tracker-1', ...at(48) }
      // Ahead of both arrivals, which are what tells positions apart then.
      const sent = await Promise.all(gateways.map((gateway, n) => gateway.sends(60, relayed, 30 + n)))
      assert.deepEqual(sent.map(({ duplicate }) => duplicate).toSorted(), [false, true])
      assert.ok(sent.every(({ incidentId }) => incidentId === id))
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
}
