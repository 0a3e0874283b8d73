import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Place, Places, type PlacesOptions } from '../../src/lib/places.ts'

/** Places for named connections, and the names of those that were ended, in order. */
function placesOf(options: PlacesOptions) {
  const places = new Places(options)
  const ended: string[] = []
  const held = new Map<string, Place>()
  return {
    places,
    ended,
    /** `b3` is the third connection of the address `b`. */
    take(name: string, maxPerAddress?: number): boolean {
      const place = places.take(name[0]!, () => void ended.push(name), maxPerAddress)
      if (place !== null) held.set(name, place)
      return place !== null
    },
    of: (name: string): Place => held.get(name)!,
  }
}

suite('places of one address', () => {
  test('the connection that has rested longest ends first, and work is not cut off', () => {
    const { take, of, ended } = placesOf({ max: 100, maxPerAddress: 3 })
    for (const name of ['a1', 'a2', 'a3']) take(name)
    of('a1').works()
    take('a4')
    assert.deepEqual(ended, ['a2'])
    of('a1').rests()
    take('a5')
    assert.deepEqual(ended, ['a2', 'a3'])
  })

  test('if all of an address’s connections work it gets no more, but other addresses do', () => {
    const { take, of, ended } = placesOf({ max: 100, maxPerAddress: 2 })
    for (const name of ['a1', 'a2']) {
      take(name)
      of(name).works()
    }
    assert.equal(take('a3'), false)
    assert.equal(take('b1'), true)
    assert.deepEqual(ended, [])
  })

  test('one address may have more', () => {
    const { take, places } = placesOf({ max: 100, maxPerAddress: 1 })
    for (const name of ['a1', 'a2', 'a3']) take(name, 50)
    assert.equal(places.taken, 3)
  })
})

suite('places of everybody', () => {
  test('the address with the most resting connections loses one', () => {
    const { take, of, ended, places } = placesOf({ max: 6, maxPerAddress: 10 })
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) take(name)
    of('a1').works()
    of('a2').works()
    assert.equal(take('d1'), true)
    assert.deepEqual(ended, ['b1'])
    assert.equal(places.taken, 6)
  })

  test('a connection that left no longer counts, however often it says so', () => {
    const { take, of, ended, places } = placesOf({ max: 2, maxPerAddress: 10 })
    take('a1')
    take('a2')
    of('a1').leaves()
    of('a1').leaves()
    of('a1').works()
    assert.equal(places.taken, 1)
    take('b1')
    assert.deepEqual(ended, [])
  })

  test('if everything works, a newcomer gets no place', () => {
    const { take, of } = placesOf({ max: 1, maxPerAddress: 10 })
    take('a1')
    of('a1').works()
    assert.equal(take('b1'), false)
  })

  test('with endsWorking the largest crowd loses a place to smaller ones, and to none larger', () => {
    const { take, of, ended } = placesOf({ max: 5, maxPerAddress: 10, endsWorking: true })
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) {
      take(name)
      of(name).works()
    }
    assert.equal(take('c1'), true)
    of('c1').works()
    assert.equal(take('c2'), true)
    of('c2').works()
    assert.deepEqual(ended, ['a1', 'a2'])
    assert.equal(take('c3'), false, 'two against two')
    assert.equal(take('a5'), false)
  })
})
