import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'

for (const store of ['sqlite', 'postgres']) {
  // A database at version 20 would never get a second migration 20.
  test(`the migrations of ${store} are numbered from 1, each number once`, () => {
    const files = readdirSync(new URL(`../../src/adapters/stores/${store}/migrations/`, import.meta.url)).sort()
    assert.deepEqual(
      files.map((file) => file.slice(0, 4)),
      files.map((_, place) => String(place + 1).padStart(4, '0')),
    )
  })
}
