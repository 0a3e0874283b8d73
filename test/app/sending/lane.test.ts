import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lane, type LaneEntry, type Turn } from '../../../src/app/sending/lane.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

type Sending = Partial<LaneEntry> & { readonly units?: number }

/** A lane on a virtual clock. `sends` queues a message under a name; `left` records what left when, in ms. */
function lane(perSecond: number, { maxAtOnce = 100, ahead = 0, hasFallback = false } = {}) {
  const clock = new VirtualClock(0)
  const left: [name: string, at: number][] = []
  const waits: number[] = []
  const told: [waitMs: number, waiting: number][] = []
  const made = new Lane({
    rate: { perSecond, maxAtOnce },
    ahead,
    clock,
    hasFallback,
    onTurn: (waitedMs) => waits.push(waitedMs),
    onLongWait: (waitMs, waiting) => told.push([waitMs, waiting]),
  })
  const place: LaneEntry = { rank: 0, since: 0, longWaitMs: 60_000, timeoutMs: null }
  /** Resolves with its name once `work` has ended, or with null if it left the lane without a turn. */
  const sends = (
    name: string,
    { units = 1, ...changes }: Sending = {},
    work: () => Promise<unknown> = async () => {},
  ) =>
    new Promise<string | null>((resolve) =>
      made.enter({ ...place, ...changes }, (turn) => {
        if (turn === null) return resolve(null)
        left.push([name, clock.now()])
        turn.spend(units)
        void work().then(() => {
          turn.end()
          resolve(name)
        })
      }),
    )
  const turn = (): Promise<Turn | null> => made.turn(place)
  return { clock, made, sends, turn, left, waits, told, passes: (text: string) => clock.advance(text, settled) }
}

test('a single message leaves immediately, the others at the rate', async () => {
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

test('with a fallback nothing waits out a pause', async () => {
  const { made, sends, left, passes } = lane(1, { hasFallback: true })
  const all = [sends('a'), sends('b'), sends('c', { timeoutMs: 5_000 })]
  made.pause(10_000)
  assert.deepEqual(await Promise.all(all), ['a', null, null])
  assert.equal(await sends('d'), null)
  assert.equal(made.length, 0)
  await passes('10 s')
  void sends('e')
  await passes('1 s')
  assert.deepEqual(
    left.map(([name]) => name),
    ['a', 'e'],
  )
})

test('the lane reports the wait of its oldest message', async () => {
  const { made, sends, passes } = lane(0.1)
  assert.equal(made.longestWaitMs, 0)
  void sends('leaves at once')
  assert.equal(made.longestWaitMs, 0)
  void sends('repeat', { rank: 1 })
  await passes('3 s')
  void sends('first message')
  await passes('2 s')
  assert.equal(made.longestWaitMs, 5_000)
  await passes('6 s')
  assert.equal(made.longestWaitMs, 11_000)
  await passes('10 s')
  assert.equal(made.longestWaitMs, 0)
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

test('requests in flight are limited, and each one that ends makes room', async () => {
  const { sends, left, passes } = lane(1000, { maxAtOnce: 2 })
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const name of ['a', 'b', 'c']) void sends(name, {}, () => promise)
  await passes('1 s')
  assert.equal(left.length, 2)
  resolve()
  await settled()
  assert.equal(left.length, 3)
})

test('some messages get their turn ahead, at the rate and no more of them', async () => {
  const { sends, left, passes } = lane(20, { maxAtOnce: 2, ahead: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const name of ['a', 'b', 'c', 'd']) void sends(name, {}, () => promise)
  await passes('1 s')
  assert.deepEqual(left, [
    ['a', 0],
    ['b', 50],
    ['c', 100],
  ])
  resolve()
  await settled()
  assert.deepEqual(left.at(-1), ['d', 1_000])
})

test('first messages go before repeats, and older ones before newer ones', async () => {
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

test('after a 429 nothing leaves until the provider’s pause is over', async () => {
  const { made, sends, left, passes } = lane(10)
  void sends('a')
  made.pause(5_000)
  void sends('b')
  await passes('4.9 s')
  assert.equal(left.length, 1)
  await passes('0.1 s')
  assert.deepEqual(left.at(-1), ['b', 5_000])
})

test('a message whose time-out ends leaves without a turn', async () => {
  const { sends, left, passes } = lane(1)
  void sends('a', { units: 30 })
  const answer = sends('b', { timeoutMs: 15_000 })
  await passes('15 s')
  assert.equal(await answer, null)
  await passes('30 s')
  assert.deepEqual(left, [['a', 0]])
})

test('an unspent turn goes to the next message, once', async () => {
  const { turn, sends, left, passes } = lane(1)
  const unused = await turn()
  void sends('next')
  void sends('the one after')
  assert.deepEqual(left, [])
  unused?.end()
  unused?.end()
  assert.deepEqual(left, [['next', 0]])
  await passes('1 s')
  assert.deepEqual(left.at(-1), ['the one after', 1_000])
})

test('while a message is being prepared the next one does not exceed the rate', async () => {
  const { turn, sends, left, passes } = lane(1)
  const first = await turn()
  void sends('next')
  await passes('0.5 s')
  first?.spend(3)
  await passes('10 s')
  assert.deepEqual(left, [['next', 3_000]])
})

test('a wait that will be too long is reported once a burst', async () => {
  const { sends, told, passes } = lane(1)
  for (let n = 0; n < 70; n++) void sends(`${n}`)
  assert.deepEqual(told, [[61_000, 61]])
  await passes('10 min')
  void sends('later')
  assert.equal(told.length, 1)
  for (let n = 0; n < 70; n++) void sends(`${n}`)
  assert.equal(told.length, 2)
})

test('setting the clock back by a day stops nothing', async () => {
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

test('nothing leaves after close', async () => {
  const { made, sends, left, passes } = lane(1)
  void sends('a')
  void sends('b', { timeoutMs: 100 })
  made.close()
  await passes('1 min')
  assert.deepEqual(left, [['a', 0]])
})
