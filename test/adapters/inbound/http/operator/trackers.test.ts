import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, type TestContext, test } from 'node:test'
import type { OperatorNeeds } from '../../../../../src/adapters/inbound/http/operator/routes.ts'
import { createIds } from '../../../../../src/adapters/platform/system/ids.ts'
import { contactChecks } from '../../../../../src/app/operator/contact-checks.ts'
import { secretHash } from '../../../../../src/core/operator/secret.ts'
import { HOUR, SECOND } from '../../../../../src/lib/durations.ts'
import type { Store } from '../../../../../src/ports/store.ts'
import { applicationCalled } from '../../../../contract/site.ts'
import { migratedDir, openHere } from '../../../../fixtures/store-place.ts'
import { NOW } from '../stand-in.ts'
import { HUT, LIFT, operatorApi, type Person } from './stand-in.ts'

const PHONE = { applicationId: HUT, hardwareId: 'anna phone/1' }
const SHOWN = `/devices/show?${new URLSearchParams({ app: HUT, hardwareId: PHONE.hardwareId })}`

/** The API on a real store with the applications HUT and LIFT, and one user in each. */
async function estateApi(t: TestContext) {
  const store: Store = await openHere(t, await migratedDir(t))
  for (const [id, name] of [
    [HUT, 'Hut'],
    [LIFT, 'Lift'],
  ] as const) {
    await store.createApplication({ ...applicationCalled(name), id }, `secret of ${name}`)
  }
  const userOf = (appId: string, externalUserId: string) =>
    store.ensureUser({ appId, externalUserId, id: randomUUID(), now: 1 })
  const [mia, tom] = [await userOf(HUT, 'mia-7'), await userOf(LIFT, 'tom-1')]
  const asked: string[] = []
  const looks: Parameters<OperatorNeeds['noteLook']>[0][] = []
  const ids = createIds()
  const operator: Partial<OperatorNeeds> = {
    store,
    ids,
    devicesPerUser: 2,
    askContact: contactChecks({ store, ids, perDay: 9, onRequest: () => void asked.push('asked') }),
    noteLook: (look) => void looks.push(look),
  }
  const api = await operatorApi(t, { operator })
  const audit = async () => (await store.auditRows({ after: null, limit: 100 })).items
  return { ...api, store, mia, tom, asked, looks, audit }
}

/** The API with a registered tracker in each application, of which nobody has paired one. */
async function trackerApi(t: TestContext) {
  const api = await estateApi(t)
  for (const appId of [HUT, LIFT]) {
    const tracker = { hardwareId: PHONE.hardwareId, codeHash: 'x', model: 'Traccar' }
    await api.store.registerHardware(appId, [tracker], NOW)
  }
  const post = (person: Person, path: string, body: unknown) => api.as(person, 'POST', path, { body })
  return {
    ...api,
    make: (body: object = {}, person: Person = 'hutAdmin') => post(person, '/devices/token', { ...PHONE, ...body }),
    revoke: (body: object = {}, person: Person = 'hutAdmin') =>
      post(person, '/devices/token/revoke', { ...PHONE, ...body }),
    reportsWith: async (token: string) => (await api.store.deviceByToken(secretHash(token)))?.userId ?? null,
  }
}

suite('the token of a tracker in the operator API', () => {
  test('pairs it, is shown once with its links, replaces the one before, and is taken back', async (t) => {
    const { as, make, revoke, reportsWith, mia, audit } = await trackerApi(t)
    assert.deepEqual((await make()).json.error.reason, 'not_paired')
    assert.deepEqual((await make({ externalUserId: 'nobody' })).json.error.reason, 'user_not_found')
    const first = await make({ externalUserId: 'mia-7' })
    assert.equal(first.status, 201)
    const { token, traccar, ownTracks, ownTracksMqtt, ...shown } = first.json
    assert.match(ownTracksMqtt, /^owntracks:\/\/\/config\?inline=./)
    assert.equal(traccar, `https://sos.example.org/v1/trackers/osmand?id=${encodeURIComponent(token)}`)
    const [, inline = ''] = /^owntracks:\/\/\/config\?inline=(.+)$/.exec(ownTracks) ?? []
    const configuration = JSON.parse(Buffer.from(decodeURIComponent(inline), 'base64').toString())
    assert.deepEqual([configuration.password, configuration.url], [token, `${shown.address}/owntracks`])
    assert.equal(await reportsWith(token), mia.id)
    assert.deepEqual(
      [shown.userId, shown.externalUserId, shown.disabled, shown.heardAt, shown.tokenMadeAt],
      [mia.id, 'mia-7', false, null, new Date(NOW).toISOString()],
    )
    assert.equal(first.headers['cache-control'], 'no-store')

    const second = await make({ externalUserId: 'mia-7' })
    assert.deepEqual([await reportsWith(token), await reportsWith(second.json.token)], [null, mia.id])
    const read = (await as('hutViewer', 'GET', SHOWN)).json
    assert.deepEqual(read, shown)
    assert.equal((await revoke()).json.tokenMadeAt, null)
    assert.equal(await reportsWith(second.json.token), null)

    const rows = (await audit()).toReversed()
    assert.deepEqual(
      rows.map(({ action, actor, appId, userId, subject, details }) => [
        ...[action, actor.name, appId, userId, subject],
        details.change,
      ]),
      ['paired', 'token made', 'token made', 'token ended'].map((change) => [
        ...['device.change', 'hutAdmin', HUT, mia.id, PHONE.hardwareId],
        change,
      ]),
    )
    for (const secret of [token, second.json.token, secretHash(token)]) {
      assert.ok(!JSON.stringify(rows).includes(secret), 'the log holds no token')
    }
  })

  test('is for administrators of its own application, in which another’s user and tracker do not exist', async (t) => {
    const { as, make, revoke, store, audit, looks } = await trackerApi(t)
    for (const person of ['viewer', 'operator', 'hutViewer', 'hutOperator'] as const) {
      assert.equal((await make({}, person)).json.error.reason, 'not_allowed', person)
      assert.equal((await revoke({}, person)).json.error.reason, 'not_allowed', person)
    }
    const foreign = { applicationId: LIFT }
    assert.equal((await make({ ...foreign, externalUserId: 'tom-1' })).json.error.reason, 'application_not_found')
    assert.equal((await revoke(foreign)).json.error.reason, 'application_not_found')
    assert.equal((await make({ externalUserId: 'tom-1' })).json.error.reason, 'user_not_found')
    const elsewhere = SHOWN.replace(HUT, LIFT)
    assert.equal((await as('hutAdmin', 'GET', elsewhere)).json.error.reason, 'application_not_found')
    assert.equal((await make({ hardwareId: 'T-9' })).json.error.reason, 'hardware_not_found')
    assert.equal((await as('viewer', 'GET', SHOWN.replace('anna', 'eva'))).json.error.reason, 'hardware_not_found')
    assert.equal((await store.hardware(LIFT, PHONE.hardwareId))?.userId, null)
    assert.deepEqual([await audit(), looks], [[], []])
  })

  test('is not made for a tracker that another has, nor beyond a user’s trackers, nor while its user is disabled', async (t) => {
    const { make, revoke, reportsWith, store, mia, audit } = await trackerApi(t)
    await store.ensureUser({ appId: HUT, externalUserId: 'eva-1', id: 'eva', now: 1 })
    const { token } = (await make({ externalUserId: 'mia-7' })).json
    assert.equal((await make({ externalUserId: 'eva-1' })).json.error.reason, 'paired_to_another')
    assert.equal(await reportsWith(token), mia.id)
    for (const hardwareId of ['T-2', 'T-3']) {
      await store.registerHardware(HUT, [{ hardwareId, codeHash: 'x', model: null }], NOW)
    }
    assert.equal((await make({ hardwareId: 'T-2', externalUserId: 'mia-7' })).status, 201)
    assert.equal((await make({ hardwareId: 'T-3', externalUserId: 'mia-7' })).json.error.reason, 'device_limit')

    await store.setUserDisabled(HUT, 'mia-7', true)
    const before = await audit()
    assert.equal((await make()).json.error.reason, 'tracker_disabled')
    assert.deepEqual(await audit(), before)
    assert.equal((await revoke()).json.disabled, true)
    await store.setUserDisabled(HUT, 'mia-7', false)
    assert.equal(await reportsWith(token), null, 'a stolen tracker stays out when its user is enabled again')
  })

  test('what was heard of a tracker is shown, and who looked is noted', async (t) => {
    const { as, make, store, mia, looks } = await trackerApi(t)
    const { token } = (await make({ externalUserId: 'mia-7' })).json
    const { deviceId } = (await store.deviceByToken(secretHash(token)))!
    const flag = { heardAt: NOW - HOUR, press: null, incidentId: 'i1' }
    await store.keepFieldState(deviceId, { heardAt: NOW, battery: 7, flag })
    const { json } = await as('viewer', 'GET', SHOWN)
    const iso = (at: number) => new Date(at).toISOString()
    const { heardAt, battery, sosSince, address, silentAfterMinutes, applicationSilentAfterMinutes } = json
    assert.deepEqual([heardAt, sosSince, battery], [iso(NOW), iso(NOW - HOUR), 7])
    assert.deepEqual(
      [address, silentAfterMinutes, applicationSilentAfterMinutes],
      ['https://sos.example.org/v1/trackers', null, 0],
    )
    assert.deepEqual(
      looks.map(({ action, appId, userId, subject, actor }) => [action, appId, userId, subject, actor.name]),
      [['device.view', HUT, mia.id, PHONE.hardwareId, 'viewer']],
    )
  })
})

suite('asking a contact in the operator API', () => {
  test('has the same limits as the user, and leaves a row without number and name', async (t) => {
    const { as, store, mia, tom, asked, audit } = await estateApi(t)
    const add = async (userId: string, name: string, phone: string) => {
      const added = await store.addContact(userId, {
        id: randomUUID(),
        fields: { name, phone },
        now: 1,
        limit: 9,
      })
      assert.ok('contact' in added)
      return added.contact.id
    }
    const ana = await add(mia.id, 'Ana', '+436641111111')
    const toms = await add(tom.id, 'Ana', '+436641111111')
    const verify = (person: Person, userId: string, contactId: string) =>
      as(person, 'POST', `/users/${userId}/contacts/${contactId}/verify`)

    assert.equal((await verify('hutViewer', mia.id, ana)).json.error.reason, 'not_allowed')
    assert.equal((await verify('hutOperator', tom.id, toms)).json.error.reason, 'user_not_found')
    assert.equal((await verify('hutOperator', mia.id, toms)).json.error.reason, 'contact_not_found')
    assert.equal((await verify('hutOperator', mia.id, 'nobody')).status, 404)
    assert.deepEqual([asked, await audit()], [[], []])

    const first = await verify('hutOperator', mia.id, ana.toUpperCase())
    assert.deepEqual([first.status, first.json, asked], [202, { status: 'requested' }, ['asked']])
    const again = await verify('admin', mia.id, ana)
    assert.deepEqual([again.status, again.json.error.reason], [429, 'verification_limit'])
    assert.equal(again.headers['retry-after'], String((24 * HOUR) / SECOND))
    // Somebody else had the number asked today: nobody learns that.
    assert.deepEqual((await verify('operator', tom.id, toms)).json, { status: 'requested' })
    const rows = await audit()
    assert.deepEqual(
      rows
        .toReversed()
        .map(({ action, actor, appId, userId, subject }) => [action, actor.name, appId, userId, subject]),
      [
        ['contact.verify', 'hutOperator', HUT, mia.id, ana],
        ['contact.verify', 'operator', LIFT, tom.id, toms],
      ],
    )
    assert.ok(!/Ana|664111/.test(JSON.stringify(rows)))

    const due = await store.claimVerification(NOW, null)
    assert.equal(due?.contact.id, ana)
    await store.answerVerification(due!.token, 'confirmed', NOW)
    assert.deepEqual((await verify('operator', mia.id, ana)).json, { status: 'verified' })
    assert.equal((await audit()).length, rows.length, 'nothing was changed')
    const { contacts } = (await as('viewer', 'GET', `/users/${mia.id}`)).json
    assert.equal(contacts[0].verifiedAt, new Date(NOW).toISOString())
  })

  test('a number that was asked three times is not asked again', async (t) => {
    const { as, store, mia } = await estateApi(t)
    const fields = { name: 'Ana', phone: '+436641111111' }
    const added = await store.addContact(mia.id, { id: randomUUID(), fields, now: 1, limit: 9 })
    assert.ok('contact' in added)
    for (const days of [4, 3, 2]) {
      const asked = { token: `t${days}`, now: NOW - days * 24 * HOUR, perDay: 9 }
      assert.deepEqual(await store.requestVerification(mia.id, added.contact.id, asked), { verdict: 'asked' })
    }
    const { status, json } = await as('operator', 'POST', `/users/${mia.id}/contacts/${added.contact.id}/verify`)
    assert.deepEqual([status, json.error.reason], [409, 'verification_used_up'])
  })
})
