import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SendLane, type Turn } from '../../../../src/adapters/outbound/twilio/send-queue.ts'
import { VirtualClock } from '../../../harness/virtual-clock.ts'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A lane on a virtual clock. `sends` lets something in under a name; `left` has who left when, in ms. */
function lane(perSecond: number, { maxAtOnce = 100 } = {}) {
  const clock = new VirtualClock(0)
  const left: [name: string, at: number][] = []
  const waits: number[] = []
  const told: [waitMs: number, waiting: number][] = []
  const made = new SendLane({
    perSecond,
    maxAtOnce,
    clock,
    onLeave: (waitedMs) => waits.push(waitedMs),
    onLongWait: (waitMs, waiting) => told.push([waitMs, waiting]),
  })
  const sends = (name: string, turn: Partial<Turn> = {}, work: () => Promise<unknown> = async () => name) =>
    made.enter(
      { rank: 0, since: 0, units: 1, patienceMs: null, waitsOutPause: true, longWaitMs: 60_000, ...turn },
      () => {
        left.push([name, clock.now()])
        return work()
      },
    )
  return { clock, made, sends, left, waits, told, passes: (text: string) => clock.advance(text, settled) }
}

test('what comes alone leaves at once, the rest at the rate', async () => {
  const { sends, left, waits, passes } = lane(10)
  for (const name of ['a', 'b', 'c']) void sends(name)
  assert.deepEqual(left, [['a', 0]])
  await passes('1 s')
  assert.deepEqual(left, [
    ['a', 0],
    ['b', 100],
    ['c', 200],
  ])
  assert.deepEqual(waits, [0, 100, 200])
})

test('what somebody else could take meanwhile does not wait out a pause', async () => {
  const { made, sends, left, passes } = lane(1)
  const eager = { waitsOutPause: false }
  const all = [sends('a', eager), sends('b', eager), sends('c', { ...eager, patienceMs: 5_000 }), sends('patient')]
  made.pause(10_000)
  assert.deepEqual(await Promise.all(all.slice(0, 3)), ['a', null, null])
  assert.equal(await sends('d', eager), null)
  assert.equal(made.length, 1)
  await passes('10 s')
  assert.deepEqual(await all[3], 'patient')
  void sends('e', eager)
  await passes('1 s')
  assert.deepEqual(
    left.map(([name]) => name),
    ['a', 'patient', 'e'],
  )
})

test('the lane tells for how long the one that came first has been waiting', async () => {
  const { made, sends, passes } = lane(0.1)
  assert.equal(made.longestMs, 0)
  void sends('leaves at once')
  assert.equal(made.longestMs, 0)
  void sends('repeat', { rank: 1 })
  await passes('3 s')
  void sends('first message')
  await passes('2 s')
  assert.equal(made.longestMs, 5_000)
  await passes('6 s')
  assert.equal(made.longestMs, 11_000)
  await passes('10 s')
  assert.equal(made.longestMs, 0)
})

test('a text of three segments takes three turns', async () => {
  const { sends, left, passes } = lane(1)
  void sends('long', { units: 3 })
  void sends('short')
  await passes('10 s')
  assert.deepEqual(left, [
    ['long', 0],
    ['short', 3_000],
  ])
})

test('a slow provider does not slow the lane down', async () => {
  const { sends, left, passes } = lane(10)
  const never = () => new Promise<never>(() => {})
  for (let n = 0; n < 10; n++) void sends(`${n}`, {}, never)
  await passes('1 s')
  assert.equal(left.length, 10)
})

test('as much as may be is under way at once, and what ends makes room', async () => {
  const { sends, left, passes } = lane(1000, { maxAtOnce: 2 })
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const name of ['a', 'b', 'c']) void sends(name, {}, () => promise)
  await passes('1 s')
  assert.equal(left.length, 2)
  resolve()
  await settled()
  assert.equal(left.length, 3)
})

test('first messages go before repeats, and the older before the newer', async () => {
  const { sends, left, passes } = lane(1)
  void sends('whoever came')
  void sends('repeat', { rank: 1, since: 1 })
  void sends('newer', { since: 3 })
  void sends('older', { since: 2 })
  void sends('as old', { since: 2 })
  await passes('10 s')
  assert.deepEqual(
    left.map(([name]) => name),
    ['whoever came', 'older', 'as old', 'newer', 'repeat'],
  )
})

test('after a 429 nothing leaves until the provider wants more', async () => {
  const { made, sends, left, passes } = lane(10)
  void sends('a')
  made.pause(5_000)
  void sends('b')
  await passes('4.9 s')
  assert.equal(left.length, 1)
  await passes('0.1 s')
  assert.deepEqual(left.at(-1), ['b', 5_000])
})

test('whoever has waited long enough goes without having left', async () => {
  const { sends, left, passes } = lane(1)
  void sends('a', { units: 30 })
  const answer = sends('b', { patienceMs: 15_000 })
  await passes('15 s')
  assert.equal(await answer, null)
  await passes('30 s')
  assert.deepEqual(left, [['a', 0]])
})

test('a turn that is given back goes to the next', async () => {
  const { made, sends, left } = lane(1)
  void made.enter(
    { rank: 0, since: 0, units: 1, patienceMs: null, waitsOutPause: true, longWaitMs: 60_000 },
    async (release) => release(),
  )
  void sends('next')
  await settled()
  assert.deepEqual(left, [['next', 0]])
})

test('a wait that is going to be too long is told once a burst', async () => {
  const { sends, told, passes } = lane(1)
  for (let n = 0; n < 70; n++) void sends(`${n}`)
  assert.deepEqual(told, [[61_000, 61]])
  await passes('10 min')
  void sends('later')
  assert.equal(told.length, 1)
  for (let n = 0; n < 70; n++) void sends(`${n}`)
  assert.equal(told.length, 2)
})

test('a clock that is set back by a day stops nothing', async () => {
  const { clock, sends, left, passes } = lane(1)
  void sends('a')
  void sends('b')
  clock.set(-86_400_000)
  await passes('1 s')
  assert.deepEqual(
    left.map(([name]) => name),
    ['a', 'b'],
  )
})

test('nothing leaves after the end', async () => {
  const { made, sends, left, passes } = lane(1)
  void sends('a')
  void sends('b', { patienceMs: 100 })
  made.close()
  await passes('1 min')
  assert.deepEqual(left, [['a', 0]])
})
