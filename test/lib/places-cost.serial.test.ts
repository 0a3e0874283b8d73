import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Places } from '../../src/lib/places.ts'

test('a newcomer costs the same in a crowd as among a few', () => {
  const timed = (held: number, nameOf: (n: number) => string): number => {
    const places = new Places({ max: held, maxPerAddress: held })
    const nobody = (): void => {}
    for (let n = 0; n < held; n++) places.take(nameOf(n), nobody)
    const began = performance.now()
    for (let n = 0; n < 20_000; n++) places.take(nameOf(held + n), nobody)
    assert.equal(places.taken, held)
    return performance.now() - began
  }
  for (const nameOf of [() => 'one address', (n: number) => `address ${n}`]) {
    timed(100, nameOf)
    // The least of some tries: a machine that stalls slows down one of them, not all.
    const least = (held: number) => Math.min(...Array.from({ length: 3 }, () => timed(held, nameOf)))
    const [few, many] = [least(100), least(40_000)]
    assert.ok(many < 20 * few + 200, `${many} ms with 40,000, ${few} ms with 100`)
  }
})
