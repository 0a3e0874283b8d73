import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { appSecretHash } from '../../src/core/account/app-device.ts'
import { asks } from '../contract/enrolment.ts'
import { openHere } from '../fixtures/store-place.ts'
import { commandLine } from './command-line.ts'

const PUBLIC_URL = 'https://sos.example.org'

/** A data directory with an application whose app is on. */
async function newSite(t: TestContext) {
  const { dataDir, tocsin, answer } = await commandLine(t, { TOCSIN_PUBLIC_URL: PUBLIC_URL })
  const { appId } = await answer('app', 'create', '--name', 'Hut', '--language', 'de-AT', '--verify-contacts', 'off')
  const shown = await answer('app', 'update', appId, '--web-app', 'on')
  return {
    ...{ appId: appId as string, shown, tocsin, answer },
    /** A browser that uses the link. */
    async uses(link: string) {
      const store = await openHere(t, dataDir, { leaveNotices: true })
      const secret = link.slice(link.indexOf('#') + 1)
      const enrolled = await store.enrol(asks({ hash: appSecretHash(secret) }, undefined, Date.now()))
      await store.close()
      return enrolled
    },
  }
}

suite('tocsin app update --web-app', () => {
  test('switched on for the first time, it takes the country of the language, its prefix, and asks contacts', async (t) => {
    const { appId, shown, answer } = await newSite(t)
    const webApp = { on: true, colour: '#b3261e', country: 'AT', emergencyNumber: '112' }
    assert.deepEqual(shown.webApp, webApp)
    assert.deepEqual([shown.allowedPrefixes, shown.verifyContacts], [['+43'], true])

    // From then on, what the operator sets stays.
    await answer('app', 'update', appId, '--allowed-prefixes', 'any', '--web-app', 'off')
    const again = await answer('app', 'update', appId, '--web-app', 'on', '--colour', '#00AA00', '--country', 'de')
    assert.deepEqual(again.webApp, { ...webApp, colour: '#00aa00', country: 'DE' })
    assert.deepEqual(again.allowedPrefixes, [])
    const own = await answer('app', 'update', appId, '--emergency-number', '140')
    assert.deepEqual(own.webApp, { ...again.webApp, emergencyNumber: '140' })
  })

  test('bad values are refused', async (t) => {
    const { appId, tocsin } = await newSite(t)
    for (const [option, value, message] of [
      ['--colour', 'red', /must be a colour such as #b3261e/],
      ['--emergency-number', 'rescue', /must be a number such as 112/],
      ['--country', 'AUT', /must be an ISO 3166-1 country code such as AT/],
    ] as const) {
      const refused = await tocsin('app', 'update', appId, option, value)
      assert.equal(refused.code, 2)
      assert.match(refused.stderr, message)
    }
  })
})

suite('tocsin user invite', () => {
  test('prints a link and its code, which make one user with one device', async (t) => {
    const { appId, answer, tocsin, uses } = await newSite(t)
    const { link, ...invited } = await answer('user', 'invite', appId, '--label', 'Mia')
    assert.match(link, /^https:\/\/sos\.example\.org\/app\/join#inv_[\w-]{32}$/)
    assert.deepEqual(
      { kind: invited.kind, label: invited.label, places: invited.places, used: invited.used, works: invited.works },
      { kind: 'person', label: 'Mia', places: 1, used: 0, works: true },
    )
    const enrolled = await uses(link)
    assert.ok('user' in enrolled)
    assert.deepEqual(await uses(link), { refused: 'invitation_unknown' })
    assert.deepEqual(await answer('user', 'invitations', appId), [{ ...invited, used: 1, works: false }])
    const [user] = await answer('user', 'list', appId)
    assert.deepEqual([user.id, user.enrolledBy], [enrolled.user.id, 'person'])

    const text = (await tocsin('user', 'invite', appId)).stdout
    assert.match(text, /shown only once/)
    assert.match(text, /[█▄▀]{20}/)
    assert.doesNotMatch(JSON.stringify(await answer('user', 'invitations', appId)), /inv_/)
  })

  test('a poster has places, is ended, and marks its users', async (t) => {
    const { appId, answer, tocsin, uses } = await newSite(t)
    const { link, id } = await answer('user', 'invite', appId, '--poster', '--places', '2')
    assert.ok('user' in (await uses(link)))
    const ended = await answer('user', 'invitations', appId, '--end', id)
    assert.deepEqual([ended.kind, ended.used, ended.works], ['poster', 1, false])
    assert.deepEqual(await uses(link), { refused: 'invitation_unknown' })
    assert.match((await tocsin('user', 'list', appId)).stdout, /from poster/)
    const counted = (await tocsin('user', 'invitations', appId, '--disable-users', id)).stdout
    assert.match(counted, /Nothing has changed\. With --yes, 1 of 1 users are disabled/)
    const done = await answer('user', 'invitations', appId, '--disable-users', id, '--yes')
    assert.deepEqual(done, { users: 1, enabled: 0, inAlarm: 0, changed: 1 })
    const back = await answer('user', 'invitations', appId, '--enable-users', id, '--yes')
    assert.deepEqual([back.enabled, back.changed], [1, 1])
    const both = await tocsin('user', 'invitations', appId, '--end', id, '--enable-users', id)
    assert.match(both.stderr, /name one of --end/)
    assert.match((await tocsin('user', 'invitations', appId, '--disable-users', 'x')).stderr, /no such invitation/)
    assert.match((await tocsin('user', 'invitations', appId, '--end', 'x')).stderr, /no such invitation/)
  })

  test('a further device of a user is listed and removed', async (t) => {
    const { appId, answer, tocsin, uses } = await newSite(t)
    await answer('contact', 'add', appId, 'hiker-1', '--name', 'Ana', '--phone', '+4366012345678')
    const { link } = await answer('user', 'invite', appId, 'hiker-1', '--device')
    const enrolled = await uses(link)
    assert.ok('device' in enrolled && enrolled.user.externalUserId === 'hiker-1')
    const [device] = await answer('user', 'devices', appId, 'hiker-1')
    assert.deepEqual([device.id, device.name, device.lastUsedAt], [enrolled.device.id, 'Phone', null])
    assert.deepEqual(await answer('user', 'devices', appId, 'hiker-1', '--remove', device.id), [])
    const again = await tocsin('user', 'devices', appId, 'hiker-1', '--remove', device.id)
    assert.match(again.stderr, /no such device/)
    const audit = (await answer('audit', 'list')).map(({ action }: { action: string }) => action)
    assert.deepEqual(audit.slice(0, 2), ['user.change', 'app.invite'])
  })

  test('what does not fit together is refused, and so is everything while the app is off', async (t) => {
    const { appId, tocsin, answer } = await newSite(t)
    for (const [args, message] of [
      [['--poster'], /--places NUMBER/],
      [['--places', '3'], /--poster/],
      [['hiker-1'], /--device/],
      [['--device'], /external id/],
      [['nobody', '--device'], /no such user/],
      [['hiker-1', '--device', '--poster', '--places', '3'], /new users/],
    ] as const) {
      const refused = await tocsin('user', 'invite', appId, ...args)
      assert.equal(refused.code, 1, args.join(' '))
      assert.match(refused.stderr, message)
    }
    await answer('app', 'update', appId, '--web-app', 'off')
    assert.match((await tocsin('user', 'invite', appId)).stderr, /--web-app on/)
  })
})
