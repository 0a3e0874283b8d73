import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../src/ports/store.ts'
import { looksInto } from '../harness/site-store.ts'

test('a look that cannot open a store does not keep later ones from it, and what was opened is closed once', async () => {
  const seen: string[] = []
  const place = { dataDir: '', url: 'postgresql://tocsin@127.0.0.1/none' }
  const looks = looksInto(place, async () => {
    seen.push('opened')
    if (seen.length === 1) throw new Error('the server is away')
    return { close: async () => void seen.push('closed') } as unknown as Store
  })
  await assert.rejects(
    looks.look(async () => 'seen'),
    /the server is away/,
  )
  assert.equal(await looks.look(async () => 'seen'), 'seen')
  assert.equal(await looks.look(async () => 'again'), 'again')
  await looks.close()
  assert.deepEqual(seen, ['opened', 'opened', 'closed'])
})
