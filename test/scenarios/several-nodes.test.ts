import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { IDisconnectPacket } from 'mqtt'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { inviteToApp } from '../../src/app/operator/app-invitations.ts'
import { operatorDrills } from '../../src/app/operator/drills.ts'
import { NO_WEB_APP } from '../../src/core/account/web-app.ts'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import type { Notice } from '../../src/ports/store.ts'
import { type Service, startService } from '../../src/service.ts'
import { onCallList } from '../contract/on-call.ts'
import { applicationCalled, type Given } from '../contract/site.ts'
import { freshDatabase, openPostgresAt, withoutPostgres } from '../fixtures/postgres-place.ts'
import { quiet } from '../fixtures/store-place.ts'
import { consoleAdmin } from '../harness/console-admin.ts'
import type { Ending } from '../harness/ending.ts'
import { endsLastFirst } from '../harness/last-first.ts'
import { listen } from '../harness/listener.ts'
import { PhoneUser } from '../harness/phone-user.ts'
import { sharedPostgres } from '../harness/postgres.ts'
import { openStoreHere } from '../harness/site.ts'
import { readStream } from '../harness/stream-reader.ts'
import { testConfig } from '../harness/test-config.ts'
import { until } from '../harness/wait.ts'

const SECRET = 'the secret of the site with two nodes'

/** Two services on one database, each with a data directory of its own. */
async function twoNodes(t: Ending) {
  const url = await freshDatabase(t)
  const nodes: Service[] = []
  for (const id of ['north', 'south']) {
    const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-node-'))
    endsLastFirst(t, () => rm(dataDir, { recursive: true, force: true }))
    const config = testConfig(dataDir, {
      store: { url },
      node: { id },
      publicUrl: 'https://sos.example.org',
      notifications: { allowPrivateTargets: true },
    })
    const service = await startService(config, { log: quiet })
    endsLastFirst(t, () => service.stop())
    nodes.push(service)
  }
  const newApplication = async (name: string, given?: Given) => {
    const created = applicationCalled(name, given)
    await nodes[0]!.store.createApplication(created, SECRET)
    return created
  }
  const application = await newApplication('Hut')
  const commandLine = await openPostgresAt(t, url, { leaveNotices: true })
  const users: PhoneUser[] = []
  endsLastFirst(t, () => Promise.all(users.map((user) => user.disconnect())))
  /** A user at one of the nodes: Mia of the hut, unless it says otherwise. */
  const on = async (
    n: number,
    externalUserId = 'mia',
    appId = application.id,
    credential?: string,
  ): Promise<PhoneUser> => {
    const { http = '', mqtt = '' } = nodes[n]!.listeners
    const own = { ...(credential !== undefined && { credential }) }
    const user = new PhoneUser({ http, mqtt, appId, secret: SECRET, externalUserId, ...own })
    users.push(user)
    return user.introduce()
  }
  return { url, application, newApplication, commandLine, on }
}

const protocolVersion = 5

test('two nodes serve one user as one would', { skip: withoutPostgres }, async (t) => {
  const { url, application, newApplication, commandLine, on } = await twoNodes(t)
  const [north, south] = [await on(0), await on(1)]
  await north.listen({ clientId: 'phone' })
  await south.listen({ clientId: 'tablet' })

  await t.test('each publishes every event to its own clients, once and in order', async () => {
    const stream = await readStream(south)
    await north.presses()
    const { incidentId } = await south.receives('processed')
    assert.equal((await south.ends('cancel')).status, 200)
    const seen = ({ events }: PhoneUser) => events.map(({ type, snapshotVersion }) => [type, snapshotVersion])
    await until('the same on both', () => {
      const [here, there] = [seen(north), seen(south)]
      const isOver = [here, there].every((all) => all.some(([type]) => type === 'cancelled'))
      return isOver && here.length === there.length
    })
    assert.deepEqual(seen(south), seen(north))
    const told = () => stream.events.map(({ type, snapshotVersion }) => [type, snapshotVersion])
    await until('the same on a stream', () => told().length === seen(north).length)
    assert.deepEqual(told(), seen(north))
    stream.leaves()
    assert.ok(south.events.every((event) => event.incidentId === incidentId))
  })

  await t.test('a tracking page that is open on one shows what a contact answers on the other', async () => {
    assert.equal(
      (await north.rest('POST', '/v1/sdk/contacts', { name: 'Ana', phone: '+436601234567', language: 'en' })).status,
      201,
    )
    await north.presses()
    const [open] = await commandLine.incidents({ openOnly: true })
    const path = `/t/${open!.incident.contacts[0]!.token}`
    const response = await fetch(`${south.account.http}${path}/events`)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const reads = async (what: RegExp): Promise<void> => {
      while (!what.test(text)) text += (await reader.read()).value ?? assert.fail(`the stream ended after ${text}`)
    }
    await reads(/Nobody has responded yet/)
    assert.equal((await fetch(`${north.account.http}${path}/ack?calling`, { method: 'POST' })).status, 200)
    await reads(/Your answer: you are calling/)
    assert.equal((await north.ends('cancel')).status, 200)
    await reads(/event: over/)
  })

  await t.test('a further press on one is told to the other, though it is no event', async () => {
    const heard: Extract<Notice, { kind: 'committed' }>[] = []
    const { promise: isOver, resolve: ends } = Promise.withResolvers<void>()
    await commandLine.onNotice((notice) => {
      if (notice.kind !== 'committed') return
      heard.push(notice)
      if (notice.events.some(({ message }) => message.type === 'cancelled')) ends()
    })
    await north.presses()
    const [open] = await commandLine.incidents({ openOnly: true })
    await north.presses()
    assert.equal((await north.ends('cancel')).status, 200)
    await isOver
    assert.ok(heard.every(({ incidentId }) => incidentId === open!.incident.id))
    // Presses that are milliseconds apart: nothing else has happened in between.
    assert.deepEqual(
      heard.slice(0, 3).map(({ events }) => events[0]?.message.type),
      ['processed', undefined, 'cancelled'],
    )
  })

  await t.test('a token of one counts on the other', async () => {
    const { body } = await north.rest('POST', '/v1/sdk/token')
    const { http, appId } = south.account
    const answer = await fetch(`${http}/v1/sdk/feedback`, {
      method: 'POST',
      headers: {
        'x-app-id': appId,
        'x-user-id': 'mia',
        'x-user-token': body.token,
        authorization: `Bearer ${south.hash}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ message: 'Good' }),
    })
    assert.equal(answer.status, 201)
  })

  await t.test('a client that connects elsewhere is taken over', async () => {
    const { promise: isTold, resolve: tells } = Promise.withResolvers<void>()
    await commandLine.onNotice((notice) => {
      if (notice.kind === 'connected' && notice.clients.some(([, at]) => at >= began)) tells()
    })
    const began = Date.now()
    const former = await north.connect({ clientId: 'tracker', protocolVersion })
    // A moment counts as later by as long as the announcement took to the server.
    await isTold
    const ended = new Promise<IDisconnectPacket>((resolve) => former.once('disconnect', resolve))
    const newer = await south.connect({ clientId: 'tracker', protocolVersion })
    assert.equal((await ended).reasonCode, 0x8e)
    assert.equal(newer.connected, true)
  })

  // preparing.md#drills.
  await t.test('exercises of both wait in one line, and the alarm of either goes before them', async (t) => {
    const webhook = await listen(t)
    const { id } = await newApplication('Exercises', {
      settings: { graceSeconds: 0 },
      actuators: { emergency_contacts: {}, webhook: { url: webhook.url } },
    })
    // One more a second: so many that a busy machine has time for the alarm.
    const people = ['ina', 'jan', 'kim', 'lea', 'max', 'nia', 'ole', 'pia']
    for (const [n, name] of people.entries()) await on(n % 2, name, id)
    const posted = (type: string): readonly string[] =>
      webhook.requests.flatMap(({ json }) => (json.type === type ? [json.data.incident.incidentId] : []))
    const door = { change: commandLine.changeIncident }
    const drills = operatorDrills({ store: commandLine, door, ids: createIds() })
    const by = { actor: COMMAND, address: null, now: Date.now() }
    const begun = await drills.start(id, { externalUserId: null, toContacts: false }, by)
    assert.ok('started' in begun)
    await until('the post of the first exercise', () => posted('drill.opened').length > 0)

    const tom = await on(1, 'tom', id)
    assert.equal((await tom.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })).status, 201)
    await until('the post of the alarm', () => posted('sos.opened').length > 0)
    assert.ok(posted('drill.opened').length < people.length, 'exercises go one by one, by the second')
    await until('the posts of the other exercises', () => posted('drill.opened').length >= people.length)
    const started = begun.started.map(({ incidentId }) => incidentId)
    assert.deepEqual(posted('drill.opened').toSorted(), started.toSorted())
    assert.equal(posted('sos.opened').length, 1)
    assert.equal((await tom.ends('cancel')).status, 200)

    const session = await (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))
    const { rows } = await session.query("SELECT record FROM provider_turns WHERE account = 'drill:webhook'")
    await session.end()
    assert.deepEqual(Object.keys(rows[0].record.nodes).toSorted(), ['north', 'south'])
  })

  // rules.md#on-call. A node of an earlier version drops the deadline from the column when it writes the incident.
  await t.test('whoever is on call is alerted once, also if an earlier version has written in between', async () => {
    const { id } = await newApplication('On call', { settings: { graceSeconds: 0, voice: false, rounds: 1 } })
    const row = entry({ at: Date.now(), actor: COMMAND, action: 'on_call.change' })
    const list = { given: onCallList(0), now: Date.now(), defaultTimeZone: 'UTC' }
    assert.ok('onCall' in (await commandLine.changeOnCall({ kind: 'set', ...list }, row)))
    const [here, there] = [await on(0, 'nina', id), await on(1, 'nina', id)]
    const press = (user: PhoneUser) => user.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })
    const { incidentId } = (await press(here)).body.incident
    await commandLine.changePending({ type: 'shiftDeadlines', now: Date.now(), byMs: -61_000 })
    const session = await (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))
    await session.query('UPDATE incidents SET next_action_at = NULL WHERE id = $1', [incidentId])
    await session.end()
    await Promise.all([press(there), press(here)])
    const texts = async () => (await commandLine.outbox({ incidentId })).filter(({ to }) => to === '+43660123')
    await until('the person on duty is alerted', async () => (await texts()).length > 0)
    assert.equal((await there.ends('cancel')).status, 200)
    await until('and told that it is over', async () => (await texts()).some(({ text }) => /beendet/.test(text)))
    assert.equal((await texts()).length, 2)
    const { contacts } = (await commandLine.incident(incidentId))!.incident
    assert.deepEqual(
      contacts.map(({ name }) => name),
      ['Ivo'],
    )
  })

  await t.test('a phone that signs out at one is out at the other within 2 s, and no other phone is', async () => {
    await commandLine.updateApplication(application.id, { webApp: { ...NO_WEB_APP, isOn: true } })
    const by = { actor: COMMAND, address: null, now: Date.now() }
    const inviting = { appId: application.id, kind: 'device', places: 1, label: null } as const
    const invited = await inviteToApp(
      { store: commandLine, ids: createIds() },
      { ...inviting, user: { id: north.userId } },
      by,
    )
    assert.ok('secret' in invited)
    const enrolled = await fetch(`${north.account.http}/v1/app/enrolments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ invitation: invited.secret, key: 'k'.repeat(22), deviceName: 'Phone' }),
    })
    const { deviceId, credential } = (await enrolled.json()) as { deviceId: string; credential: string }
    const [here, there] = [
      await on(0, 'mia', application.id, credential),
      await on(1, 'mia', application.id, credential),
    ]
    const phone = await there.listen({ clientId: 'app' })
    const stream = await readStream(there)
    const ends = Promise.all([new Promise<void>((resolve) => phone.once('close', resolve)), stream.ended])
    const began = performance.now()
    assert.equal((await here.rest('DELETE', `/v1/sdk/me/app-devices/${deviceId}`)).status, 200)
    await ends
    const took = performance.now() - began
    assert.ok(took < 2_000, `${took} ms`)
    t.diagnostic(`${Math.round(took)} ms`)
    assert.equal((await there.rest('GET', '/v1/sdk/me')).status, 401)
    assert.deepEqual(
      [north, south].map((user) => user.clients.at(0)!.connected),
      [true, true],
    )
  })

  await t.test(
    'who comes to the rescue desk or leaves it shows at once at each, in the app and when it asks',
    async () => {
      await north.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })
      const stream = await readStream(north)
      const hears = (count: number) =>
        until('it is told', () => stream.told().filter((type) => type === 'sos.readers').length === count)
      const eva = await consoleAdmin(commandLine, south.account.http, () => Date.now())
      await hears(1)
      const desk = async (user: PhoneUser) =>
        (await user.rest('GET', '/v1/sdk/sos/messages')).body.readers.filter(({ kind }: any) => kind === 'operator')
          .length
      assert.deepEqual([await desk(north), await desk(south)], [1, 1])
      assert.equal((await eva.ask('DELETE', '/session')).status, 204)
      await hears(2)
      assert.deepEqual([await desk(north), await desk(south)], [0, 0])
      stream.leaves()
      assert.equal((await north.ends('cancel')).status, 200)
    },
  )

  await t.test('disabling the user ends the sessions on both', async () => {
    const clients = [north, south].map((user) => user.clients.at(0)!)
    const closed = Promise.all(clients.map((client) => new Promise<void>((resolve) => client.once('close', resolve))))
    const streams = await Promise.all([north, south].map(readStream))
    await commandLine.setUserDisabled(application.id, 'mia', true)
    await closed
    await Promise.all(streams.map(({ ended }) => ended))
  })
})

test('a node that is cut off from the database sends its clients away, and admits nobody until it is back', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-node-'))
  endsLastFirst(t, () => rm(dataDir, { recursive: true, force: true }))
  let hear: (notice: Notice) => void = () => {}
  const service = await startService(testConfig(dataDir), {
    log: quiet,
    // What the follower of notices says on PostgreSQL.
    openStore: async (options) => ({
      ...(await openStoreHere(options)),
      async onNotice(listener) {
        hear = listener
        return () => {}
      },
    }),
  })
  endsLastFirst(t, () => service.stop())
  const application = applicationCalled('Hut')
  await service.store.createApplication(application, SECRET)
  const { http = '', mqtt = '' } = service.listeners
  const mia = new PhoneUser({ http, mqtt, appId: application.id, secret: SECRET, externalUserId: 'mia' })
  endsLastFirst(t, () => mia.disconnect())
  await mia.introduce()
  const client = await mia.connect({ protocolVersion })
  const ended = new Promise<IDisconnectPacket>((resolve) => client.once('disconnect', resolve))
  const stream = await readStream(mia)
  hear({ kind: 'cut_off' })
  assert.equal((await ended).reasonCode, 0x8b)
  await stream.ended
  await assert.rejects(mia.connect({ protocolVersion }), { code: 0x88 })
  const refused = await mia.rest('GET', '/v1/sdk/sos')
  assert.equal(refused.status, 503)
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
  hear({ kind: 'back' })
  await mia.listen()
  assert.equal((await mia.rest('GET', '/v1/sdk/sos')).status, 200)
})
