import assert from 'node:assert/strict'
import { test } from 'node:test'
import { telemetryHistory } from '../../../src/app/ingest/telemetry-history.ts'
import { FairTurns } from '../../../src/lib/fair-turns.ts'
import { StoreError } from '../../../src/ports/store.ts'

const sessionOf = (userId: string) => ({ appId: 'app', userId, externalUserId: userId, legacy: false, secretId: 1 })
const rowsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ timestamp: String(n) }))

/** Uploads into a store that takes each row at once, unless the test says otherwise. */
function uploading({ fails = () => false }: { readonly fails?: (row: number) => boolean } = {}) {
  const ingested: string[] = []
  const { append } = telemetryHistory({
    store: { isCongested: () => false } as never,
    ingest: async ({ userId }) => {
      ingested.push(userId)
      if (fails(ingested.length)) throw new StoreError('the disk is full', 'disk_full')
      return { incidentId: null, duplicate: false }
    },
    turns: new FairTurns({ atOnce: 1, maxWaiting: 1 }),
  })
  return { ingested, upload: (userId: string, rows: readonly unknown[]) => append(sessionOf(userId), rows) }
}

/** How many rows are ingested between two moments at which the thread sees to what else has come in. */
async function mostInOneGo(ingested: readonly string[], isOver: () => boolean): Promise<number> {
  let [most, before] = [0, 0]
  while (!isOver()) {
    await new Promise((resolve) => setImmediate(resolve))
    most = Math.max(most, ingested.length - before)
    before = ingested.length
  }
  return most
}

test('however many uploads there are, the thread sees to alarms after a few rows, and users take turns', async () => {
  const { ingested, upload } = uploading()
  const uploads = ['ana', 'ana', 'ana', 'ben'].map((userId) => upload(userId, rowsOf(1000)))
  let isOver = false
  const all = Promise.all(uploads).finally(() => {
    isOver = true
  })
  const most = await mostInOneGo(ingested, () => isOver)
  assert.ok(most <= 25, `${most} rows in one go`)
  assert.deepEqual(await all, Array(4).fill({ accepted: 1000, duplicates: 0, rejected: [] }))
  assert.ok(ingested.lastIndexOf('ben') < 2_200, 'one upload does not wait for three of somebody else')
})

test('each row has its own answer, in the order of the upload', async () => {
  const { upload } = uploading()
  const rows = rowsOf(60).map((row, n) => (n === 0 || n === 59 ? n : row))
  const { accepted, rejected } = await upload('ana', rows)
  assert.equal(accepted, 58)
  assert.deepEqual(
    rejected.map(({ index }) => index),
    [0, 59],
  )
})

test('an upload that cannot be stored ends, and is refused as a whole', async () => {
  const { ingested, upload } = uploading({ fails: (row) => row === 30 })
  await assert.rejects(upload('ana', rowsOf(1000)), { name: 'StoreError' })
  assert.ok(ingested.length < 100, `${ingested.length} rows`)
})
