import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type DeliveryStatus,
  deliveryStatuses,
  mayBecome,
  type Outcome,
  outcomeOf,
  rollup,
} from '../../../src/core/incident/delivery.ts'
import fc from '../../harness/fast-check.ts'

// rules.md#attempts, rules.md#receipts: a status never goes back.
const lifecycle: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  scheduled: ['sent', 'delivered', 'failed', 'skipped'],
  sent: ['delivered', 'failed'],
  delivered: [],
  failed: [],
  skipped: [],
}

for (const from of deliveryStatuses) {
  for (const to of deliveryStatuses) {
    const allowed = lifecycle[from].includes(to)
    test(`${from} ${allowed ? 'may' : 'may not'} become ${to}`, () => {
      assert.equal(mayBecome(from, to), allowed)
    })
  }
}

// rules.md#rollup.
const rollups: readonly [statuses: readonly DeliveryStatus[], rolled: DeliveryStatus, why: string][] = [
  [['failed', 'sent'], 'sent', 'an early failure never masks an in-flight attempt'],
  [['failed', 'scheduled'], 'scheduled', 'nor one that is still to come'],
  [['failed', 'failed', 'delivered'], 'delivered', 'one delivered channel makes the actuator delivered'],
  [['failed', 'delivered'], 'delivered', 'a chat post that failed and was delivered on attempt 2'],
  [['sent', 'delivered', 'skipped'], 'delivered', 'delivered is above sent'],
  [['scheduled', 'sent'], 'sent', 'sent is above scheduled'],
  [['skipped', 'failed'], 'failed', 'failed is above skipped'],
  [['skipped', 'scheduled'], 'scheduled', 'scheduled is above skipped'],
  [['failed', 'failed'], 'failed', 'every attempt failed'],
  [['skipped', 'skipped'], 'skipped', 'nothing ran'],
  [[], 'skipped', 'no attempt at all never ran'],
]

for (const [statuses, rolled, why] of rollups) {
  test(`rollup of [${statuses.join(', ')}] is ${rolled}: ${why}`, () => {
    assert.equal(rollup(statuses), rolled)
  })
}

const rank: Readonly<Record<DeliveryStatus, number>> = { delivered: 4, sent: 3, scheduled: 2, failed: 1, skipped: 0 }
const someStatuses = fc.array(fc.constantFrom(...deliveryStatuses), { minLength: 1, maxLength: 12 })

test('the rollup is one of the statuses, and none of them is more advanced', () => {
  fc.assert(
    fc.property(someStatuses, (statuses) => {
      const rolled = rollup(statuses)
      assert.ok(statuses.includes(rolled))
      assert.equal(rank[rolled], Math.max(...statuses.map((status) => rank[status])))
    }),
  )
})

test('the rollup depends neither on order nor on rolling up channels first', () => {
  const shuffled = someStatuses.chain((statuses) =>
    fc.tuple(
      fc.constant(statuses),
      fc.shuffledSubarray(statuses, { minLength: statuses.length, maxLength: statuses.length }),
      fc.nat({ max: statuses.length - 1 }),
    ),
  )
  fc.assert(
    fc.property(shuffled, ([statuses, others, cut]) => {
      assert.equal(rollup(others), rollup(statuses))
      const [channelA, channelB] = [statuses.slice(0, cut), statuses.slice(cut)]
      assert.equal(rollup([rollup(channelA), rollup(channelB)]), rollup(statuses))
    }),
  )
})

// rules.md#rollup.
const outcomes: Readonly<Record<DeliveryStatus, Outcome>> = {
  sent: 'success',
  delivered: 'success',
  failed: 'failure',
  scheduled: 'pending',
  skipped: 'skipped',
}

for (const status of deliveryStatuses) {
  test(`the outcome of ${status} is ${outcomes[status]}`, () => {
    assert.equal(outcomeOf(status), outcomes[status])
  })
}
