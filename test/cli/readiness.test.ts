import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openHere } from '../fixtures/store-place.ts'
import { commandLine } from './command-line.ts'

test('readiness says who could not be helped, and contact verify has a contact asked', async (t) => {
  const { dataDir, tocsin, answer } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const store = await openHere(t, dataDir, { leaveNotices: true })
  const now = Date.now()
  const mia = await store.ensureUser({ appId, externalUserId: 'mia-7', id: randomUUID(), now })
  const fields = { name: 'Ana', phone: '+436641111111' }
  await store.addContact(mia.id, { id: randomUUID(), fields, now, limit: 1 })
  await store.ensureUser({ appId, externalUserId: 'tom-1', id: randomUUID(), now })
  await store.close()

  const { counts, notReady } = await answer('readiness')
  // Without a provider, nothing leaves the machine.
  assert.deepEqual(counts, { ready: 0, attention: 0, not_ready: 2 })
  assert.deepEqual(
    notReady.map(({ externalUserId, findings }: any) => [externalUserId, findings[1].code]),
    [
      ['mia-7', 'contact_unverified'],
      ['tom-1', 'nobody_to_alarm'],
    ],
  )
  const one = await answer('readiness', appId, '--user', 'tom-1')
  assert.equal(one.status, 'not_ready')
  assert.match((await tocsin('readiness', appId, '--user', 'nobody')).stderr, /no such user/)
  assert.match((await tocsin('readiness', '--user', 'tom-1')).stderr, /needs the application/)

  const asked = await answer('contact', 'verify', appId, 'mia-7', '1')
  assert.deepEqual([asked.name, asked.status], ['Ana', 'requested'])
  assert.match((await tocsin('contact', 'verify', appId, 'mia-7', '+436641111111')).stderr, /limit.*try again in 24 h/)
  assert.match((await tocsin('contact', 'verify', appId, 'mia-7', '2')).stderr, /no such contact/)
  assert.match((await tocsin('contact', 'verify', appId, 'nobody', '1')).stderr, /no such user/)
})
