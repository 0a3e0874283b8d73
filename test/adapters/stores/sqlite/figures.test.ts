import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshDir, openAt } from '../../../fixtures/store-place.ts'
import { until } from '../../../harness/wait.ts'

const MIB = 1024 * 1024

test('the files of the store are measured, together with its figures', async (t) => {
  const dataDir = await freshDir(t)
  const store = await openAt(t, dataDir, { diskReserveBytes: MIB })
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
})
