import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examine, NotExamined } from '../../../src/app/doctor/examine.ts'
import type { FactSources } from '../../../src/app/doctor/subjects.ts'

const nothing: FactSources = {
  version: null,
  service: null,
  configuration: null,
  ports: null,
  address: null,
  certificate: null,
  clock: null,
  disk: null,
  memory: null,
  store: null,
  providers: null,
  backup: null,
  restore: null,
  nodes: null,
  map: null,
  canary: null,
  drill: null,
  administrators: null,
}

test('probes without a place have no row; the others keep their order, whichever answers first', async () => {
  const report = await examine({
    ...nothing,
    canary: () => 'off',
    service: async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return { reasons: ['the store does not answer'], concerns: [] }
    },
  })
  assert.equal(report.level, 'failed')
  assert.deepEqual(
    report.rows.map(({ id, title, level }) => [id, title, level]),
    [
      ['service', 'Service', 'failed'],
      ['canary', 'Canary', 'attention'],
    ],
  )
  assert.deepEqual(await examine(nothing), { level: 'fine', rows: [] })
})

test('a probe that hangs costs the others nothing, and says so', async () => {
  const { rows } = await examine({ ...nothing, store: () => new Promise(() => {}), canary: () => 'off' }, 20)
  assert.match(rows[0]!.says, /^not examined: no answer within 0.02 s$/)
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['store', 'canary'],
  )
})

test('a probe that fails shows our own sentences, and nothing of a foreign error', async () => {
  const secret = 'connect to postgres://tocsin:hunter2@db failed'
  const { rows } = await examine({
    ...nothing,
    backup: () => Promise.reject(new NotExamined('there is no database')),
    drill: () => Promise.reject(Object.assign(new Error(secret), { code: 'ECONNREFUSED' })),
    administrators: () => {
      throw new TypeError(secret)
    },
  })
  assert.deepEqual(
    rows.map(({ level, says }) => [level, says]),
    [
      ['attention', 'not examined: there is no database'],
      ['attention', 'not examined: ECONNREFUSED'],
      ['attention', 'not examined: an unexpected error (TypeError)'],
    ],
  )
  assert.doesNotMatch(JSON.stringify(rows), /hunter2/)
})
