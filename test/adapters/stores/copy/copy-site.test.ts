import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copySite, type SiteSource, type SiteTarget } from '../../../../src/adapters/stores/shared/copy-site.ts'
import type { SiteRow } from '../../../../src/adapters/stores/shared/site-tables.ts'
import { openTarget } from '../../../../src/adapters/stores/sqlite/copy/target.ts'
import { StoreError } from '../../../../src/ports/store.ts'
import { freshDir } from '../../../fixtures/store-place.ts'

const rows: readonly SiteRow[] = [
  [1, 'a'],
  [2, 'b'],
  [3, 'c'],
]

/** Two ends in memory that note what is asked of them. Only the table `users` has rows. */
function ends({
  complete = async () => {},
  write = async () => {},
  sent = rows,
}: Partial<Pick<SiteTarget, 'complete' | 'write'>> & { readonly sent?: readonly SiteRow[] }) {
  const asked: string[] = []
  const arrived: SiteRow[] = []
  const source: SiteSource = {
    place: 'here',
    async *rows({ name }) {
      if (name === 'users') for (const row of sent) yield [row]
    },
    async leave(place) {
      asked.push(`leave for ${place}`)
      return async () => void asked.push('come back')
    },
    async close() {},
  }
  const target: SiteTarget = {
    place: 'there',
    async *rows({ name }) {
      yield name === 'users' ? arrived : []
    },
    async write(table, sent) {
      await write(table, sent)
      arrived.push(...sent)
    },
    written: async () => void asked.push('written'),
    async complete() {
      asked.push('complete')
      await complete()
    },
    async close() {},
  }
  return { source, target, asked, arrived }
}

const options = { onProgress() {} }

test('the source leaves once everything has been compared, and then the target is complete', async () => {
  const { source, target, asked, arrived } = ends({})
  const copied = await copySite(source, target, options)
  assert.deepEqual(arrived, rows)
  assert.deepEqual(copied.find(({ table }) => table === 'users')?.rows, 3)
  assert.deepEqual(asked, ['written', 'leave for there', 'complete'])
})

test('a NUL in a name of an earlier version keeps no site from moving to PostgreSQL', async () => {
  const { source, target, asked, arrived } = ends({ sent: [[1, 'Mia\0Moser']] })
  await copySite(source, target, options)
  assert.deepEqual(arrived, [[1, 'Mia\uFFFDMoser']])
  assert.deepEqual(asked, ['written', 'leave for there', 'complete'])
})

test('a write that fails is heard of, whatever came after it, and the source has not left', async () => {
  const { source, target, asked } = ends({ write: async () => Promise.reject(new Error('no space')) })
  await assert.rejects(copySite(source, target, options), /no space/)
  assert.deepEqual(asked, [])
})

test('rows that are missing in the target are counted', async () => {
  const { source, target, asked, arrived } = ends({})
  const lossy: SiteTarget = { ...target, written: async () => void arrived.pop() }
  const message = 'the copy of users is not the same: the source has 3 rows, the target 2; nothing was changed'
  await assert.rejects(copySite(source, lossy, options), { message })
  assert.deepEqual(asked, [])
})

test('a source whose target could not be completed is a site again, unless nobody knows whether it was', async () => {
  const failed = ends({ complete: async () => Promise.reject(new StoreError('refused', 'fault')) })
  await assert.rejects(copySite(failed.source, failed.target, options), /refused/)
  assert.deepEqual(failed.asked.slice(1), ['leave for there', 'complete', 'come back'])
  const unknown = ends({ complete: async () => Promise.reject(new StoreError('no answer', 'unknown')) })
  await assert.rejects(copySite(unknown.source, unknown.target, options), /no answer/)
  assert.deepEqual(unknown.asked.slice(1), ['leave for there', 'complete'])
})

test('a directory whose new name may not be on the disk is the target from then on', async (t) => {
  const dataDir = await freshDir(t)
  const sync = (path: string): void => {
    if (path === dataDir) throw new Error('EIO: i/o error, fsync')
  }
  const target = await openTarget(dataDir, async () => {}, sync)
  await target.written()
  await assert.rejects(target.complete(), { kind: 'unknown', message: /tocsin\.db is complete, but .* \(EIO/ })
  await target.close()
  assert.ok(existsSync(join(dataDir, 'tocsin.db')))
})
