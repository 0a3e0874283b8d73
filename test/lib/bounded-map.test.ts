import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedMap } from '../../src/lib/bounded-map.ts'

test('a further entry replaces the one that was set longest ago', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 1).set('a', 2)
  assert.deepEqual(
    [...map],
    [
      ['b', 1],
      ['a', 2],
    ],
  )
  assert.equal(map.get('b'), 1, 'reading it is not setting it')
  map.set('c', 1)
  assert.deepEqual([...map.keys()], ['a', 'c'])
})
