import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { descriptorLimit, memoryLimit } from '../../src/adapters/platform/system/process-limits.ts'
import { connectionBudget, memoryShares } from '../../src/service/budget.ts'

const MB = 1024 * 1024
const PLENTY = Number.MAX_SAFE_INTEGER

for (const descriptors of [256, 1024, 4096, 20_000, 65_536, 1_048_576]) {
  test(`of ${descriptors} descriptors some are set aside, and MQTT gets twice as many as HTTP`, () => {
    const { http, mqtt, boundBy } = connectionBudget({ descriptors, memoryBytes: PLENTY })
    const own = descriptors - http - mqtt
    assert.ok(own >= 64 && own <= 1024 && own >= Math.min(descriptors / 8, 1024) - 1, `${own} for itself`)
    assert.ok(http >= 60 && Math.abs(mqtt - 2 * http) <= 2, `${http} for HTTP, ${mqtt} for MQTT`)
    assert.equal(boundBy, 'descriptors')
  })
}

test('requests to providers beyond the usual number are set aside, too, and the sockets that listen', () => {
  const ownOf = (more: { requestsAtOnce?: number; listening?: number }) => {
    const { http, mqtt } = connectionBudget({ descriptors: 4096, memoryBytes: PLENTY, ...more })
    return 4096 - http - mqtt
  }
  assert.deepEqual(
    [1, 100, 500].map((requestsAtOnce) => ownOf({ requestsAtOnce })),
    [512, 512, 912],
  )
  assert.deepEqual([ownOf({}), ownOf({ listening: 128 })], [512, 640])
})

test('the budget is bounded even without a limit, or with hardly any', () => {
  const budgetOf = (descriptors: number, memoryBytes = PLENTY) => connectionBudget({ descriptors, memoryBytes })
  assert.deepEqual(budgetOf(Number.MAX_SAFE_INTEGER), budgetOf(1_048_576))
  assert.deepEqual(budgetOf(10), { http: 1, mqtt: 1, boundBy: 'descriptors' })
  assert.deepEqual(budgetOf(65_536, 0), { http: 64, mqtt: 128, boundBy: 'memory' })
})

for (const [memoryMb, connections] of [
  [256, 204],
  [350, 505],
  [512, 1024],
  [1024, 3589],
  [4096, 27_182],
  [16 * 1024, 64_512],
] as const) {
  test(`with ${memoryMb} MB of memory and the unit's descriptors, ${connections} connections`, () => {
    const { http, mqtt } = connectionBudget({ descriptors: 65_536, memoryBytes: memoryMb * MB })
    assert.equal(http + mqtt, connections)
    // Idle over TLS, after a long packet (bench/README.md), they leave what the service takes at rest.
    assert.ok((http + mqtt) * 64 * 1024 < (memoryMb - 130) * MB)
  })
}

test('the limit of this process is the one that the system reports', async (t) => {
  assert.ok(descriptorLimit() >= 256)
  const dir = await mkdtemp(join(tmpdir(), 'tocsin-limits-'))
  t.after(() => rm(dir, { recursive: true }))
  const told = async (line: string): Promise<number> => {
    await writeFile(join(dir, 'limits'), `Limit  Soft Limit  Hard Limit  Units\n${line}\n`)
    return descriptorLimit(join(dir, 'limits'))
  }
  assert.equal(await told('Max open files            4096                 524288               files     '), 4096)
  assert.equal(await told('Max open files            unlimited            unlimited            files'), 2 ** 53 - 1)
  assert.equal(await told('Max processes             10'), 1024)
  assert.equal(descriptorLimit(join(dir, 'nothing')), 1024)
})

test('a process may use what its control group allows, or three quarters of the machine', () => {
  const machine = 1000 * MB
  const unlimited = 2 ** 64
  assert.equal(memoryLimit({ limit: 512 * MB, machine }), 512 * MB)
  assert.equal(memoryLimit({ limit: 0, machine }), 750 * MB)
  assert.equal(memoryLimit({ limit: unlimited, machine }), 750 * MB)
  assert.ok(memoryLimit() > 64 * MB && memoryLimit() < unlimited)
})

test('less may wait for the disk than is configured where there is little memory', () => {
  const waiting = (memoryMb: number, waitingMb = 32) => memoryShares(memoryMb * MB, { waitingMb }).waitingBytes / MB
  assert.deepEqual([waiting(512), waiting(1024), waiting(16 * 1024), waiting(16 * 1024, 100)], [16, 32, 32, 100])
})
