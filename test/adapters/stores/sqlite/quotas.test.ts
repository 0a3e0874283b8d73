import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { MAX_DRILLS_KEPT, type Quotas, UNLIMITED } from '../../../../src/adapters/stores/shared/quotas.ts'
import { openReader } from '../../../../src/adapters/stores/sqlite/engine/database.ts'
import { drills } from '../../../contract/drills.ts'
import { appOn, asks, invitationTo } from '../../../contract/enrolment.ts'
import { applicationCalled, at, incidentOf, Site } from '../../../contract/site.ts'
import { momentAt } from '../../../core/build.ts'
import { freshDir, openHere } from '../../../fixtures/store-place.ts'

const KIB = 1024

async function siteWith(t: TestContext, quotas: Partial<Quotas> = {}) {
  const dataDir = await freshDir(t)
  const open = () => openHere(t, dataDir, { quotas: { ...UNLIMITED, ...quotas } })
  const store = await open()
  const application = applicationCalled('Hut')
  await store.createApplication(application, 'secret')
  const site = new Site({ open }, store, application)
  await site.user.settle(['Ana'])
  const reader = openReader(join(dataDir, 'tocsin.db'))
  t.after(() => reader.close())
  /** One value from the database. */
  const ask = (sql: string, ...of: readonly unknown[]) =>
    reader
      .prepare(sql)
      .pluck()
      .get(...of) as number
  return { site, store, user: site.user, ask }
}

const letterOf = (userId: string, n: number, bytes: number) => ({
  userId,
  topic: 't',
  reason: `${n}`,
  payload: new Uint8Array(bytes),
  receivedAt: momentAt(n),
})

test('dead letters of one user stay within a quota, the oldest go first, the newest stays however large', async (t) => {
  const { site, store, user } = await siteWith(t, { deadLetterBytes: 100 * KIB })
  const other = await site.newUser('other')
  await store.addDeadLetter(letterOf(other.id, 0, 10))
  for (let n = 1; n <= 50; n += 1) await store.addDeadLetter(letterOf(user.id, n, 10 * KIB))
  const kept = async ({ id }: { id: string }) =>
    (await store.deadLetters()).filter(({ userId }) => userId === id).map(({ reason }) => Number(reason))
  assert.deepEqual(await kept(user), [42, 43, 44, 45, 46, 47, 48, 49, 50])
  assert.deepEqual(await kept(other), [0])

  await store.addDeadLetter(letterOf(user.id, 51, 500 * KIB))
  assert.deepEqual(await kept(user), [51])
  // Rows deleted by retention are returned to the quota.
  await store.deleteExpired('deadLetters', { before: momentAt(1e6), max: 100, from: '' })
  for (let n = 52; n <= 56; n += 1) await store.addDeadLetter(letterOf(user.id, n, 10 * KIB))
  assert.deepEqual(await kept(user), [52, 53, 54, 55, 56])
})

test('telemetry of one user stays within about its quota, and the oldest event times go first', async (t) => {
  const quota = 200 * KIB
  const { site, user, ask } = await siteWith(t, { telemetryBytes: quota })
  const other = await site.newUser('other')
  await other.sends(0)
  const coverage = { networkType: 'n'.repeat(60), signalStrength: 's'.repeat(60) }
  const fields = { deviceCoverage: coverage, mobileCoverage: coverage }
  // As compact as texts of this length become.
  const rowBytes = 64 + 4 * 60
  for (let from = 0; from < 3000; from += 500) {
    await Promise.all(Array.from({ length: 500 }, (_, k) => user.sends(from + k, fields)))
    const took = ask(
      'SELECT sum(length(compact) + 64) FROM telemetry WHERE user = (SELECT number FROM users WHERE id = ?)',
      user.id,
    )
    assert.ok(took < 1.2 * quota, `${took} bytes`)
  }
  const page = await site.store.telemetryHistory(user.id, { after: null, limit: 5000, from: null, to: null })
  assert.ok('items' in page)
  assert.ok(page.items.length * rowBytes > 0.8 * quota, `${page.items.length} rows`)
  // The newest are there, without a gap.
  const times = page.items.map(({ at: { ms } }) => ms)
  assert.deepEqual(
    times,
    times.map((_, k) => momentAt(2999) - k * 1000),
  )
  assert.equal(ask('SELECT count(*) FROM telemetry'), page.items.length + 1)
})

test('a user whom a poster has brought has a sixteenth of each quota', async (t) => {
  const { site, store, ask } = await siteWith(t, {
    telemetryBytes: 800 * KIB,
    deadLetterBytes: 800 * KIB,
    incidents: 32,
  })
  await appOn(site)
  const poster = invitationTo(site, { kind: 'poster', places: 2 })
  await store.inviteToApp(poster)
  const enrolled = await store.enrol(asks(poster))
  assert.ok('user' in enrolled)
  const stranger = await site.newUser(enrolled.user.externalUserId)
  for (let n = 0; n < 10; n += 1) await store.addDeadLetter(letterOf(stranger.id, n, 10 * KIB))
  await Promise.all(Array.from({ length: 1000 }, (_, k) => stranger.sends(k)))
  const used = (column: string) => ask(`SELECT ${column} FROM users WHERE id = ?`, stranger.id)
  assert.deepEqual([used('telemetry_bytes') < 60 * KIB, used('dead_letter_bytes') < 60 * KIB], [true, true])
  for (let n = 0; n < 5; n += 1) {
    await stranger.presses(2000 + 100 * n)
    await stranger.does(2005 + 100 * n, { type: 'cancel' })
  }
  assert.equal(ask('SELECT count(*) FROM incidents'), 3)
})

test('a row sent again and again counts once against the quota', async (t) => {
  const { user, ask } = await siteWith(t, { telemetryBytes: 16 * KIB })
  for (let n = 0; n < 5; n += 1) await user.sends(n)
  for (let n = 0; n < 300; n += 1) await user.sends(n % 5)
  assert.equal(ask('SELECT count(*) FROM telemetry'), 5)
  assert.ok(ask('SELECT telemetry_bytes FROM users WHERE id = ?', user.id) < KIB)
})

test('telemetry deleted by retention is returned to the quota', async (t) => {
  const { store, user, ask } = await siteWith(t, { telemetryBytes: 100 * KIB })
  for (let n = 0; n < 600; n += 1) await user.sends(n)
  const usage = () => ask('SELECT telemetry_bytes FROM users WHERE id = ?', user.id)
  assert.ok(usage() > 30 * KIB)
  for (let from: string | null = ''; from !== null; ) {
    from = (await store.deleteExpired('telemetry', { before: momentAt(1e6), max: 500, from })).next
  }
  assert.equal(ask('SELECT count(*) FROM telemetry'), 0)
  assert.ok(usage() < 10 * KIB, `${usage()} bytes`)
})

test('drills and real incidents have room of their own: neither makes the other go', async (t) => {
  const { store, user, ask } = await siteWith(t, { incidents: 3 })
  const kept = (drill: 0 | 1) => ask('SELECT count(*) FROM incidents WHERE drill = ?', drill)
  for (let n = 0; n < 3; n += 1) {
    await user.presses(n)
    await user.does(n, { type: 'cancel' })
  }
  for (let n = 10; n < 40; n += 1) {
    const { incidentId } = await drills(store, user, n)
    await user.does(n, { type: 'overtake' }, { incidentId: incidentId! })
  }
  assert.equal(kept(0), 3)
  assert.equal(kept(1), MAX_DRILLS_KEPT + 1)
  for (let n = 50; n < 60; n += 1) {
    await user.presses(n)
    await user.does(n, { type: 'cancel' })
  }
  assert.equal(kept(0), 4)
  assert.equal(kept(1), MAX_DRILLS_KEPT + 1)
})

test("of one user's feedback only the newest rows stay", async (t) => {
  const { store, user } = await siteWith(t, { feedbackRows: 3 })
  for (let n = 0; n < 6; n += 1) {
    const feedback = { id: randomUUID(), userId: user.id, message: `${n}`, category: null, rating: null }
    await store.addFeedback({ ...feedback, createdAt: momentAt(n) })
  }
  assert.deepEqual(
    (await store.feedback()).map(({ message }) => message),
    ['3', '4', '5'],
  )
})

test('an open incident keeps the identities of its newest alerts, and each distinct alert counts once', async (t) => {
  const { store, user, ask } = await siteWith(t)
  const { id } = incidentOf(await user.presses(0))
  for (let from = 1; from <= 2300; from += 1150) {
    const presses = await Promise.all(Array.from({ length: 1150 }, (_, k) => user.presses(from + k)))
    assert.ok(presses.every(({ verdict }) => verdict === 'updated'))
  }
  const identities = ask('SELECT count(*) FROM alerts')
  assert.ok(identities >= 1000 && identities <= 1100, `${identities}`)
  // A recent one is recognised; a forgotten one counts as a further alert of the same incident.
  assert.equal((await user.presses(2300, {}, 2400)).verdict, 'repeated')
  const forgotten = await user.presses(1, {}, 2401)
  assert.deepEqual([forgotten.verdict, incidentOf(forgotten).id], ['updated', id])
  assert.equal((await store.incident(id))?.incident.lastAlertAt, momentAt(2401))
})

test('a forgotten identity can cause one alarm more, never one less: a repeat after closing opens another incident', async (t) => {
  const { user } = await siteWith(t)
  await user.presses(0)
  await Promise.all(Array.from({ length: 1200 }, (_, k) => user.presses(k + 1)))
  await user.does(1300, { type: 'cancel' })
  assert.equal((await user.presses(1200, {}, 1400)).verdict, 'repeated')
  assert.equal((await user.presses(1, {}, 1401)).verdict, 'opened')
})

test('a trail keeps only what is shown of it: the newest 1,000 by event time', async (t) => {
  const { store, user, ask } = await siteWith(t)
  const { id } = incidentOf(await user.presses(0, at(47)))
  for (let from = 1; from <= 2500; from += 500) {
    await Promise.all(Array.from({ length: 500 }, (_, k) => user.sends(from + k, at(47, 11 + (from + k) / 1000))))
  }
  const rows = ask('SELECT count(*) FROM trail')
  assert.ok(rows >= 1000 && rows <= 1100, `${rows} rows`)
  const page = await store.history(user.id, { after: null, limit: 1 })
  assert.ok('items' in page)
  const [item] = page.items
  assert.deepEqual([item?.incident.id, item?.trail.length], [id, 1000])
  assert.equal(item?.trail.at(-1)?.longitude, 13.5)
  assert.equal(item?.trail[0]?.longitude, 11 + 1501 / 1000)
})

test("of one user's closed incidents the newest stay, and any that is open or owes a notification", async (t) => {
  const { site, store, user, ask } = await siteWith(t, { incidents: 10 })
  const other = await site.newUser('other')
  const theirs = incidentOf(await other.presses(0))
  for (let n = 1; n <= 25; n += 1) {
    await user.presses(n * 10, at(47))
    await user.does(n * 10 + 1, { type: 'cancel' })
  }
  const open = incidentOf(await user.presses(1000))
  const page = await store.history(user.id, { after: null, limit: 100 })
  assert.ok('items' in page)
  assert.deepEqual(
    page.items.map(({ incident }) => incident.occurredAt.ms),
    [momentAt(1000), ...Array.from({ length: 10 }, (_, k) => momentAt(250 - k * 10))],
  )
  assert.equal(page.items[0]?.incident.id, open.id)
  assert.ok((await store.incident(theirs.id)) !== null)
  for (const table of ['trail', 'alerts']) {
    assert.ok(ask(`SELECT count(*) FROM ${table}`) <= 12, table)
  }
})
