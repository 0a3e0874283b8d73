import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lane, type LaneEntry, type Turn } from '../../../src/app/sending/lane.ts'
import { createTextSender } from '../../../src/app/sending/text-sender.ts'
import { sharedAccount } from '../../../src/app/sending/turn-source.ts'
import { decideTurns, NEW_SHARED_ACCOUNT, type SharedAccount } from '../../../src/core/pacing/shared-account.ts'
import type { TurnStore } from '../../../src/ports/node-store.ts'
import { StoreError } from '../../../src/ports/store.ts'
import { textNotification } from '../../harness/text-notification.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

// Lanes of several nodes before one account in a database, all on one virtual clock.

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

type Options = { readonly maxAtOnce?: number; readonly hasFallback?: boolean; readonly roundTripMs?: number }
type Left = { readonly name: string; readonly node: string; readonly at: number; readonly rank: number }

/** A provider that takes `perSecond`, and nodes that share it. `left` records what left, where and when (ms). */
function site(perSecond: number, { maxAtOnce = 100, hasFallback = false, roundTripMs = 2 }: Options = {}) {
  const clock = new VirtualClock(1_000_000)
  const startedAt = clock.now()
  const left: Left[] = []
  const database = {
    row: JSON.stringify(NEW_SHARED_ACCOUNT),
    aheadMs: 0,
    asked: 0,
    is: 'up' as 'up' | 'down' | 'mute' | 'closed',
  }
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
  const storeOf = (node: string): TurnStore => ({
    async takeTurns(_account, request) {
      database.asked += 1
      if (database.is === 'mute') return new Promise(() => {})
      await wait(roundTripMs / 2)
      if (database.is === 'down') throw new Error('connection refused')
      if (database.is === 'closed') throw new StoreError('the store is closed', 'closed')
      const before: SharedAccount = JSON.parse(database.row)
      const { account, answer } = decideTurns(before, { ...request, node }, clock.now() + database.aheadMs)
      database.row = JSON.stringify(account)
      await wait(roundTripMs / 2)
      return answer
    },
  })
  const node = (name: string) => {
    let isFrozen = false
    const warnings: string[] = []
    const log = { info() {}, warn: (_about: unknown, text: string) => void warnings.push(text), error() {} }
    const store = storeOf(name)
    const mortal: TurnStore = {
      takeTurns: (...args) => (isFrozen ? new Promise(() => {}) : store.takeTurns(...args)),
    }
    const lane = new Lane({
      rate: { perSecond, maxAtOnce },
      clock,
      account: sharedAccount('twilio:sms:', { store: mortal, clock, log }),
      hasFallback,
      onTurn() {},
      onLongWait() {},
    })
    /** Resolves with null if it left the lane without a turn. `work`: what is done with the turn. */
    const sends = (
      message: string,
      place: Partial<LaneEntry> = {},
      work: (turn: Turn) => void = (turn) => {
        turn.spend(1)
        turn.end()
      },
    ) =>
      new Promise<string | null>((resolve) => {
        const { rank = 0 } = place
        lane.enter({ rank, since: 0, longWaitMs: 60_000, timeoutMs: null, ...place }, (turn) => {
          if (turn === null) return resolve(null)
          if (isFrozen) return
          left.push({ name: message, node: name, at: clock.now() - startedAt, rank })
          work(turn)
          resolve(message)
        })
      })
    const dies = () => {
      isFrozen = true
    }
    return { name, lane, sends, dies, warnings }
  }
  const names = () => left.map(({ name }) => name)
  return { clock, database, node, left, names, passes: (text: string) => clock.advance(text, settled) }
}

/** `count` messages named after their node. */
const backlog = (
  { name, sends }: { name: string; sends: (name: string, place: Partial<LaneEntry>) => unknown },
  count: number,
  place: Partial<LaneEntry>,
) => {
  for (let n = 0; n < count; n++) void sends(`${name}${n}`, place)
}

for (const perSecond of [1, 10, 200]) {
  test(`two nodes together keep to ${perSecond} a second, and use it`, async () => {
    const { node, left, passes } = site(perSecond)
    const seconds = 20
    for (const one of [node('a'), node('b')]) backlog(one, perSecond * seconds, { rank: 1 })
    await passes(`${seconds} s`)
    const burst = perSecond > 10 ? perSecond / 4 : 0.025 * perSecond
    for (const { at } of left) {
      const within = left.filter((other) => other.at >= at && other.at < at + 1_000).length
      assert.ok(within <= perSecond + 1 + burst, `${within} within a second`)
    }
    assert.ok(left.length >= 0.97 * perSecond * seconds, `${left.length} left`)
    assert.ok(left.length <= perSecond * seconds + 1 + burst, `${left.length} left`)
    const ofA = left.filter((one) => one.node === 'a').length
    assert.ok(Math.abs(ofA / left.length - 0.5) < 0.1, `${ofA} of ${left.length} left node a`)
  })
}

test('far from the database a node gets as much as one beside it', async () => {
  const { node, left, passes } = site(10, { roundTripMs: 40 })
  for (const one of [node('a'), node('b')]) backlog(one, 200, { rank: 1 })
  await passes('20 s')
  const ofA = left.filter((one) => one.node === 'a').length
  assert.ok(left.length > 170, `${left.length} left`)
  assert.ok(Math.abs(ofA / left.length - 0.5) < 0.1, `${ofA} of ${left.length} left node a`)
})

for (const perSecond of [1, 10, 200]) {
  test(`at ${perSecond} a second no first alarm of a node waits behind the repeats of another`, async () => {
    const { clock, node, left, passes } = site(perSecond)
    const [a, b] = [node('a'), node('b')]
    backlog(a, 100 * perSecond, { rank: 1 })
    const entered = new Map<string, number>()
    const begin = clock.now()
    for (let n = 0; n < 10; n++) {
      await passes(`${1_370 + 13 * n} ms`)
      entered.set(`alarm ${n}`, clock.now() - begin)
      void b.sends(`alarm ${n}`, { rank: 0, since: 10 + n })
    }
    await passes('3 s')
    for (const [name, since] of entered) {
      const { at } = left.find((one) => one.name === name) ?? assert.fail(`${name} did not leave`)
      // One interval, and the way to the database and back.
      assert.ok(at - since <= 1_000 / perSecond + 10, `${name} waited ${at - since} ms`)
      // What was granted before the database heard of it may leave in the meantime.
      const ahead = left.filter((one) => one.rank === 1 && one.at > since + 2 && one.at <= at)
      assert.deepEqual(ahead, [])
    }
    assert.ok(left.some(({ node: of }) => of === 'a'))
  })
}

test('of messages of one rank the older goes first, wherever it waits', async () => {
  const { node, names, passes } = site(1)
  const [a, b] = [node('a'), node('b')]
  void a.sends('whoever came')
  await passes('10 ms')
  for (const since of [1, 3, 5]) void a.sends(`${since}`, { since })
  for (const since of [2, 4, 6]) void b.sends(`${since}`, { since })
  await passes('10 s')
  assert.deepEqual(names(), ['whoever came', '1', '2', '3', '4', '5', '6'])
})

test('a text of three segments holds up the messages of other nodes as well', async () => {
  const { node, left, passes } = site(1)
  const [a, b] = [node('a'), node('b')]
  void a.sends('long', {}, (turn) => {
    turn.spend(3)
    turn.end()
  })
  await passes('100 ms')
  void b.sends('short')
  await passes('5 s')
  const [long, short] = left
  assert.ok(short!.at - long!.at >= 2_975 && short!.at - long!.at < 3_100)
})

test('a turn given back goes to the message that comes first, on whichever node', async () => {
  const { node, names, passes } = site(1)
  const [a, b] = [node('a'), node('b')]
  // Another node has claimed it: its turn is not used.
  void a.sends('gone', {}, (turn) => turn.end())
  void a.sends('repeat', { rank: 1 })
  void b.sends('alarm', { since: 1 })
  await passes('900 ms')
  assert.deepEqual(names().slice(0, 2), ['gone', 'alarm'])
  await passes('2 s')
  assert.deepEqual(names(), ['gone', 'alarm', 'repeat'])
})

test('a 429 at one node pauses all', async () => {
  const { node, left, passes } = site(10)
  const [a, b] = [node('a'), node('b')]
  backlog(b, 100, { rank: 1 })
  await passes('1 s')
  a.lane.pause(5_000)
  await passes('5 ms')
  const before = left.length
  await passes('4.9 s')
  assert.equal(left.length, before)
  await passes('1.2 s')
  assert.ok(left.length >= before + 9)
})

test('with a fallback no node waits out a pause of another', async () => {
  const { node, names, passes } = site(1, { hasFallback: true })
  const [a, b] = [node('a'), node('b')]
  a.lane.pause(10_000)
  await passes('10 ms')
  const answers = [b.sends('first'), b.sends('second')]
  await passes('10 ms')
  assert.deepEqual(await Promise.all(answers), [null, null])
  assert.equal(await b.sends('third'), null)
  assert.deepEqual(names(), [])
})

test('a node that dies while its message is next holds up the others for less than a second, once', async () => {
  const { node, left, passes } = site(1)
  const [a, b] = [node('a'), node('b')]
  void a.sends('sent')
  backlog(a, 10, { rank: 0, since: 1 })
  backlog(b, 10, { rank: 1, since: 2 })
  await passes('1.5 s')
  a.dies()
  const before = left.length
  await passes('4.5 s')
  const after = left.slice(before).map(({ node: of, at }) => [of, at])
  assert.deepEqual(
    after.map(([of]) => of),
    ['b', 'b', 'b', 'b'],
  )
  assert.ok(Number(after[0]![1]) < 3_000, `${after[0]![1]} ms`)
})

test('each node may have its share of the requests in flight; that of a dead one comes back', async () => {
  const { node, left, passes } = site(1000, { maxAtOnce: 6 })
  const [a, b] = [node('a'), node('b')]
  const never = (turn: Turn) => turn.spend(1)
  void a.sends('a', {}, (turn) => turn.end())
  await passes('10 ms')
  for (let n = 0; n < 10; n++) void b.sends(`b${n}`, {}, never)
  await passes('1 s')
  assert.equal(left.filter((one) => one.node === 'b').length, 3)
  a.dies()
  await passes('16 s')
  assert.equal(left.filter((one) => one.node === 'b').length, 6)
})

for (const is of ['down', 'mute'] as const) {
  test(`while the database is ${is}, a node goes on by itself at its own rate, then with the others again`, async () => {
    const { database, node, left, passes } = site(2)
    const [a, b] = [node('a'), node('b')]
    void a.sends('first')
    await passes('1 s')
    database.is = is
    const before = left.length
    backlog(a, 100, {})
    await passes('10 s')
    const alone = left.length - before
    assert.ok(alone >= 8 && alone <= 21, `${alone} left`)
    assert.ok(a.warnings.length > 0 && a.warnings.length <= 10)
    database.is = 'up'
    await passes('2 s')
    const again = left.length
    backlog(b, 100, {})
    await passes('10 s')
    assert.ok(left.length - again <= 21 && left.length - again >= 19, `${left.length - again} left`)
    assert.ok(left.slice(again).some((one) => one.node === 'b'))
  })
}

test('a pause that begins while the database is away is told when it is back', async () => {
  const { database, node, left, passes } = site(10)
  const [a, b] = [node('a'), node('b')]
  database.is = 'down'
  a.lane.pause(10_000)
  void a.sends('waits')
  await passes('3 s')
  database.is = 'up'
  await passes('1.5 s')
  void a.sends('asks')
  await passes('10 ms')
  void b.sends('waits too')
  await passes('5 s')
  assert.deepEqual(left, [])
  await passes('1 s')
  assert.equal(left.length, 3)
})

for (const [jump, ms] of [
  ['back by a day', -86_400_000],
  ['forward by a day', 86_400_000],
] as const) {
  test(`a database clock that is set ${jump} stops nothing and loosens nothing`, async () => {
    const { database, node, left, passes } = site(2)
    const [a, b] = [node('a'), node('b')]
    backlog(a, 100, {})
    backlog(b, 100, {})
    await passes('2.1 s')
    database.aheadMs = ms
    const before = left.length
    await passes('10 s')
    assert.ok(left.length - before >= 19 && left.length - before <= 22, `${left.length - before} left`)
  })
}

test('a node whose own clock is set keeps its turns', async () => {
  const { clock, database, node, left, passes } = site(2)
  const a = node('a')
  backlog(a, 100, {})
  await passes('2.1 s')
  const before = left.length
  clock.set(-86_400_000)
  // The clock is that of the node alone.
  database.aheadMs += 86_400_000
  await passes('10 s')
  assert.ok(left.length - before >= 19 && left.length - before <= 21, `${left.length - before} left`)
})

test('a lane that closes leaves nothing behind that others wait for, and uses no turn any more', async () => {
  const { node, left, passes } = site(1)
  const [a, b] = [node('a'), node('b')]
  void a.sends('sent')
  await passes('100 ms')
  backlog(a, 10, { rank: 0 })
  void b.sends('repeat', { rank: 1 })
  await passes('100 ms')
  a.lane.close()
  await passes('1 s')
  assert.deepEqual(
    left.map(({ name }) => name),
    ['sent', 'repeat'],
  )
})

test('an idle lane asks nothing, and a waiting one a few times a second', async () => {
  const { database, node, passes } = site(0.1)
  const a = node('a')
  await passes('1 min')
  assert.equal(database.asked, 0)
  void a.sends('first')
  await passes('1 s')
  assert.equal(database.asked, 1)
  void a.sends('second')
  await passes('5 s')
  assert.ok(database.asked < 25, `asked ${database.asked} times`)
})

test('a message that ends after the store was closed leaves neither a warning nor a timer', async () => {
  const { clock, database, node, passes } = site(1)
  const a = node('a')
  const { promise, resolve } = Promise.withResolvers<Turn>()
  void a.sends('sent', {}, resolve)
  await passes('100 ms')
  a.lane.close()
  database.is = 'closed'
  ;(await promise).end()
  await passes('10 ms')
  assert.deepEqual([a.warnings, clock.pending], [[], 0])
})

for (const [where, shares, count] of [
  ['on one box', false, 3],
  ['where nodes share its account', true, 2],
] as const) {
  test(`what a provider takes ahead, ${where}`, async () => {
    const clock = new VirtualClock(1_000_000)
    let row = NEW_SHARED_ACCOUNT
    const takeTurns: TurnStore['takeTurns'] = async (_account, request) => {
      assert.ok(request.wanted + request.underWay <= 2, 'it asks for none that it may not have')
      const { account, answer } = decideTurns(row, { ...request, node: 'a' }, clock.now())
      row = account
      return answer
    }
    const rate = { perSecond: 1000, maxAtOnce: 2, ahead: 1 }
    let sending = 0
    const provider = {
      name: 'twilio',
      channels: ['sms'] as const,
      rate: { sms: rate, voice: rate },
      send() {
        sending += 1
        return new Promise<never>(() => {})
      },
      lookUp: async () => assert.fail(),
    }
    const log = { info() {}, warn() {}, error() {} }
    const meter = { count() {}, observe() {} }
    const chain = createTextSender([provider], { clock, log, meter, ...(shares && { turns: { takeTurns } }) })
    for (let n = 0; n < 5; n++) void chain.send(textNotification({ attemptId: `i.${n}`, timeoutMs: 60_000 }))
    await clock.advance('1 s', settled)
    assert.equal(sending, count)
  })
}
