import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Meter } from '../../../../src/ports/meter.ts'
import { freshDir, openAt, uncounted } from '../../../fixtures/store-place.ts'
import { until } from '../../../harness/wait.ts'

const MIB = 1024 * 1024

test('the files of the store are measured, together with its figures', async (t) => {
  const dataDir = await freshDir(t)
  const refused: unknown[] = []
  const count: Meter['count'] = (name, labels) => {
    if (name === 'store_failures_total') refused.push(...Object.values(labels ?? {}))
  }
  const store = await openAt(t, dataDir, { diskReserveBytes: MIB, meter: { ...uncounted, count } })
  // On a busy disk it is filled in the background.
  await until('the reserve is whole', async () => (await store.files()).reserveBytes === MIB)
  const [files, figures] = await Promise.all([store.files(), store.figures()])
  const { freeBytes, ...sizes } = files
  assert.ok(freeBytes > 0)
  assert.deepEqual(sizes, {
    databaseBytes: statSync(join(dataDir, 'tocsin.db')).size,
    logBytes: statSync(join(dataDir, 'tocsin.db-wal')).size,
    reserveBytes: MIB,
  })
  assert.equal(figures.deadLetters, 0)
  await store.close()
  await assert.rejects(store.files(), { name: 'StoreError', kind: 'closed' })
  await assert.rejects(store.checkWritable(), { name: 'StoreError', kind: 'closed' })
  assert.deepEqual(refused, ['closed'])
})
