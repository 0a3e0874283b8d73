import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { Unread } from '../../src/lib/unread.ts'

suite('bytes that have not been read', () => {
  test('come out as they went in, and what was taken stays as it was', () => {
    const steps = fc.array(
      fc.record({ add: fc.integer({ min: 0, max: 3000 }), take: fc.integer({ min: 0, max: 3000 }) }),
    )
    fc.assert(
      fc.property(steps, (given) => {
        const unread = new Unread()
        const taken: Buffer[] = []
        let [next, length] = [0, 0]
        for (const { add, take } of given) {
          unread.add(Buffer.from(Array.from({ length: add }, () => (next = (next + 1) % 251))))
          taken.push(unread.take(take))
          length += add - taken.at(-1)!.length
          assert.equal(unread.length, length)
        }
        taken.push(unread.take(Number.MAX_SAFE_INTEGER))
        assert.ok(Buffer.concat(taken).every((byte, at) => byte === (at + 1) % 251))
      }),
    )
  })

  test('that come one at a time lie in one piece of memory, with little to spare', () => {
    const unread = new Unread()
    for (let n = 0; n < 20_000; n += 1) unread.add(Buffer.of(n % 256))
    assert.ok(unread.bytes.buffer.byteLength <= 20_000 + 8 * 1024)
    unread.take(20_000)
    assert.equal(unread.bytes.buffer.byteLength, 0, 'and nothing is kept of it')
  })
})
