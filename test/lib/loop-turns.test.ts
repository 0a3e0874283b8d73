import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type LoopKind, LoopTurns } from '../../src/lib/loop-turns.ts'

/** Turns with a clock that stands still, except where a piece takes its time. */
function turnsAt(t: TestContext) {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const turns = new LoopTurns()
  const begun: string[] = []
  return {
    turns,
    begun,
    run(group: string, name: string, { ms = 0 } = {}) {
      turns.run({ kind: 'other', group, member: '' }, () => {
        begun.push(name)
        now += ms
      })
    },
    add(group: string, member: string, name: string, { ms = 0, kind = 'other' as LoopKind } = {}) {
      turns.start({ kind, group, member }, () => {
        begun.push(name)
        now += ms
      })
    },
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 10_000 && !condition(); n += 1) await nextTurn()
  assert.ok(condition())
}

test('groups take turns, the members of a group too, and the pieces of a member keep their order', async (t) => {
  const { add, begun } = turnsAt(t)
  for (const name of ['x1', 'x2', 'x3']) add('one', 'x', name)
  for (const name of ['y1', 'y2']) add('one', 'y', name)
  add('two', 'z', 'z1')
  assert.deepEqual(begun, [], 'nothing begins at once')
  await until(() => begun.length === 6)
  assert.deepEqual(begun, ['x1', 'z1', 'y1', 'x2', 'y2', 'x3'])
})

test('a turn of the event loop takes two milliseconds of pieces, and other work comes in between', async (t) => {
  const { add, begun } = turnsAt(t)
  for (let n = 0; n < 1000; n += 1) add('crowd', 'x', 'crowd', { ms: 1 })
  await until(() => begun.length > 10)
  for (let n = 0; n < 5; n += 1) {
    const before = begun.length
    await nextTurn()
    assert.ok(begun.length - before <= 2, `${begun.length - before} pieces in one turn`)
  }
  const before = begun.length
  add('one', 'x', 'sos')
  await until(() => begun.includes('sos'))
  assert.ok(begun.indexOf('sos') - before <= 1, 'it waits for one piece of the crowd')
  await until(() => begun.length === 1001)
})

for (const [one, crowds, most] of [
  ['alarm', ['other', 'connection'], 1],
  // A claim to be an alarm costs nothing.
  ['other', ['alarm', 'connection'], 3],
  ['connection', ['alarm', 'other'], 3],
] as const) {
  test(`one of kind ${one} waits for ${most} of kind ${crowds.join(' and ')}, however many they are`, async (t) => {
    const { add, begun } = turnsAt(t)
    for (let n = 0; n < 500; n += 1) {
      for (const kind of crowds) add(`crowd ${n}`, 'x', 'crowd', { ms: 1, kind })
    }
    await until(() => begun.length > 10)
    const before = begun.length
    add('one', 'x', 'one', { kind: one })
    await until(() => begun.includes('one'))
    assert.ok(begun.indexOf('one') - before <= most, `after ${begun.indexOf('one') - before}`)
    await until(() => begun.length === 1001)
  })
}

test('while connections are accepted a few turns begin nothing of a connection, but everything else', async (t) => {
  const { turns, add, begun } = turnsAt(t)
  for (let n = 0; n < 40; n += 1) add('crowd', 'x', 'handshake', { ms: 2, kind: 'connection' })
  for (let n = 0; n < 5; n += 1) {
    turns.accepted()
    if (n === 1) add('one', 'x', 'sos', { kind: 'alarm' })
    if (n === 2) add('two', 'x', 'other')
    await nextTurn()
  }
  assert.deepEqual(begun.toSorted(), ['handshake', 'other', 'sos'])
  // However many connections somebody makes.
  for (let n = 0; n < 20; n += 1) {
    turns.accepted()
    await nextTurn()
  }
  const held = begun.length - 3
  assert.ok(held >= 3 && held <= 5, `${held} in 20 turns`)
  await until(() => begun.length === 42)
})

test('what a promise brings counts as part of its piece', async (t) => {
  const { turns, begun } = turnsAt(t)
  for (const name of ['1', '2']) {
    const caller = { kind: 'other', group: name, member: '' } as const
    void turns.turn(caller).then(async () => {
      await null
      begun.push(`${name} goes on`)
    })
    turns.start(caller, () => begun.push(`${name} next`))
  }
  await until(() => begun.length === 4)
  assert.deepEqual(begun, ['1 goes on', '2 goes on', '1 next', '2 next'])
})

test('it begins anew after it was idle', async (t) => {
  const { add, begun } = turnsAt(t)
  add('one', 'x', 'first')
  await until(() => begun.length === 1)
  for (let n = 0; n < 3; n += 1) await nextTurn()
  add('one', 'x', 'second')
  await until(() => begun.length === 2)
})

test('a piece runs at once while nothing waits, for two milliseconds of a turn of the event loop', async (t) => {
  const { turns, add, begun, run } = turnsAt(t)
  for (const name of ['a1', 'a2', 'a3', 'a4']) run('one', name, { ms: 1 })
  assert.deepEqual(begun, ['a1', 'a2'])
  run('two', 'b1')
  assert.deepEqual(begun, ['a1', 'a2'], 'nothing overtakes what waits')
  await until(() => begun.length === 5)
  assert.deepEqual(begun, ['a1', 'a2', 'a3', 'b1', 'a4'])
  await nextTurn()
  run('one', 'a5')
  assert.equal(begun.at(-1), 'a5')
  add('one', 'x', 'x1')
  run('two', 'b2')
  assert.equal(begun.at(-1), 'a5')
  await until(() => begun.length === 8)
  // A piece of a piece waits for its turn while others do.
  turns.run({ kind: 'other', group: 'one', member: '' }, () => {
    add('one', 'x', 'x2')
    run('one', 'a6')
    assert.equal(begun.at(-1), 'b2')
  })
  await until(() => begun.length === 10)
})
