import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIds } from '../../../../../src/adapters/platform/system/ids.ts'
import { operatorDrills } from '../../../../../src/app/operator/drills.ts'
import { applicationCalled } from '../../../../contract/site.ts'
import { migratedDir, openHere } from '../../../../fixtures/store-place.ts'
import { HUT, LIFT, operatorApi } from './stand-in.ts'

test('drills over the operator API: who may, within which applications, and what they answer', async (t) => {
  const store = await openHere(t, await migratedDir(t))
  for (const id of [HUT, LIFT]) await store.createApplication({ ...applicationCalled(id), id }, `secret of ${id}`)
  const ids = createIds()
  for (const appId of [HUT, LIFT]) await store.ensureUser({ appId, externalUserId: 'mia', id: ids.uuid(), now: 1 })
  const door = { change: store.changeIncident.bind(store) }
  const { as } = await operatorApi(t, { operator: { drills: operatorDrills({ store, door, ids }) } })

  assert.equal((await as('viewer', 'POST', '/drills', { body: { app: HUT } })).status, 403)
  assert.equal((await as('hutOperator', 'POST', '/drills', { body: { app: LIFT } })).status, 404)
  assert.equal((await as('hutOperator', 'POST', '/drills', { body: { app: HUT, shout: true } })).status, 400)
  const unknown = await as('operator', 'POST', '/drills', { body: { app: HUT, user: 'nobody' } })
  assert.deepEqual([unknown.status, unknown.json.error.reason], [404, 'user_not_found'])
  const started = await as('hutOperator', 'POST', '/drills', { body: { app: HUT, user: 'mia', contacts: true } })
  assert.equal(started.status, 201)
  const { incidentId } = started.json.started[0]
  const elsewhere = (await as('operator', 'POST', '/drills', { body: { app: LIFT } })).json.started[0].incidentId

  const listed = await as('viewer', 'GET', `/drills?app=${HUT}`)
  assert.deepEqual([listed.status, listed.json.items.length], [200, 1])
  assert.deepEqual([listed.json.items[0].incidentId, listed.json.items[0].toContacts], [incidentId, true])
  assert.equal((await as('hutViewer', 'GET', `/drills?app=${LIFT}`)).status, 404)
  await store.ensureUser({ appId: HUT, externalUserId: 'ben', id: ids.uuid(), now: 1 })
  await as('operator', 'POST', '/drills', { body: { app: HUT, user: 'ben' } })
  const whose = async (query: string) => {
    const { status, json } = await as('viewer', 'GET', `/drills?app=${HUT}${query}`)
    return json.items?.map((one: { externalUserId: string }) => one.externalUserId) ?? [status, json.error.reason]
  }
  assert.deepEqual([await whose('&user=ben'), await whose('&user=mia')], [['ben'], ['mia']])
  assert.deepEqual([(await whose('')).length, (await whose('&limit=1')).length], [2, 1])
  assert.deepEqual([await whose('&user=nobody'), (await whose('&limit=101'))[0]], [[404, 'user_not_found'], 400])
  assert.equal((await as('hutViewer', 'GET', `/drills/${incidentId}`)).json.externalUserId, 'mia')
  assert.equal((await as('hutViewer', 'GET', `/drills/${elsewhere}`)).status, 404)
  assert.equal((await as('viewer', 'GET', `/drills/${HUT}`)).json.error.reason, 'drill_not_found')

  assert.equal((await as('viewer', 'POST', '/drills/end', { body: { app: HUT } })).status, 403)
  const ended = await as('hutOperator', 'POST', '/drills/end', { body: { app: HUT, user: 'mia' } })
  assert.deepEqual(
    ended.json.ended.map((one: { incidentId: string }) => one.incidentId),
    [incidentId],
  )
  assert.equal((await as('viewer', 'GET', `/drills/${elsewhere}`)).json.status, 'active')
})
