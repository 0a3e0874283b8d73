import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ScopedList, scopedPage } from '../../../../src/adapters/stores/shared/scoped-page.ts'

type Row = { readonly id: number }
const list: ScopedList<Row> = {
  name: 'rows',
  keyTypes: ['number'],
  keyOf: ({ id }) => [id],
  appOf: () => 'app',
  textsOf: ({ id }) => [`row ${id}`],
}

/** Rows 1 to `count`, in chunks; notes the size of each chunk read. */
const rowsUpTo = (count: number, chunks: number[]) => (after: readonly (string | number)[] | null, limit: number) => {
  chunks.push(limit)
  const from = Number(after?.[0] ?? 0)
  return Array.from({ length: Math.max(0, Math.min(limit, count - from)) }, (_, at) => ({ id: from + at + 1 }))
}

const query = { appIds: null, text: null, after: null, limit: 50 }

test('a page without a search reads little more than it shows', async () => {
  const chunks: number[] = []
  const page = await scopedPage(list, query, rowsUpTo(100_000, chunks))
  assert.deepEqual([page.items.length, chunks], [50, [51]])
})

test('a search for what is rare looks through at most some 20,000 rows a page, in small chunks, and goes on', async () => {
  const chunks: number[] = []
  const sought = { ...query, text: 'ROW 99999' }
  let page = await scopedPage(list, sought, rowsUpTo(100_000, chunks))
  assert.deepEqual(page.items, [])
  assert.notEqual(page.after, null)
  assert.ok(Math.max(...chunks) <= 500)
  assert.ok(chunks.reduce((sum, rows) => sum + rows) < 21_000)
  let pages = 1
  while (page.after !== null && page.items.length === 0) {
    page = await scopedPage(list, { ...sought, after: page.after }, rowsUpTo(100_000, chunks))
    pages += 1
  }
  assert.deepEqual([page.items, pages], [[{ id: 99_999 }], 5])
})

test('a list that ends with a full page has no cursor', async () => {
  const page = await scopedPage(list, query, rowsUpTo(50, []))
  assert.deepEqual([page.items.length, page.after], [50, null])
})
