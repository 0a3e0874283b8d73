import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { PendingConnections } from '../../../../src/adapters/inbound/broker/admission/pending-connections.ts'
import { networkOf, wideNetworkOf } from '../../../../src/lib/network-of.ts'

/** Pending connections with a record of which were ended, on a stopped clock. */
function start(t: TestContext, maxWaiting: number) {
  t.mock.method(performance, 'now', () => 60_000)
  const pendingConnections = new PendingConnections(maxWaiting)
  const ended: string[] = []
  const arrives = (name: string, address = '192.0.2.1') => pendingConnections.arrives(address, () => ended.push(name))
  return { ended, arrives }
}

test('beyond the limit, the connection that has been silent longest makes room', (t) => {
  const { ended, arrives } = start(t, 3)
  for (const name of ['a', 'b', 'c']) arrives(name)
  assert.deepEqual(ended, [])
  arrives('d')
  assert.deepEqual(ended, ['a'])
  arrives('e')
  assert.deepEqual(ended, ['a', 'b'])
  arrives('f', '192.0.2.2')
  assert.deepEqual(ended, ['a', 'b'])
})

test('a connection that has sent its CONNECT is not replaced: the newcomer is closed instead', (t) => {
  const { ended, arrives } = start(t, 2)
  arrives('a').asks()
  arrives('b').asks()
  arrives('c')
  assert.deepEqual(ended, ['c'])
})

test('logged-in connections do not count, however many there are', (t) => {
  const { ended, arrives } = start(t, 2)
  for (let n = 0; n < 500; n++) {
    const pending = arrives(`${n}`)
    assert.equal(pending.asks(), 0)
    pending.becomesKnown()
    pending.leaves()
  }
  assert.deepEqual(ended, [])
})

for (const { what, asks } of [
  { what: 'wrong credentials', asks: true },
  { what: 'no complete CONNECT', asks: false },
]) {
  test(`${what}: fewer may wait, passwords wait longer, and the next address is not affected`, (t) => {
    const { ended, arrives } = start(t, 1000)
    for (let n = 0; n < 300; n++) {
      const pending = arrives('failing')
      if (asks) {
        pending.asks()
        pending.fails(`password ${n}`)
      }
      pending.leaves()
    }
    assert.deepEqual(ended, [])
    for (let n = 0; n < 11; n++) arrives(`${n}`)
    assert.deepEqual(ended, ['0'])
    assert.ok(arrives('late').asks() >= 1000)
    assert.equal(arrives('neighbour', '192.0.2.2').asks(), 0)
  })
}

test('a site whose clients all reconnect together keeps its room, however many are replaced', (t) => {
  const { ended, arrives } = start(t, 10)
  for (let n = 0; n < 1000; n++) arrives(`${n}`)
  assert.equal(ended.length, 990)
  assert.equal(arrives('the next').asks(), 0)
})

test('a login that could not be decided does not count as a failure', (t) => {
  const { ended, arrives } = start(t, 100)
  for (let n = 0; n < 300; n++) {
    const pending = arrives('undecided')
    pending.asks()
    pending.leaves()
  }
  for (let n = 0; n < 100; n++) arrives(`${n}`)
  assert.deepEqual(ended, [])
})

for (const [address, network] of [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:0DB8::', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['192.0.2.1:5678', '192.0.2.1:5678'],
  ['', ''],
] as const) {
  test(`${address || 'no address'} belongs to ${network || 'nobody'}`, () => assert.equal(networkOf(address), network))
}

test('the network around an address is its /24 or /48', () => {
  const wide = ['192.0.2.1', '::ffff:192.0.2.200', '2001:db8:1:2:3:4:5:6', '2001:0DB8:1:9::1', 'unknown', ''].map(
    wideNetworkOf,
  )
  assert.deepEqual(wide, ['192.0.2', '192.0.2', '2001:db8:1', '2001:db8:1', 'unknown', ''])
})
