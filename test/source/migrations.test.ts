import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'

for (const store of ['sqlite', 'postgres']) {
  // A database at version 20 would never get a second migration 20.
  test(`the migrations of ${store} are numbered upwards, each number once`, () => {
    const files = readdirSync(new URL(`../../src/adapters/stores/${store}/migrations/`, import.meta.url)).sort()
    const numbers = files.map((file) => file.slice(0, 4))
    assert.equal(new Set(numbers).size, files.length)
    assert.ok(numbers.every((number) => /^\d{4}$/.test(number)))
  })
}
