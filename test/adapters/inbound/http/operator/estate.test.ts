import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, type TestContext, test } from 'node:test'
import type { OperatorNeeds } from '../../../../../src/adapters/inbound/http/operator/routes.ts'
import { createIds } from '../../../../../src/adapters/platform/system/ids.ts'
import { knownBackups } from '../../../../../src/app/operator/backups.ts'
import { clockKeeping } from '../../../../../src/app/operator/clock.ts'
import { firstSteps } from '../../../../../src/app/operator/first-steps.ts'
import { simulating } from '../../../../../src/app/operator/simulation.ts'
import { sendingTests } from '../../../../../src/app/operator/test-message.ts'
import { testQuota } from '../../../../../src/app/operator/test-quota.ts'
import { operatorTimers } from '../../../../../src/app/operator/timers.ts'
import { userReadiness } from '../../../../../src/app/ready/user-readiness.ts'
import { defaultSettings } from '../../../../../src/core/account/settings.ts'
import { type AuditEntry, COMMAND, entry } from '../../../../../src/core/operator/audit.ts'
import type { Notification } from '../../../../../src/ports/notifier.ts'
import { type Store, StoreError } from '../../../../../src/ports/store.ts'
import { applicationCalled } from '../../../../contract/site.ts'
import { migratedDir, openHere } from '../../../../fixtures/store-place.ts'
import { NOW } from '../stand-in.ts'
import { HUT, operatorApi, withCookie } from './stand-in.ts'

const ELSEWHERE = '0a000000-0000-7000-8000-00000000000b'
const NOBODY = '0a000000-0000-7000-8000-0000000000ff'

/** The API on a real store with the applications Hut and Elsewhere, and one user in each. */
async function estateApi(
  t: TestContext,
  given: { readonly nodes?: OperatorNeeds['nodes']; readonly sends?: boolean; readonly fails?: boolean } = {},
) {
  const store: Store = await openHere(t, await migratedDir(t))
  for (const [id, name, secret] of [
    [HUT, 'Hut', 'hut secret'],
    [ELSEWHERE, 'Elsewhere', 'other secret'],
  ] as const) {
    await store.createApplication({ ...applicationCalled(name), id }, secret)
  }
  const userOf = (appId: string, externalUserId: string) =>
    store.ensureUser({ appId, externalUserId, id: randomUUID(), now: 1 })
  const [mia, tom] = [await userOf(HUT, 'mia-7'), await userOf(ELSEWHERE, 'tom-1')]
  const ended: string[] = []
  const sent: Notification[] = []
  const looks: Parameters<OperatorNeeds['noteLook']>[0][] = []
  let now = 0
  const calendar: string[] = []
  const ids = createIds()
  const operator: Partial<OperatorNeeds> = {
    store,
    ids,
    devicesPerUser: 10,
    profileNames: () =>
      new Map([
        ['tocsin-12', 'shipped'],
        ['own-1', 'own'],
      ] as const),
    askContact: async () => ({ refused: 'contact_not_found' }),
    codes: { make: () => 'K7M2Q9XA', hash: async (code) => `hash of ${code.length}` },
    nodes: given.nodes ?? null,
    isBlocked: async (url) => url.includes('192.168.'),
    defaults: { settings: defaultSettings, timeZone: 'UTC' },
    noteLook: (look) => void looks.push(look),
    endSessions: (appId) => void ended.push(appId),
    sendTest: sendingTests({
      store,
      ids,
      defaults: defaultSettings,
      sendsMail: () => false,
      warnings: () => ['costs money'],
      quota: testQuota(() => now),
      async send(notification) {
        sent.push(notification)
        if (given.fails) return { kind: 'failed', error: 'connection refused', retryAfterMs: null } as never
        return { kind: 'sent', provider: 'outbox', providerRef: null }
      },
    }),
    simulate: simulating({
      store,
      ids,
      clock: { now: () => NOW },
      isOutboxOnly: () => !given.sends,
      raise: async () => ({ incidentId: NOBODY }),
    }),
    firstSteps: firstSteps({ store, isOutboxOnly: () => !given.sends }),
    contactsPerUser: 2,
    asking: { perDay: 100 },
    isPossible: (phone) => !phone.startsWith('+999'),
    announce: () => {},
    backups: knownBackups({ store, clock: { now: () => NOW }, isOwn: true }),
    clockKeeping: clockKeeping({
      store,
      clock: { now: () => NOW },
      calendar: { isBelieved: () => calendar.length > 0, accept: () => void calendar.push('accepted') },
    }),
    timers: operatorTimers({
      store,
      ids,
      log: { info() {}, warn() {}, error() {} },
      meter: { count() {}, observe() {} },
    }),
    pause: async () => {},
    readiness: userReadiness({
      store,
      clock: { now: () => Date.parse('2026-05-01T12:00:00Z') },
      defaults: defaultSettings,
      site: () => ({ isDown: false, isFailing: false, keepsMessages: false, channels: ['sms', 'voice'] }),
      isPossible: () => true,
    }),
    health: async () => ({
      reasons: [],
      concerns: ['the clock is doubted'],
      keepsMessages: true,
      figures: { active: 1, acknowledged: 0, held: 0, deadLetters: 0 },
    }),
    keptDatabases: () => [],
  }
  const api = await operatorApi(t, { operator })
  const audit = async () => (await store.auditRows({ after: null, limit: 100 })).items
  return { ...api, store, mia, tom, ended, sent, looks, audit, passes: (ms: number) => (now += ms) }
}

const hut = `/applications/${HUT}`

suite('applications in the operator API', () => {
  test('are made with a secret that is shown once, changed, and disabled, which closes connections', async (t) => {
    const { as, store, ended, audit } = await estateApi(t)
    const made = await as('admin', 'POST', '/applications', { body: { name: 'New', language: 'fr' } })
    assert.equal(made.status, 201)
    const { applicationId, secret, ...shown } = made.json
    assert.deepEqual(
      [shown.name, shown.language, shown.disabled, shown.actuators],
      ['New', 'fr', false, { emergency_contacts: {} }],
    )
    assert.equal((await store.admittingApplication(applicationId))?.secrets[0]?.secret, secret)
    assert.ok(!JSON.stringify((await as('admin', 'GET', `/applications/${applicationId}`)).json).includes(secret))

    const changed = await as('hutAdmin', 'PATCH', hut, {
      body: { disabled: true, fallbackContact: { name: 'Post', phone: '+4366012345678' }, timeZone: 'Europe/Vienna' },
    })
    assert.deepEqual([changed.status, changed.json.disabled, changed.json.timeZone], [200, true, 'Europe/Vienna'])
    assert.deepEqual(ended, [HUT])
    const added = await as('hutAdmin', 'POST', `${hut}/secrets`)
    assert.equal(added.status, 201)
    const third = await as('hutAdmin', 'POST', `${hut}/secrets`)
    assert.deepEqual([third.status, third.json.error.reason], [409, 'two_secrets_already'])
    assert.equal((await as('hutAdmin', 'DELETE', `${hut}/secrets/older`)).status, 204)
    assert.deepEqual(
      (await store.admittingApplication(HUT))?.secrets.map((one) => one.secret),
      [added.json.secret],
    )
    assert.equal((await as('hutAdmin', 'DELETE', `${hut}/secrets/older`)).json.error.reason, 'only_one_secret')

    const rows = await audit()
    assert.deepEqual(
      rows.toReversed().map(({ action, actor, appId }) => [action, actor.name, appId]),
      [
        ['application.create', 'admin', applicationId],
        ['application.change', 'hutAdmin', HUT],
        ['application.secret', 'hutAdmin', HUT],
        ['application.secret', 'hutAdmin', HUT],
      ],
    )
    for (const word of [secret, added.json.secret, '660123', 'Post']) assert.ok(!JSON.stringify(rows).includes(word))
  })

  test('are those that the caller works for; others do not exist', async (t) => {
    const { as, audit } = await estateApi(t)
    const namesFor = async (person: 'viewer' | 'hutViewer') =>
      (await as(person, 'GET', '/applications')).json.items.map(({ name }: { name: string }) => name).toSorted()
    assert.deepEqual(await namesFor('viewer'), ['Elsewhere', 'Hut'])
    assert.deepEqual(await namesFor('hutViewer'), ['Hut'])
    const asked: readonly (readonly [string, string, unknown?])[] = [
      ['GET', `/applications/${ELSEWHERE}`],
      ['PATCH', `/applications/${ELSEWHERE}`, { name: 'Mine' }],
      ['POST', `/applications/${ELSEWHERE}/secrets`],
      ['DELETE', `/applications/${ELSEWHERE}/secrets/older`],
      ['PUT', `/applications/${ELSEWHERE}/actuators/chat`, { url: 'https://a.example/' }],
      ['DELETE', `/applications/${ELSEWHERE}/actuators/chat`],
      ['POST', `/applications/${ELSEWHERE}/test`, { channel: 'chat' }],
      ['GET', `/applications/${ELSEWHERE}/texts`],
      ['PUT', `/applications/${ELSEWHERE}/texts`, { language: 'en', key: 'confirm', text: 'x' }],
      ['GET', `/users?app=${ELSEWHERE}`],
      ['GET', `/outbox?app=${ELSEWHERE}`],
      ['POST', '/devices', { applicationId: ELSEWHERE, hardwareId: 'T-1', pairingCode: 'swordfish-1' }],
      ['POST', '/devices/unpair', { applicationId: ELSEWHERE, hardwareId: 'T-1' }],
    ]
    for (const [method, path, body] of asked) {
      const foreign = await as('hutAdmin', method, path, { body })
      const unknown = await as('hutAdmin', method, path.replace(ELSEWHERE, NOBODY), {
        body: body === undefined ? undefined : JSON.parse(JSON.stringify(body).replace(ELSEWHERE, NOBODY)),
      })
      assert.deepEqual([foreign.status, foreign.json.error.reason], [404, 'application_not_found'], `${method} ${path}`)
      const { requestId: _, ...told } = foreign.json.error
      const { requestId: __, ...unknownTold } = unknown.json.error
      assert.deepEqual(told, unknownTold, 'nobody learns whether it exists')
    }
    assert.deepEqual(await audit(), [])
  })

  test('a viewer’s change is refused, forged or not, and so is one of a page elsewhere', async (t) => {
    const { as, ask, audit } = await estateApi(t)
    for (const [method, path, body] of [
      ['POST', '/applications', { name: 'New' }],
      ['PATCH', hut, { name: 'New' }],
      ['PUT', `${hut}/actuators/chat`, { url: 'https://a.example/' }],
      ['POST', `${hut}/test`, { channel: 'sms', to: '+4366012345678' }],
      ['DELETE', `/users/${NOBODY}`, undefined],
      ['POST', '/devices', { applicationId: HUT, hardwareId: 'T-1', pairingCode: 'swordfish-1' }],
    ] as const) {
      const { status, json } = await as('viewer', method, path, { body })
      assert.deepEqual([status, json.error.reason], [403, 'not_allowed'], path)
    }
    const forged = { ...withCookie('admin'), origin: 'https://evil.example' }
    const { status, json } = await ask('PATCH', hut, { headers: forged, body: { name: 'New' } })
    assert.deepEqual([status, json.error.reason], [403, 'not_own_page'])
    assert.equal((await as('hutAdmin', 'POST', '/applications', { body: { name: 'New' } })).status, 403)
    assert.deepEqual(await audit(), [])
  })

  test('bad fields are named, each with what is wrong', async (t) => {
    const { as } = await estateApi(t)
    const fieldsOf = async (method: string, path: string, body: unknown) => {
      const { status, json } = await as('admin', method, path, { body })
      assert.equal(status, 400, JSON.stringify(body))
      return (json.error.fields ?? []).map(
        ({ field, message }: { field: string; message: string }) => `${field} ${message}`,
      )
    }
    assert.match((await fieldsOf('POST', '/applications', { name: ' ' }))[0], /^name /)
    assert.match((await fieldsOf('PATCH', hut, {}))[0], /body must name something to change/)
    assert.match((await fieldsOf('PATCH', hut, { nmae: 'x' }))[0], /nmae/)
    assert.match((await fieldsOf('PATCH', hut, { timeZone: 'Vienna' }))[0], /timeZone must be a time zone such as/)
    assert.match(
      (await fieldsOf('PATCH', hut, { corsOrigins: ['https://a.example/x'] }))[0],
      /corsOrigins.0 must be an origin/,
    )
    assert.match((await fieldsOf('PUT', `${hut}/actuators/chat`, { url: 'ftp://a' }))[0], /^url /)
    assert.match((await fieldsOf('PUT', `${hut}/actuators/chat`, { settings: { rounds: 0 } }))[0], /^settings.rounds /)
    const huge = await as('admin', 'PATCH', hut, { body: { name: 'x'.repeat(70_000) } })
    assert.deepEqual([huge.status, huge.json.error.code], [413, 'E_OPERATOR_TOO_LARGE'])
  })
})

suite('actuators and texts in the operator API', () => {
  test('an actuator is set piece by piece, without its secret ever being shown', async (t) => {
    const { as, store } = await estateApi(t)
    const put = (body: unknown) => as('admin', 'PUT', `${hut}/actuators/webhook`, { body })
    assert.equal((await put({ secret: 'whsec_1' })).json.error.reason, 'url_missing')
    assert.equal((await put({ url: 'http://192.168.1.4/' })).json.error.reason, 'private_target')
    await put({ url: 'https://hook.example/', secret: 'whsec_1' })
    const { json } = await put({ url: 'https://new.example/', settings: { httpAttempts: 3, rounds: 4 } })
    assert.deepEqual(json.actuators.webhook, { url: 'https://new.example/', signed: true, httpAttempts: 3 })
    assert.deepEqual(json.ownSettings, { rounds: 4 })
    assert.equal((await store.application(HUT))?.actuators.webhook?.secret, 'whsec_1')
    assert.equal((await put({ secret: null })).json.actuators.webhook.signed, false)
    const removed = await as('admin', 'DELETE', `${hut}/actuators/webhook`)
    assert.deepEqual(Object.keys(removed.json.actuators), ['emergency_contacts'])
    assert.equal((await as('admin', 'PUT', `${hut}/actuators/siren`, { body: {} })).status, 400)
  })

  test('who may not change the address of a chat sees its host alone: the rest is all it takes to write there', async (t) => {
    const { as, store } = await estateApi(t)
    await store.setActuator(HUT, 'chat', { url: 'https://chat.example/T0/B0/secret?key=1', format: 'text' }, {})
    await store.setActuator(HUT, 'webhook', { url: 'https://hook.example/secret', secret: 'sign' }, {})
    await store.setActuator(HUT, 'emergency_contacts', { httpUrl: 'https://gate.example:8443/secret' }, {})
    for (const person of ['viewer', 'hutViewer', 'operator', 'hutOperator'] as const) {
      const one = (await as(person, 'GET', hut)).json
      const { items } = (await as(person, 'GET', '/applications')).json
      assert.deepEqual(one.actuators, {
        chat: { url: 'https://chat.example/***', format: 'text' },
        webhook: { url: 'https://hook.example/***', signed: true },
        emergency_contacts: { httpUrl: 'https://gate.example:8443/***' },
      })
      assert.doesNotMatch(JSON.stringify([one, items]), /secret|key=1/, person)
    }
    const { actuators } = (await as('hutAdmin', 'GET', hut)).json
    assert.equal(actuators.chat.url, 'https://chat.example/T0/B0/secret?key=1')
  })

  test('a test sends one message that says so, in the language asked for, and is noted without the number', async (t) => {
    const { as, sent, audit } = await estateApi(t)
    const tests = (body: unknown) => as('operator', 'POST', `${hut}/test`, { body })
    const { status, json } = await tests({ channel: 'sms', to: '+4366012345678', language: 'de' })
    assert.equal(status, 200)
    assert.deepEqual(json, {
      channel: 'sms',
      status: 'sent',
      provider: 'outbox',
      providerRef: null,
      error: null,
      warnings: ['costs money'],
    })
    const [message] = sent as readonly { text: string; purpose: string; incidentId: string }[]
    assert.deepEqual([message?.purpose, message?.incidentId], ['test', ''])
    assert.match(message!.text, /Test/)
    assert.equal((await tests({ channel: 'sms' })).json.error.reason, 'number_needed')
    assert.equal((await tests({ channel: 'chat', to: '+4366012345678' })).json.error.reason, 'number_unused')
    assert.deepEqual((await tests({ channel: 'chat' })).json.error.reason, 'no_target')
    const rows = await audit()
    assert.deepEqual(
      rows.map(({ action, details }) => [action, details]),
      [
        ['test.accepted', { channel: 'sms' }],
        ['actuator.test', { channel: 'sms' }],
      ],
    )
    assert.ok(!JSON.stringify(rows).includes('660123'))
  })

  test('ten tests of an application in ten minutes are enough, and it says when the next one may go', async (t) => {
    const { as, sent, passes } = await estateApi(t)
    const tests = (appId = HUT) =>
      as('operator', 'POST', `/applications/${appId}/test`, { body: { channel: 'sms', to: '+4366012345678' } })
    for (let n = 0; n < 10; n += 1) assert.equal((await tests()).status, 200)
    passes(60_000)
    const refused = await tests()
    assert.deepEqual([refused.status, refused.headers['retry-after'], sent.length], [429, '540', 10])
    assert.equal((await tests(ELSEWHERE)).status, 200, 'others have their own')
    passes(540_000)
    assert.equal((await tests()).status, 200)
  })

  test('texts are listed, previewed with segments and encoding, set and taken back', async (t) => {
    const { as } = await estateApi(t)
    const texts = `${hut}/texts`
    const preview = (text: string) => as('viewer', 'POST', `${texts}/preview`, { body: { key: 'alarm', text } })
    const plain = await preview('SOS: {who} needs help!')
    assert.deepEqual([plain.json.segments, plain.json.encoding, plain.json.warnings], [1, 'GSM-7', []])
    const long = await preview(`SOS: {who} needs help! ${'ж'.repeat(100)}`)
    assert.deepEqual([long.json.encoding, long.json.segments > 1, long.json.warnings.length], ['UCS-2', true, 2])
    const bad = await preview('SOS!')
    assert.deepEqual([bad.status, bad.json.error.message], [400, 'The text must name {who}.'])
    const put = (text: string | null) => as('admin', 'PUT', texts, { body: { language: 'en', key: 'alarm', text } })
    assert.deepEqual((await put('HELP {who}!')).json, {
      language: 'en',
      key: 'alarm',
      text: 'HELP {who}!',
      own: true,
      warnings: [],
    })
    const listed = (await as('viewer', 'GET', `${texts}?language=en`)).json.items
    assert.deepEqual(
      listed.filter(({ own }: { own: boolean }) => own).map(({ key }: { key: string }) => key),
      ['alarm'],
    )
    assert.equal((await put(null)).json.own, false)
    assert.equal((await put(null)).json.error.reason, 'text_is_built_in')
  })
})

suite('users and trackers in the operator API', () => {
  test('who could not be helped, within the caller’s applications, and why', async (t) => {
    const { as, store, mia, tom } = await estateApi(t)
    const list = async (who: 'hutViewer' | 'admin', query = '') =>
      (await as(who, 'GET', `/readiness${query}`)).json.items.map((one: any) => [one.externalUserId, one.status])
    assert.deepEqual(await list('hutViewer'), [['mia-7', 'not_ready']])
    assert.deepEqual(await list('hutViewer', `?app=${mia.appId}&status=not_ready`), [['mia-7', 'not_ready']])
    const { json } = await as('hutViewer', 'GET', `/users/${mia.id}/readiness`)
    const codes = json.findings.map(({ code, blocking }: any) => [code, blocking])
    assert.deepEqual(codes, [
      ['nobody_to_alarm', true],
      ['never_seen', false],
      ['no_name', false],
    ])
    assert.equal(json.findings[0].remedy, 'Add an emergency contact.')
    const fields = { name: 'Ana', phone: '+436641111111' }
    await store.addContact(mia.id, { id: randomUUID(), fields, now: 1, limit: 1 })
    assert.deepEqual(await list('hutViewer'), [['mia-7', 'attention']])
    assert.deepEqual(await list('hutViewer', '?status=not_ready'), [])
    assert.deepEqual(await list('hutViewer', '?finding=never_seen'), [['mia-7', 'attention']])
    assert.deepEqual(await list('hutViewer', '?finding=battery_low'), [])
    assert.equal((await as('hutViewer', 'GET', '/readiness?finding=nonsense')).status, 400)
    assert.equal((await as('hutViewer', 'GET', `/users/${tom.id}/readiness`)).status, 404)
    assert.equal((await as('hutViewer', 'GET', '/users/nobody/readiness')).status, 404)
    assert.equal((await as('hutViewer', 'GET', `/readiness?app=${tom.appId}`)).status, 404)
  })

  test('users are found, shown with what an alarm would lack, disabled and enabled', async (t) => {
    const { as, mia, tom, ended, audit } = await estateApi(t)
    const idsFor = async (path: string) => (await as('hutViewer', 'GET', path)).json.items.map((one: any) => one.id)
    assert.deepEqual(await idsFor('/users'), [mia.id])
    assert.deepEqual(await idsFor(`/users?app=${HUT}&text=MIA`), [mia.id])
    assert.deepEqual(await idsFor('/users?text=tom'), [])
    const { json } = await as('hutViewer', 'GET', `/users/${mia.id}`)
    assert.deepEqual([json.contacts, json.devices, json.openIncident], [[], [], null])
    assert.deepEqual(json.lacks, ['contacts', 'name', 'phone'])
    for (const [method, path] of [
      ['GET', `/users/${tom.id}`],
      ['POST', `/users/${tom.id}/disable`],
      ['DELETE', `/users/${tom.id}`],
      ['GET', '/users/nobody'],
    ] as const) {
      const { status, json } = await as('hutAdmin', method, path)
      assert.deepEqual([status, json.error.reason], [404, 'user_not_found'], path)
    }
    assert.equal((await as('hutAdmin', 'POST', `/users/${mia.id}/disable`)).json.disabled, true)
    assert.equal((await as('hutAdmin', 'POST', `/users/${mia.id}/enable`)).json.disabled, false)
    assert.deepEqual(ended, [HUT, HUT])
    assert.deepEqual(
      (await audit()).map(({ userId, details }) => [userId, details.change]),
      [
        [mia.id, 'enabled'],
        [mia.id, 'disabled'],
      ],
    )
  })

  test('timers are listed by when they are due, set, extended and ended, each with its row in the audit log', async (t) => {
    const { as, mia, tom, audit, store } = await estateApi(t)
    const timers = `/users/${mia.id}/timers`
    const at = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString()
    const set = await as('hutOperator', 'POST', timers, { body: { dueAt: at(2), note: 'Glungezer' } })
    assert.deepEqual([set.status, set.json.status, set.json.note], [201, 'running', 'Glungezer'])
    assert.equal((await as('hutOperator', 'POST', timers, { body: { dueAt: at(2) } })).status, 200)
    const elsewhere = await as('admin', 'POST', `/users/${tom.id}/timers`, { body: { dueAt: at(1) } })
    const listed = async (who: 'hutViewer' | 'viewer', query = '') =>
      (await as(who, 'GET', `/timers${query}`)).json.items.map((one: any) => [one.id, one.externalUserId])
    const [own, other] = [
      [set.json.id, 'mia-7'],
      [elsewhere.json.id, 'tom-1'],
    ]
    assert.deepEqual(await listed('viewer'), [other, own])
    assert.deepEqual(await listed('hutViewer'), [own])
    assert.deepEqual(await listed('viewer', '?text=GLUNG'), [own])
    assert.equal((await as('hutViewer', 'GET', `/timers?app=${tom.appId}`)).status, 404)

    const one = `${timers}/${set.json.id}`
    assert.equal((await as('hutOperator', 'PATCH', one, { body: { dueAt: at(3) } })).json.dueAt, at(3))
    const past = await as('hutOperator', 'PATCH', one, { body: { dueAt: at(-1) } })
    assert.deepEqual([past.status, past.json.error.fields[0].field], [400, 'dueAt'])
    for (const [who, path, status] of [
      ['hutViewer', one, 403],
      ['hutOperator', `${timers}/${elsewhere.json.id}`, 404],
      ['hutOperator', `${timers}/nonsense`, 404],
      ['hutOperator', `/users/${tom.id}/timers/${elsewhere.json.id}`, 404],
    ] as const) {
      assert.equal((await as(who, 'DELETE', path)).status, status, path)
    }
    assert.equal((await as('hutOperator', 'DELETE', one)).json.status, 'ended')
    const late = await as('hutOperator', 'PATCH', one, { body: { dueAt: at(4) } })
    assert.deepEqual([late.status, late.json.error.reason], [409, 'timer_over'])
    assert.deepEqual(await listed('viewer'), [other])
    assert.deepEqual((await as('hutViewer', 'GET', timers)).json.items[0].status, 'ended')
    assert.equal((await store.timers(tom.id))[0]?.status, 'running')
    const rows = (await audit()).filter(({ userId }) => userId === mia.id)
    assert.deepEqual(
      rows.map(({ action, details }) => [action, details.change]),
      ['timer ended', 'timer extended', 'timer set', 'timer set'].map((change) => ['timer.change', change]),
    )
  })

  test('a user whose incident is open is not erased, and the answer says what to do', async (t) => {
    const { as, mia, store } = await estateApi(t)
    store.eraseUser = async () => ({ refused: 'incident_open' })
    const refused = await as('admin', 'DELETE', `/users/${mia.id}`)
    assert.deepEqual(
      [refused.status, refused.json.error.reason, refused.json.error.message],
      [409, 'incident_open', 'An incident of this user is open. It must be cancelled or resolved first.'],
    )
  })

  test('an erased user is gone, and the audit log names nobody', async (t) => {
    const { as, mia, ended, store, audit } = await estateApi(t)
    await as('admin', 'POST', `/users/${mia.id}/disable`)
    const erased = await as('admin', 'DELETE', `/users/${mia.id}`)
    assert.deepEqual([erased.status, erased.json.userId, erased.json.clean], [200, mia.id, true])
    assert.ok(ended.length > 1, 'connections of the erased user are closed before the erasure ends')
    assert.equal(await store.user(mia.id), null)
    const rows = await audit()
    // What rows about the user said is forgotten, too.
    assert.deepEqual(
      rows.map(({ action, details }) => [action, details.change ?? null]),
      [
        ['user.change', 'erased'],
        ['user.change', null],
      ],
    )
    for (const word of [mia.id, 'mia-7']) assert.ok(!JSON.stringify(rows).includes(word), word)
  })

  test('trackers are registered, listed and unpaired', async (t) => {
    const { as, mia, store, audit } = await estateApi(t)
    const body = { applicationId: HUT, hardwareId: 'T/1', pairingCode: 'swordfish-1' }
    const made = await as('hutAdmin', 'POST', '/devices', { body })
    assert.deepEqual([made.status, made.json.hardwareId, made.json.userId], [200, 'T/1', null])
    const weak = await as('hutAdmin', 'POST', '/devices', { body: { ...body, pairingCode: '1234' } })
    assert.match(weak.json.error.fields[0].message, /too easy to guess/)
    const unpair = () => as('hutAdmin', 'POST', '/devices/unpair', { body: { applicationId: HUT, hardwareId: 'T/1' } })
    assert.equal((await unpair()).json.error.reason, 'not_paired')
    const pairing = { id: randomUUID(), appId: HUT, userId: mia.id, hardwareId: 'T/1', now: 5, limit: 5 }
    await store.pair({ ...pairing, firmwareVersion: null, hardwareModel: null })
    const { items } = (await as('hutViewer', 'GET', '/devices?text=mia')).json
    assert.deepEqual(
      items.map((one: any) => [one.hardwareId, one.userId, one.externalUserId]),
      [['T/1', mia.id, 'mia-7']],
    )
    const watch = (silentAfterMinutes: unknown, hardwareId = 'T/1') =>
      as('hutAdmin', 'POST', '/devices/watch', { body: { applicationId: HUT, hardwareId, silentAfterMinutes } })
    assert.equal((await watch(5)).status, 400)
    assert.equal((await watch(60, 'nothing')).json.error.reason, 'hardware_not_found')
    assert.equal((await watch(60)).json.silentAfterMinutes, 60)
    await store.noteHeard([{ appId: HUT, hardwareId: 'T/1', heardAt: 5 }])
    const onlySilent = async () => (await as('hutViewer', 'GET', '/devices?silent=true')).json.items
    assert.deepEqual(await onlySilent(), [])
    const [heard] = await store.heardDevices('', 1)
    await store.keepSilence([{ ...heard!, silentSince: 5 }])
    assert.deepEqual(
      (await onlySilent()).map((one: any) => one.silentSince),
      ['1970-01-01T00:00:00.005Z'],
    )
    assert.equal((await unpair()).json.userId, null)
    assert.deepEqual(
      (await audit()).map(({ subject, userId, details }) => [subject, userId, details.change]),
      [
        ['T/1', mia.id, 'unpaired'],
        ['T/1', null, 'watched'],
        ['T/1', null, 'registered'],
      ],
    )
    const other = await as('hutAdmin', 'POST', '/devices', { body: { applicationId: HUT, hardwareId: 'T/2' } })
    assert.deepEqual([made.json.pairingCode, other.json.pairingCode], [undefined, 'K7M2Q9XA'])
    assert.ok(!JSON.stringify(await audit()).includes('swordfish'))
  })

  test('a CSV file is registered as a whole or not at all, and errors name the line', async (t) => {
    const { as, store } = await estateApi(t)
    const imports = (text: string, { query = '', type = 'text/csv' } = {}) =>
      as('hutAdmin', 'POST', `/devices/import?app=${HUT}${query}`, { text, headers: { 'content-type': type } })
    const count = async () => (await store.registeredHardware(HUT)).length
    const bad = 'hardwareId,pairingCode,model\nT-1,swordfish-1,\nT-2,1234,X\nT-1,swordfish-2,\n'
    const refused = await imports(bad)
    assert.equal(refused.status, 400)
    assert.match(
      refused.json.error.message,
      /^Nothing was registered: 2 lines are wrong\. First line 3: pairingCode is too easy to guess/,
    )
    assert.deepEqual(
      refused.json.error.rejected.map(({ line }: { line: number }) => line),
      [3, 4],
    )
    assert.ok(!JSON.stringify(refused.json).includes('1234'), 'no code is repeated')
    assert.equal(await count(), 0)
    const partly = await imports(bad, { query: '&partial=true' })
    assert.deepEqual([partly.status, partly.json.registered, partly.json.rejected.length], [200, 1, 2])
    assert.match((await imports('id,code\n')).json.error.message, /the first line must be hardwareId,pairingCode,model/)
    const lines = Array.from({ length: 501 }, (_, n) => `M-${n},swordfish-1,`)
    const many = await imports(`hardwareId,pairingCode,model\n${lines.join('\n')}`)
    assert.match(many.json.error.message, /more than 500 trackers/)
    assert.equal((await imports('x'.repeat(300_000))).status, 413)
    assert.equal((await imports('{}', { type: 'application/json' })).status, 415)
    assert.equal((await imports(bad, { query: '&partial=perhaps' })).status, 400)
    assert.equal(await count(), 1)
  })
})

suite('mail and the system in the operator API', () => {
  test('each sees the outbox, dead letters and feedback of their applications, page by page', async (t) => {
    const { as, store, mia, tom } = await estateApi(t)
    const message = { incidentId: '', contactId: '', channel: 'sms', to: '+43660', text: 'Test', createdAt: 1 } as const
    await store.addToOutbox({ ...message, attemptId: 'a' })
    for (const { id } of [mia, tom, mia]) {
      const payload = new TextEncoder().encode('no')
      await store.addDeadLetter({ userId: id, topic: 't', reason: 'not JSON', payload, receivedAt: 1 })
      await store.addFeedback({ id: randomUUID(), userId: id, message: 'Hi', category: null, rating: 5, createdAt: 1 })
    }
    assert.equal((await as('operator', 'GET', '/outbox')).json.items.length, 1)
    assert.equal((await as('hutOperator', 'GET', '/outbox')).json.items.length, 0)
    const letters = (await as('hutOperator', 'GET', '/dead-letters?limit=1')).json
    assert.deepEqual([letters.items[0].payload, letters.items[0].payloadBytes, letters.hasMore], ['bm8=', 2, true])
    const next = await as('hutOperator', 'GET', `/dead-letters?limit=1&cursor=${letters.nextCursor}`)
    assert.equal(next.json.items.length, 1)
    assert.equal((await as('operator', 'GET', '/dead-letters')).json.items.length, 3)
    assert.equal((await as('hutOperator', 'GET', '/feedback')).json.items.length, 2)
    for (const path of ['/outbox', '/dead-letters', '/feedback']) {
      assert.equal((await as('viewer', 'GET', path)).status, 403, path)
      assert.equal((await as('operator', 'GET', `${path}?limit=0`)).status, 400, path)
    }
  })

  test('a cursor that is none of the list is refused: an empty page would say that nothing is left', async (t) => {
    const { as } = await estateApi(t)
    for (const list of ['outbox', 'dead-letters', 'feedback', 'users', 'devices', 'timers', 'readiness']) {
      const { status, json } = await as('admin', 'GET', `/${list}?cursor=WyJub25lIiwxXQ`)
      assert.deepEqual([status, json.error?.reason], [400, 'bad_cursor'], list)
    }
  })

  test('a look at what may hold a position or a number is noted, with the application it was asked of', async (t) => {
    const { as, looks } = await estateApi(t)
    for (const path of ['/outbox', '/dead-letters', '/feedback']) {
      for (const query of ['', `?app=${HUT}`]) {
        const before = looks.length
        await as('operator', 'GET', `${path}${query}`)
        const [noted] = looks.slice(before)
        assert.deepEqual([noted?.actor.name, noted?.appId], ['operator', query === '' ? null : HUT], path + query)
      }
    }
    assert.deepEqual(new Set(looks.map(({ action }) => action)), new Set(['mail.view', 'feedback.view']))
  })

  test('a simulation tells nobody: it has an application and a contact of its own, or it is refused', async (t) => {
    const { as, store, audit } = await estateApi(t)
    const simulate = () => as('admin', 'POST', '/simulate')
    assert.deepEqual([(await simulate()).status, (await simulate()).json], [201, { incidentId: NOBODY }])
    const simulation = (await store.applications()).find(({ name }) => name === 'Simulation')!
    assert.deepEqual([simulation.actuators, simulation.disabled], [{ emergency_contacts: {} }, true])
    const users = await store.users(simulation.id)
    assert.deepEqual(
      users.map(({ name }) => name),
      ['SIMULATION'],
    )
    const contacts = await store.contacts(users[0]!.id)
    assert.deepEqual(
      contacts.map(({ phone }) => phone),
      ['+99900000000'],
    )
    assert.deepEqual(
      (await audit()).map(({ action }) => action),
      ['incident.simulate', 'incident.simulate', 'application.create'],
    )
    await store.setActuator(simulation.id, 'chat', { url: 'https://chat.example/', format: 'text' }, {})
    assert.equal((await simulate()).json.error.reason, 'simulation_changed')
    assert.equal((await as('hutAdmin', 'POST', '/simulate')).status, 403)
    const sending = await estateApi(t, { sends: true })
    const { status, json } = await sending.as('admin', 'POST', '/simulate')
    assert.deepEqual([status, json.error.reason], [409, 'messages_leave'])
    assert.equal((await sending.store.applications()).length, 2)
  })

  test('the first steps are done when what is stored says so', async (t) => {
    const { as, store } = await estateApi(t)
    const steps = async () => (await as('admin', 'GET', '/first-steps')).json
    const before = await steps()
    assert.deepEqual(before.application.name.length > 0 && { ...before, application: null }, {
      application: null,
      contact: null,
      test: null,
      simulated: false,
      maySimulate: true,
      done: false,
    })
    await as('admin', 'POST', '/simulate')
    assert.deepEqual(
      [(await steps()).simulated, (await steps()).contact],
      [true, null],
      'not the contact of the simulation',
    )
    const added = { externalUserId: 'mia-7', name: 'Ana', phone: '+4366012345678' }
    assert.equal((await as('admin', 'POST', `${hut}/contacts`, { body: added })).status, 201)
    assert.deepEqual([(await steps()).contact, (await steps()).done], [{ name: 'Ana', externalUserId: 'mia-7' }, false])
    await as('admin', 'POST', `${hut}/test`, { body: { channel: 'sms', to: '+4366012345678' } })
    assert.deepEqual([(await steps()).test, (await steps()).done], [{ at: new Date(NOW).toISOString() }, false])
    const leaving = await estateApi(t, { sends: true })
    assert.equal((await leaving.as('admin', 'GET', '/first-steps')).json.done, false)
    await leaving.as('admin', 'POST', `${hut}/contacts`, { body: added })
    await leaving.as('admin', 'POST', `${hut}/test`, { body: { channel: 'sms', to: '+4366012345678' } })
    assert.equal((await leaving.as('admin', 'GET', '/first-steps')).json.done, true)
    assert.equal((await as('hutAdmin', 'GET', '/first-steps')).status, 403)

    const sending = await estateApi(t, { sends: true, fails: true })
    await sending.as('admin', 'PATCH', hut, { body: { fallbackContact: { name: 'Desk', phone: '+43512000000' } } })
    await sending.as('admin', 'POST', `${hut}/test`, { body: { channel: 'sms', to: '+4366012345678' } })
    const { json } = await sending.as('admin', 'GET', '/first-steps')
    assert.deepEqual([json.contact, json.test, json.maySimulate], [{ name: 'Desk', externalUserId: null }, null, false])
    await store.updateApplication(HUT, { disabled: true })
    assert.equal((await steps()).application.name, 'Elsewhere')
  })

  test('a tracker is paired with a person, who has no app; models are those with a profile and those registered', async (t) => {
    const { as, mia, tom, audit, store } = await estateApi(t)
    const tracker = { applicationId: HUT, hardwareId: 'T/1' }
    await store.registerHardware(HUT, [{ hardwareId: 'T/1', codeHash: 'h', model: 'Own-1' }], 1)
    await store.registerHardware(ELSEWHERE, [{ hardwareId: 'T/2', codeHash: 'h', model: 'Other' }], 1)
    const pair = (userId: string) => as('hutAdmin', 'POST', '/devices/pair', { body: { ...tracker, userId } })
    for (const userId of [tom.id, NOBODY]) assert.equal((await pair(userId)).json.error.reason, 'user_not_found')
    assert.deepEqual([(await pair(mia.id)).json.userId, (await pair(mia.id)).json.externalUserId], [mia.id, 'mia-7'])
    assert.deepEqual(
      (await audit()).map(({ action, details, userId }) => [action, details.change, userId]),
      [['device.change', 'paired', mia.id]],
    )
    const other = await store.ensureUser({ appId: HUT, externalUserId: 'other', id: randomUUID(), now: 1 })
    assert.equal((await pair(other.id)).json.error.reason, 'paired_to_another')
    const models = async (person: 'hutAdmin' | 'admin') => (await as(person, 'GET', '/devices/models')).json.items
    const own = { model: 'Own-1', profile: 'own', trackers: 1 }
    const shipped = { model: 'tocsin-12', profile: 'shipped', trackers: 0 }
    assert.deepEqual(await models('hutAdmin'), [own, shipped])
    assert.deepEqual(await models('admin'), [{ model: 'Other', profile: null, trackers: 1 }, own, shipped])
  })

  test('a person is added, changed and read, with contacts in order; each change has a row, and no change has none', async (t) => {
    const { as, audit } = await estateApi(t)
    const given = { name: 'Mia', phone: '+436601234567', language: 'de', notes: 'Deaf', groups: ['Wardens', 'Wardens'] }
    const { status, json: mia } = await as('hutAdmin', 'POST', `${hut}/users`, { body: given })
    assert.equal(status, 201)
    assert.match(mia.externalUserId, /^person-[\w-]{12}$/)
    assert.deepEqual([mia.notes, mia.groups, mia.language], ['Deaf', ['Wardens'], 'de'])
    const again = await as('hutAdmin', 'POST', `${hut}/users`, { body: { externalUserId: mia.externalUserId } })
    assert.deepEqual([again.status, again.json.error.reason], [409, 'user_exists'])
    const path = `/users/${mia.id}`
    const change = (body: object) => as('hutAdmin', 'PATCH', path, { body })
    assert.deepEqual((await change({ notes: null, groups: ['Night'] })).json.groups, ['Night'])
    await change({ notes: null, groups: ['Night'], name: 'Mia' })
    const bad = await change({ phone: '0660', groups: ['a,b'] })
    assert.deepEqual(
      bad.json.error.fields.map(({ field }: any) => field),
      ['phone', 'groups.0'],
    )

    const add = (name: string, phone: string) => as('hutAdmin', 'POST', `${path}/contacts`, { body: { name, phone } })
    const ana = (await add('Ana', '+436601111111')).json
    const ben = (await add('Ben', '+436602222222')).json
    assert.equal((await add('Cem', '+436603333333')).json.error.reason, 'contact_limit')
    const fixed = await as('hutAdmin', 'PATCH', `${path}/contacts/${ana.id}`, { body: { phone: '+9991234567' } })
    assert.deepEqual([fixed.json.phone, fixed.json.warnings[0].code], ['+9991234567', 'number_implausible'])
    const order = (contactIds: readonly string[]) =>
      as('hutAdmin', 'POST', `${path}/contacts/order`, { body: { contactIds } })
    const names = ({ items }: any) => items.map(({ name }: any) => name)
    assert.deepEqual(names((await order([ben.id, ana.id])).json), ['Ben', 'Ana'])
    assert.equal((await order([ben.id])).status, 400)
    assert.deepEqual(names((await as('hutAdmin', 'DELETE', `${path}/contacts/${ben.id}`)).json), ['Ana'])
    const gone = await as('hutAdmin', 'DELETE', `${path}/contacts/${ben.id}`)
    assert.deepEqual([gone.status, gone.json.error.message], [404, 'This user has no such contact.'])
    const { json: shown } = await as('viewer', 'GET', path)
    assert.deepEqual([shown.notes, shown.contacts.length], [null, 1])
    assert.deepEqual(
      (await audit()).map(({ details }) => details.change),
      [
        ...['contact_removed', 'contacts_reordered', 'contact_changed', 'contact_added', 'contact_added'],
        ...['person_changed', 'added'],
      ],
    )
    assert.equal((await as('hutOperator', 'PATCH', path, { body: { name: 'X' } })).status, 403)
  })

  test('a file of people is looked at, then imported; again it changes nothing; bad lines stop it or are left out', async (t) => {
    const { as, mia, store, audit, looks } = await estateApi(t)
    const file = (text: string, step = '', query = '') =>
      as('hutAdmin', 'POST', `/people/import${step}?app=${HUT}${query}`, {
        text,
        headers: { 'content-type': 'text/csv' },
      })
    const csv = 'externalUserId;name;contact1Name;contact1Phone\nmia-7;Mia;Ana;+436605550001\nwalker;Tom;;\n'
    const { json: preview } = await file(csv, '/preview')
    const counts = ({ added, changed, unchanged, contactsAdded }: any) => [added, changed, unchanged, contactsAdded]
    assert.deepEqual(counts(preview), [1, 1, 0, 1])
    assert.deepEqual([(await store.user(mia.id))?.name, (await audit()).length], [null, 0])
    assert.deepEqual(counts((await file(csv)).json), [1, 1, 0, 1])
    assert.deepEqual(
      (await audit()).map(({ details, actor }) => [details.change, actor.name]),
      ['added', 'contact_added', 'person_changed'].map((change) => [change, 'hutAdmin']),
    )
    assert.deepEqual(counts((await file(csv)).json), [0, 0, 2, 0])
    const other = csv.replace('mia-7;Mia;Ana', 'mia-7;Mimi;Anna')
    const { json: shown } = await file(other, '/preview')
    assert.deepEqual(shown.rows[0].changes, [
      { column: 'name', old: 'Mia', new: 'Mimi' },
      { column: 'contact1Name', old: 'Ana', new: 'Anna' },
    ])
    assert.ok(!('changes' in shown.rows[1]))
    // Who sees what is stored leaves a row for that person, and an import none but its own.
    const whom = () => looks.map(({ action, userId }) => [action, userId])
    assert.deepEqual(whom(), [
      ['user.view', mia.id],
      ['user.view', mia.id],
    ])
    const bad = `${csv}new;New;Ben;0660\n`
    const refused = await file(bad)
    assert.deepEqual(
      [refused.status, refused.json.error.reason, refused.json.error.rejected[0].field],
      [400, 'bad_people', 'contact1Phone'],
    )
    const { json: partly } = await file(bad.replace('Mia;', 'Mimi;'), '', '&partial=true')
    assert.deepEqual([...counts(partly), partly.rejectedLines], [0, 1, 1, 0, 1])
    // A disk that fills up half-way: what is there is whole, the answer says it, and the same file brings the rest.
    const whole =
      'externalUserId,name,contact1Name,contact1Phone\nfirst,F,Ana,+436605550001\nsecond,S,Ben,+436605550002\n'
    const { audited } = store
    const full = () => Promise.reject(new StoreError('no space', 'disk_full'))
    let people = 0
    Object.assign(store, {
      audited: (row: AuditEntry) => {
        if (row.details.change === 'added') people += 1
        return people > 1 ? { addPerson: full } : audited.call(store, row)
      },
    })
    const stopped = await file(whole)
    Object.assign(store, { audited })
    assert.deepEqual([stopped.status, stopped.json.error.code], [503, 'E_OPERATOR_UNAVAILABLE'])
    assert.ok(Number(stopped.headers['retry-after']) > 0)
    const [first, second] = await Promise.all(
      ['first', 'second'].map((externalId) => store.userByExternalId(HUT, externalId)),
    )
    assert.equal(second, null)
    assert.deepEqual(
      (await store.contacts(first!.id)).map(({ name }) => name),
      ['Ana'],
    )
    assert.deepEqual(counts((await file(whole)).json), [1, 0, 1, 1])
    // Somebody changes one of them meanwhile: an import does what its preview said, or nothing.
    const again = 'externalUserId,name\nwalker,Thomas\n'
    const { mark } = (await file(again, '/preview')).json
    const walker = (await store.userByExternalId(HUT, 'walker'))!
    await store.updatePerson(walker.id, { name: 'Tommy' }, 0)
    const late = await file(again, '', `&partial=true&preview=${mark}`)
    assert.deepEqual([late.status, late.json.error.reason], [409, 'people_changed'])
    assert.equal((await store.user(walker.id))?.name, 'Tommy')
    const { json: anew } = await file(again, '/preview')
    const swapped = await file(again.replace('Thomas', 'Thora'), '', `&partial=true&preview=${anew.mark}`)
    assert.equal(swapped.json.error.reason, 'people_changed')
    assert.deepEqual(counts((await file(again, '', `&partial=true&preview=${anew.mark}`)).json), [0, 1, 0, 0])
    // A number that looks wrong is said before it is imported, and not again.
    const odd = 'externalUserId,phone,contact1Name,contact1Phone\nodd,+9991234567,Own,+9991234567\n'
    const doubts = async () =>
      (await file(odd, '/preview')).json.rows[0].doubts?.map(({ column, code }: any) => `${column} ${code}`)
    assert.deepEqual(await doubts(), [
      'phone number_implausible',
      'contact1Phone number_implausible',
      'contact1Phone number_is_own',
    ])
    await file(odd)
    assert.equal(await doubts(), undefined)
    const many = `externalUserId\n${Array.from({ length: 1001 }, (_, n) => n).join('\n')}`
    assert.equal((await file(many, '/preview')).json.error.reason, 'too_many_people')
  })

  test('a contact is added by the rules of the app, for a user who need not exist yet, and noted', async (t) => {
    const { as, store, audit } = await estateApi(t)
    const add = (body: object) => as('hutAdmin', 'POST', `${hut}/contacts`, { body })
    const ana = { externalUserId: 'new-1', name: 'Ana', phone: '+4366012345678' }
    const { status, json } = await add(ana)
    assert.deepEqual([status, json.contact.phone, json.contact.priority], [201, ana.phone, 1])
    assert.ok(!('warnings' in json), 'nothing is odd about this number')
    const user = (await store.userByExternalId(HUT, 'new-1'))!
    assert.equal(json.userId, user.id)
    assert.deepEqual(
      (await store.contacts(user.id)).map(({ name, language }) => [name, language]),
      [['Ana', 'de']],
    )
    const [row] = await audit()
    assert.deepEqual(
      [row!.action, row!.userId, row!.details, row!.actor.name],
      ['user.change', user.id, { change: 'contact_added', contactId: json.contact.id }, 'hutAdmin'],
    )
    const { fields } = (await add({ ...ana, phone: '0660 1234567' })).json.error
    assert.deepEqual(fields, [{ field: 'phone', message: 'must be an E.164 number such as +4366012345678' }])
    await store.updateApplication(HUT, { allowedPrefixes: ['+49'] })
    const abroad = await add(ana)
    assert.deepEqual(
      [abroad.status, abroad.json.error.reason, abroad.json.error.allowedPrefixes],
      [400, 'phone_not_allowed', ['+49']],
    )
    await store.updateApplication(HUT, { allowedPrefixes: [] })
    await add(ana)
    assert.deepEqual([(await add(ana)).json.error.reason, (await audit()).length], ['contact_limit', 2])
    // A number that looks wrong may be the only one: it is kept, and the answer says what is odd.
    const nowhere = { ...ana, externalUserId: 'new-2', phone: '+9991234567' }
    const codes = async () => (await add(nowhere)).json.warnings.map(({ code, field }: any) => `${field}: ${code}`)
    assert.deepEqual(await codes(), ['phone: number_implausible'])
    assert.deepEqual(await codes(), ['phone: number_implausible', 'phone: number_twice'])
    for (const externalUserId of ['', 'a\u0000', 'x'.repeat(129)]) {
      assert.equal((await add({ ...ana, externalUserId })).status, 400)
    }
    const elsewhere = await as('hutAdmin', 'POST', `/applications/${ELSEWHERE}/contacts`, { body: ana })
    assert.deepEqual([elsewhere.status, elsewhere.json.error.reason], [404, 'application_not_found'])
    assert.equal((await as('hutOperator', 'POST', `${hut}/contacts`, { body: ana })).status, 403)
  })

  test('the map: where its parts are, for everybody who is signed in', async (t) => {
    const { as } = await estateApi(t)
    const { status, json } = await as('hutViewer', 'GET', '/map')
    assert.equal(status, 200)
    assert.match(json.sources.script, /^\/map\/map-[\w-]{16}\.js$/)
    assert.equal(json.sources.tiles, null)
  })

  test('health says whether messages leave this machine; nodes are for those of the whole site', async (t) => {
    const drained: unknown[] = []
    const node = { lease: { node: 'a', token: 1 }, version: '1', startedAt: 1, leaseUntil: 10, isStopped: false }
    const nodes: OperatorNeeds['nodes'] = {
      nodes: async () => ({ now: 5, nodes: [{ ...node, isDraining: false }] }),
      drain: async (id, on, audit) => {
        drained.push([id, on, audit.action, audit.actor.name])
        return id === 'a'
      },
    }
    const { as } = await estateApi(t, { nodes })
    const { json } = await as('hutViewer', 'GET', '/health')
    assert.deepEqual([json.status, json.concerns, json.keepsMessages], ['ready', ['the clock is doubted'], true])
    assert.equal((await as('hutViewer', 'GET', '/nodes')).status, 403)
    assert.equal((await as('viewer', 'GET', '/nodes')).json.items[0].state, 'sending')
    const drain = (id: string) => as('admin', 'POST', `/nodes/${id}/drain`, { body: { draining: true } })
    assert.deepEqual((await drain('a')).json, { id: 'a', draining: true, isAlone: true })
    assert.equal((await drain('b')).json.error.reason, 'node_not_found')
    assert.deepEqual(drained[0], ['a', true, 'node.drain', 'admin'])
    const single = await estateApi(t)
    const alone = await single.as('admin', 'POST', '/nodes/a/drain', { body: { draining: true } })
    assert.equal(alone.json.error.reason, 'one_node')
  })

  test('an administrator of the site confirms a clock that is doubted, with a row in the log', async (t) => {
    const { as, audit } = await estateApi(t)
    assert.equal((await as('viewer', 'GET', '/clock')).json.believed, false)
    for (const person of ['viewer', 'operator', 'hutAdmin'] as const) {
      assert.equal((await as(person, 'POST', '/clock/accept')).json.error.reason, 'not_allowed')
    }
    assert.equal((await as('admin', 'POST', '/clock/accept')).json.accepted, new Date(NOW).toISOString())
    const { believed, measuredBy } = (await as('admin', 'GET', '/clock')).json
    assert.deepEqual([believed, measuredBy], [true, new Date(NOW).toISOString()])
    assert.deepEqual(
      (await audit()).map(({ action, actor }) => [action, actor.name]),
      [['clock.accept', 'admin']],
    )
  })

  test('the last backup is shown with its size, and an old one is said to be', async (t) => {
    const { as, store } = await estateApi(t)
    assert.deepEqual((await as('operator', 'GET', '/backups')).json, {
      isOwn: true,
      last: null,
      isOld: true,
      nightly: null,
    })
    assert.equal((await as('viewer', 'GET', '/backups')).json.error.reason, 'not_allowed')
    for (const [hours, isOld] of [
      [49, true],
      [47, false],
    ] as const) {
      const at = NOW - hours * 3_600_000
      await store.addAuditRow(entry({ at, actor: COMMAND, action: 'backup.made', details: { bytes: hours } }))
      const last = { at: new Date(at).toISOString(), bytes: hours, verified: true }
      assert.deepEqual((await as('operator', 'GET', '/backups')).json, {
        isOwn: true,
        last,
        isOld,
        nightly: null,
      })
    }
  })
})
