import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { suite, test } from 'node:test'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { createPairingCodes } from '../../src/adapters/platform/system/pairing-codes.ts'
import { inviteToApp } from '../../src/app/operator/app-invitations.ts'
import { addApiToken } from '../../src/app/operator/tokens.ts'
import { NO_WEB_APP } from '../../src/core/account/web-app.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import { DAY } from '../../src/lib/durations.ts'
import { StoreError } from '../../src/ports/store-error.ts'
import { metric } from '../harness/metric.ts'
import { PhoneUser } from '../harness/phone-user.ts'
import { assertSigned, PushBrowser, startPushService } from '../harness/push-service.ts'
import { signedIn } from '../harness/signed-in.ts'
import { type Site, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

const ids = createIds()
const newKey = (): string => randomBytes(16).toString('base64url')

/** A site whose app is on, and what a browser and an operator do there. */
async function startAppSite(...given: Parameters<typeof startSite>) {
  const site = await startSite(...given)
  const { store, listeners } = site.service
  const { appId, mqtt, secret } = site.user.account
  const http = listeners.http!
  await store.updateApplication(appId, { webApp: { ...NO_WEB_APP, isOn: true, country: 'AT' } })
  const post = async (path: string, body: object) => {
    const response = await fetch(`${http}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }
  return {
    ...{ site, store, appId, http, post },
    /** The operator API, by a token of an administrator. */
    async asks(method: string, path: string, body?: object) {
      const now = site.clock.now()
      const given = { name: 'Screen', role: 'admin', applications: null, expiresAt: now + DAY } as const
      const made = await addApiToken({ store, ids }, given, { actor: COMMAND, address: null, now })
      assert.ok('secret' in made)
      const response = await fetch(`${http}/v1/operator${path}`, {
        method,
        headers: {
          authorization: `Bearer ${made.secret}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as any }
    },
    async invites(inviting: Partial<Parameters<typeof inviteToApp>[1]> = {}): Promise<string> {
      const by = { actor: COMMAND, address: null, now: site.clock.now() }
      const whole = { appId, kind: 'person', user: null, places: 1, label: null, ...inviting } as const
      const made = await inviteToApp({ store, ids }, whole, by)
      assert.ok('secret' in made, JSON.stringify(made))
      return made.secret
    },
    enrols: (invitation: string, key = newKey(), deviceName = 'Firefox, Android') =>
      post('/v1/app/enrolments', { invitation, key, deviceName }),
    /** The phone that was enrolled. */
    phone: ({ body }: { body: { userId: string; credential: string } }): PhoneUser =>
      new PhoneUser({ http, mqtt, appId, secret, externalUserId: body.userId, credential: body.credential }),
  }
}

const PHONE = '+436641234567'

/** The texts to a user's own number, the first of which has its code. */
function proofs(store: Site['service']['store']) {
  const texts = async (saying: RegExp) =>
    (await store.outbox({ incidentId: null })).filter(({ to, text }) => to === PHONE && saying.test(text))
  return {
    texts,
    async proves(user: PhoneUser): Promise<void> {
      assert.equal((await user.rest('POST', '/v1/sdk/me/phone/code')).status, 202)
      const [sent] = await until('the code has left', async () => {
        const found = await texts(/Your code/)
        return found.length > 0 && found
      })
      const code = /\d{6}/.exec(sent!.text)![0]
      assert.equal((await user.rest('POST', '/v1/sdk/me/phone/proof', { code })).status, 200)
    },
  }
}

/** Whether the connections of a client are closed within the 2 s of access.md#sessions. */
const closes = (site: Site, client: { connected: boolean }) =>
  until('the connection closed', () => !client.connected, 5_000).then(() => site)

suite('the app in the box', () => {
  test('a browser enrols with an invitation, and its credential presses SOS over REST and MQTT', async (t) => {
    const { site, appId, http, post, invites, enrols, phone, store } = await startAppSite(t)
    const shown = await (await fetch(`${http}/v1/app/applications/${appId}`)).json()
    assert.deepEqual(shown, {
      ...{ id: appId, name: 'Hut', colour: '#b3261e', emergencyNumber: '112', country: 'AT', smsNumber: null },
    })
    const invitation = await invites()
    const looked = await post('/v1/app/invitations/look', { invitation })
    const { kind, placesLeft, application } = looked.body
    assert.deepEqual([looked.status, kind, placesLeft, application], [200, 'person', 1, shown])

    const key = newKey()
    const enrolled = await enrols(invitation, key)
    assert.equal(enrolled.status, 201)
    assert.match(enrolled.body.credential, /^dev_[\w-]{43}$/)
    // The answer was lost: the same again, and no second place.
    assert.deepEqual((await enrols(invitation, key)).body, enrolled.body)
    const used = await enrols(invitation)
    assert.deepEqual([used.status, used.body.error.code], [404, 'E_APP_NOT_FOUND'])
    assert.equal((await post('/v1/app/invitations/look', { invitation })).status, 404)

    const mia = await phone(enrolled).introduce({ name: 'Mia' })
    assert.equal((await store.user(mia.userId))?.enrolledBy, 'person')
    await mia.listen()
    await mia.presses()
    await until('the event', () => mia.events.some(({ type }) => type === 'processed'))
    // Whoever has added this phone with hers does not learn where she is, or was.
    const place = { latitude: 47.0638, longitude: 12.6921, altitude: 900 }
    await mia.rest('POST', '/v1/sdk/telemetry', { timestamp: new Date(site.clock.now()).toISOString(), ...place })
    const dueAt = new Date(site.clock.now() + DAY).toISOString()
    await mia.rest('POST', '/v1/sdk/timers', { dueAt, position: { latitude: 47.0638, longitude: 12.6921 } })
    const open = await store.openIncident(mia.userId)
    assert.equal(open?.lastPosition?.latitude, 47.0638)
    const answers = await Promise.all(
      ['/v1/sdk/sos', '/v1/sdk/sos/history', '/v1/sdk/timers'].map((path) => mia.rest('GET', path)),
    )
    assert.doesNotMatch(JSON.stringify(answers.map(({ body }) => body)), /47\.06/)
    const { body: devices } = await mia.rest('GET', '/v1/sdk/me/app-devices')
    assert.deepEqual([devices.devices.length, devices.devices[0].isThis, devices.erasesAt], [1, true, null])
    // What a stranger gets who has read the credential's hash in a copy of the database.
    const { hash } = (await store.appDevices(mia.userId))[0]!
    const stranger = new PhoneUser({ ...mia.account, credential: hash })
    assert.equal((await stranger.rest('GET', '/v1/sdk/me')).status, 401)
  })

  test('a poster enrols 20 in an hour, and an ended one nobody', async (t) => {
    const { site, store, appId, asks, enrols } = await startAppSite(t)
    const path = `/applications/${appId}/app-invitations`
    const made = await asks('POST', path, { kind: 'poster', places: 100 })
    // No listener of this site has TLS, so there is nothing for phones to trust.
    assert.deepEqual([made.status, made.body.trust, made.body.userId], [201, null, null])
    const [, invitation = ''] = made.body.link.split('/app/join#')
    for (let k = 0; k < 20; k++) assert.equal((await enrols(invitation)).status, 201)
    const full = await enrols(invitation)
    assert.deepEqual([full.status, full.body.error.code], [429, 'E_APP_RATE_LIMITED'])
    assert.ok(Number(full.headers.get('retry-after')) > 3_000)
    await site.advance('1 h')
    assert.equal((await enrols(invitation)).status, 201)
    const { items } = (await asks('GET', path)).body
    assert.deepEqual([items[0].used, items[0].works], [21, true])
    const user = (await store.userPage({ appIds: [appId], text: null, after: null, limit: 1 })).items[0]!
    const { enrolledBy, hasApp } = (await asks('GET', `/users/${user.id}`)).body
    assert.deepEqual([enrolledBy, hasApp], ['poster', true])
    assert.equal((await asks('POST', `${path}/${items[0].id}/end`)).body.works, false)
    assert.equal((await enrols(invitation)).status, 404)
    const all = `${path}/${items[0].id}`
    assert.deepEqual((await asks('GET', `${all}/users`)).body, { users: 21, enabled: 21, inAlarm: 0 })
    assert.deepEqual((await asks('POST', `${all}/disable-users`)).body, {
      users: 21,
      enabled: 0,
      inAlarm: 0,
      changed: 21,
    })
    assert.equal((await asks('POST', `${all}/enable-users`)).body.changed, 21)
    for (const word of ['users', 'disable-users']) {
      const refused = await asks(word === 'users' ? 'GET' : 'POST', `${path}/${user.id}/${word}`)
      assert.deepEqual([refused.status, refused.body.error.reason], [404, 'app_invitation_not_found'])
    }
    // What lets people in is in the audit log, with its new value.
    await asks('PATCH', `/applications/${appId}`, { smsSos: true, webApp: { on: false } })
    const { items: rows } = (await asks('GET', '/audit')).body
    const disabling = rows.find(({ details }: { details: { change?: string } }) => details.change === 'users_disabled')
    assert.deepEqual([disabling.subject, disabling.details.enabled], [items[0].id, 21])
    const changed = rows.find(({ action }: { action: string }) => action === 'application.change')
    const { country, ...given } = changed.details
    assert.deepEqual(given, { fields: ['webApp', 'smsSos'], smsSos: true, webApp: false })
    assert.notEqual(country, undefined)
  })

  test('bad requests are refused, and the app that is off shows nothing', async (t) => {
    const { store, appId, http, enrols, invites } = await startAppSite(t)
    const invitation = await invites()
    for (const key of ['', 'short', 'x'.repeat(23)]) assert.equal((await enrols(invitation, key)).status, 400)
    assert.equal((await enrols(invitation, newKey(), 'a\nb')).status, 400)
    assert.equal((await enrols('inv_nobody')).status, 404)
    await store.updateApplication(appId, { webApp: NO_WEB_APP })
    assert.equal((await enrols(invitation)).status, 404)
    await until('the app is off', async () => (await fetch(`${http}/v1/app/applications/${appId}`)).status === 404)
  })

  test('a removed device is out at once: its connection, its stream and its next request', async (t) => {
    const { site, invites, enrols, phone, store, http, appId } = await startAppSite(t)
    const enrolled = await enrols(await invites())
    const mia = await phone(enrolled).introduce()
    const client = await mia.connect()
    const stream = await fetch(`${http}/v1/sdk/events`, {
      headers: {
        ...{ 'x-app-id': appId, 'x-user-id': enrolled.body.userId },
        authorization: `Bearer ${enrolled.body.credential}`,
      },
    })
    assert.equal(stream.status, 200)
    const read = (async () => {
      for await (const _ of stream.body!);
    })().catch(() => {})
    // Another user of the same application stays.
    const other = await site.user.connect()
    const removed = await mia.rest('DELETE', `/v1/sdk/me/app-devices/${enrolled.body.deviceId}`)
    assert.equal(removed.status, 200)
    await closes(site, client)
    await read
    assert.equal((await mia.rest('GET', '/v1/sdk/me')).status, 401)
    assert.equal(other.connected, true)
    assert.deepEqual(await store.appDevices(mia.userId), [])
  })

  test('a further device needs a yes, and nobody throws out the phone that was there before', async (t) => {
    const { site, store, appId, invites, enrols, phone } = await startAppSite(t)
    const own = phone(await enrols(await invites()))
    await own.introduce({ phone: PHONE })
    const { texts, proves } = proofs(store)
    await proves(own)
    await site.advance('100 h')

    // Somebody has the unlocked phone for a minute.
    const invited = await own.rest('POST', '/v1/sdk/me/invitations')
    assert.equal(invited.status, 201)
    assert.match(invited.body.link, /\/app\/join#inv_[\w-]{32}$/)
    const theirs = await enrols(invited.body.invitation)
    const other = phone(theirs)
    assert.equal(theirs.body.userId, own.account.externalUserId)
    assert.equal((await enrols(invited.body.invitation)).status, 404)

    const list = async (user: PhoneUser) => (await user.rest('GET', '/v1/sdk/me/app-devices')).body.devices
    const mine = (await list(own)).find(({ isThis }: { isThis: boolean }) => isThis)
    assert.equal((await list(own)).length, 2)
    const removing = await other.rest('DELETE', `/v1/sdk/me/app-devices/${mine.id}`)
    assert.equal(new Date(removing.body.removedFrom).getTime(), site.clock.now() + 72 * 3_600_000)
    await until('the proved number is told', async () => (await texts(/is being removed\. In 72 hours/)).length === 1)
    await other.rest('DELETE', `/v1/sdk/me/app-devices/${mine.id}`)
    assert.equal((await own.rest('POST', `/v1/sdk/me/app-devices/${mine.id}/keep`)).body.removedFrom, null)
    // The owner throws the new one out at once.
    assert.equal((await own.rest('DELETE', `/v1/sdk/me/app-devices/${theirs.body.deviceId}`)).status, 200)
    assert.equal((await other.rest('GET', '/v1/sdk/me')).status, 401)
    await until('and of the one that has gone', async () => (await texts(/was removed and can no longer/)).length === 1)

    // Somebody may be watching the phone: nothing lights it up before the silent alarm is over.
    const erases = (method: 'POST' | 'DELETE') => own.rest(method, '/v1/sdk/me/erasure')
    const { body } = await own.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString(), silent: true })
    await erases('POST')
    await site.advance('20 min')
    assert.deepEqual(await texts(/you are being erased/), [])
    await own.rest('POST', '/v1/sdk/sos/cancel', { incidentId: body.incident.incidentId })
    await until('then they are told', async () => {
      await site.advance('1 min')
      return (await texts(/you are being erased/)).length === 1
    })
    // Whoever goes on with it makes the phone ring no more.
    for (const method of ['DELETE', 'POST', 'DELETE'] as const) assert.equal((await erases(method)).status, 200)
    await site.advance('1 min')
    assert.equal((await texts(/./)).length, 4)
    // A node ends right behind the commit of a removal: another one finds the text in it.
    await site.advance('24 h')
    const third = await enrols((await own.rest('POST', '/v1/sdk/me/invitations')).body.invitation)
    const { audited } = store
    store.audited = (row) => ({
      ...audited(row),
      async removeAppDevice(...asked) {
        await audited(row).removeAppDevice(...asked)
        throw new StoreError('the node has ended', 'closed')
      },
    })
    assert.equal((await own.rest('DELETE', `/v1/sdk/me/app-devices/${third.body.deviceId}`)).status, 503)
    store.audited = audited
    await until('it is sent after all', async () => {
      await site.advance('1 min')
      return (await texts(/was removed and can no longer/)).length === 2
    })
    assert.deepEqual(await store.dueRemovalTexts(site.clock.now(), 9), [])
    // What was taken back is not told once more.
    await site.advance('48 h')
    assert.equal((await texts(/./)).length, 5)

    // A tracker alarms in her name as well.
    await site.advance('24 h')
    const code = createPairingCodes().make()
    const hardware = { hardwareId: 'T-1', codeHash: await createPairingCodes().hash(code), model: null }
    await store.registerHardware(appId, [hardware], site.clock.now())
    const paired = await own.rest('POST', '/v1/sdk/devices', { hardwareId: 'T-1', pairingCode: code })
    assert.equal(paired.status, 201)
    assert.equal((await own.rest('DELETE', `/v1/sdk/devices/${paired.body.id}`)).status, 204)
    await until('the proved number is told of it', async () => (await texts(/trackers was removed/)).length === 1)
    assert.equal((await own.rest('DELETE', `/v1/sdk/devices/${paired.body.id}`)).status, 404)
    const { items } = await store.auditRows({ after: null, limit: 9 })
    assert.deepEqual([items[0]!.action, items[0]!.details.change], ['account.changed', 'tracker_removed'])

    // What an operator gives to a person whose phone is in other hands, that phone does not throw out at once.
    const given = await enrols(await invites({ kind: 'device', user: (await store.user(own.userId))! }))
    const byOperator = (await list(own)).find(({ id }: { id: string }) => id === given.body.deviceId)
    assert.equal(byOperator.leavesAtOnce, false)
    const kept = await own.rest('DELETE', `/v1/sdk/me/app-devices/${given.body.deviceId}`)
    assert.equal(new Date(kept.body.removedFrom).getTime(), site.clock.now() + 72 * 3_600_000)

    // A user whom a backend vouches for has no device to ask from.
    assert.equal((await site.user.rest('POST', '/v1/sdk/me/invitations')).status, 409)
    assert.equal((await site.user.rest('POST', '/v1/sdk/me/erasure')).status, 409)
    assert.equal((await own.rest('DELETE', '/v1/sdk/me/app-devices/no-uuid')).status, 404)
  })

  test('a person invites somebody, who is proposed that person as contact and has none before adding them', async (t) => {
    const { site, appId, invites, enrols, phone, store } = await startAppSite(t)
    const ana = phone(await enrols(await invites()))
    await ana.introduce()
    const invite = () => ana.rest('POST', '/v1/sdk/me/invitations/contact')
    assert.equal((await invite()).status, 409)
    await ana.introduce({ name: 'Ana', phone: '+4366012345678' })
    const invited = await invite()
    const enrolled = await enrols(invited.body.invitation)
    assert.deepEqual(enrolled.body.proposedContact, { name: 'Ana', phone: '+4366012345678' })
    const ben = await phone(enrolled).introduce()
    assert.equal((await store.user(ben.userId))?.enrolledBy, 'contact')
    assert.deepEqual(await store.contacts(ben.userId), [])
    assert.equal((await enrols(invited.body.invitation)).status, 404)
    // Used ones make no room for more on the same day, and who was invited like this invites nobody.
    for (let k = 0; k < 4; k++) assert.equal((await enrols((await invite()).body.invitation)).status, 201)
    assert.equal((await invite()).status, 409)
    await ben.introduce({ name: 'Ben', phone: '+4366012345679' })
    const further = await ben.rest('POST', '/v1/sdk/me/invitations/contact')
    assert.match(further.body.error.message, /whom an operator has invited/)
    assert.equal((await ben.rest('POST', '/v1/sdk/me/invitations')).status, 201)

    // An alarm texts and calls contacts who have not confirmed, so a stranger names few numbers a day.
    const number = (k: number) => `+43664000000${k}`
    const add = (k: number) => ben.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: number(k) })
    const first = await add(0)
    const change = (fields: object) => ben.rest('PUT', `/v1/sdk/contacts/${first.body.id}`, fields)
    for (let k = 1; k < 4; k++) assert.equal((await change({ phone: number(k) })).status, 200)
    await store.updateApplication(appId, { allowedPrefixes: ['+49'] })
    assert.equal((await add(9)).status, 400, 'refused, so it does not count')
    await store.updateApplication(appId, { allowedPrefixes: [] })
    const premium = await change({ phone: '+43900123456' })
    assert.deepEqual([premium.status, premium.body.error.fields[0].field], [400, 'phone'])
    assert.equal((await ben.rest('PUT', '/v1/sdk/me', { phone: '+43900123456' })).status, 400)
    for (let k = 4; k < 6; k++) assert.equal((await add(k)).status, 201)
    const refused = [await add(6), await change({ phone: number(7) })]
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.error.code]),
      [1, 2].map(() => [429, 'E_SDK_CONTACTS_RATE_LIMITED']),
    )
    assert.equal((await change({ name: 'Ben', phone: number(3) })).status, 200)
    await site.advance('24 h')
    assert.equal((await add(6)).status, 201)
  })

  test('a contact abroad who has not confirmed gets an SMS and no call, and both are told why', async (t) => {
    const { site, invites, enrols, phone, store, appId } = await startAppSite(t)
    await store.updateApplication(appId, { allowedPrefixes: [] })
    const mia = phone(await enrols(await invites()))
    await mia.introduce({ name: 'Mia' })
    const [home, abroad, sure] = ['+436601110010', '+4915112345678', '+4915112345679']
    for (const number of [home, abroad, sure]) {
      const { status, body } = await mia.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: number })
      assert.deepEqual([status, body.smsOnly], [201, number === home ? undefined : true])
    }
    const confirms = async (number: string) => {
      const [one] = (await store.contacts(mia.userId)).filter(({ phone: own }) => own === number)
      const token = `token-of-${number}`
      await store.requestVerification(mia.userId, one!.id, { token, now: site.clock.now() + 86_400_000, perDay: 100 })
      await store.answerVerification(token, 'confirmed', site.clock.now() + 86_400_000)
      return one!
    }
    const confirmed = await confirms(sure)
    const { body: listed } = await mia.rest('GET', '/v1/sdk/contacts')
    assert.deepEqual(
      listed.map(({ smsOnly }: { smsOnly?: true }) => smsOnly),
      [undefined, true, undefined],
    )
    const { body: pressed } = await mia.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })
    // Whoever has the phone takes no call away from somebody who has confirmed.
    assert.equal((await mia.rest('DELETE', `/v1/sdk/contacts/${confirmed.id}`)).status, 204)
    const { incidentId } = pressed.incident
    const called = async () =>
      (await store.outbox({ incidentId })).flatMap(({ channel, to }) => (channel === 'voice' ? [to] : []))
    const attempts = async (error: string | null) =>
      (await store.incident(incidentId))!.incident.deliveries.filter((row) => row.error === error)
    await until('two are called', async () => {
      await site.advance('5 s')
      return new Set(await called()).size === 2
    })
    assert.ok(![...(await called())].includes(abroad))
    const texted = (await store.outbox({ incidentId })).filter(({ channel }) => channel === 'sms')
    assert.deepEqual(new Set(texted.map(({ to }) => to)), new Set([home, abroad, sure]))
    await until('the trail says why', async () => (await attempts('unconfirmed abroad')).length > 0)
    const [reason] = await attempts('unconfirmed abroad')
    assert.deepEqual([reason!.channel, reason!.status, reason!.to], ['voice', 'failed', abroad])

    // Confirmed in the middle of it: the next round calls.
    await confirms(abroad)
    await until('the third is called', async () => {
      await site.advance('30 s')
      return (await called()).includes(abroad)
    })
  })

  test('a removal and an erasure take effect after 72 hours, unless they are undone', async (t) => {
    const { site, invites, enrols, phone, store } = await startAppSite(t)
    const invitation = await invites({ kind: 'poster', places: 2 })
    const [mia, eva] = [phone(await enrols(invitation)), phone(await enrols(invitation))]
    const { texts, proves } = proofs(store)
    await mia.introduce({ name: 'Somebody', phone: PHONE })
    await proves(mia)
    for (const user of [mia, eva]) {
      await user.introduce({ name: 'Somebody' })
      assert.notEqual((await user.rest('POST', '/v1/sdk/me/erasure')).body.erasesAt, null)
    }
    assert.notEqual((await eva.rest('POST', '/v1/sdk/me/erasure')).body.erasesAt, null)
    assert.deepEqual((await eva.rest('DELETE', '/v1/sdk/me/erasure')).body, { erasesAt: null })
    const { items } = await store.auditRows({ after: null, limit: 100 })
    assert.deepEqual(
      items.flatMap(({ action, userId, details }) => (userId === eva.userId ? [`${action} ${details.change}`] : [])),
      ['user.change erasure_undone', 'account.changed erasure_asked'],
      'the same is asked for once',
    )
    assert.notEqual(await store.accountChangedAt(eva.userId), null)
    const told = async (hours: number) => (await texts(new RegExp(`being erased. In ${hours} hours`))).length
    await until('she is told', async () => (await told(72)) === 1)
    await site.advance('47 h')
    assert.equal(await told(24), 0)
    await site.advance('58 min')
    await until('once more, a day before: whoever asked may have read the first text', async () => {
      await site.advance('1 min')
      return (await told(24)) === 1
    })
    await site.advance('23 h')
    assert.equal((await mia.rest('GET', '/v1/sdk/me')).status, 200)
    await site.advance('62 min')
    await until('the user is erased', async () => {
      await site.advance('10 s')
      return (await store.user(mia.userId)) === null
    })
    assert.equal((await mia.rest('GET', '/v1/sdk/me')).status, 401)
    assert.equal((await eva.rest('GET', '/v1/sdk/me')).status, 200)
  })

  test('no push service in this network is called, although the operator lets chat call there', async (t) => {
    const { site, store, invites, enrols, phone } = await startAppSite(t)
    const mia = await phone(await enrols(await invites())).introduce()
    let calls = 0
    const trap = createServer((socket) => {
      calls += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    t.after(() => trap.close())
    await once(trap, 'listening')
    const PATH = '/v1/sdk/me/push'
    assert.equal((await mia.rest('GET', PATH)).body.subscription, null)
    // As if a name led there by now.
    const { keys } = new PushBrowser('trap').subscription
    const endpoint = `https://127.0.0.1:${(trap.address() as AddressInfo).port}/`
    const [device] = await store.appDevices(mia.userId)
    const shown = { language: 'en', wholeText: false, keptAt: site.clock.now() } as const
    await store.keepPushSubscription({ deviceId: device!.id, userId: mia.userId, endpoint, ...keys, ...shown })
    const dueAt = new Date(site.clock.now() + 16 * 60_000).toISOString()
    assert.equal((await mia.rest('POST', '/v1/sdk/timers', { dueAt })).status, 201)
    await site.advance('2 min')
    const failed = await until('it has failed', async () => {
      const { subscription } = (await mia.rest('GET', PATH)).body
      return subscription.failure !== null && subscription
    })
    assert.deepEqual([failed.failure, failed.sentAt, calls], ['unreachable', null, 0])
  })

  test('phones are told by Web Push: once, sealed, and nothing in a silent alarm', async (t) => {
    const service = await startPushService(t)
    const settings = { graceSeconds: 1 }
    const { site, store, invites, enrols, phone } = await startAppSite(t, {
      ...{ contacts: ['Ana'], settings, pushCaller: service.caller },
    })
    const user = await store.user(site.user.userId)
    const enrolled = async () => phone(await enrols(await invites({ kind: 'device', user }))).introduce()
    const [one, two] = [await enrolled(), await enrolled()]
    const PATH = '/v1/sdk/me/push'
    const browsers = { one: new PushBrowser('one'), two: new PushBrowser('two') }
    const subscribe = (by: PhoneUser, given: object) =>
      by.rest('PUT', PATH, { language: 'en', ...browsers.one.subscription, ...given })
    for (const endpoint of [
      ...['http://push.test/one', 'https://127.0.0.1/one', 'https://localhost/one', 'https://[fd00::1]/one'],
      ...[
        'https://push.test:8443/one',
        'https://me@push.test/one',
        'https://',
        `https://push.test/${'x'.repeat(1024)}`,
      ],
    ]) {
      assert.equal((await subscribe(one, { endpoint })).status, 400, endpoint)
    }
    assert.equal((await subscribe(one, { keys: { p256dh: 'AAAA', auth: 'AAAA' } })).body.error.fields.length, 2)
    assert.equal((await site.user.rest('GET', PATH)).status, 409)
    assert.equal((await subscribe(one, {})).status, 200)
    const { publicKey } = (await subscribe(two, { ...browsers.two.subscription, language: 'de', wholeText: true })).body
    assert.equal(Buffer.from(publicKey, 'base64url').length, 65)

    const pushes: { name: string; message: unknown }[] = []
    const arrive = async (count: number) => {
      await until(`${count} pushes`, () => service.taken.length >= pushes.length + count)
      const fresh = service.taken.slice(pushes.length).map((taken) => {
        assertSigned(taken, publicKey)
        return { name: taken.name, message: browsers[taken.name as 'one'].read(taken.body) }
      })
      pushes.push(...fresh)
      return fresh.sort((a, b) => a.name.localeCompare(b.name))
    }
    const news = { title: 'News in Hut', tag: 'sos' }
    const whole = (body: string) => ({ name: 'two', message: { title: 'Neuigkeiten in Hut', tag: 'sos', body } })
    const state = async (by: PhoneUser) => (await by.rest('GET', PATH)).body.subscription
    await site.user.presses()
    await site.advance('2 s')
    await site.phone('Ana').pressesTheButton()
    assert.deepEqual(await arrive(2), [{ name: 'one', message: news }, whole('Ana hat auf deinen Alarm geantwortet.')])
    // What the desk writes, and not what the person does.
    const eva = await signedIn(site, 'Eva')
    const { id: incidentId } = (await store.openIncident(user!.id))!.incident
    const writes = (id: string) => eva.ask('POST', `/incidents/${incidentId}/messages`, { id, text: 'Wir kommen.' })
    assert.equal((await one.rest('POST', '/v1/sdk/sos/messages', { id: 'mine-one', quickReply: 'yes' })).status, 201)
    for (const id of ['from-desk', 'from-desk']) assert.equal((await writes(id)).status, 200)
    const desk = { tag: 'desk', body: 'Leitstelle, Eva: Wir kommen.' }
    assert.deepEqual(await arrive(2), [
      { name: 'one', message: { title: 'News in Hut', tag: 'desk' } },
      { name: 'two', message: { title: 'Neuigkeiten in Hut', ...desk } },
    ])
    // What is out of reach is tried again, and the app can say so meanwhile.
    service.answers(503)
    await one.rest('POST', '/v1/sdk/sos/resolve')
    const over = whole('Dein Alarm wurde von einem deiner Handys beendet. Noch in Gefahr? Drücke noch einmal.')
    assert.deepEqual(await arrive(2), [{ name: 'one', message: news }, over])
    await until('the failure is known', async () => (await state(two)).failure === 'unreachable')
    await until('the other one, too', async () => (await state(one)).failure === 'unreachable')
    service.answers(201)
    await site.advance('6 s')
    assert.deepEqual(await arrive(2), [{ name: 'one', message: news }, over])
    await until('it is sent', async () => (await state(two)).failure === null)

    // A silent one: nothing lights up, whatever happens in it. The press after it is told again.
    await site.user.presses({ timestamp: new Date(Date.now() + 1_000).toISOString(), silent: true })
    await site.advance('2 s')
    const silent = (await store.openIncident(user!.id))?.incident
    assert.equal(silent?.silent, true)
    const written = { id: 'in-silence', text: 'Wir kommen.' }
    assert.equal((await eva.ask('POST', `/incidents/${silent?.id}/messages`, written)).status, 200)
    const link = await until('the link of this alarm', async () => {
      const links = (await site.phone('Ana').messages()).flatMap(({ text }) => /\/t\/[\w-]+/.exec(text)?.[0] ?? [])
      return links.at(-1) !== links[0] && links.at(-1)
    })
    const answered = await fetch(`${site.user.account.http}${link}/ack`, { method: 'POST', redirect: 'manual' })
    assert.equal(answered.status, 303)
    assert.equal((await store.openIncident(user!.id))?.incident.state.status, 'acknowledged')
    await one.rest('POST', '/v1/sdk/sos/resolve')
    // An end of a subscription is believed.
    service.answers(410)
    const dueAt = new Date(site.clock.now() + 30 * 60_000).toISOString()
    assert.equal((await one.rest('POST', '/v1/sdk/timers', { dueAt })).status, 201)
    await site.advance('15 min')
    const [first, second] = await arrive(2)
    assert.deepEqual(first, { name: 'one', message: { title: 'News in Hut', tag: 'timer' } })
    assert.match((second!.message as { body: string }).body, /^Hut: Bitte melde/)
    await until('both are gone', async () => (await state(one)) === null && (await state(two)) === null)
    assert.equal(service.taken.length, pushes.length)

    // A timer that has run out; and a device that is removed, whose subscription goes with it.
    service.answers(201)
    await subscribe(one, {})
    await subscribe(two, browsers.two.subscription)
    const { devices } = (await one.rest('GET', '/v1/sdk/me/app-devices')).body
    await two.rest('DELETE', `/v1/sdk/me/app-devices/${devices.find(({ isThis }: any) => !isThis).id}`)
    await site.advance('20 min')
    assert.deepEqual(await arrive(1), [{ name: 'one', message: news }])
    const counted = (outcome: string) => metric(site.service, `tocsin_pushes_total{outcome="${outcome}"}`)
    await until('each is counted', async () => (await counted('sent')) === 7)
    assert.deepEqual([await counted('unreachable'), await counted('gone'), await counted('refused')], [2, 2, 0])
  })
})
