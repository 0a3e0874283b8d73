import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHere } from '../fixtures/store-place.ts'
import { commandLine } from './command-line.ts'

test('feedback list shows what users wrote, oldest first, without executing control characters', async (t) => {
  const { dataDir, tocsin, answer } = await commandLine(t)
  assert.equal((await tocsin('feedback', 'list')).stdout, 'No feedback yet.\n')
  assert.deepEqual(await answer('feedback', 'list'), [])

  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const store = await openHere(t, dataDir)
  const id = '0199aaaa-0000-7000-8000-000000000001'
  const { id: userId } = await store.ensureUser({ appId, externalUserId: 'hiker-1', id, now: 0 })
  const second = {
    id: 'b',
    userId,
    message: 'Loud\nand \u001b[31mred',
    category: 'siren',
    rating: 4,
    createdAt: 60_000,
  }
  const first = { id: 'a', userId, message: 'Good', category: null, rating: null, createdAt: 1 }
  for (const feedback of [second, first]) await store.addFeedback(feedback)

  assert.deepEqual(await answer('feedback', 'list'), [
    { ...first, appId, externalUserId: 'hiker-1', createdAt: '1970-01-01T00:00:00.001Z' },
    { ...second, appId, externalUserId: 'hiker-1', createdAt: '1970-01-01T00:01:00.000Z' },
  ])
  const { stdout } = await tocsin('feedback', 'list')
  assert.deepEqual(stdout.split('\n').slice(1, -1), [
    '1970-01-01T00:00:00.001Z  hiker-1         -         -       Good',
    '1970-01-01T00:01:00.000Z  hiker-1         siren     4       Loud / and �[31mred',
  ])
})

test('device unpair removes the pairing and keeps the registration', async (t) => {
  const { dataDir, tocsin, answer } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  await answer('device', 'register', appId, '--hardware-id', 'T-1', '--pairing-code', 'code-1', '--model', 'T1000')
  const store = await openHere(t, dataDir)
  const user = await store.ensureUser({ appId, externalUserId: 'hiker-1', id: 'u1', now: 0 })
  const pairing = { id: 'd1', appId, userId: user.id, hardwareId: 'T-1', firmwareVersion: null, hardwareModel: null }
  await store.pair({ ...pairing, now: 0, limit: 10 })
  assert.equal((await answer('device', 'list', appId))[0].externalUserId, 'hiker-1')

  const unpaired = {
    hardwareId: 'T-1',
    model: 'T1000',
    externalUserId: null,
    pairedAt: null,
    lockedUntil: null,
    silentAfterMinutes: null,
    silentSince: null,
  }
  assert.deepEqual(await answer('device', 'unpair', appId, 'T-1'), unpaired)
  assert.deepEqual(await answer('device', 'list', appId), [unpaired])
  assert.deepEqual(await store.devices(user.id), [])

  for (const [hardwareId, sentence] of [
    ['T-1', 'error: no user has paired this tracker\n'],
    ['T-2', 'error: there is no tracker with this hardware id; list them with: tocsin device list APP\n'],
  ] as const) {
    const { code, stderr } = await tocsin('device', 'unpair', appId, hardwareId)
    assert.deepEqual([code, stderr], [1, sentence])
  }
})
