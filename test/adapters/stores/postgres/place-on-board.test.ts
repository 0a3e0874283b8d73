import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applicationCalled, incidentOf, SiteUser } from '../../../contract/site.ts'
import { freshDatabase, openPostgresAt, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'

const take = { type: 'acknowledge', contactId: null, name: 'Eva', operatorId: 'op-1' } as const

test('open incidents of an earlier version get their place on the board, and wait for no alarm', {
  skip: withoutPostgres,
}, async (t) => {
  const url = await freshDatabase(t)
  const store = await openPostgresAt(t, url, {})
  const session = await (await sharedPostgres()).session(url.slice(url.lastIndexOf('/') + 1))
  endsLastFirst(t, () => session.end())
  const application = applicationCalled('Hut')
  await store.createApplication(application, 'secret')
  const ids: string[] = []
  for (const n of [0, 1, 2, 3, 4]) {
    const user = new SiteUser(store, application.id, `hiker-${n}`)
    await user.settle([])
    const { id } = incidentOf(await user.presses(n))
    if (n < 3) await user.does(10 + n, take, { incidentId: id })
    ids.push(id)
  }
  await session.query('UPDATE incidents SET urgency = 0')
  const filter = { state: 'open', statuses: null, applications: null, from: null, to: null, text: null } as const
  const board = async () =>
    (await store.board(filter, { after: null, limit: 10 })).items.map(({ incident }) => ids.indexOf(incident.id))
  assert.deepEqual(await board(), [0, 1, 2, 3, 4], 'those that somebody has taken stand first')

  // An alarm that is being stored.
  await session.query('BEGIN')
  await session.query('SELECT 1 FROM incidents WHERE id = $1 FOR UPDATE', [ids[0]])
  const first = await store.placeOnBoard({ from: '', max: 2 })
  assert.deepEqual([first.placed, first.next !== null], [1, true])
  await session.query('COMMIT')
  const second = await store.placeOnBoard({ from: first.next!, max: 2 })
  assert.equal(second.placed, 1)
  assert.deepEqual(await store.placeOnBoard({ from: second.next!, max: 2 }), { placed: 0, next: null })
  assert.deepEqual(await board(), [0, 3, 4, 1, 2])
  assert.equal((await store.placeOnBoard({ from: '', max: 10 })).placed, 1)
  assert.deepEqual(await board(), [3, 4, 0, 1, 2])
})
