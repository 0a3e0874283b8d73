import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { descriptorLimit } from '../../src/adapters/platform/system/descriptors.ts'
import { connectionBudget } from '../../src/service/connection-budget.ts'

for (const limit of [256, 1024, 4096, 20_000, 65_536, 1_048_576]) {
  test(`of ${limit} descriptors some are set aside, and MQTT gets twice as many as HTTP`, () => {
    const { http, mqtt } = connectionBudget(limit)
    const own = limit - http - mqtt
    assert.ok(own >= 64 && own <= 1024 && own >= Math.min(limit / 8, 1024) - 1, `${own} for itself`)
    assert.ok(http >= 60 && Math.abs(mqtt - 2 * http) <= 2, `${http} for HTTP, ${mqtt} for MQTT`)
  })
}

test('requests to providers beyond the usual number are set aside, too', () => {
  const ownOf = (requests?: number) => {
    const { http, mqtt } = connectionBudget(4096, requests)
    return 4096 - http - mqtt
  }
  assert.deepEqual([ownOf(1), ownOf(100), ownOf(500)], [512, 512, 912])
})

test('the budget is bounded even without a limit, or with hardly any', () => {
  assert.deepEqual(connectionBudget(Number.MAX_SAFE_INTEGER), connectionBudget(1_048_576))
  assert.deepEqual(connectionBudget(10), { http: 1, mqtt: 1 })
})

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
