import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lane, type LaneEntry, type Turn } from '../../../src/app/sending/lane.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

type Sending = Partial<LaneEntry> & { readonly units?: number }

/** A lane on a virtual clock. `sends` lets something in under a name; `left` has who left when, in ms. */
function lane(perSecond: number, { maxAtOnce = 100, hasFallback = false } = {}) {
  const clock = new VirtualClock(0)
  const left: [name: string, at: number][] = []
  const waits: number[] = []
  const told: [waitMs: number, waiting: number][] = []
  const made = new Lane({
    rate: { perSecond, maxAtOnce },
    clock,
    hasFallback,
    onTurn: (waitedMs) => waits.push(waitedMs),
    onLongWait: (waitMs, waiting) => told.push([waitMs, waiting]),
  })
  const place: LaneEntry = { rank: 0, since: 0, longWaitMs: 60_000, patienceMs: null }
  /** Its name when `work` has ended, null where it left the lane without a turn. */
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

test('with a fallback nothing waits out a pause', async () => {
  const { made, sends, left, passes } = lane(1, { hasFallback: true })
  const all = [sends('a'), sends('b'), sends('c', { patienceMs: 5_000 })]
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

test('a turn that was not spent goes to the next, once', async () => {
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

test('while a message is made ready the next one does not overtake the rate', async () => {
  const { turn, sends, left, passes } = lane(1)
  const first = await turn()
  void sends('next')
  await passes('0.5 s')
  first?.spend(3)
  await passes('10 s')
  assert.deepEqual(left, [['next', 3_000]])
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
