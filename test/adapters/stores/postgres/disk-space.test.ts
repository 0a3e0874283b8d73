import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DiskSpace } from '../../../../src/adapters/stores/postgres/engine/disk-space.ts'
import { SECOND } from '../../../../src/lib/durations.ts'

test('a full disk is trouble until 15 s after the last write that found it full', () => {
  let now = 0
  const disk = new DiskSpace(() => now)
  const isTrouble = () => disk.trouble !== null
  disk.refused({ kind: 'overloaded' })
  assert.equal(isTrouble(), false)
  disk.refused({ kind: 'disk_full' })
  now = 14 * SECOND
  disk.refused({ kind: 'disk_full' })
  now = 28 * SECOND
  assert.equal(isTrouble(), true)
  now = 29 * SECOND
  assert.equal(isTrouble(), false)
})
