import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  contactPlacesOf,
  contactTrailOf,
  type NewestPositions,
  placesOf,
  relayedPositionOf,
  whereaboutsOf,
} from '../../../src/core/incident/places.ts'
import type { Position, PositionSource } from '../../../src/core/ingest/position.ts'
import { isoAfter, pressed } from '../build.ts'

/** A position of that second, whose latitude says which it is. */
const at = (second: number, source?: PositionSource): Position => ({
  latitude: second / 1000,
  longitude: 11,
  altitude: null,
  at: isoAfter(second),
  ...(source && { source }),
})
const own = (second: number) => at(second, 'session')
const tracker = (second: number) => at(second, 'device')
const other = (second: number) => at(second, 'other')
const nothing: NewestPositions = { own: null, ofDevice: null, listed: null, other: null }

type Row = readonly [
  name: string,
  newest: Partial<NewestPositions>,
  last: Position | null,
  relayed: Position | null,
  places: readonly Position[],
]

// rules.md#positions.
const table: readonly Row[] = [
  ['nothing', {}, null, null, []],
  ['own alone', { own: own(10) }, own(10), null, [own(10)]],
  ['one of an earlier version is own', { own: at(10), other: other(20) }, at(10), other(20), [at(10), other(20)]],
  ['another user’s alone', { other: other(10) }, other(10), null, [other(10)]],
  ['an older one of another user', { own: own(10), other: other(9) }, own(10), null, [own(10)]],
  ['one at the same moment', { own: own(10), other: other(10) }, own(10), null, [own(10)]],
  ['a newer one within 15 min', { own: own(0), other: other(900) }, own(0), other(900), [own(0), other(900)]],
  ['a newer one after 15 min', { own: own(0), other: other(901) }, other(901), null, [other(901), own(0)]],
  [
    'the tracker that was pressed before a newer phone',
    { own: own(60), ofDevice: tracker(0) },
    tracker(0),
    null,
    [tracker(0), own(60)],
  ],
  [
    'the tracker that was pressed long ago stands first, but the phone counts',
    { own: own(901), ofDevice: tracker(0) },
    own(901),
    null,
    [tracker(0), own(901)],
  ],
  [
    'own ones before that of another user',
    { own: own(60), ofDevice: tracker(0), other: other(120) },
    tracker(0),
    other(120),
    [tracker(0), own(60), other(120)],
  ],
]

suite('where the person is', () => {
  const { incident } = pressed({})
  for (const [name, newest, last, relayed, places] of table) {
    test(name, () => {
      const found = whereaboutsOf({ ...nothing, ...newest })
      assert.deepEqual(found.lastPosition, last)
      assert.deepEqual(relayedPositionOf(found), relayed)
      assert.deepEqual(placesOf(incident, found), places)
    })
  }

  const raised = { ...incident, raisedByOthers: { deviceId: 'TRK-1', at: isoAfter(30) } }

  test('one through another user stands first only if it came in the press itself', () => {
    const inPress = whereaboutsOf({ ...nothing, own: own(0), other: other(30) })
    assert.deepEqual(placesOf(raised, inPress), [other(30), own(0)])
    const later = whereaboutsOf({ ...nothing, own: own(0), other: other(31) })
    assert.deepEqual(placesOf(raised, later), [own(0), other(31)])
    assert.deepEqual(placesOf(incident, inPress), [own(0), other(30)])
  })

  test('contacts see nothing else than what came through relays, until an operator has taken it', () => {
    const found = whereaboutsOf({ ...nothing, own: own(90), listed: at(40, 'relay'), other: other(30) })
    assert.deepEqual(contactPlacesOf(raised, found), [at(40, 'relay'), other(30)])
    const trail = [own(0), other(30), at(40, 'relay'), own(90)]
    assert.deepEqual(contactTrailOf(raised, trail), [other(30), at(40, 'relay')])
    const taken = { ...raised, takenBy: { at: 0, name: 'Ben' } }
    assert.deepEqual(contactPlacesOf(taken, found), [own(90)])
    assert.deepEqual(contactTrailOf(taken, trail), [own(0), at(40, 'relay'), own(90)])
  })

  test('contacts see no place once the owner has ended what others had raised', () => {
    const closing = { by: 'user', name: null, hours: null } as const
    const found = whereaboutsOf({ ...nothing, own: own(0), other: other(30) })
    assert.deepEqual(contactPlacesOf({ ...raised, closing }, found), [])
    assert.deepEqual(contactTrailOf({ ...raised, closing }, [own(0), other(30)]), [])
    // The control: an alarm of their own keeps what was shown last.
    assert.deepEqual(contactPlacesOf({ ...incident, closing }, found), [own(0), other(30)])
  })
})
