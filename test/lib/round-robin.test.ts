import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RoundRobin } from '../../src/lib/round-robin.ts'

/** Everything that waits, in the order in which it is taken. */
function drained(line: { shift(): string | undefined }): string {
  const taken: string[] = []
  for (let item = line.shift(); item !== undefined; item = line.shift()) taken.push(item)
  return taken.join(' ')
}

const cases: readonly [waiting: string, taken: string][] = [
  ['', ''],
  ['a1 a2 a3', 'a1 a2 a3'],
  ['a1 a2 a3 b1', 'a1 b1 a2 a3'],
  ['a1 b1 a2 c1 b2 a3', 'a1 b1 c1 a2 b2 a3'],
]
for (const [waiting, taken] of cases) {
  test(`${waiting || 'nothing'} is taken as ${taken || 'nothing'}`, () => {
    const callers = new RoundRobin<string>(() => [])
    for (const item of waiting.split(' ').filter(Boolean)) callers.of(item[0]!).push(item)
    assert.equal(drained(callers), taken)
    assert.equal(callers.length, 0)
  })
}

test('who comes anew comes after all who wait', () => {
  const callers = new RoundRobin<string>(() => [])
  for (const item of ['a1', 'b1', 'b2']) callers.of(item[0]!).push(item)
  assert.equal(callers.shift(), 'a1')
  assert.deepEqual([callers.length, callers.get('a')], [1, undefined])
  callers.of('a').push('a2')
  assert.deepEqual(
    [...callers].map(([caller]) => caller),
    ['b', 'a'],
  )
  assert.equal(drained(callers), 'b1 a2 b2')
})

test('groups take turns, and in each its members', () => {
  const groups = new RoundRobin<string, RoundRobin<string>>(() => new RoundRobin(() => []))
  for (const item of ['ax1', 'ax2', 'ay1', 'bx1', 'bx2', 'bx3']) groups.of(item[0]!).of(item[1]!).push(item)
  assert.equal(drained(groups), 'ax1 bx1 ay1 bx2 ax2 bx3')
})

test('a turn may be passed without taking anything', () => {
  const callers = new RoundRobin<string>(() => [])
  for (const item of ['a1', 'b1']) callers.of(item[0]!).push(item)
  callers.pass('a', callers.of('a'))
  assert.equal(drained(callers), 'b1 a1')
})
