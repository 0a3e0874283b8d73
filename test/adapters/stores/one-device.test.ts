import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import type { Store } from '../../../src/ports/store.ts'
import { applicationCalled, incidentOf, SiteUser } from '../../contract/site.ts'
import { momentAt } from '../../core/build.ts'
import { freshDatabase, openPostgresAt, withoutPostgres } from '../../fixtures/postgres-place.ts'
import { freshDir, openHere } from '../../fixtures/store-place.ts'
import { endsLastFirst } from '../../harness/last-first.ts'
import { sharedPostgres } from '../../harness/postgres.ts'

const [PLAIN, COLONS, DASHES] = ['a8404117d1851234', 'A8:40:41:17:D1:85:12:34', 'a8-40-41-17-d1-85-12-34'] as const

/**
 * Puts one DevEUI into the database in two spellings, as an earlier version let in: `PLAIN` is paired with the first
 * user, `COLONS` later with the second.
 */
async function earlierPairings(
  store: Store,
  execute: (sql: string) => unknown,
): Promise<readonly [SiteUser, SiteUser]> {
  const { id: appId } = await applicationIn(store)
  const users = [new SiteUser(store, appId, 'hiker-1'), new SiteUser(store, appId, 'hiker-2')] as const
  for (const user of users) await user.settle([])
  await store.registerHardware(appId, ['T-1', 'T-2'].map(registered), momentAt(0))
  await users[0].pairs('T-1')
  await users[1].pairs('T-2')
  for (const table of ['hardware', 'devices']) {
    await execute(`UPDATE ${table} SET hardware_id = '${PLAIN}' WHERE hardware_id = 'T-1'`)
    await execute(`UPDATE ${table} SET hardware_id = '${COLONS}' WHERE hardware_id = 'T-2'`)
  }
  await execute(`UPDATE devices SET paired_at = paired_at + 1 WHERE hardware_id = '${COLONS}'`)
  return users
}

const registered = (hardwareId: string) => ({ hardwareId, codeHash: `hash of ${hardwareId}`, model: null })

async function applicationIn(store: Store) {
  const application = applicationCalled('Hut')
  await store.createApplication(application, 'secret')
  return application
}

/** devices.md#device-ids. */
async function theExactSpellingWins(store: Store, [first, second]: readonly [SiteUser, SiteUser]): Promise<void> {
  const appId = (await store.user(first.id))!.appId
  const gateway = new SiteUser(store, appId, 'gateway')
  await gateway.settle([])
  const owners: string[] = []
  for (const [at, deviceId] of [PLAIN, COLONS, DASHES].entries()) {
    owners.push(incidentOf(await gateway.presses(at, { deviceId })).userId)
  }
  assert.deepEqual(owners, [first.id, second.id, second.id])
  const rowOf = async (id: string) => (await store.hardware(appId, id))?.hardwareId
  assert.deepEqual(await Promise.all([PLAIN, COLONS, DASHES].map(rowOf)), [PLAIN, COLONS, COLONS])
  assert.deepEqual(await store.alikeHardware(), [
    { appId, hardwareId: COLONS },
    { appId, hardwareId: PLAIN },
  ])
  const begun = await store.beginPairing(appId, DASHES, momentAt(9))
  assert.equal('registered' in begun && begun.registered.codeHash, 'hash of T-2')
  assert.deepEqual(await store.unpairHardware(appId, PLAIN), { removed: true })
  assert.equal(incidentOf(await gateway.presses(9, { deviceId: PLAIN })).userId, second.id)
}

test('of two devices that are now one id, the exact spelling wins, else the one paired last', async (t: TestContext) => {
  const dataDir = await freshDir(t)
  const store = await openHere(t, dataDir)
  const db = new Database(join(dataDir, 'tocsin.db'))
  const users = await earlierPairings(store, (sql) => db.exec(sql))
  db.close()
  await theExactSpellingWins(store, users)
})

test('the same on PostgreSQL', { skip: withoutPostgres }, async (t) => {
  const url = await freshDatabase(t)
  const store = await openPostgresAt(t, url, {})
  const session = await (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))
  endsLastFirst(t, () => session.end())
  await theExactSpellingWins(store, await earlierPairings(store, (sql) => session.query(sql)))
})
