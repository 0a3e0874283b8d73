import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HALF_OPEN_WITHOUT_MAXIMUM } from '../../../../src/adapters/inbound/broker/limits.ts'
import { ExactlyOnce } from '../../../../src/adapters/inbound/broker/session/exactly-once.ts'

/** The same in the plainest way. */
function plainly(max: number) {
  const states = new Map<number, 'pending' | 'stored'>()
  return {
    begin(id: number) {
      const known = states.get(id)
      if (known !== undefined) return known
      if (states.size >= max) return 'too_many'
      states.set(id, 'pending')
      return 'new'
    },
    received(id: number, reason: number) {
      if (reason >= 0x80) states.delete(id)
      else states.set(id, 'stored')
    },
    release: (id: number) => (states.get(id) === 'pending' ? null : states.delete(id) ? 0 : 0x92),
    has: (id: number) => states.has(id),
    isPending: (id: number) => states.get(id) === 'pending',
  }
}

test('a QoS 2 publish is what its id says from its PUBLISH to its PUBREL, in whatever order they come', () => {
  const step = fc.record({
    of: fc.nat({ max: 1 }),
    id: fc.integer({ min: 1, max: 9 }).map((n) => (n > 5 ? 65_536 - n : n)),
    does: fc.constantFrom('begin', 'stored', 'refused', 'release'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      // Of two connections at once, which have nothing in common but their memory.
      const pairs = [0, 1].map(() => [new ExactlyOnce(4), plainly(4)] as const)
      for (const { of, id, does } of steps) {
        const [one, other] = pairs[of]!
        if (does === 'begin') assert.equal(one.begin(id), other.begin(id))
        else if (does === 'release') assert.equal(one.release(id), other.release(id))
        else if (other.isPending(id)) {
          const reason = does === 'stored' ? 0 : 0x99
          one.received(id, reason)
          other.received(id, reason)
        }
        assert.equal(one.has(id), other.has(id))
        assert.equal(one.isPending(id), other.isPending(id))
      }
    }),
  )
})

test('the half-open QoS 2 publishes of many connections of a user stay small together', () => {
  const before = process.memoryUsage()
  const connections = Array.from({ length: 100 }, () => new ExactlyOnce(HALF_OPEN_WITHOUT_MAXIMUM))
  for (const one of connections) {
    for (let n = 1; n <= HALF_OPEN_WITHOUT_MAXIMUM; n++) {
      assert.equal(one.begin(n * 4 - 1), 'new')
      one.received(n * 4 - 1, 0)
    }
    assert.equal(one.begin(1), 'too_many')
  }
  const after = process.memoryUsage()
  const grownBy = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
  assert.ok(grownBy < connections.length * 64 * 1024, `${Math.round(grownBy / connections.length)} bytes a connection`)
})
