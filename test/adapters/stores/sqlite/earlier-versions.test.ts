import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { migrationsIn } from '../../../../src/adapters/stores/shared/migrations.ts'
import { openWriter } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import { migrate, newestVersion } from '../../../../src/adapters/stores/sqlite/engine/migrate.ts'
import { earlierTries } from '../../../../src/core/incident/delivery.ts'
import { alertFrom } from '../../../../src/core/ingest/alert.ts'
import { isoAt } from '../../../../src/core/ingest/event-time.ts'
import { SECOND } from '../../../../src/lib/durations.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { freshDir, openHere } from '../../../fixtures/store-place.ts'
import { earlierSite, makeEarlierSite, schemaVersions } from './earlier-site.ts'

const { appId, mia, tom, ana, open, closed, anasToken, openedAt } = earlierSite
/** The newest schema that finds relays in the records. */
const WITHOUT_RELAYS = 8
const PAGE = { after: null, limit: 10 }

for (const version of schemaVersions) {
  test(`a site of schema ${version} keeps all its data, and its open incident goes on`, async (t) => {
    const dataDir = await freshDir(t)
    makeEarlierSite(dataDir, version)
    const store = await openHere(t, dataDir)
    await holdsEverything(store, version)
    const db = new Database(join(dataDir, 'tocsin.db'), { readonly: true })
    assert.equal(db.prepare('SELECT count(*) FROM feedback').pluck().get(), version < 2 ? 0 : 1)
    db.close()
    await goesOn(store)
  })
}

test('a relay that an earlier version stored is removed with its user', async (t) => {
  const dataDir = await freshDir(t)
  makeEarlierSite(dataDir, WITHOUT_RELAYS)
  const db = new Database(join(dataDir, 'tocsin.db'))
  db.prepare("UPDATE incidents SET record = json_set(record, '$.relayUserId', ?) WHERE id = ?").run(tom, open)
  db.close()
  const store = await openHere(t, dataDir)
  assert.equal((await store.incident(open))?.incident.relayUserId, tom)
  assert.deepEqual(await store.eraseUser(appId, 'hiker-2', 1000), { userId: tom, done: true })
  assert.equal((await store.incident(open))?.incident.relayUserId, null)
})

async function holdsEverything(store: Store, version: number): Promise<void> {
  const admitting = await store.admittingApplication(appId)
  assert.deepEqual(
    admitting?.secrets.map(({ secret }) => secret),
    ['the secret of the application'],
  )
  assert.deepEqual(admitting?.application, {
    id: appId,
    name: 'Hut',
    language: 'de',
    legacy: false,
    disabled: false,
    settings: { rounds: 3 },
    actuators: { emergency_contacts: {}, chat: { url: 'https://chat.example/hook', format: 'slack' } },
    texts: version < 3 ? {} : { de: { alarm: 'Hilfe!' } },
    allowedPrefixes: version < 3 ? [] : ['+43'],
    timeZone: null,
    corsOrigins: [],
    silentAfterMinutes: 0,
    verifyContacts: false,
    silentByDefault: false,
    relays: 'any',
    mapLink: null,
    webApp: null,
    smsSos: false,
    smsNumber: null,
    fallbackContact: null,
    createdAt: openedAt - 61 * SECOND,
  })
  assert.deepEqual(
    (await store.users(appId)).map(({ externalUserId, name }) => [externalUserId, name]),
    [
      ['hiker-1', 'Mia'],
      ['hiker-2', null],
    ],
  )
  assert.deepEqual(
    (await store.contacts(mia)).map(({ name, phone, priority }) => [name, phone, priority]),
    [
      ['Ana', '+436600011', 1],
      ['Ben', '+436600012', 2],
    ],
  )
  const history = await store.history(tom, PAGE)
  assert.ok('items' in history)
  assert.deepEqual(
    history.items.map(({ incident, trail }) => [incident.id, incident.state.status, trail.length]),
    [[closed, 'resolved', 1]],
  )
  assert.equal((await store.openIncident(mia))?.lastPosition?.latitude, 47.502)
  const telemetry = await store.telemetryHistory(mia, { ...PAGE, from: null, to: null })
  assert.ok('items' in telemetry)
  assert.deepEqual(
    telemetry.items.map(({ payload }) => payload.latitude),
    [47.502, 47.501],
  )
  assert.deepEqual(
    (await store.outbox({ incidentId: open })).map(({ text }) => text),
    ['Mia needs help'],
  )
  assert.deepEqual(
    (await store.deadLetters()).map(({ payload }) => Buffer.from(payload).toString()),
    ['oh'],
  )
  const hardware = await store.registeredHardware(appId)
  const devices = await store.devices(mia)
  const registered = hardware.map(({ hardwareId, externalUserId }) => [hardwareId, externalUserId])
  assert.deepEqual(
    registered,
    version < 2
      ? []
      : [
          ['TRK-1', 'hiker-1'],
          ['TRK-2', null],
        ],
  )
  assert.deepEqual(
    devices.map(({ hardwareId }) => hardwareId),
    version < 2 ? [] : ['TRK-1'],
  )
}

/** The attempts of the open incident, as channel and status. */
const statuses = async (store: Store) => {
  const record = await store.incident(open)
  return record?.incident.deliveries.map(({ channel, status }) => `${channel} ${status}`)
}

async function goesOn(store: Store): Promise<void> {
  const pressed = alertFrom({ timestamp: isoAt(openedAt), latitude: 47.5, longitude: 12.5 }, openedAt)
  const key = { reporter: { appId, userId: mia, deviceId: null } }
  const raise = { type: 'raise', reporterId: mia, incidentId: tom, linkSecret: 'other links' } as const
  const repeated = await store.changeIncident(key, { ...raise, now: openedAt + 80 * SECOND, alert: pressed })
  assert.equal(repeated.verdict, 'repeated')

  assert.deepEqual(await store.due(openedAt + 100 * SECOND, 10), { real: [open], drills: [] })
  const due = await store.changeIncident(
    { incidentId: open },
    { type: 'proceed', now: openedAt + 80 * SECOND, inFlight: [] },
  )
  const short = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id.slice(open.length))
  assert.deepEqual([short(due.claimed), short(due.unsure), short(due.asked)], [['.2'], ['.3', '.5'], []])

  const now = openedAt + 81 * SECOND
  const record = (attempt: number, outcome: { kind: 'sent' | 'not_found'; provider: string; providerRef: null }) => {
    const attemptId = `${open}.${attempt}`
    const row = [...due.claimed, ...due.unsure].find(({ id }) => id === attemptId)!
    const command = {
      type: 'recordOutcome',
      now,
      attemptId,
      outcome,
      jitter: 0.5,
      earlierTries: earlierTries(row),
    } as const
    return store.changeIncident({ incidentId: open }, command)
  }
  const sent = { kind: 'sent', provider: 'outbox', providerRef: null } as const
  await record(2, sent)
  // An attempt that the provider does not have is sent again; one that it has counts.
  await record(3, { ...sent, kind: 'not_found' })
  const asked = await store.changeIncident({ incidentId: open }, { type: 'proceed', now, inFlight: [] })
  assert.deepEqual(short(asked.claimed), ['.3'])
  await record(3, sent)
  await record(5, sent)
  const receipt = { status: 'delivered', provider: 'outbox', providerRef: `r-${open}.1`, error: null } as const
  await store.changeIncident({ incidentId: open }, { type: 'recordReceipt', now, attemptId: `${open}.1`, receipt })
  assert.deepEqual(await statuses(store), ['sms delivered', 'voice sent', 'sms sent', 'voice scheduled', 'chat sent'])

  assert.equal((await store.trackingLink(anasToken))?.contactId, ana)
  const acknowledged = await store.changeIncident({ incidentId: open }, { type: 'acknowledge', now, contactId: ana })
  assert.equal(acknowledged.incident?.state.status, 'acknowledged')
  const resolved = await store.changeIncident({ incidentId: open }, { type: 'resolve', now: now + SECOND })
  assert.equal(resolved.incident?.state.status, 'resolved')
  const allClears = resolved.incident?.deliveries.filter(({ purpose }) => purpose === 'all_clear')
  assert.equal(allClears?.length, 3)
  const again = await store.changeIncident(key, {
    ...raise,
    now: now + 2 * SECOND,
    alert: alertFrom({}, now + 2 * SECOND),
  })
  assert.equal(again.verdict, 'opened')
}

const MIGRATIONS = new URL('../../../../src/adapters/stores/sqlite/migrations/', import.meta.url)

const contents = (db: Database.Database) => {
  const schema = db.prepare<[], { type: string; name: string }>('SELECT * FROM sqlite_schema ORDER BY name').all()
  const tables = schema.filter(({ type, name }) => type === 'table' && !name.startsWith('sqlite_'))
  const rows = tables.map(({ name }) => [name, db.prepare(`SELECT * FROM ${name}`).all()])
  return { version: db.pragma('user_version', { simple: true }), schema, rows }
}

for (const version of schemaVersions) {
  test(`a migration that fails half way leaves a file of schema ${version} unchanged`, async (t) => {
    const dataDir = await freshDir(t)
    makeEarlierSite(dataDir, version)
    const directory = await freshDir(t)
    for (const file of readdirSync(MIGRATIONS)) copyFileSync(new URL(file, MIGRATIONS), join(directory, file))
    const failing = `${String(newestVersion() + 1).padStart(4, '0')}-fails.sql`
    writeFileSync(
      join(directory, failing),
      'CREATE TABLE half (a); DELETE FROM contacts; INSERT INTO nowhere VALUES (1);',
    )
    const db = await openWriter(join(dataDir, 'tocsin.db'))
    t.after(() => db.close())
    const before = contents(db)
    assert.throws(
      () => migrate(db, migrationsIn(pathToFileURL(`${directory}/`))),
      (error: Error) => error.message.includes(failing) && /no such table.*nothing was changed/.test(error.message),
    )
    assert.deepEqual(contents(db), before)
    // The control: without the failing migration the schema changes, and the data stays.
    migrate(db)
    assert.equal(contents(db).version, newestVersion())
    assert.equal(db.prepare('SELECT count(*) FROM contacts').pluck().get(), 3)
  })
}
