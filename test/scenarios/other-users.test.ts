import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Site, startSite } from '../harness/site.ts'

const isoAt = (site: Site, aheadMs = 0) => new Date(site.clock.now() + aheadMs).toISOString()

/** Mia with a tracker, and another user of the same app who knows its hardware id. */
async function siteWithStranger(t: Parameters<typeof startSite>[0]) {
  const site = await startSite(t, { contacts: ['Mallory', 'Mother'], settings: { graceSeconds: 0 } })
  const { store } = site.service
  const { appId } = site.user.account
  const now = site.clock.now()
  const device = { id: site.user.userId, appId, userId: site.user.userId, hardwareId: 'TRK-1' }
  await store.pair({ ...device, firmwareVersion: null, hardwareModel: null, now, limit: 5 })
  const stranger = await site.newUser('hiker-2').introduce()
  return { site, store, appId, stranger }
}

// rules.md#relays: a contact who is also a user of the app follows nobody by relaying an SOS in her name.
test('what only another user has raised shows contacts nothing of the person, and her own press alarms at once', async (t) => {
  const { site, stranger } = await siteWithStranger(t)
  const sent = { deviceId: 'TRK-1', timestamp: isoAt(site), latitude: 46.1, longitude: 11.1 }
  assert.equal((await stranger.rest('POST', '/v1/sdk/sos', sent)).status, 201)
  await site.advance('1 s')
  await site.phone('Mallory').receivesSms(/Raised through TRK-1, by another user of the service\./)
  const link = await site.phone('Mallory').link()
  const page = async () => (await fetch(link)).text()
  const here = { timestamp: isoAt(site), latitude: 47.7, longitude: 12.7 }
  assert.equal((await site.user.rest('POST', '/v1/sdk/telemetry', here)).status, 202)
  assert.match(await page(), /Raised through .*TRK-1/)
  assert.doesNotMatch(await page(), /47\.7/)
  assert.doesNotMatch(await (await fetch(`${link}/trail`)).text(), /47\.7/)
  const { incident } = (await site.user.rest('GET', '/v1/sdk/sos')).body
  assert.deepEqual([incident.relay, incident.lastPosition.source], [{ userId: stranger.userId }, 'session'])
  await fetch(`${link}/ack?calling`, { method: 'POST', redirect: 'manual' })
  await site.advance('10 s')
  const before = (await site.phone('Mother').messages()).length
  await site.user.rest('POST', '/v1/sdk/sos', { timestamp: isoAt(site), latitude: 47.8, longitude: 12.8 })
  await site.advance('1 s')
  assert.ok((await site.phone('Mother').messages()).length > before)
  assert.match(await page(), /47\.8/)
})

test('after the owner has cancelled what another user had raised, no link shows a position', async (t) => {
  const { site, stranger } = await siteWithStranger(t)
  const sent = { deviceId: 'TRK-1', timestamp: isoAt(site), latitude: 46.1, longitude: 11.1 }
  await stranger.rest('POST', '/v1/sdk/sos', sent)
  await site.advance('1 s')
  const link = await site.phone('Mallory').link()
  assert.match(await (await fetch(link)).text(), /46\.1/)
  await site.user.ends('cancel')
  assert.doesNotMatch(await (await fetch(link)).text(), /46\.1/)
})

// rules.md#positions: any user of the app moves the place of a real rescue by telemetry with the person's deviceId.
test('another user’s telemetry moves no rescue, and does not say whether she is in an SOS', async (t) => {
  const { site, stranger } = await siteWithStranger(t)
  await site.user.rest('POST', '/v1/sdk/sos', { timestamp: isoAt(site), latitude: 47.7, longitude: 12.7 })
  const away = { deviceId: 'TRK-1', timestamp: isoAt(site, 60_000), latitude: 1, longitude: 1 }
  await site.advance('60 s')
  const { status, body } = await stranger.rest('POST', '/v1/sdk/telemetry', away)
  assert.deepEqual([status, body], [202, { accepted: true, incidentId: null }])
  const { incident } = (await site.user.rest('GET', '/v1/sdk/sos')).body
  assert.deepEqual([incident.lastPosition.latitude, incident.relayedPosition.latitude], [47.7, 1])
  assert.equal(incident.relayedPosition.source, 'other')
})

// rules.md#relays.
test('a relay that is not admitted gets the same answers, and its telemetry is a dead letter', async (t) => {
  const { site, store, appId, stranger } = await siteWithStranger(t)
  await site.user.rest('POST', '/v1/sdk/sos', { timestamp: isoAt(site), latitude: 47.7, longitude: 12.7 })
  await store.updateApplication(appId, { relays: 'listed' })
  const away = { deviceId: 'TRK-1', timestamp: isoAt(site), latitude: 1, longitude: 1 }
  const answer = await stranger.rest('POST', '/v1/sdk/telemetry', away)
  assert.deepEqual([answer.status, answer.body], [202, { accepted: true, incidentId: null }])
  await stranger.connect()
  await stranger.moves({ ...away, timestamp: isoAt(site, 1) })
  const letters = await store.deadLetters()
  assert.deepEqual(
    letters.map(({ userId, reason }) => [userId, reason]),
    Array.from({ length: 2 }, () => [stranger.userId, 'the sender may not send for the trackers of other users']),
  )
  const figures = await (await fetch(`${site.service.listeners.http}/metrics`)).text()
  assert.match(figures, /^tocsin_dead_letters_total\{kind="telemetry",reason="not_admitted"\} 2$/m)
  const { status, body } = await stranger.rest('POST', '/v1/sdk/sos', { ...away, timestamp: isoAt(site, 2) })
  assert.deepEqual([status, body.incident.userId], [201, stranger.userId])
  const { incident } = (await site.user.rest('GET', '/v1/sdk/sos')).body
  assert.deepEqual([incident.lastPosition.latitude, 'relayedPosition' in incident], [47.7, false])
})
