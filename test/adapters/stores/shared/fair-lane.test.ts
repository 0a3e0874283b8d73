import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairLane } from '../../../../src/adapters/stores/shared/fair-lane.ts'

const item = (name: string, bytes = 1) => ({ sender: name[0]!, name, bytes })
const names = (items: readonly { name: string }[]) => items.map(({ name }) => name)

function laneOf(turn: number, ...all: readonly string[]) {
  const lane = new FairLane<ReturnType<typeof item>>(turn)
  for (const name of all) lane.add(item(name))
  return lane
}

test('senders take turns in order of arrival, and each keeps its own order', () => {
  const lane = laneOf(1, 'a1', 'a2', 'a3', 'b1', 'c1', 'b2')
  assert.deepEqual(names(lane.take({ items: 4, bytes: 100 })), ['a1', 'b1', 'c1', 'a2'])
  lane.add(item('c2'))
  assert.deepEqual(names(lane.take({ items: 10, bytes: 100 })), ['b2', 'a3', 'c2'])
  assert.deepEqual([lane.length, lane.bytes], [0, 0])
})

test('a backlog of thousands holds up no other sender', () => {
  const lane = laneOf(8)
  for (let n = 0; n < 10_000; n += 1) lane.add(item(`a${n}`))
  lane.add(item('b'))
  assert.ok(names(lane.take({ items: 500, bytes: 1e6 })).includes('b'))
})

test('one sender gets no more than the limit, however much is taken', () => {
  const lane = laneOf(1, 'a1', 'a2', 'a3', 'b1', 'b2', 'c1')
  assert.deepEqual(names(lane.take({ items: 10, bytes: 100, itemsOfOne: 2 })), ['a1', 'b1', 'c1', 'a2', 'b2'])
  assert.deepEqual(names(lane.take({ items: 10, bytes: 100, itemsOfOne: 2 })), ['a3'])
  const turns = laneOf(3, 'a1', 'a2', 'a3', 'a4', 'a5', 'b1')
  assert.deepEqual(names(turns.take({ items: 10, bytes: 100, itemsOfOne: 4 })), ['a1', 'a2', 'a3', 'b1', 'a4'])
  assert.equal(turns.length, 1)
})

test('a turn may be several items, and ends with the bytes of a batch', () => {
  const lane = laneOf(2, 'a1', 'a2', 'a3', 'b1')
  assert.deepEqual(names(lane.take({ items: 10, bytes: 1 })), ['a1'])
  assert.deepEqual(names(lane.take({ items: 10, bytes: 3 })), ['a2', 'a3', 'b1'])
  lane.add(item('large', 1000))
  assert.equal(lane.bytesOf('l'), 1000)
  assert.deepEqual(names(lane.take({ items: 10, bytes: 1 })), ['large'])
})

test('length and bytes stay right in any order of taking', () => {
  const lane = laneOf(3)
  const taken: string[] = []
  for (let n = 0; n < 2000; n += 1) {
    lane.add(item(`${'abcdefg'[n % 7]}${n}`, n % 5))
    if (n % 3 === 0) taken.push(...names(lane.take({ items: (n % 4) + 1, bytes: 7, itemsOfOne: (n % 3) + 1 })))
  }
  taken.push(...names(lane.take({ items: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY })))
  assert.deepEqual([lane.length, lane.bytes, new Set(taken).size], [0, 0, 2000])
  for (const sender of 'abcdefg') {
    const own = taken.filter((name) => name.startsWith(sender)).map((name) => Number(name.slice(1)))
    assert.deepEqual(
      own,
      own.toSorted((a, b) => a - b),
    )
  }
})

test('a busy sender keeps its place and its items, and the others go on', () => {
  const lane = new FairLane<{ sender: string; bytes: number; n: number }>(1)
  for (const [n, sender] of ['a', 'b', 'a', 'b'].entries()) lane.add({ sender, bytes: 1, n })
  const taken = (busy: string) =>
    lane.take({ items: 1, bytes: 10, isBusy: ({ sender }) => sender === busy }).map(({ n }) => n)
  assert.deepEqual(taken('a'), [1])
  assert.deepEqual(taken('b'), [0])
  assert.deepEqual([...taken('a'), ...taken('a')], [3])
  assert.equal(lane.length, 1)
  assert.deepEqual(taken('nobody'), [2])
})
