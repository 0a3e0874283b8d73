import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { momentAt } from '../core/build.ts'
import { applicationCalled, type StoreUnderTest, siteIn } from './site.ts'

export function accountContract(subject: StoreUnderTest): void {
  suite('users and their admission', () => {
    test('a user is created on the first login and found from then on', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const identity = { appId: application.id, externalUserId: 'sepp:von:der:alm ⛰' }
      const id = randomUUID()
      const made = await store.ensureUser({ ...identity, id, now: momentAt(0) })
      assert.deepEqual(made, {
        ...identity,
        id,
        name: null,
        email: null,
        phone: null,
        address: null,
        disabled: false,
        relay: false,
        enrolledBy: null,
        erasesAt: null,
        textLanguage: null,
        operatorNotes: null,
        groupNames: null,
        createdAt: momentAt(0),
        updatedAt: momentAt(0),
      })
      assert.deepEqual(await store.ensureUser({ ...identity, id: randomUUID(), now: momentAt(9) }), made)
      assert.deepEqual(await store.user(id), made)
      assert.deepEqual(await store.userByExternalId(identity.appId, identity.externalUserId), made)
    })

    // people.md.
    test('a person is added as written, once; only what is sent changes, and a group is searched for', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const [id, appId] = [randomUUID(), application.id]
      const fields = { name: 'Tom', language: 'fr', notes: 'Deaf', groups: ['Wardens', 'Night'] }
      const given = { id, appId, externalUserId: 'walker-1', fields, now: momentAt(0) }
      const added = await store.addPerson(given)
      assert.ok(!('refused' in added))
      assert.deepEqual(
        [added.name, added.textLanguage, added.operatorNotes, added.groupNames, added.phone],
        ['Tom', 'fr', 'Deaf', ['Wardens', 'Night'], null],
      )
      assert.deepEqual(await store.user(id), added)
      assert.deepEqual(await store.addPerson({ ...given, id: randomUUID() }), { refused: 'user_exists' })
      const updated = await store.updatePerson(id, { notes: null, phone: '+436601234567', groups: [] }, momentAt(5))
      const now = { ...added, operatorNotes: null, phone: '+436601234567', groupNames: [], updatedAt: momentAt(5) }
      assert.deepEqual([updated, await store.user(id)], [now, now])
      assert.deepEqual(await store.updateProfile(id, { name: 'Tim' }, momentAt(6)), {
        ...now,
        name: 'Tim',
        updatedAt: momentAt(6),
      })
      await store.updatePerson(id, { groups: ['Wardens'] }, momentAt(7))
      const page = await store.userPage({ appIds: [appId], text: 'warDEN', after: null, limit: 10 })
      assert.deepEqual(
        page.items.map(({ externalUserId }) => externalUserId),
        ['walker-1'],
      )
      assert.deepEqual(await store.updatePerson(randomUUID(), {}, momentAt(8)), { refused: 'user_not_found' })
    })

    test('twenty simultaneous first logins, in two processes, create one user', async (t) => {
      const { place, store, application } = await siteIn(subject, t)
      const stores = [store, await place.open()]
      const sights = Array.from({ length: 20 }, (_, k) =>
        stores[k % 2]!.ensureUser({ appId: application.id, externalUserId: 'new', id: randomUUID(), now: momentAt(k) }),
      )
      const users = await Promise.all(sights)
      assert.equal(new Set(users.map(({ id }) => id)).size, 1)
    })

    test('the same external id is another user in another application', async (t) => {
      const site = await siteIn(subject, t)
      const elsewhere = await site.newApplication('Elsewhere')
      const other = await site.newUser('hiker-1', elsewhere.id)
      assert.notEqual(other.id, site.user.id)
      assert.deepEqual(
        (await site.store.users(elsewhere.id)).map(({ id }) => id),
        [other.id],
      )
    })

    test('looking for an unknown user or application finds nothing', async (t) => {
      const { store, application } = await siteIn(subject, t)
      assert.equal(await store.user('nobody'), null)
      assert.equal(await store.userByExternalId(application.id, 'nobody'), null)
      assert.equal(await store.userByExternalId('nowhere', 'hiker-1'), null)
      assert.equal(await store.admittingApplication('nowhere'), null)
    })

    test('a profile update changes only what was sent, and null clears', async (t) => {
      const { store, user } = await siteIn(subject, t)
      await store.updateProfile(user.id, { name: 'Mia', email: 'mia@example.org', phone: '+43660' }, momentAt(1))
      const updated = await store.updateProfile(user.id, { email: null, address: 'Alm 1' }, momentAt(2))
      assert.ok(!('refused' in updated))
      const { name, email, phone, address, updatedAt, createdAt } = updated
      assert.deepEqual({ name, email, phone, address }, { name: 'Mia', email: null, phone: '+43660', address: 'Alm 1' })
      assert.equal(updatedAt, momentAt(2))
      assert.equal(createdAt, momentAt(-900))
      assert.deepEqual(await store.user(user.id), updated)
      assert.deepEqual(await store.updateProfile('nobody', { name: 'X' }, momentAt(3)), { refused: 'user_not_found' })
    })

    test('an application is found with its secrets', async (t) => {
      const { store, application, user } = await siteIn(subject, t)
      const admitting = await store.admittingApplication(application.id)
      assert.deepEqual(admitting?.application, application)
      assert.deepEqual(
        admitting?.secrets.map(({ secret }) => secret),
        ['a secret'],
      )
      const secretIds = new Set(admitting!.secrets.map(({ id }) => id))
      const expected = {
        legacy: application.legacy,
        secretIds,
        userIds: new Set([user.id]),
        appDeviceIds: new Set<string>(),
      }
      assert.deepEqual(await store.readmission(application.id, [user.id, 'nobody']), expected)
      assert.deepEqual(await store.readmission(application.id, []), { ...expected, userIds: new Set() })
      assert.equal(await store.readmission('nowhere', [user.id]), null)
    })

    test('secrets and users are admitted by their own application only', async (t) => {
      const site = await siteIn(subject, t)
      const elsewhere = await site.newApplication('Elsewhere')
      const [{ id: secretId } = { id: 0 }] = (await site.store.admittingApplication(elsewhere.id))!.secrets
      const here = await site.store.readmission(site.application.id, [site.user.id])
      assert.equal(here?.secretIds.has(secretId), false)
      const there = await site.store.readmission(elsewhere.id, [site.user.id])
      assert.deepEqual(there?.userIds, new Set())
    })

    test('a session ends with its user, its application and its secret', async (t) => {
      const { store, application, user } = await siteIn(subject, t)
      const secretId = (await store.admittingApplication(application.id))!.secrets[0]!.id
      const admits = async (): Promise<boolean> => {
        const { userIds, secretIds } = (await store.readmission(application.id, [user.id])) ?? {}
        return userIds?.has(user.id) === true && secretIds?.has(secretId) === true
      }
      const disabled = await store.setUserDisabled(application.id, 'hiker-1', true)
      assert.equal('disabled' in disabled && disabled.disabled, true)
      assert.equal(await admits(), false)
      await store.setUserDisabled(application.id, 'hiker-1', false)
      assert.equal(await admits(), true)
      await store.updateApplication(application.id, { disabled: true })
      assert.equal(await admits(), false)
      await store.updateApplication(application.id, { disabled: false })
      await store.addSecret(application.id, 'the next secret', momentAt(0))
      assert.equal(await admits(), true)
      await store.retireSecret(application.id)
      assert.equal(await admits(), false)
      const nobody = await store.setUserDisabled(application.id, 'nobody', true)
      assert.deepEqual(nobody, { refused: 'user_not_found' })
    })

    test('nothing can be created in an application that does not exist', async (t) => {
      const { store } = await siteIn(subject, t)
      const { id: appId } = applicationCalled('Nowhere')
      const lost = store.ensureUser({ appId, externalUserId: 'x', id: randomUUID(), now: momentAt(0) })
      await assert.rejects(lost, { name: 'StoreError', kind: 'fault' })
    })
  })
}
