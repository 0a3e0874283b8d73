import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageText, pageView } from '../../../src/adapters/http/schemas/page.ts'

const pages = [
  { items: [], after: null },
  { items: [{ n: 1 }], after: null },
  { items: [{ n: 1 }, { n: '"' }, null], after: 'a"b' },
]

for (const page of pages) {
  test(`a page of ${page.items.length} as text says what it says as an object`, async () => {
    assert.deepEqual(JSON.parse(await pageText<unknown>(page)), pageView<unknown>(page))
  })
}

test('whatever else there is to do is done between the items of a long page', async () => {
  const done: string[] = []
  const other = (): void => void setImmediate(() => done.push('other work') && done.length < 100 && other())
  other()
  const items = ['first', 'second', 'third'].map((name) => ({ toJSON: () => done.push(name) }))
  await pageText({ items, after: null })
  const between = done.slice(done.indexOf('first'), done.indexOf('third') + 1)
  assert.ok(between.filter((what) => what === 'other work').length >= 2, done.join(', '))
})
