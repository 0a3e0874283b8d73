import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Places } from '../../src/lib/places.ts'
import { processorMs } from '../harness/processor-time.ts'

test('a newcomer costs the same in a crowd as among a few', async () => {
  /** The least of some tries, or one that is below the bound. */
  const costOf = (held: number, nameOf: (n: number) => string, boundMs: number): Promise<number> => {
    const places = new Places({ max: held, maxPerAddress: held })
    const nobody = (): void => {}
    let came = 0
    const come = (count: number): void => {
      for (const last = came + count; came < last; came++) places.take(nameOf(came), nobody)
    }
    come(held)
    return processorMs(boundMs, () => {
      come(20_000)
      assert.equal(places.taken, held)
    })
  }
  for (const nameOf of [() => 'one address', (n: number) => `address ${n}`]) {
    const few = await costOf(100, nameOf, 0)
    const boundMs = 20 * few + 200
    const many = await costOf(40_000, nameOf, boundMs)
    assert.ok(many < boundMs, `${many} ms with 40,000, ${few} ms with 100`)
  }
})
