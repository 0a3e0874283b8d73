import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })]
/** A page with three of them opens on a bad line as well. */
const MAX_BYTES = 150_000

test('every picture of the documentation is there, is shown, says what it shows, and is small', () => {
  const shown = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/<img src="([^"]+)" alt="([^"]*)"/g)].map(([, source, alt]) => {
      assert.ok(alt!.length > 20, `${page}: ${source} says nothing to those who cannot see it`)
      return posix.join(posix.dirname(page), source!)
    }),
  )
  const there = globSync('docs/**/*.png', { cwd: root })
  assert.ok(there.length > 5)
  assert.deepEqual([...new Set(shown)].toSorted(), there.toSorted())
  const large = there.filter((file) => statSync(join(root, file)).size > MAX_BYTES)
  assert.deepEqual(large, [])
})
