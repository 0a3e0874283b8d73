import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warnOfSharedEuis } from '../../../src/app/shared-euis.ts'
import { hardwareLines } from '../../../src/core/account/hardware-lines.ts'
import { sharedEuis, spelledTwice } from '../../../src/core/field/lorawan/dev-eui.ts'
import type { HardwareRow } from '../../../src/ports/device-store.ts'
import { StoreError } from '../../../src/ports/store-error.ts'

const [PLAIN, COLONS, OTHER] = ['a84041ffff185123', 'A8:40:41:FF:FF:18:51:23', 'A8-40-41-FF-FF-18-51-24'] as const

test('two spellings of one DevEUI are found; the same id twice, and what is no DevEUI, are not', () => {
  assert.deepEqual(spelledTwice(['T-1', COLONS, OTHER, PLAIN]), { hardwareId: PLAIN, registeredAs: COLONS })
  assert.equal(spelledTwice([PLAIN, PLAIN, OTHER, 'T-1', 't-1']), null)
  assert.deepEqual(sharedEuis([PLAIN, OTHER, 'T-1', COLONS]), [[COLONS, PLAIN]])
})

test('a second spelling in a file of trackers is a bad line', () => {
  const line = (at: number, id: string) => ({ line: at, fields: [id, 'swordfish-1', ''] })
  const header = { line: 1, fields: ['hardwareId', 'pairingCode', 'model'] }
  const read = hardwareLines([header, line(2, PLAIN), line(3, COLONS), line(4, OTHER)])
  assert.ok('bad' in read)
  assert.deepEqual(read.bad, [{ line: 3, field: 'hardwareId', message: 'repeats the one in line 2' }])
})

test('what an earlier version registered twice is named at the start, once an application; a fault is no reason to stop', async () => {
  const warned: unknown[] = []
  const log = { info() {}, error() {}, warn: (fields: object) => void warned.push(fields) }
  const registeredHardware = async (appId: string) => {
    if (appId === 'away') throw new StoreError('the store is away', 'unreachable')
    return [PLAIN, COLONS, OTHER].map((hardwareId) => ({ hardwareId }) as HardwareRow)
  }
  await warnOfSharedEuis({ store: { registeredHardware }, log }, ['away', 'hut', 'hut'])
  assert.deepEqual(warned.slice(1), [{ appId: 'hut', spellings: [COLONS, PLAIN] }])
})
