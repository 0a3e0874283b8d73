import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { siteIn } from '../../../contract/site.ts'
import { freshDir, openAt } from '../../../fixtures/store-place.ts'
import { startProcess } from '../../../fixtures/store-process.ts'

test('a lock held by another process delays writes, but neither reads nor anything else here', async (t) => {
  const dataDir = await freshDir(t)
  const { store, user } = await siteIn({ name: '', place: async () => ({ open: () => openAt(t, dataDir) }) }, t)
  const other = startProcess(t, [dataDir, 'lock'])
  await other.says(/locked/)

  let isStored = false
  const press = user.presses(0).then((committed) => {
    isStored = true
    return committed
  })
  const proof = store.checkWritable()
  // Some hundred turns of the event loop, each with a read: none of them waits for the lock.
  for (let turns = 0; turns < 300; turns += 1) {
    assert.equal(await store.openIncident(user.id), null)
    await pause(1)
  }
  assert.equal(isStored, false)

  assert.equal(await other.ends(), 0)
  assert.equal((await press).verdict, 'opened')
  await proof
  assert.notEqual(await store.openIncident(user.id), null)
})

test('a store opens while another process holds the write lock', async (t) => {
  const dataDir = await freshDir(t)
  await (await openAt(t, dataDir)).close()
  const other = startProcess(t, [dataDir, 'lock'])
  await other.says(/locked/)
  const store = await openAt(t, dataDir)
  assert.deepEqual(await store.applications(), [])
  const proof = store.checkWritable()
  await other.ends()
  await proof
})
