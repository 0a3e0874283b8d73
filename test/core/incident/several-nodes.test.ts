import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptOutcome, SendingNode } from '../../../src/core/incident/command.ts'
import type { Lease } from '../../../src/core/incident/delivery.ts'
import { SECOND } from '../../../src/lib/durations.ts'
import { delivered, only, pressed, sent } from '../build.ts'

const a = { node: 'a', token: 1 } as const
const b = { node: 'b', token: 2 } as const
const SETTLE_MS = 40 * SECOND

/** What `lease` knows while the nodes of `others` live. */
const standing = (lease: Lease, ...others: readonly Lease[]): SendingNode => ({ lease, others, settleMs: SETTLE_MS })

const failedForGood = { kind: 'failed', error: 'provider error', retryable: false } as const

/** One attempt that node a has claimed at 10 s, and what the nodes do with it. */
function claimedByA() {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  const proceeds = (seconds: number, node: SendingNode, inFlight: readonly string[] = []) =>
    sos.does(seconds, { type: 'proceed', inFlight, node })
  const { id } = only(proceeds(10, standing(a, b)).claimed)
  return {
    id,
    proceeds,
    records: (seconds: number, lease: Lease, outcome: AttemptOutcome, earlierTries = 0) =>
      sos.does(seconds, { type: 'recordOutcome', attemptId: id, outcome, jitter: 0.5, earlierTries, lease }),
    get row() {
      return only(sos.incident.deliveries.filter((row) => row.id === id))
    },
  }
}

test('a claim names the lease under which it was made', () => {
  assert.deepEqual(claimedByA().row.claim?.by, a)
})

test('the claim of another living node is neither looked up nor put off', () => {
  const { proceeds } = claimedByA()
  const { verdict, unsure, claimed } = proceeds(60, standing(b, a))
  assert.deepEqual([verdict, unsure, claimed], ['unchanged', [], []])
})

test('a node leaves alone what it is sending, and looks up what it is not', () => {
  const { proceeds, id } = claimedByA()
  assert.deepEqual(proceeds(20, standing(a, b), [id]).unsure, [])
  assert.deepEqual(
    proceeds(30, standing(a, b)).unsure.map((row) => row.id),
    [id],
  )
})

test('the claim of a node that is gone is taken over, and looked up when none of its requests can be on its way', () => {
  const sos = claimedByA()
  assert.deepEqual(sos.proceeds(20, standing(b)).unsure, [])
  assert.deepEqual(sos.row.claim?.by, b)
  assert.equal(sos.proceeds(49, standing(b)).verdict, 'unchanged')
  assert.deepEqual(
    sos.proceeds(50, standing(b)).unsure.map(({ id }) => id),
    [sos.id],
  )
})

test('a later lease of the same node takes its earlier claims over, and looks them up as after a crash', () => {
  const sos = claimedByA()
  const again = { ...a, token: 3 }
  assert.deepEqual(sos.proceeds(19, standing(again, b)).unsure, [])
  assert.deepEqual(sos.proceeds(20, standing(again, b)).unsure.length, 1)
  assert.deepEqual(sos.row.claim?.by, again)
})

test('a node that is drained claims nothing and takes nothing over, but looks its own claims up', () => {
  const sos = claimedByA()
  const draining = (lease: Lease) => ({ ...standing(lease), isDraining: true }) as const
  assert.equal(sos.proceeds(60, draining(b)).verdict, 'unchanged')
  assert.deepEqual(sos.proceeds(60, draining(a)).unsure.length, 1)
  sos.records(61, a, { kind: 'not_found' })
  assert.deepEqual(sos.proceeds(62, draining(a)).claimed, [])
  assert.deepEqual(sos.proceeds(62, standing(b, a)).claimed.length, 1)
})

test('of two nodes, one takes over', () => {
  const sos = claimedByA()
  const c = { node: 'c', token: 5 }
  sos.proceeds(50, standing(b, c))
  assert.equal(sos.proceeds(60, standing(c, b)).verdict, 'unchanged')
})

const says = (sos: ReturnType<typeof claimedByA>, outcome: AttemptOutcome) => {
  sos.proceeds(50, standing(b))
  const before = sos.row
  const { verdict } = sos.records(51, a, outcome)
  return { verdict, before, after: sos.row }
}

for (const outcome of [
  failedForGood,
  { ...failedForGood, retryable: true },
  { kind: 'unknown' },
  { kind: 'not_found' },
  { kind: 'no_target' },
] as const satisfies readonly AttemptOutcome[]) {
  test(`a node that has lost the attempt changes nothing with ${JSON.stringify(outcome)}`, () => {
    const { verdict, before, after } = says(claimedByA(), outcome)
    assert.equal(verdict, 'unchanged')
    assert.deepEqual(after, before)
  })
}

for (const outcome of [sent, delivered]) {
  test(`that the provider took the message (${outcome.kind}) is news from any node`, () => {
    const { after } = says(claimedByA(), outcome)
    assert.equal(after.status, outcome.kind)
    assert.equal(after.claim, null)
  })
}

test('what was taken over and is not at the provider leaves again, once, and only the new owner says how it went', () => {
  const sos = claimedByA()
  sos.proceeds(50, standing(b))
  sos.records(51, b, { kind: 'not_found' })
  assert.equal(sos.row.claim, null)
  // Between the look-up and the next claim the earlier owner has no say either.
  assert.equal(sos.records(52, a, failedForGood).verdict, 'unchanged')
  assert.deepEqual(
    sos.proceeds(53, standing(b)).claimed.map(({ id }) => id),
    [sos.id],
  )
  assert.equal(sos.records(54, a, failedForGood).verdict, 'unchanged')
  sos.records(55, b, sent)
  assert.equal(sos.row.status, 'sent')
})

const retryable = { ...failedForGood, retryable: true }

for (const [what, outcome, before] of [
  ['failed', retryable, []],
  ['failed after an unknown outcome', retryable, [{ kind: 'unknown' }]],
  ['was not found', { kind: 'not_found' }, [{ kind: 'unknown' }]],
] as const satisfies readonly [string, AttemptOutcome, readonly AttemptOutcome[]][]) {
  test(`that a try ${what}, recorded again because the first answer was lost, does not end the next one`, () => {
    const sos = claimedByA()
    for (const earlier of before) sos.records(11, a, earlier)
    sos.records(12, a, outcome)
    assert.equal(sos.row.claim, null)
    assert.equal(sos.proceeds(17, standing(a, b)).claimed.length, 1)
    const { row } = sos
    for (const repeated of [...before, outcome]) {
      assert.equal(sos.records(18, a, repeated).verdict, 'unchanged')
      assert.equal(sos.row, row)
    }
    sos.records(19, a, failedForGood, 1)
    assert.equal(sos.row.status, 'failed')
  })
}

test('a claim that was made while only one process sent is looked up as after a crash', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
  const { id } = only(sos.proceeds(10).claimed)
  assert.deepEqual(
    sos.does(20, { type: 'proceed', inFlight: [], node: standing(b) }).unsure.map((row) => row.id),
    [id],
  )
})
