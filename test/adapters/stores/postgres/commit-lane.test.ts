import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import {
  type CallOutcome,
  CommitLane,
  type LaneRules,
} from '../../../../src/adapters/stores/postgres/engine/commit-lane.ts'
import type { Connection } from '../../../../src/adapters/stores/postgres/engine/connection.ts'
import { failed } from '../../../../src/adapters/stores/postgres/engine/failure.ts'
import { Pool } from '../../../../src/adapters/stores/postgres/engine/pool.ts'
import type { Meter } from '../../../../src/ports/meter.ts'
import { StoreError } from '../../../../src/ports/store.ts'
import { quiet, uncounted } from '../../../fixtures/store-place.ts'

type Run = LaneRules<string, string>['run']

/** A session that does nothing: these tests are about who is in which batch. */
const session = { isUsable: true, close: async () => {} } as unknown as Connection

/** A lane of letters and digits: `a1` is the first call of sender a. */
function laneOf(
  run: Run,
  more: Partial<LaneRules<string, string>> = {},
  counted: string[] = [],
): CommitLane<string, string> {
  const count: Meter['count'] = (name, labels) => void counted.push(`${name} ${Object.values(labels ?? {})}`)
  const pool = new Pool(async () => session, { size: 4, maxWaiting: 4 })
  const rules = { pool, atOnce: 1, batch: { items: 100, bytes: 1e6 }, turn: 1, maxBytes: 1e6, run, ...more }
  return new CommitLane(rules, { log: quiet, meter: { ...uncounted, count } })
}

const hands = (lane: CommitLane<string, string>, ...calls: readonly string[]) =>
  Promise.allSettled(calls.map((call) => lane.write(call, { sender: call.charAt(0), bytes: 1 })))

const kinds = (settled: readonly PromiseSettledResult<string>[]) =>
  settled.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as StoreError).kind))

const echoed = (calls: readonly string[]): readonly CallOutcome<string>[] => calls.map((call) => ({ result: call }))

/** As the server reports it. */
const reported = (code: string): Error => Object.assign(new pg.DatabaseError('no', 2, 'error'), { code })

/** Remembers the batches, and fails where `fault` says so. */
function recorder(fault: (calls: readonly string[], run: number) => unknown = () => null) {
  const batches: (readonly string[])[] = []
  const run: Run = async (_session, calls) => {
    batches.push(calls)
    const error = fault(calls, batches.length)
    if (error !== null) throw error
    return echoed(calls)
  }
  return { batches, run }
}

test('what arrives in one turn of the event loop is one batch, in which senders take turns', async () => {
  const { batches, run } = recorder()
  assert.deepEqual(kinds(await hands(laneOf(run), 'a1', 'a2', 'b1', 'a3')), ['a1', 'a2', 'b1', 'a3'])
  assert.deepEqual(batches, [['a1', 'b1', 'a2', 'a3']])
})

test('several batches are in flight, and a sender is in one of them at a time', async () => {
  const gates: (() => void)[] = []
  const slots: number[] = []
  const batches: (readonly string[])[] = []
  const run: Run = async (_session, calls, slot) => {
    batches.push(calls)
    slots.push(slot)
    await new Promise<void>((resolve) => gates.push(resolve))
    return echoed(calls)
  }
  const lane = laneOf(run, { atOnce: 2, batch: { items: 1, bytes: 10 } })
  const settled = hands(lane, 'a1', 'a2', 'b1', 'c1')
  const next = () => new Promise(setImmediate)
  await next()
  await next()
  assert.deepEqual(batches, [['a1'], ['b1']])
  gates[1]!()
  await next()
  assert.deepEqual(batches[2], ['c1'])
  gates[0]!()
  await next()
  assert.deepEqual(batches[3], ['a2'])
  assert.notEqual(slots[0], slots[1])
  for (const open of gates) open()
  assert.deepEqual(kinds(await settled), ['a1', 'a2', 'b1', 'c1'])
})

test('senders who want the same lock are in one batch at a time, and others go on', async () => {
  const gates: (() => void)[] = []
  const batches: (readonly string[])[] = []
  const run: Run = async (_session, calls) => {
    batches.push(calls)
    await new Promise<void>((resolve) => gates.push(resolve))
    return echoed(calls)
  }
  const lane = laneOf(run, { atOnce: 3 })
  const hand = (call: string, lock: string) => lane.write(call, { sender: call[0]!, bytes: 1, lock })
  const next = () => new Promise(setImmediate)
  const settled = [hand('a1', 'device')]
  await next()
  settled.push(hand('b1', 'device'), hand('c1', 'device'), hand('d1', 'd'), hand('c2', 'c'))
  await next()
  // c2 stays behind c1: a sender's calls keep their order.
  assert.deepEqual(batches, [['a1'], ['d1']])
  gates[0]!()
  await next()
  assert.deepEqual(batches[2], ['b1', 'c1', 'c2'])
  for (const open of gates) open()
  assert.deepEqual(await Promise.all(settled), ['a1', 'b1', 'c1', 'd1', 'c2'])
})

test('a deadlock repeats the batch', async () => {
  const { batches, run } = recorder((_calls, n) => (n <= 2 ? reported('40P01') : null))
  assert.deepEqual(kinds(await hands(laneOf(run), 'a1', 'b1')), ['a1', 'b1'])
  assert.deepEqual(batches, [
    ['a1', 'b1'],
    ['a1', 'b1'],
    ['a1', 'b1'],
  ])
})

test('a deadlock that never ends is reported as busy, to each', async () => {
  const { batches, run } = recorder(() => reported('40P01'))
  const counted: string[] = []
  assert.deepEqual(kinds(await hands(laneOf(run, {}, counted), 'a1', 'b1')), ['busy', 'busy'])
  assert.deepEqual(counted, ['store_failures_total busy', 'store_failures_total busy'])
  assert.equal(batches.length, 7)
})

test('what is wrong with one call does not fail its neighbours', async () => {
  const { batches, run } = recorder((calls) => (calls.includes('b1') ? reported('23503') : null))
  assert.deepEqual(kinds(await hands(laneOf(run), 'a1', 'b1', 'c1')), ['a1', 'fault', 'c1'])
  assert.deepEqual(batches.slice(1), [['a1'], ['b1'], ['c1']])
})

test('a sender whose row is locked waits once, not once a call', async () => {
  const { batches, run } = recorder((calls) => (calls.some((call) => call.startsWith('b')) ? reported('55P03') : null))
  assert.deepEqual(kinds(await hands(laneOf(run), 'b1', 'b2', 'b3', 'a1')), ['busy', 'busy', 'busy', 'a1'])
  assert.deepEqual(batches.slice(1), [['b1'], ['a1']])
})

test('of many senders who want a lock that is held, one waits for it', async () => {
  const { batches, run } = recorder((calls) => (calls.some((call) => call !== 'd1') ? reported('55P03') : null))
  const lane = laneOf(run)
  const calls = ['a1', 'b1', 'c1', 'd1'].map((call) =>
    lane.write(call, { sender: call[0]!, bytes: 1, lock: call === 'd1' ? 'd' : 'device' }).catch(({ kind }) => kind),
  )
  assert.deepEqual(await Promise.all(calls), ['busy', 'busy', 'busy', 'd1'])
  assert.deepEqual(batches.slice(1), [['a1'], ['d1']])
})

test('a batch whose commit was not answered is never repeated', async () => {
  const { batches, run } = recorder(() => failed('unknown'))
  const counted: string[] = []
  assert.deepEqual(kinds(await hands(laneOf(run, {}, counted), 'a1', 'b1')), ['unknown', 'unknown'])
  assert.deepEqual(counted, ['store_failures_total unknown'])
  assert.equal(batches.length, 1)
})

test('a lost session is replaced once, and a database that stays away fails the batch as a whole', async () => {
  const away = new StoreError('away', 'unreachable')
  const once = recorder((_calls, n) => (n === 1 ? away : null))
  assert.deepEqual(kinds(await hands(laneOf(once.run), 'a1', 'b1')), ['a1', 'b1'])
  const always = recorder(() => away)
  const counted: string[] = []
  assert.deepEqual(kinds(await hands(laneOf(always.run, {}, counted), 'a1', 'b1')), ['unreachable', 'unreachable'])
  assert.deepEqual(counted, ['store_failures_total unreachable'])
  assert.equal(always.batches.length, 2)
})

test('a call whose owner has changed is run again, and the others are settled', async () => {
  const batches: (readonly string[])[] = []
  const run: Run = async (_session, calls) => {
    batches.push(calls)
    return calls.map((call) => (call === 'a1' && batches.length < 3 ? 'again' : { result: call }))
  }
  assert.deepEqual(kinds(await hands(laneOf(run), 'a1', 'b1')), ['a1', 'b1'])
  assert.deepEqual(batches, [['a1', 'b1'], ['a1'], ['a1']])
})

test('more than fits is refused at once, from one sender long before the others', async () => {
  const { run } = recorder()
  const flooded = laneOf(run, { maxBytes: 8 })
  assert.deepEqual(kinds(await hands(flooded, 'a1', 'a2', 'a3', 'a4', 'b1')), ['a1', 'a2', 'a3', 'overloaded', 'b1'])
  const counted: string[] = []
  const full = laneOf(run, { maxBytes: 3 }, counted)
  assert.deepEqual(kinds(await hands(full, 'a1', 'b1', 'c1', 'd1')), ['a1', 'b1', 'c1', 'overloaded'])
  assert.deepEqual(counted, ['store_failures_total overloaded'])
})

test('a lane that closes settles what it has, then refuses', async () => {
  const { run } = recorder()
  const counted: string[] = []
  const lane = laneOf(run, {}, counted)
  const settled = hands(lane, 'a1')
  await lane.close()
  assert.deepEqual(kinds(await settled), ['a1'])
  assert.deepEqual(kinds(await hands(lane, 'a2')), ['closed'])
  assert.deepEqual(counted, ['store_failures_total closed'])
})

test('a lane that yields runs nothing until its turn comes', async () => {
  const { batches, run } = recorder()
  const turn = Promise.withResolvers<void>()
  const settled = hands(laneOf(run, { turnComes: () => turn.promise }), 'a1')
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  assert.deepEqual(batches, [])
  turn.resolve()
  assert.deepEqual(kinds(await settled), ['a1'])
})
