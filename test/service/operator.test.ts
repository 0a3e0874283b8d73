import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Closers } from '../../src/service/closers.ts'
import { prepareOperatorApi } from '../../src/service/operator.ts'
import { testConfig } from '../harness/test-config.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'

test('whoever looks at incidents and at people has one number of audit rows an hour', async (t) => {
  const basis = {
    store: {},
    clock: new VirtualClock(),
    door: { follow: () => undefined },
    ids: { secret: () => 'a secret of the era' },
    nodes: null,
    machineTimeZone: () => 'UTC',
  }
  const needs = { sending: {}, health: {}, addresses: { publicUrl: () => 'http://localhost' } }
  const closers = new Closers()
  t.after(() => closers.closeAll())
  const operator = prepareOperatorApi(testConfig('/nowhere'), basis as never, needs as never, closers)
  assert.equal(operator.noteLook, operator.estate.look)
})
