import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { placeOnBoard } from '../../../../src/app/upkeep/place-on-board.ts'
import { applicationCalled, incidentOf, SiteUser } from '../../../contract/site.ts'
import { momentAt } from '../../../core/build.ts'
import { freshDir, openHere, quiet } from '../../../fixtures/store-place.ts'
import { VirtualClock } from '../../../harness/virtual-clock.ts'
import { until } from '../../../harness/wait.ts'

const take = { type: 'acknowledge', contactId: null, name: 'Eva', operatorId: 'op-1' } as const

/** `count` open incidents as an earlier version stored them: without a place. An operator has taken the first ones. */
async function earlierBoard(t: TestContext, count: number, taken: number) {
  const dataDir = await freshDir(t)
  const store = await openHere(t, dataDir)
  const application = applicationCalled('Hut')
  await store.createApplication(application, 'secret')
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) {
    const user = new SiteUser(store, application.id, `hiker-${n}`)
    await user.settle([])
    const { id } = incidentOf(await user.presses(n))
    if (n < taken) await user.does(count + n, take, { incidentId: id })
    ids.push(id)
  }
  const db = new Database(join(dataDir, 'tocsin.db'))
  t.after(() => db.close())
  db.exec('UPDATE incidents SET urgency = 0')
  const filter = { state: 'open', statuses: null, applications: null, from: null, to: null, text: null } as const
  const board = async () =>
    (await store.board(filter, { after: null, limit: 1000 })).items.map(({ incident }) => ids.indexOf(incident.id))
  return { store, board }
}

test('open incidents of an earlier version get their place on the board, slice by slice', async (t) => {
  const { store, board } = await earlierBoard(t, 5, 3)
  assert.deepEqual(await board(), [0, 1, 2, 3, 4], 'those that somebody has taken stand first')
  const slices = [await store.placeOnBoard({ from: '', max: 2 })]
  assert.deepEqual(await board(), [2, 3, 4, 0, 1])
  while (slices.at(-1)!.next !== null) slices.push(await store.placeOnBoard({ from: slices.at(-1)!.next!, max: 2 }))
  assert.deepEqual(await board(), [3, 4, 0, 1, 2])
  assert.deepEqual(
    slices.map(({ placed }) => placed),
    [2, 1, 0],
  )
})

test('the start places all of them, 20 at a time, and goes on after a failure', async (t) => {
  const { store, board } = await earlierBoard(t, 41, 40)
  const clock = new VirtualClock(momentAt(100))
  const asked: number[] = []
  const stop = placeOnBoard({
    store: {
      async placeOnBoard(slice) {
        asked.push(slice.max)
        if (asked.length === 2) throw new Error('the disk is full')
        return store.placeOnBoard(slice)
      },
    },
    clock,
    log: quiet,
  })
  t.after(stop)
  await until('all are placed', async () => {
    await clock.advance('1 min', () => new Promise((resolve) => setImmediate(resolve)))
    return (await board())[0] === 40 && asked.length === 4
  })
  assert.deepEqual(asked, [20, 20, 20, 20])
})
