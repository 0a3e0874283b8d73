import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { addApiToken } from '../../src/app/operator/tokens.ts'
import { CANARY_APP_ID, canaryApplication } from '../../src/core/account/canary.ts'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import { DAY, HOUR } from '../../src/lib/durations.ts'
import { operationsOf, wholeDocument } from '../adapters/inbound/http/documented.ts'
import { type Site, startSite } from '../harness/site.ts'

const LIFT = '0190bbbb-0000-7000-8000-000000000002'
const PREFIX = '/v1/operator'

/**
 * What an admin of another application gets. `none`: a 404, as if there were no such thing. `empty`: a list with
 * nothing of it. `site`: a 403, because it is about the whole site. `own`: about the caller, or the same for everybody.
 */
type Answer = 'none' | 'empty' | 'site' | 'own'

/** Every route, so that a new one does not go without. */
const answers: Readonly<Record<string, Answer>> = {
  'POST /session': 'own',
  'GET /session': 'own',
  'GET /session/current': 'own',
  'DELETE /session': 'own',
  'POST /session/first/look': 'own',
  'POST /session/first': 'own',
  'POST /session/setup/look': 'own',
  'POST /session/setup': 'own',
  'POST /session/proof': 'own',
  'GET /sessions': 'own',
  'DELETE /sessions/{id}': 'own',
  'POST /password': 'own',
  'GET /recovery-codes': 'own',
  'POST /recovery-codes': 'own',
  'POST /session/passkey': 'own',
  'POST /session/passkey/challenge': 'own',
  'GET /passkeys': 'own',
  'GET /push': 'own',
  'PUT /push': 'own',
  'DELETE /push': 'own',
  'POST /push/test': 'own',
  'POST /passkeys': 'own',
  'POST /passkeys/challenge': 'own',
  'PATCH /passkeys/{id}': 'own',
  'DELETE /passkeys/{id}': 'own',
  'GET /map': 'own',
  'GET /health': 'own',
  // Held by event-streams.test.ts: the answer does not end.
  'GET /events': 'own',
  'GET /applications': 'empty',
  'POST /applications': 'site',
  'GET /applications/{id}': 'none',
  'PATCH /applications/{id}': 'none',
  'POST /applications/{id}/secrets': 'none',
  'DELETE /applications/{id}/secrets/older': 'none',
  'PUT /applications/{id}/actuators/{type}': 'none',
  'DELETE /applications/{id}/actuators/{type}': 'none',
  'POST /applications/{id}/test': 'none',
  'GET /applications/{id}/texts': 'none',
  'PUT /applications/{id}/texts': 'none',
  'POST /applications/{id}/texts/preview': 'none',
  'POST /applications/{id}/contacts': 'none',
  'GET /applications/{id}/app-invitations': 'none',
  'POST /applications/{id}/app-invitations': 'none',
  'POST /applications/{id}/app-invitations/{invitationId}/end': 'none',
  'GET /applications/{id}/app-invitations/{invitationId}/users': 'none',
  'POST /applications/{id}/app-invitations/{invitationId}/disable-users': 'none',
  'POST /applications/{id}/app-invitations/{invitationId}/enable-users': 'none',
  'GET /users/{id}/app-devices': 'none',
  'DELETE /users/{id}/app-devices/{deviceId}': 'none',
  'GET /first-steps': 'site',
  'GET /readiness': 'empty',
  'GET /users/{id}/readiness': 'none',
  'GET /users': 'empty',
  'GET /users/{id}': 'none',
  'POST /users/{id}/disable': 'none',
  'POST /users/{id}/enable': 'none',
  'DELETE /users/{id}': 'none',
  'POST /applications/{id}/users': 'none',
  'POST /people/import': 'none',
  'POST /people/import/preview': 'none',
  'PATCH /users/{id}': 'none',
  'POST /users/{id}/contacts': 'none',
  'PATCH /users/{id}/contacts/{contactId}': 'none',
  'POST /users/{id}/contacts/order': 'none',
  'DELETE /users/{id}/contacts/{contactId}': 'none',
  'POST /users/{id}/contacts/{contactId}/verify': 'none',
  'GET /devices': 'empty',
  'GET /devices/show': 'none',
  // Names of models and their numbers, of the caller's applications.
  'GET /devices/models': 'own',
  'POST /devices/token': 'none',
  'POST /devices/token/revoke': 'none',
  'POST /devices': 'none',
  'POST /devices/pair': 'none',
  'POST /devices/import': 'none',
  'POST /devices/unpair': 'none',
  'POST /devices/watch': 'none',
  'GET /outbox': 'empty',
  'GET /dead-letters': 'empty',
  'GET /feedback': 'empty',
  'GET /nodes': 'site',
  'POST /nodes/{id}/drain': 'site',
  'GET /backups': 'site',
  'GET /doctor': 'site',
  'GET /setup': 'site',
  'GET /setup/news': 'site',
  'PUT /setup/{section}': 'site',
  'POST /setup/providers/{provider}/test': 'site',
  'POST /setup/providers/{provider}/confirm': 'site',
  'POST /setup/providers/{provider}/remove': 'site',
  'POST /setup/undo': 'site',
  'GET /clock': 'own',
  'POST /clock/accept': 'site',
  'POST /simulate': 'site',
  'GET /timers': 'empty',
  'GET /users/{id}/timers': 'none',
  'POST /users/{id}/timers': 'none',
  'PATCH /users/{id}/timers/{timerId}': 'none',
  'DELETE /users/{id}/timers/{timerId}': 'none',
  'GET /incidents': 'empty',
  'GET /incidents/{id}': 'none',
  'POST /incidents/{id}/seen': 'none',
  'POST /incidents/{id}/card': 'none',
  'POST /incidents/{id}/take': 'none',
  'POST /incidents/{id}/untake': 'none',
  'POST /incidents/{id}/take-over': 'none',
  'POST /incidents/{id}/resolve': 'none',
  'POST /incidents/{id}/resume': 'none',
  'POST /incidents/{id}/alarm-now': 'none',
  'POST /incidents/{id}/resend': 'none',
  'POST /incidents/{id}/major': 'none',
  'POST /incidents/{id}/major/resolve': 'none',
  'GET /major-incidents/{id}': 'none',
  'GET /major-incidents/{id}/people.csv': 'none',
  'POST /incidents/{id}/contacts/{contactId}/show-position': 'none',
  'POST /incidents/{id}/notes': 'none',
  'POST /incidents/{id}/messages': 'none',
  'POST /incidents/{id}/called-back': 'none',
  'GET /incidents/{id}/export.json': 'none',
  'GET /incidents/{id}/trail.gpx': 'none',
  'GET /incidents/{id}/trail.csv': 'none',
  'GET /incidents/{id}/report': 'none',
  'GET /incidents.csv': 'empty',
  // Held by app/operator/shift.test.ts: it is between operators.
  'GET /shift': 'own',
  'POST /shift/hand-over': 'own',
  'POST /shift/hand-over/accept': 'own',
  'POST /shift/hand-over/decline': 'own',
  'DELETE /shift/hand-over': 'own',
  'POST /shift/note': 'own',
  'POST /shift/note/confirm': 'own',
  // Held by app/operator/on-call.test.ts: one list for the whole site.
  'GET /on-call': 'own',
  'POST /on-call/take': 'own',
  'DELETE /on-call/take/{id}': 'own',
  'PUT /on-call': 'site',
  'POST /on-call/overrides': 'site',
  'DELETE /on-call/overrides/{id}': 'site',
  'POST /on-call/confirm': 'site',
  'POST /drills': 'none',
  'POST /drills/end': 'none',
  'GET /drills': 'empty',
  'GET /drills/{id}': 'none',
  'GET /operators': 'site',
  'POST /operators': 'site',
  'PATCH /operators/{id}': 'site',
  'DELETE /operators/{id}/passkeys': 'site',
  'POST /operators/{id}/invitation': 'site',
  'GET /tokens': 'site',
  'POST /tokens': 'site',
  'DELETE /tokens/{id}': 'site',
  'GET /audit': 'site',
}

/** Ids that paths name, by what comes before `{…}`. */
type Ids = Readonly<Record<'applications' | 'users' | 'incidents' | 'drills' | 'timers' | 'contact', string>> & {
  readonly hardware: string
  readonly external: string
  /** Of what belongs to the whole site. */
  readonly other: string
}

async function tokenOf(site: Site, applications: readonly string[] | null): Promise<string> {
  const now = site.clock.now()
  const given = { name: 'Screen', role: 'admin', applications, expiresAt: now + DAY } as const
  const { store } = site.service
  const made = await addApiToken({ store, ids: createIds() }, given, { actor: COMMAND, address: null, now })
  assert.ok('secret' in made)
  return made.secret
}

/** The example of what each operation is sent; undefined if it takes no body. */
const examples = new Map<string, unknown>(
  operationsOf((await wholeDocument()).paths).flatMap(({ name, operation }) => {
    const [body] = Object.values<{ example: unknown }>(operation.requestBody?.content ?? {})
    return name.includes(PREFIX) ? [[name.replace(PREFIX, ''), body?.example]] : []
  }),
)

/** The path of an operation for these things, and what it is sent. */
function requestOf(operation: string, ids: Ids): { readonly method: string; readonly path: string; body?: unknown } {
  const [method = '', route = ''] = operation.split(' ')
  const [, noun = ''] = route.split('/')
  const id = ids[noun.replace('major-', '') as keyof Ids] ?? ids.other
  const path = route
    .replace('{id}', id)
    .replace('{timerId}', ids.timers)
    .replace('{contactId}', ids.contact)
    .replace(/\{(invitation|device)Id\}/, ids.contact)
    .replace('{type}', 'chat')
  const example = examples.get(operation)
  if (typeof example === 'string') return { method, path: `${path}?app=${ids.applications}`, body: example }
  if (route === '/devices/show') {
    return { method, path: `${path}?app=${ids.applications}&hardwareId=${ids.hardware}` }
  }
  if (method === 'GET') return { method, path }
  const own = {
    externalUserId: ids.external,
    applicationId: ids.applications,
    app: ids.applications,
    hardwareId: ids.hardware,
    user: ids.external,
  }
  const given = example as Record<string, unknown> | undefined
  const named = Object.fromEntries(Object.entries(own).filter(([key]) => given !== undefined && key in given))
  const chat = route.endsWith('{type}') ? { url: 'https://chat.example.org/x', settings: {} } : {}
  return { method, path, ...(given && { body: { ...given, ...named, ...chat } }) }
}

async function ask(site: Site, token: string, { method, path, body }: ReturnType<typeof requestOf>) {
  const type = typeof body === 'string' ? 'text/csv' : 'application/json'
  const response = await fetch(`${site.service.listeners.http}${PREFIX}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

/** A user with an open incident, one with a drill, a timer, a tracker, feedback and mail, all of one application. */
async function populate(site: Site): Promise<Ids> {
  const { user, clock } = site
  const { store } = site.service
  const { appId } = user.account
  await user.presses({ timestamp: isoAt(clock.now()), latitude: 47.1, longitude: 11.3 })
  const dueAt = isoAt(clock.now() + HOUR)
  const timer = await user.rest('POST', '/v1/sdk/timers', { dueAt, note: 'Secret ridge' })
  await store.registerHardware(appId, [{ hardwareId: 'HUT-T-1', codeHash: 'h', model: null }], clock.now())
  const trainee = await site.newUser('trainee').introduce({ name: 'Secret Trainee' })
  const admin = await tokenOf(site, null)
  const started = await ask(site, admin, {
    method: 'POST',
    path: '/drills',
    body: { app: appId, user: 'trainee', contacts: false },
  })
  const open = await store.openIncident(user.userId)
  const [contact] = await store.contacts(user.userId)
  assert.ok(trainee.userId !== '' && open !== null && contact !== undefined)
  return {
    applications: appId,
    users: user.userId,
    incidents: open.incident.id,
    drills: JSON.parse(started.text).started[0].incidentId,
    timers: timer.body.id,
    contact: contact.id,
    hardware: 'HUT-T-1',
    external: 'hiker-1',
    other: 'nobody',
  }
}

suite('an admin of one application', () => {
  test('finds nothing of another one, on any route, and changes nothing of it', async (t) => {
    assert.deepEqual([...examples.keys()].sort(), Object.keys(answers).sort())

    const site = await startSite(t, { contacts: ['Ana'], chat: true })
    const { store } = site.service
    const [hut] = await store.applications()
    await store.createApplication({ ...hut!, id: LIFT, name: 'Lift' }, 'another secret')
    const ids = await populate(site)
    await site.advance('20 s')
    const [theirs, own] = [await tokenOf(site, [LIFT]), await tokenOf(site, [ids.applications])]
    const before = await store.auditRows({ after: null, limit: 100 })

    const traces = [...Object.values(ids), 'Hut', 'Mia', 'Ana', 'Secret', '47.1']
    for (const [operation, answer] of Object.entries(answers)) {
      if (answer === 'own') continue
      const request = requestOf(operation, ids)
      const { status, text } = await ask(site, theirs, request)
      const told = `${operation}: ${status} ${text}`
      if (answer !== 'empty') {
        assert.equal(status, answer === 'none' ? 404 : 403, told)
        continue
      }
      const query = operation === 'GET /drills' ? `?app=${LIFT}` : ''
      const listed = query === '' ? { status, text } : await ask(site, theirs, { ...request, path: `/drills${query}` })
      assert.equal(listed.status, 200, told)
      const path = `${request.path}${operation === 'GET /applications' ? '' : `?app=${ids.applications}`}`
      const asked = await ask(site, theirs, { ...request, path })
      for (const trace of traces) {
        assert.ok(!listed.text.includes(trace), `${operation} shows ${trace}: ${listed.text}`)
        assert.ok(!asked.text.includes(trace), `${path} shows ${trace}: ${asked.text}`)
      }
      // Control: to its own admin it does show something.
      if (operation === 'GET /feedback' || operation === 'GET /dead-letters') continue
      const seen = await ask(site, own, { ...request, path })
      assert.ok(
        traces.some((trace) => seen.text.includes(trace)),
        `${operation} shows its own admin nothing: ${seen.text}`,
      )
    }
    const day = Math.floor(site.clock.now() / DAY) * DAY
    await store.addUnnamedEnds([{ appId: ids.applications, day, count: 3 }])
    const health = async (token: string) =>
      JSON.parse((await ask(site, token, { method: 'GET', path: '/health' })).text)
    const unnamed = async (token: string) =>
      (await health(token)).concerns.filter((concern: string) => concern.startsWith('ends_unnamed'))
    assert.deepEqual(await unnamed(theirs), [])
    assert.match((await unnamed(own)).join(), /^ends_unnamed: an application sent .*: 3\)/)
    const figures = async (token: string) => (await health(token)).figures
    assert.deepEqual(await figures(theirs), { active: 0, acknowledged: 0, held: 0, deadLetters: 0 })
    assert.deepEqual(await figures(own), { active: 1, acknowledged: 0, held: 0, deadLetters: 0 })
    const after = await store.auditRows({ after: null, limit: 100 })
    const done = after.items.slice(0, after.items.length - before.items.length).map(({ action }) => action)
    assert.deepEqual(
      done.filter((action) => !action.endsWith('.view') && action !== 'incident.export'),
      [],
      'a refused change leaves no row',
    )
    assert.equal((await store.openIncident(ids.users))?.incident.state.status, 'active')
  })
})

suite('odd ids', () => {
  test('are things that do not exist, and no faults', async (t) => {
    const site = await startSite(t)
    const { store } = site.service
    await store.createApplication(canaryApplication(site.clock.now()), 'nobody')
    const { id: canaryUser } = await store.ensureUser({
      appId: CANARY_APP_ID,
      externalUserId: 'canary-1',
      id: createIds().uuid(),
      now: site.clock.now(),
    })
    const everything = await tokenOf(site, null)
    const of = (id: string, user = id): Ids => ({
      applications: id,
      users: user,
      incidents: id,
      drills: id,
      timers: id,
      contact: id,
      hardware: id,
      external: id,
      other: id,
    })
    const odd = ['%00', '%F0%9F%98%80', 'x'.repeat(99), '__proto__']
    for (const operation of Object.keys(answers)) {
      if (/simulate|events|session|POST \/(applications|tokens|operators|recovery-codes)$/.test(operation)) continue
      for (const id of operation.includes('{') ? odd : ['x']) {
        const { status, text } = await ask(site, everything, requestOf(operation, of(id)))
        assert.ok(status < 500, `${operation} ${id}: ${status} ${text}`)
      }
      if (!operation.startsWith('GET') || operation.includes('{')) continue
      const { path } = requestOf(operation, of('x'))
      for (const name of ['app', 'text', 'cursor', 'actor', 'action', 'since']) {
        const { status, text } = await ask(site, everything, { method: 'GET', path: `${path}?${name}=%00` })
        assert.ok(status < 500, `${operation} ${name}: ${status} ${text}`)
      }
    }
    for (const operation of ['POST /devices', 'POST /devices/unpair', 'POST /devices/watch', 'POST /drills']) {
      const [application] = await store.applications()
      for (const value of ['a\u0000b', '\ud800']) {
        const ids = { ...of(value), applications: application!.id }
        const { status, text } = await ask(site, everything, requestOf(operation, ids))
        assert.ok(status < 500, `${operation} ${JSON.stringify(value)}: ${status} ${text}`)
      }
    }
    // The canary is in no list; nor does it exist for anybody who knows its id.
    for (const [operation, answer] of Object.entries(answers)) {
      if (answer !== 'none' || /incidents|drills\/\{id/.test(operation)) continue
      const { status, text } = await ask(site, everything, requestOf(operation, of(CANARY_APP_ID, canaryUser)))
      assert.equal(status, 404, `${operation} of the canary: ${text}`)
    }
  })
})
