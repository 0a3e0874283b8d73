import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readiness } from '../../src/app/readiness.ts'
import { StoreError } from '../../src/ports/store.ts'

const well = {
  checkWritable: async () => {},
  brokerIsUp: () => true,
  overdueMs: async () => 5_000,
}

const reasons = ({ checkWritable, ...parts }: typeof well) =>
  readiness({ store: { checkWritable } as Parameters<typeof readiness>[0]['store'], ...parts })()

test('with everything well there is no reason', async () => {
  assert.deepEqual(await reasons(well), [])
})

for (const [what, parts, reason] of [
  [
    'a full disk',
    { checkWritable: () => Promise.reject(new StoreError('the disk is full', 'disk_full')) },
    'the store cannot write: the disk is full',
  ],
  ['a broker that takes nobody', { brokerIsUp: () => false }, 'the MQTT broker takes no connections'],
  ['something due for 6 s', { overdueMs: async () => 6_000 }, 'the dispatcher is 6 s late'],
] as const) {
  test(`${what} is a reason, and the only one`, async () => {
    assert.deepEqual(await reasons({ ...well, ...parts }), [reason])
  })
}

test('a store that does not answer is one, after 3 s', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const asked = reasons({ ...well, checkWritable: () => new Promise<never>(() => {}) })
  t.mock.timers.tick(3_000)
  assert.deepEqual(await asked, ['the store does not answer'])
})

test('all of them are told', async () => {
  const parts = { brokerIsUp: () => false, overdueMs: async () => 60_000 }
  assert.deepEqual(await reasons({ ...well, ...parts }), [
    'the MQTT broker takes no connections',
    'the dispatcher is 60 s late',
  ])
})
