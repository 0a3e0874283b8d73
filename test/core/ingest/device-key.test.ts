import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warnOfSharedEuis } from '../../../src/app/field/shared-euis.ts'
import { hardwareLines } from '../../../src/core/account/hardware-lines.ts'
import { deviceKeyOf, sharedEuis } from '../../../src/core/ingest/device-key.ts'
import { StoreError } from '../../../src/ports/store-error.ts'

const [PLAIN, COLONS, OTHER] = ['a84041ffff185123', 'A8:40:41:FF:FF:18:51:23', 'A8-40-41-FF-FF-18-51-24'] as const

test('a DevEUI is one device in every spelling; any other id is what it says', () => {
  const spellings = [PLAIN, COLONS, 'A84041FFFF185123', 'a840.41ff.ff18.5123', ' a840 41ff-ff18:5123\u00a0']
  assert.deepEqual(new Set(spellings.map(deviceKeyOf)), new Set([PLAIN]))
  for (const id of ['T-1', 't-1', '', 'a84041ffff18512', 'a84041ffff1851234', 'a84041ffff18512g', '-'.repeat(200)]) {
    assert.equal(deviceKeyOf(id), id)
  }
})

test('two spellings of one DevEUI are found; the same id twice, and what is no DevEUI, are not', () => {
  assert.deepEqual(sharedEuis([PLAIN, OTHER, 'T-1', COLONS]), [[COLONS, PLAIN]])
})

test('a second spelling in a file of trackers is a bad line', () => {
  const line = (at: number, id: string) => ({ line: at, fields: [id, 'swordfish-1', ''] })
  const header = { line: 1, fields: ['hardwareId', 'pairingCode', 'model'] }
  const read = hardwareLines([header, line(2, PLAIN), line(3, COLONS), line(4, OTHER)])
  assert.ok('bad' in read)
  assert.deepEqual(read.bad, [{ line: 3, field: 'hardwareId', message: 'repeats the one in line 2' }])
})

test('what an earlier version registered twice is named at the start; a fault is no reason to stop', async () => {
  const warned: unknown[] = []
  const log = { info() {}, error() {}, warn: (fields: object) => void warned.push(fields) }
  const alike = [
    ['cove', 'T-1'],
    ['cove', 'T1'],
    ['hut', PLAIN],
    ['hut', COLONS],
    ['lift', PLAIN],
  ].map(([appId = '', hardwareId = '']) => ({ appId, hardwareId }))
  await warnOfSharedEuis({ store: { alikeHardware: async () => alike }, log })
  assert.deepEqual(warned.splice(0), [{ appId: 'hut', spellings: [COLONS, PLAIN] }])
  const away = new StoreError('the store is away', 'unreachable')
  await warnOfSharedEuis({ store: { alikeHardware: () => Promise.reject(away) }, log })
  assert.deepEqual(warned, [{ err: away }])
})
