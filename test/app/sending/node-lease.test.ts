import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { NodeLease } from '../../../src/app/sending/node-lease.ts'
import { SECOND } from '../../../src/lib/durations.ts'
import type { LeaseAnswer, NodeRecord, NodeStore } from '../../../src/ports/node-store.ts'
import { StoreError } from '../../../src/ports/store.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const LENGTH_MS = 15 * SECOND
const DATABASE_NOW = Date.parse('2026-03-01T12:00:05Z')

const other = (node: string, token: number, leftMs: number): NodeRecord => ({
  lease: { node, token },
  version: '1.0.0',
  startedAt: 0,
  leaseUntil: DATABASE_NOW + leftMs,
  isDraining: false,
})

/** A node on a virtual clock, beside a database that grants what it is asked for. */
function nodeA(t: TestContext) {
  const clock = new VirtualClock()
  const database = {
    isReachable: true,
    isTaken: false,
    isDraining: false,
    answersAfter: null as Promise<void> | null,
    others: [] as readonly NodeRecord[],
    token: 7,
    asked: [] as (number | null)[],
    ended: [] as number[],
  }
  const store: Pick<NodeStore, 'lease' | 'endLease'> = {
    async lease({ id }, { token }): Promise<LeaseAnswer> {
      await database.answersAfter
      if (!database.isReachable) throw new StoreError('gone', 'unreachable' as never)
      database.asked.push(token)
      if (database.isTaken) return { refused: 'taken', until: DATABASE_NOW }
      const { others, isDraining } = database
      return { lease: { node: id, token: database.token }, now: DATABASE_NOW, others, isDraining }
    },
    async endLease({ token }) {
      database.ended.push(token)
    },
  }
  const lines: string[] = []
  const told: boolean[] = []
  const note = (_: object, message: string) => void lines.push(message)
  let progress = true
  let wallAheadMs = 0
  let suspendedMs = 0
  const lease = new NodeLease({
    store: store as NodeStore,
    identity: { id: 'a', place: 'here', version: '1.0.0' },
    lengthMs: LENGTH_MS,
    settleMs: 40 * SECOND,
    makesProgress: async () => progress,
    changed: (maySend) => void told.push(maySend),
    clocks: { monotonic: () => clock.now() - suspendedMs, wall: () => clock.now() + wallAheadMs },
    clock,
    log: { info: note, warn: note, error: note },
  })
  t.after(() => lease.stop())
  return {
    lease,
    /** As it is at this moment. */
    sends: () => lease.node,
    database,
    lines,
    told,
    passes: (text: string) => clock.advance(text, () => turn()),
    getsStuck: () => {
      progress = false
    },
    wallIsSet: (byMs: number) => {
      wallAheadMs += byMs
    },
    /** Nothing runs, and the monotonic clock stands still. */
    isSuspended: (ms: number) => {
      suspendedMs += ms
      clock.set(ms)
    },
  }
}

const a = { node: 'a', token: 7 }

test('a node sends under its lease, and renews it in time', async (t) => {
  const { lease, database, told, passes } = nodeA(t)
  assert.equal(lease.node, null)
  await lease.start()
  assert.deepEqual(lease.node, { lease: a, others: [], settleMs: 40 * SECOND })
  assert.equal(lease.leftMs(a), 14 * SECOND)
  await passes('60 s')
  assert.ok(lease.leftMs(a) >= 9 * SECOND)
  assert.deepEqual(told, [true])
  assert.deepEqual(new Set(database.asked.slice(1)), new Set([7]))
  assert.equal(database.asked[0], null)
})

test('a lease counts from before it was asked for', async (t) => {
  const { lease, database, passes } = nodeA(t)
  let answer = () => {}
  database.answersAfter = new Promise((resolve) => {
    answer = resolve
  })
  const started = lease.start()
  await passes('4 s')
  answer()
  await started
  assert.equal(lease.leftMs(a), 10 * SECOND)
})

test('a node that cannot reach the database stops sending when its lease ends, and says so at that moment', async (t) => {
  const { lease, sends, database, told, passes } = nodeA(t)
  await lease.start()
  database.isReachable = false
  await passes('13999 ms')
  assert.notEqual(sends(), null)
  assert.deepEqual(told, [true])
  await passes('1 ms')
  assert.equal(sends(), null)
  assert.deepEqual(told, [true, false])
  database.isReachable = true
  database.token = 8
  await passes('2 s')
  assert.deepEqual(sends()?.lease, { node: 'a', token: 8 })
  assert.equal(lease.leftMs(a), 0, 'what it had claimed before is no longer its own')
  assert.deepEqual(told, [true, false, true])
})

test('a suspended machine sends nothing under its former lease', async (t) => {
  const { lease, isSuspended } = nodeA(t)
  await lease.start()
  isSuspended(60 * SECOND)
  assert.equal(lease.leftMs(a), 0)
  assert.equal(lease.node, null)
})

test('a wall clock that is set back does not prolong the lease', async (t) => {
  const { lease, database, wallIsSet, passes } = nodeA(t)
  await lease.start()
  database.isReachable = false
  wallIsSet(-3600 * SECOND)
  await passes('14 s')
  assert.equal(lease.leftMs(a), 0)
})

test('a node whose dispatcher is stuck loses its lease', async (t) => {
  const { lease, database, lines, getsStuck, passes } = nodeA(t)
  await lease.start()
  getsStuck()
  await passes('15 s')
  assert.equal(lease.node, null)
  assert.equal(database.asked.length, 1)
  assert.match(lines.join('\n'), /nothing is being sent although something is due/)
})

test('no other lease counts as ended before the database could be reached for a whole length', async (t) => {
  const { lease, database, passes } = nodeA(t)
  const [ended, living] = [other('b', 3, -1), other('c', 4, 5000)]
  database.others = [ended, living]
  await lease.start()
  await passes('14 s')
  assert.deepEqual(lease.node?.others, [ended.lease, living.lease])
  await passes('1 s')
  assert.deepEqual(lease.node?.others, [living.lease])
  database.isReachable = false
  await passes('6 s')
  assert.deepEqual(lease.node?.others, [ended.lease, living.lease])
  database.isReachable = true
  await passes('14 s')
  assert.deepEqual(lease.node?.others, [ended.lease, living.lease])
  await passes('3 s')
  assert.deepEqual(lease.node?.others, [living.lease])
})

test('a second machine with the same id never sends, and says what to change', async (t) => {
  const { lease, sends, database, lines, told, passes } = nodeA(t)
  database.isTaken = true
  await lease.start()
  await passes('5 s')
  assert.equal(sends(), null)
  assert.deepEqual(told, [])
  assert.match(lines[0] ?? '', /another machine is node a; give this one an id of its own \(node\.id\)/)
  database.isTaken = false
  await passes('1 s')
  assert.deepEqual(sends()?.lease, a)
})

test('a node that is drained claims nothing more, but finishes what it has claimed', async (t) => {
  const { lease, database, told, passes } = nodeA(t)
  await lease.start()
  database.isDraining = true
  await passes('5 s')
  assert.equal(lease.node, null)
  assert.ok(lease.leftMs(a) > 0)
  assert.deepEqual(told, [true, false])
})

test('a node that stops ends its lease, and asks for none again', async (t) => {
  const { lease, database, passes } = nodeA(t)
  await lease.start()
  await lease.stop()
  assert.deepEqual(database.ended, [7])
  assert.equal(lease.node, null)
  await passes('60 s')
  assert.equal(database.asked.length, 1)
})

test('a database that is gone at the stop does not hold it up', async (t) => {
  const { lease, database, lines } = nodeA(t)
  await lease.start()
  database.ended.push = () => {
    throw new StoreError('gone', 'unreachable' as never)
  }
  await lease.stop()
  assert.match(lines.join('\n'), /could not end the lease/)
})
