import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Shares } from '../../../../src/adapters/inbound/broker/session/shares.ts'
import { LoopTurns } from '../../../../src/lib/loop-turns.ts'
import { publishPacket, startGate, stopClock } from './harness.ts'

test('all connections of one user together get 50 ms at once and two fifths of each second', (t) => {
  const clock = stopClock(t)
  const shares = new Shares(new LoopTurns())
  const [one, other] = [shares.join('ana').time, shares.join('ana').time]
  const passes = (ms: number): void => {
    clock.passes(ms)
    for (const time of [one, other]) time.refill(clock.now())
  }
  one.spend(30)
  assert.equal(other.spent, false)
  other.spend(20)
  assert.equal(one.spent, true)
  one.spend(400)
  passes(999)
  assert.equal(other.spent, true, 'before a second has passed')
  passes(2)
  assert.equal(other.spent, false, 'after a second')
  // What is not used is not saved up.
  passes(60_000)
  other.spend(50)
  assert.equal(one.spent, true)
  assert.equal(shares.join('ben').time.spent, false)
})

test('a share ends with the last connection of its user', () => {
  const shares = new Shares(new LoopTurns())
  const [one, other] = [shares.join('ana'), shares.join('ana')]
  assert.equal(one.time, other.time)
  assert.notEqual(shares.join('ben').time, one.time)
  one.time.spend(1000)
  one.leaves()
  const third = shares.join('ana')
  assert.equal(third.time.spent, true)
  third.leaves()
  other.leaves()
  assert.equal(shares.join('ana').time.spent, false)
})

test('beyond 4 ms in a turn of the event loop, the connections of a user take turns', async (t) => {
  const clock = stopClock(t)
  const shares = new Shares(new LoopTurns())
  const perTurn: number[] = [0]
  const onTake = (): void => {
    clock.passes(0.2)
    perTurn[perTurn.length - 1]! += 1
  }
  const gates = [startGate(t, { shares, onTake }), startGate(t, { shares, onTake })]
  for (const { opened } of gates) await opened()
  const publishes = Buffer.concat(Array.from({ length: 100 }, (_, n) => publishPacket(4, n + 1)))
  for (const { client } of gates) client.write(publishes)
  const taken = () => gates.map((gate) => gate.taken.length)
  for (let n = 0; n < 1000 && Math.min(...taken()) < 100; n += 1) {
    perTurn.push(0)
    await new Promise((resolve) => setImmediate(resolve))
    const [one, two] = taken() as [number, number]
    assert.ok(Math.abs(one - two) <= 64 || Math.max(one, two) === 100, `${one} and ${two}`)
  }
  assert.deepEqual(taken(), [100, 100])
  // A look at the clock every 32 frames, 6.4 ms.
  assert.ok(Math.max(...perTurn) <= 64, `${Math.max(...perTurn)} in one turn`)
})

test('a user with many connections gets one turn for all of them, however little each sends', async (t) => {
  const clock = stopClock(t)
  const shares = new Shares(new LoopTurns())
  const perTurn: number[] = [0]
  const onTake = (): void => {
    clock.passes(1)
    perTurn[perTurn.length - 1]! += 1
  }
  const gates = Array.from({ length: 8 }, () => startGate(t, { shares, onTake }))
  for (const { opened } of gates) await opened()
  const publishes = Buffer.concat(Array.from({ length: 5 }, (_, n) => publishPacket(4, n + 1)))
  for (const { client } of gates) client.write(publishes)
  const taken = () => gates.map((gate) => gate.taken.length)
  for (let n = 0; n < 100 && Math.min(...taken()) < 5; n += 1) {
    perTurn.push(0)
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.deepEqual(taken(), Array(8).fill(5))
  assert.ok(Math.max(...perTurn) <= 10, `${Math.max(...perTurn)} ms in one turn`)
})
