import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { REMOVAL_MS } from '../../src/core/account/app-device.ts'
import {
  APP_INVITATION_MS,
  type AppInvitation,
  MAX_OWN_INVITATIONS,
  POSTER_PER_HOUR,
} from '../../src/core/account/app-invitation.ts'
import { NO_WEB_APP } from '../../src/core/account/web-app.ts'
import { alertFrom } from '../../src/core/ingest/alert.ts'
import { isoAfter, momentAt } from '../core/build.ts'
import { until } from '../harness/wait.ts'
import { type Site, type StoreUnderTest, siteIn } from './site.ts'

const NOW = momentAt(0)

/** An invitation to the application of the site. */
export const invitationTo = (
  { application }: Pick<Site, 'application'>,
  given: Partial<AppInvitation> = {},
): AppInvitation => {
  const kind = given.kind ?? 'person'
  return {
    ...{ id: randomUUID(), appId: application.id, kind, userId: null, hash: randomUUID(), label: null, proposes: null },
    ...{
      places: 1,
      used: 0,
      createdBy: 'Ana',
      createdAt: NOW,
      expiresAt: NOW + APP_INVITATION_MS[kind],
      endedAt: null,
    },
    ...given,
  }
}

/** The request of a browser. */
export const asks = ({ hash }: Pick<AppInvitation, 'hash'>, key = `key ${randomUUID()}`, now = NOW) => ({
  invitationHash: hash,
  device: { id: randomUUID(), name: 'Phone', hash: randomUUID(), keyHash: key, salt: 'salt' },
  newUser: { id: randomUUID(), externalUserId: `app-${randomUUID()}` },
  now,
})

export const appOn = ({ store, application }: Site) =>
  store.updateApplication(application.id, { webApp: { ...NO_WEB_APP, isOn: true } })

async function enrolled(site: Site, invitation: AppInvitation, key?: string) {
  const done = await site.store.enrol(asks(invitation, key))
  assert.ok('device' in done, JSON.stringify(done))
  return done
}

export function enrolmentContract(subject: StoreUnderTest): void {
  suite('the app in the box', () => {
    test('its settings are kept', async (t) => {
      const site = await siteIn(subject, t)
      assert.equal((await site.store.application(site.application.id))?.webApp, null)
      const webApp = { isOn: true, colour: '#00aa00', emergencyNumber: '140', country: 'AT' }
      await site.store.updateApplication(site.application.id, { webApp })
      assert.deepEqual((await site.store.application(site.application.id))?.webApp, webApp)
    })

    test('everyone who joined by a poster is disabled at once, but who is in an alarm', async (t) => {
      const site = await siteIn(subject, t)
      const { store, application } = site
      await appOn(site)
      const [poster, other] = [1, 2].map(() => invitationTo(site, { kind: 'poster', places: 9 }))
      for (const one of [poster!, other!]) await store.inviteToApp(one)
      const joined = await Promise.all([1, 2, 3].map(() => enrolled(site, poster!)))
      const elsewhere = await enrolled(site, other!)
      const [mia] = joined
      const raise = { type: 'raise', now: NOW, reporterId: mia!.user.id, incidentId: randomUUID() } as const
      const alert = alertFrom({ timestamp: isoAfter(0) }, NOW)
      await store.changeIncident({ openOf: mia!.user.id }, { ...raise, alert, linkSecret: 's' })
      const set = (disabled: boolean) => store.setInvitedDisabled(application.id, poster!.id, { disabled, now: NOW })
      const counts = () => store.invitedUsers(application.id, poster!.id)
      assert.deepEqual(await counts(), { users: 3, enabled: 3, inAlarm: 1 })
      assert.deepEqual([await set(true), await set(true)], [{ changed: 2 }, { changed: 0 }])
      assert.deepEqual(await counts(), { users: 3, enabled: 1, inAlarm: 1 })
      assert.equal((await store.appInvitation(poster!.hash))?.endedAt, NOW)
      assert.deepEqual(await store.enrol(asks(poster!)), { refused: 'invitation_unknown' })
      const isDisabled = async (id: string) => (await store.user(id))?.disabled
      assert.deepEqual(await Promise.all([mia!.user.id, elsewhere.user.id].map(isDisabled)), [false, false])
      assert.deepEqual(await set(false), { changed: 2 })
      assert.deepEqual(await counts(), { users: 3, enabled: 3, inAlarm: 1 })
      const unknown = { refused: 'app_invitation_not_found' }
      assert.deepEqual(await store.setInvitedDisabled('x', poster!.id, { disabled: true, now: NOW }), unknown)
      assert.equal(await store.invitedUsers('x', poster!.id), null)
    })

    test('an invitation is stored only while the app is on, for a user who exists', async (t) => {
      const site = await siteIn(subject, t)
      const off = { refused: 'app_off' }
      assert.deepEqual(await site.store.inviteToApp(invitationTo(site)), off)
      await appOn(site)
      const first = invitationTo(site, { label: 'Hut', proposes: { name: 'Ana', phone: '+4366012345678' } })
      assert.deepEqual(await site.store.inviteToApp(first), { invited: true })
      assert.deepEqual(await site.store.inviteToApp(invitationTo(site, { userId: 'nobody' })), off)
      assert.deepEqual(await site.store.appInvitation(first.hash), first)
      assert.equal(await site.store.appInvitation('unknown'), null)
      const second = invitationTo(site, { createdAt: NOW + 1 })
      await site.store.inviteToApp(second)
      assert.deepEqual(await site.store.appInvitations(site.application.id, 9), [second, first])
      assert.deepEqual(await site.store.appInvitations(site.application.id, 1), [second])
    })

    test('an invitation makes one user with one device, who logs in by the hash of the credential', async (t) => {
      const site = await siteIn(subject, t)
      await appOn(site)
      const invitation = invitationTo(site)
      await site.store.inviteToApp(invitation)
      const { device, user, isNew } = await enrolled(site, invitation)
      assert.ok(isNew)
      assert.equal(user.enrolledBy, 'person')
      assert.deepEqual(await site.store.user(user.id), user)
      assert.deepEqual(await site.store.appDevices(user.id), [{ ...device, isByOperator: false }])
      const { id, usedAt } = device
      assert.deepEqual(await site.store.appDeviceLogin(device.hash), { device: { id, usedAt }, user })
      assert.equal(await site.store.appDeviceLogin('unknown'), null)
      assert.deepEqual(await site.store.enrol(asks(invitation)), { refused: 'invitation_unknown' })
      assert.equal((await site.store.appInvitation(invitation.hash))?.used, 1)
      const admitted = await site.store.readmission(site.application.id, [user.id, site.user.id])
      assert.deepEqual(admitted?.appDeviceIds, new Set([device.id]))
    })

    test('a repeated request takes no second place, and twenty at once take one', async (t) => {
      const site = await siteIn(subject, t)
      const stores = [site.store, await site.place.open()]
      await appOn(site)
      const invitation = invitationTo(site, { kind: 'poster', places: 3 })
      await site.store.inviteToApp(invitation)
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, k) => stores[k % 2]!.enrol(asks(invitation, 'same')).catch((error) => error)),
      )
      const devices = all.flatMap((done) => ('device' in done ? [done.device.id] : []))
      assert.ok(devices.length > 0)
      assert.equal(new Set(devices).size, 1)
      assert.equal((await site.store.appInvitation(invitation.hash))?.used, 1)
    })

    test('the last place goes to one of two', async (t) => {
      const site = await siteIn(subject, t)
      const stores = [site.store, await site.place.open()]
      await appOn(site)
      const invitation = invitationTo(site)
      await site.store.inviteToApp(invitation)
      const both = await Promise.all(stores.map((store) => store.enrol(asks(invitation))))
      assert.equal(both.filter((done) => 'device' in done).length, 1)
    })

    test('a poster enrols 20 in an hour, and is ended', async (t) => {
      const site = await siteIn(subject, t)
      await appOn(site)
      const invitation = invitationTo(site, { kind: 'poster', places: 100 })
      await site.store.inviteToApp(invitation)
      for (let k = 0; k < POSTER_PER_HOUR; k++) await enrolled(site, invitation)
      const full = await site.store.enrol(asks(invitation))
      assert.ok('retryAfterMs' in full && full.retryAfterMs === 3_600_000)
      assert.equal((await site.store.users(site.application.id)).at(-1)?.enrolledBy, 'poster')
      const ended = await site.store.endAppInvitation(site.application.id, invitation.id, NOW + 5)
      assert.ok('endedAt' in ended && ended.endedAt === NOW + 5)
      const again = await site.store.endAppInvitation(site.application.id, invitation.id, NOW + 9)
      assert.deepEqual(again, ended)
      assert.deepEqual(await site.store.enrol(asks(invitation)), { refused: 'invitation_unknown' })
      for (const [appId, id] of [
        ['nowhere', invitation.id],
        [site.application.id, 'nothing'],
      ] as const) {
        assert.deepEqual(await site.store.endAppInvitation(appId, id, NOW), { refused: 'app_invitation_not_found' })
      }
    })

    test('a further device is of its user, who must be enabled', async (t) => {
      const site = await siteIn(subject, t)
      await appOn(site)
      const invitation = invitationTo(site, { kind: 'device', userId: site.user.id, places: 2 })
      await site.store.inviteToApp(invitation)
      const { user, device } = await enrolled(site, invitation)
      assert.equal(user.id, site.user.id)
      assert.equal(user.enrolledBy, null)
      assert.equal((await site.store.users(site.application.id)).length, 1)
      await site.store.setUserDisabled(site.application.id, user.externalUserId, true)
      assert.deepEqual(await site.store.enrol(asks(invitation)), { refused: 'invitation_unknown' })
      const admitted = await site.store.readmission(site.application.id, [user.id])
      assert.equal(admitted?.appDeviceIds.has(device.id), false)
    })

    test('a user has five invitations in a day, also if they are used up', async (t) => {
      const site = await siteIn(subject, t)
      await appOn(site)
      const invite = (seconds: number) => {
        const createdAt = momentAt(seconds)
        const times = { createdAt, expiresAt: createdAt + APP_INVITATION_MS.ownDevice }
        const invitation = invitationTo(site, { kind: 'device', userId: site.user.id, ...times })
        return site.store.inviteToApp(invitation).then((invited) => ({ invited, invitation }))
      }
      for (let k = 0; k < MAX_OWN_INVITATIONS; k++) await enrolled(site, (await invite(k)).invitation)
      assert.deepEqual((await invite(9)).invited, { refused: 'invitation_limit' })
      assert.deepEqual((await invite(24 * 3600 + 5)).invited, { invited: true })
    })

    test('the last use is noted, and never goes back', async (t) => {
      const site = await siteIn(subject, t)
      await appOn(site)
      const invitation = invitationTo(site)
      await site.store.inviteToApp(invitation)
      const { device, user } = await enrolled(site, invitation)
      for (const at of [NOW + 5, NOW + 3]) await site.store.noteAppDeviceUsed(device.id, at)
      assert.equal((await site.store.appDevices(user.id))[0]?.usedAt, NOW + 5)
      await site.store.noteAppDeviceUsed('nothing', NOW)
    })

    test('a removal takes effect later, is never put off, and is taken back', async (t) => {
      const site = await siteIn(subject, t)
      await appOn(site)
      const invitation = invitationTo(site, { places: 2 })
      await site.store.inviteToApp(invitation)
      const { device, user } = await enrolled(site, invitation)
      const remove = (from: number | null, now = NOW, userId = user.id) =>
        site.store.removeAppDevice(userId, device.id, from, now)
      const set = async () => (await site.store.appDevices(user.id))[0]?.removedFrom
      assert.deepEqual(await remove(NOW + REMOVAL_MS, NOW, site.user.id), { refused: 'app_device_not_found' })
      assert.equal(await site.store.nextAppRemoval(), null)
      await remove(NOW + REMOVAL_MS)
      await remove(NOW + REMOVAL_MS + 1, NOW + 1)
      assert.equal(await set(), NOW + REMOVAL_MS)
      assert.equal(await site.store.nextAppRemoval(), NOW + REMOVAL_MS)
      await remove(null)
      assert.equal(await set(), null)
      await remove(NOW + REMOVAL_MS)
      assert.deepEqual(await site.store.removeDueAppDevices(NOW + REMOVAL_MS - 1, 9), [])
      const person = await site.newUser(user.externalUserId)
      await person.presses(0)
      assert.deepEqual(await site.store.removeDueAppDevices(NOW + REMOVAL_MS, 9), [], 'an alarm keeps its phones')
      await person.does(5, { type: 'cancel' })
      assert.deepEqual(await site.store.removeDueAppDevices(NOW + REMOVAL_MS, 9), [site.application.id])
      assert.equal(await set(), undefined)
      assert.equal(await site.store.appDeviceLogin(device.hash), null)
    })

    test('a removal at once ends the device, and tells every process', async (t) => {
      const site = await siteIn(subject, t)
      await appOn(site)
      const invitation = invitationTo(site)
      await site.store.inviteToApp(invitation)
      const { device, user } = await enrolled(site, invitation)
      const command = await site.place.open({ leaveNotices: true })
      const told: string[] = []
      t.after(await site.store.onNotice((notice) => void (notice.kind === 'admission' && told.push(notice.appId))))
      const removed = await command.removeAppDevice(user.id, device.id, NOW, NOW)
      assert.ok('removedFrom' in removed && removed.removedFrom === NOW)
      assert.deepEqual(await site.store.appDevices(user.id), [])
      await until('it is told', () => told.includes(site.application.id))
    })

    test('the erasure that a person asks for is due at its moment, and is taken back', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const due = async (at: number) => (await store.dueErasures(at, 9)).map(({ id }) => id)
      const first = await store.setErasesAt(user.id, NOW + 9)
      assert.ok('erasesAt' in first && first.erasesAt === NOW + 9)
      const second = await store.setErasesAt(user.id, NOW + 99)
      assert.ok('erasesAt' in second && second.erasesAt === NOW + 9)
      assert.deepEqual(await due(NOW + 8), [])
      assert.deepEqual(await due(NOW + 9), [user.id])
      await store.setErasesAt(user.id, null)
      assert.deepEqual(await due(NOW + 99), [])
      assert.deepEqual(await store.setErasesAt('nobody', NOW), { refused: 'user_not_found' })
    })

    test('a text about a removal is kept with it until it has left, and one node takes it', async (t) => {
      const site = await siteIn(subject, t)
      const { store, user, application } = site
      const text = (id: string, dueAt: number) =>
        ({ id, userId: user.id, asked: 'erasure', until: NOW + 99, dueAt, phone: null }) as const
      const [one, two, three] = [text('one', NOW), text('two', NOW + 1), text('three', NOW)]
      await appOn(site)
      const invitation = invitationTo(site, { kind: 'device', userId: user.id })
      await store.inviteToApp(invitation)
      const { device } = await enrolled(site, invitation)
      // In the commit of its removal, once: neither a repeat nor a refusal keeps one.
      const removes = (kept: typeof one, userId = user.id) =>
        store.removeAppDevice(userId, device.id, NOW + REMOVAL_MS, NOW, [kept])
      assert.deepEqual(await removes(three, 'nobody'), { refused: 'app_device_not_found' })
      await removes(one)
      await removes(three)
      await store.setErasesAt(user.id, NOW + REMOVAL_MS, [two])
      await store.setErasesAt(user.id, NOW + REMOVAL_MS + 1, [three])
      assert.deepEqual(await store.setErasesAt('nobody', NOW, [three]), { refused: 'user_not_found' })
      assert.deepEqual(await store.dueRemovalTexts(NOW, 9), [one])
      assert.deepEqual(await store.dueRemovalTexts(NOW + 9, 9), [one, two])
      assert.deepEqual(
        [await store.claimRemovalText(one, NOW + 5), await store.claimRemovalText(one, NOW + 5)],
        [true, false],
      )
      assert.deepEqual(await store.dueRemovalTexts(NOW + 4, 9), [two])
      await store.dropRemovalText('one')
      assert.equal(await store.claimRemovalText({ ...one, dueAt: NOW + 5 }, NOW + 6), false)
      await store.eraseUser(application.id, 'hiker-1', 100)
      assert.deepEqual(await store.dueRemovalTexts(NOW + 99, 9), [])
    })

    test('an erased user leaves neither device nor invitation', async (t) => {
      const site = await siteIn(subject, t)
      await appOn(site)
      const invitation = invitationTo(site, { kind: 'device', userId: site.user.id })
      await site.store.inviteToApp(invitation)
      const { device } = await enrolled(site, invitation)
      const erased = await site.store.eraseUser(site.application.id, 'hiker-1', 100)
      assert.deepEqual(erased, { userId: site.user.id, done: true })
      assert.equal(await site.store.appDeviceLogin(device.hash), null)
      assert.equal(await site.store.appInvitation(invitation.hash), null)
    })

    test('invitations are listed for a while after they have stopped working', async (t) => {
      const site = await siteIn(subject, t)
      await appOn(site)
      const [old, ended, current] = [
        invitationTo(site, { expiresAt: NOW - 1 }),
        invitationTo(site, { endedAt: NOW - 1 }),
        invitationTo(site),
      ]
      for (const invitation of [old, ended, current]) await site.store.inviteToApp(invitation)
      const { deleted } = await site.store.deleteExpired('appInvitations', { before: NOW, max: 100, from: '' })
      assert.equal(deleted, 2)
      assert.deepEqual(await site.store.appInvitations(site.application.id, 9), [current])
    })
  })
}
