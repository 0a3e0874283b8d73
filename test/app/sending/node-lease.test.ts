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
  isStopped: false,
})

/** A node on a virtual clock, beside a database that grants what it is asked for. */
function nodeA(t: TestContext) {
  const clock = new VirtualClock()
  const database = {
    isReachable: true,
    isTaken: false,
    hasLeft: false,
    isDraining: false,
    answersAfter: null as Promise<void> | null,
    takesMs: 0,
    others: [] as readonly NodeRecord[],
    isSameServer: true,
    token: 7,
    /** Tokens of leases to go on with. */
    asked: [] as (number | 'start' | 'new')[],
    ended: [] as number[],
  }
  const store: Pick<NodeStore, 'lease' | 'endLease'> = {
    async lease({ id }, { token, isStart }): Promise<LeaseAnswer> {
      const { isReachable, takesMs } = database
      await database.answersAfter
      if (takesMs > 0) await new Promise<void>((resolve) => void clock.after(takesMs, resolve))
      if (!isReachable) throw new StoreError('gone', 'unreachable' as never)
      database.asked.push(token ?? (isStart ? 'start' : 'new'))
      if (database.isTaken) return { refused: 'taken' }
      if (database.hasLeft) return { refused: 'left', why: 'everything was copied elsewhere' }
      const { others, isDraining, isSameServer } = database
      return { lease: { node: id, token: database.token }, now: DATABASE_NOW, others, isDraining, isSameServer }
    },
    async endLease({ token }) {
      database.ended.push(token)
    },
  }
  const lines: string[] = []
  const told: boolean[] = []
  const counted: string[] = []
  const fatal: string[] = []
  const note = (_: object, message: string) => void lines.push(message)
  let progress = true
  let wallAheadMs = 0
  let suspendedMs = 0
  const lease = new NodeLease({
    store: store as NodeStore,
    identity: { id: 'a', place: 'here', process: 'this', version: '1.0.0' },
    lengthMs: LENGTH_MS,
    settleMs: 40 * SECOND,
    clocks: { monotonic: () => clock.now() - suspendedMs, wall: () => clock.now() + wallAheadMs },
    clock,
    log: { info: note, warn: note, error: note },
    meter: { count: (name) => void counted.push(name) },
    onFatal: ({ message }) => void fatal.push(message),
  })
  lease.renewWhile(() => progress)
  lease.onHeld((isHeld) => void told.push(isHeld))
  let othersTold = 0
  lease.onOthers(() => {
    othersTold += 1
  })
  t.after(async () => {
    const stopped = lease.stop()
    await clock.advance('10 s', () => turn())
    await stopped
  })
  return {
    lease,
    /** As it is at this moment. */
    sends: () => lease.node,
    database,
    lines,
    told,
    counted,
    fatal,
    othersTold: () => othersTold,
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
  assert.equal(database.asked[0], 'start')
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

test('commits that take as long as they may cost no node its lease', async (t) => {
  const { lease, sends, database, told, passes } = nodeA(t)
  await lease.start()
  database.takesMs = 5 * SECOND
  for (let seconds = 0; seconds < 60; seconds += 1) {
    await passes('1 s')
    assert.notEqual(sends(), null, `${seconds} s`)
  }
  assert.deepEqual(told, [true])
})

test('after a renewal that hung, the next one is tried at once', async (t) => {
  const { lease, database, told, passes } = nodeA(t)
  await lease.start()
  await passes('4 s')
  Object.assign(database, { takesMs: 5 * SECOND, isReachable: false })
  await passes('5999 ms')
  Object.assign(database, { takesMs: 3.5 * SECOND, isReachable: true })
  await passes('5 s')
  assert.deepEqual(told, [true])
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
  const before = database.asked.length
  await passes('2 s')
  assert.equal(database.asked[before], 'new', 'though the database may have the former one in force for another second')
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

test('after a wall clock was set ahead, or a machine suspended, the lease is asked for within a second', async (t) => {
  const { lease, sends, database, wallIsSet, isSuspended, passes } = nodeA(t)
  await lease.start()
  for (const [token, loses] of [
    [8, () => wallIsSet(60 * SECOND)],
    [9, () => isSuspended(60 * SECOND)],
  ] as const) {
    // Long before the next renewal.
    await passes('100 ms')
    database.token = token
    loses()
    assert.equal(sends(), null)
    await passes('1 s')
    assert.deepEqual(sends()?.lease, { node: 'a', token })
    assert.equal(database.asked.at(-1), 'new')
  }
})

test('a wall clock that is set back does not prolong the lease', async (t) => {
  const { lease, database, wallIsSet, passes } = nodeA(t)
  await lease.start()
  database.isReachable = false
  wallIsSet(-3600 * SECOND)
  await passes('14 s')
  assert.equal(lease.leftMs(a), 0)
})

test('after an interruption the lease is renewed although nothing could be done meanwhile', async (t) => {
  const { lease, database, told, getsStuck, passes } = nodeA(t)
  await lease.start()
  await passes('4 s')
  database.isReachable = false
  await passes('2 s')
  getsStuck()
  await passes('6 s')
  database.isReachable = true
  await passes('3 s')
  assert.deepEqual(told, [true])
})

test('a node without a lease says why it sends nothing', async (t) => {
  const { lease, database, getsStuck, passes } = nodeA(t)
  const why = () => lease.trouble
  assert.equal(why(), 'this node may not send: it cannot renew its lease in the database')
  await lease.start()
  assert.equal(why(), null)
  database.isReachable = false
  await passes('13 s')
  assert.equal(why(), null)
  await passes('1 s')
  assert.equal(why(), 'this node may not send: it cannot renew its lease in the database')
  database.isReachable = true
  await passes('1 s')
  database.isTaken = true
  await passes('5 s')
  assert.equal(why(), 'this node may not send: another machine has the same id; give each its own (node.id)')
  database.isTaken = false
  await passes('1 s')
  assert.equal(why(), null)
  getsStuck()
  await passes('15 s')
  assert.match(why() ?? '', /^this node may not send: it has given up its lease, because nothing that is due/)
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
  assert.deepEqual(lease.node?.others, [living.lease], 'what was over before is over')
  database.others = [ended, other('c', 4, -1)]
  database.isReachable = true
  await passes('14 s')
  assert.deepEqual(lease.node?.others, [living.lease], 'it could not renew either')
  await passes('3 s')
  assert.deepEqual(lease.node?.others, [])
})

test('a line that fails again and again does not put a take-over off', async (t) => {
  const { lease, database, passes } = nodeA(t)
  database.others = [other('b', 3, 60 * SECOND)]
  await lease.start()
  await passes('20 s')
  database.others = [other('b', 3, -1)]
  for (let n = 1; n <= 5; n += 1) {
    database.isReachable = n % 3 !== 0
    await passes('5 s')
  }
  assert.deepEqual(lease.node?.others, [])
})

test('after another server has answered, or its clock was set, no other lease counts as ended for a whole length', async (t) => {
  const { lease, database, passes } = nodeA(t)
  database.others = [other('b', 3, -1)]
  await lease.start()
  await passes('15 s')
  assert.deepEqual(lease.node?.others, [])
  database.isSameServer = false
  await passes('5 s')
  database.isSameServer = true
  await passes('14 s')
  assert.deepEqual(lease.node?.others, [{ node: 'b', token: 3 }])
  await passes('1 s')
  assert.deepEqual(lease.node?.others, [])
})

test('a second machine with the same id does not start, and says what to change', async (t) => {
  const { lease, sends, database, told, passes } = nodeA(t)
  database.isTaken = true
  await assert.rejects(lease.start(), {
    message: 'another machine is node a; give this one its own id (node.id)',
  })
  database.isTaken = false
  await passes('60 s')
  assert.equal(sends(), null)
  assert.deepEqual(told, [])
})

test('a node whose id another machine has taken meanwhile sends nothing from then on, says so, and does not take it back', async (t) => {
  const { lease, sends, database, lines, told, passes } = nodeA(t)
  await lease.start()
  await passes('4 s')
  database.isTaken = true
  await passes('1 s')
  assert.deepEqual([sends(), lease.leftMs(a), told], [null, 0, [true, false]])
  assert.match(lines[0] ?? '', /another machine is node a; give this one its own id \(node\.id\)/)
  await passes('5 s')
  assert.ok(!database.asked.slice(1).includes('start'), 'a restart would take it back')
})

test('a node that finds its site copied elsewhere does not start, and ends where it ran already', async (t) => {
  const why = 'everything was copied elsewhere'
  const starting = nodeA(t)
  starting.database.hasLeft = true
  await assert.rejects(starting.lease.start(), { message: why })
  assert.deepEqual(starting.fatal, [])

  const running = nodeA(t)
  // As while the copy runs.
  running.database.isReachable = false
  await running.lease.start()
  running.database.isReachable = true
  running.database.hasLeft = true
  await running.passes('1 s')
  assert.deepEqual(running.fatal, [why])
  assert.equal(running.sends(), null)
  assert.ok(running.lines.includes(why))
})

test('a node that is drained claims nothing more while another one can, keeps its lease, and finishes what it has claimed', async (t) => {
  const { lease, database, told, passes } = nodeA(t)
  const b = other('b', 3, 60 * SECOND)
  database.others = [b]
  await lease.start()
  database.isDraining = true
  await passes('5 s')
  assert.equal(lease.node?.isDraining, true)
  assert.ok(lease.isHeld)
  assert.deepEqual(told, [true])
  for (const useless of [
    { ...b, isDraining: true },
    { ...b, leaseUntil: DATABASE_NOW - 1 },
  ]) {
    database.others = [useless]
    await passes('5 s')
    assert.equal(lease.node?.isDraining, undefined, 'an alarm must not wait for an operator')
  }
})

test('that the lease of another node has ended is asked for at that moment, told and counted', async (t) => {
  const { lease, database, counted, othersTold, passes } = nodeA(t)
  database.others = [other('b', 3, 60 * SECOND)]
  await lease.start()
  await passes('14 s')
  const told = othersTold()
  database.others = [other('b', 3, 2000)]
  await passes('1 s')
  const asked = database.asked.length
  database.others = [other('b', 3, 0)]
  await passes('1999 ms')
  assert.equal(database.asked.length, asked)
  await passes('1 ms')
  assert.deepEqual(lease.node?.others, [])
  assert.deepEqual([othersTold() - told, counted], [1, ['takeovers_total']])
})

test('a node that has stopped in good order is not waited for, and no take-over', async (t) => {
  const { lease, database, counted, othersTold, passes } = nodeA(t)
  database.others = [other('b', 3, 60 * SECOND)]
  await lease.start()
  const told = othersTold()
  database.others = [{ ...other('b', 3, 0), isStopped: true }]
  await passes('5 s')
  assert.deepEqual(lease.node?.others, [])
  assert.deepEqual([othersTold() - told, counted], [1, []])
})

test('the living node with the oldest lease keeps house', async (t) => {
  const { lease, database, passes } = nodeA(t)
  database.others = [other('b', 8, 60 * SECOND)]
  assert.equal(lease.isHousekeeper, false)
  await lease.start()
  assert.equal(lease.isHousekeeper, true)
  const older = other('c', 3, 60 * SECOND)
  database.others = [other('b', 8, 60 * SECOND), older]
  await passes('5 s')
  assert.equal(lease.isHousekeeper, false)
  database.others = [other('b', 8, 60 * SECOND), { ...older, leaseUntil: DATABASE_NOW - 1 }]
  await passes('5 s')
  assert.equal(lease.isHousekeeper, true)
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

test('a node that stops during a renewal ends the lease that this one brings', async (t) => {
  const { lease, database, passes } = nodeA(t)
  await lease.start()
  let answer = () => {}
  database.answersAfter = new Promise((resolve) => {
    answer = resolve
  })
  database.token = 8
  await passes('5 s')
  const stopped = lease.stop()
  answer()
  await stopped
  assert.deepEqual([database.ended, lease.node, lease.isHeld], [[8], null, false])
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
