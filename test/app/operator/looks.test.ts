import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lookNotes } from '../../../src/app/operator/looks.ts'
import type { AuditEntry } from '../../../src/core/operator/audit.ts'
import { HOUR } from '../../../src/lib/durations.ts'
import { NOW } from './cast.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function site() {
  const rows: AuditEntry[] = []
  const logged: string[] = []
  const time = { now: NOW }
  const fault = { isFull: false }
  const log = { info() {}, warn() {}, error: (_fields: unknown, message: string) => void logged.push(message) }
  const store = {
    async addAuditRow(row: AuditEntry) {
      if (fault.isFull) throw new Error('the disk is full')
      rows.push(row)
    },
  }
  const note = lookNotes({ store, clock: { now: () => time.now }, log })
  const looksAt = (subject: string | null, id = 'ana', address = 'hut') =>
    note({
      actor: { kind: 'operator', id, name: id },
      address,
      action: 'incident.view',
      appId: 'a',
      userId: null,
      subject,
    })
  return { rows, logged, time, fault, looksAt, subjects: () => rows.map(({ subject }) => subject) }
}

test('a look is noted at once, and again when it has lasted an hour', () => {
  const { looksAt, time, rows, subjects } = site()
  for (const subject of ['i1', 'i1', 'i2', null]) looksAt(subject)
  assert.deepEqual(subjects(), ['i1', 'i2', null])
  time.now += HOUR - 1
  looksAt('i1')
  assert.equal(rows.length, 3)
  looksAt('i1', 'ben')
  assert.equal(rows.length, 4, 'somebody else')
  time.now += 1
  looksAt('i1')
  assert.equal(rows.at(-1)?.at, NOW + HOUR)
  time.now -= 10 * HOUR
  looksAt('i1')
  assert.equal(rows.length, 6, 'a clock that was set back')
})

test('the same look from another address is noted: somebody may use a stolen session', () => {
  const { looksAt, rows } = site()
  for (const address of ['hut', 'hut', 'elsewhere', 'hut', 'elsewhere']) looksAt('i1', 'ana', address)
  assert.deepEqual(
    rows.map(({ address }) => address),
    ['hut', 'elsewhere'],
  )
})

test('a look that could not be noted is noted with the next one', async () => {
  const { looksAt, fault, logged, subjects } = site()
  fault.isFull = true
  looksAt('i1')
  await turn()
  assert.equal(logged.length, 1)
  fault.isFull = false
  looksAt('i1')
  assert.deepEqual(subjects(), ['i1'])
})

test('what is remembered of looks is bounded', () => {
  const { looksAt, rows } = site()
  for (let n = 0; n <= 10_000; n += 1) looksAt('i', `o${n}`)
  looksAt('i', 'o10000')
  assert.equal(rows.length, 10_001)
  looksAt('i', 'o0')
  assert.equal(rows.length, 10_002, 'the oldest is forgotten')
})

test('a script that looks at everything leaves 600 rows an hour, the last of which says that there is more', () => {
  const { looksAt, rows, time } = site()
  for (let n = 0; n < 12_000; n += 1) looksAt(`i${n}`)
  for (let n = 0; n < 12_000; n += 1) looksAt(`i${n}`, 'ana', `address ${n}`)
  assert.equal(rows.length, 600)
  assert.deepEqual([rows[598]?.subject, rows[599]?.subject, rows[599]?.details], ['i598', null, { more: true }])
  looksAt('i1', 'ben')
  assert.equal(rows.at(-1)?.actor.name, 'ben', 'others are noted as before')
  time.now += HOUR
  looksAt('i1')
  assert.deepEqual([rows.length, rows.at(-1)?.subject], [602, 'i1'])
})
