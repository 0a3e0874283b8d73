import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ScopedList, scopedPage } from '../../../../src/adapters/stores/shared/scoped-page.ts'
import type { Page } from '../../../../src/ports/store.ts'

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

test('no cursor names a row of another application, and its rows are passed over', async () => {
  type Owned = { readonly appId: string; readonly id: string }
  const rows: readonly Owned[] = ['a', 'b', 'c'].flatMap((appId) =>
    Array.from({ length: 15_000 }, (_, at) => ({ appId, id: `${appId}-${String(at).padStart(5, '0')}` })),
  )
  const owned: ScopedList<Owned> = {
    name: 'owned',
    keyTypes: ['string', 'string'],
    keyOf: ({ appId, id }) => [appId, id],
    appOf: ({ appId }) => appId,
    textsOf: ({ id }) => [id],
    isByApplication: true,
  }
  let read = 0
  const readRows = (after: readonly (string | number)[] | null, limit: number) => {
    const [app, id] = after ?? ['a', '']
    const from = rows.findIndex((row) => row.appId > app! || (row.appId === app && row.id > id!))
    const found = from === -1 ? [] : rows.slice(from, from + limit)
    read += found.filter(({ appId }) => appId === 'b').length
    return found
  }
  const found: string[] = []
  const cursors: string[] = []
  let after: string | null = null
  do {
    const page: Page<Owned> = await scopedPage(owned, { appIds: ['c', 'a'], text: '4999', after, limit: 50 }, readRows)
    found.push(...page.items.map(({ id }) => id))
    after = page.after
    if (after !== null) cursors.push(Buffer.from(after, 'base64url').toString())
  } while (after !== null)
  assert.deepEqual(found, ['a-04999', 'a-14999', 'c-04999', 'c-14999'])
  assert.ok(cursors.length > 0)
  assert.ok(
    cursors.every((cursor) => !cursor.includes('b-')),
    cursors.join(),
  )
  assert.ok(read <= 500, 'one chunk of the others at most')
})

test('a list ends behind the last application of the scope', async () => {
  const owned: ScopedList<Row> = {
    ...list,
    keyTypes: ['string', 'number'],
    keyOf: ({ id }) => ['b', id],
    isByApplication: true,
  }
  const page = await scopedPage(owned, { ...query, appIds: ['a'] }, (_after, limit) =>
    Array.from({ length: limit }, (_, at) => ({ id: at })),
  )
  assert.deepEqual(page, { items: [], after: null })
})
