import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from '../../console/api/types.ts'
import { endsOf, inMajorOrder, majorsOf, takeable } from '../../console/logic/major.ts'
import { processorMs } from '../harness/processor-time.ts'
import { itemOf } from './items.ts'

const NOW = Date.parse('2026-03-01T14:00:00Z')
const iso = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString()
/** About 111 m of latitude each. */
const placed = (n: number, minutes: number, north: number, over: Partial<Item> = {}): Item =>
  itemOf(n, NOW, {
    pressedAt: iso(minutes),
    position: { latitude: 47 + north / 1_000, longitude: 11, altitude: null, at: iso(minutes) },
    ...over,
  })
const nth = (items: readonly Item[]) => items.map(({ incidentId }) => Number(incidentId.slice(-4)))
const major = { id: itemOf(0, NOW).incidentId, startedAt: iso(0) }
const head = (state: 'safe' | 'handed_over') => ({ major: { ...major, head: { state, at: iso(1), name: 'Eva' } } })
const EVA = { operatorId: 'eva', name: 'Eva', at: iso(1) }
const IVO = { operatorId: 'ivo', name: 'Ivo', at: iso(1) }

test('alarms within 1 km and 30 min of the first press are offered as one, and no chain of them', () => {
  const offered = (...items: readonly Item[]) => majorsOf(items).offers.map((offer) => nth(offer.items))
  assert.deepEqual(offered(placed(1, 10, 5), placed(0, 0, 0), placed(2, 20, -8)), [[0, 1, 2]])
  assert.deepEqual(offered(placed(0, 0, 0), placed(1, 0, 9)), [], '1001 m')
  assert.deepEqual(offered(placed(0, 0, 0), placed(1, 31, 0)), [])
  // Each is near the next one: what is far from the first press is another event, or none.
  const chain = [placed(0, 0, 0), placed(1, 1, 6), placed(2, 2, 12), placed(3, 3, 18), placed(4, 4, 24)]
  assert.deepEqual(offered(...chain), [
    [0, 1],
    [2, 3],
  ])
  const across = { latitude: 0, longitude: 179.999, altitude: null, at: iso(0) }
  const west = { ...across, longitude: -179.999 }
  assert.deepEqual(offered(placed(0, 0, 0, { position: across }), placed(1, 0, 0, { position: west })), [[0, 1]])
})

test('an exercise, a simulation and an alarm without a position are offered with nothing', () => {
  const others = [
    placed(1, 0, 0, { drill: true }),
    placed(2, 0, 0, { drill: true, simulated: true }),
    placed(3, 0, 0, { position: null }),
    placed(4, 0, 0, { status: 'resolved', closedAt: iso(1) }),
  ]
  assert.deepEqual(majorsOf([placed(0, 0, 0), ...others]), { majors: [], offers: [] })
})

test('later alarms near one of its alarms are shown with a major incident, and grouped by nobody', () => {
  const open = [
    placed(0, 0, 0, { major }),
    placed(1, 25, 8, { major }),
    placed(2, 50, 15),
    placed(3, 50, 40),
    placed(4, 51, 41),
    placed(5, 50, 15, { position: null }),
  ]
  const { majors, offers } = majorsOf(open)
  assert.deepEqual(
    majors.map(({ id, items, near }) => [id, nth(items), nth(near)]),
    [[major.id, [0, 1], [2]]],
  )
  assert.deepEqual(
    offers.map(({ items }) => nth(items)),
    [[3, 4]],
  )
  const exercise = [placed(0, 0, 0, { major, drill: true }), placed(1, 0, 0)]
  assert.deepEqual(majorsOf(exercise).majors[0]?.near, [])
})

test('Take goes through those that nobody has, what has news first; End lists who is counted, others apart', () => {
  const items = [
    placed(0, 0, 0, { urgency: 4, takenBy: IVO, ...head('safe') }),
    placed(1, 1, 0, { urgency: 1 }),
    placed(2, 2, 0, { urgency: 3, news: { what: 'pressed_again', at: iso(3) } }),
    placed(3, 3, 0, { urgency: 4, takenBy: EVA, ...head('handed_over') }),
    placed(4, 4, 0, { urgency: 0, ...head('safe'), presses: 3 }),
    placed(5, 5, 0, { urgency: 5, status: 'resolved', closedAt: iso(6), ...head('safe') }),
  ]
  assert.deepEqual(nth(inMajorOrder(items)), [2, 4, 1, 0, 3, 5])
  assert.deepEqual(nth(takeable(items)), [2, 4, 1])
  const { mine, others } = endsOf(items, 'eva')
  assert.deepEqual(
    mine.map(({ item, presses, outcome }) => [...nth([item]), presses, outcome]),
    [
      [3, 1, 'handed_over'],
      [4, 3, 'found_safe'],
    ],
  )
  assert.deepEqual(nth(others), [0])
  assert.deepEqual(nth(endsOf(items, null).mine.map(({ item }) => item)), [4], 'a screen without an account')
})

test('a thousand alarms delay no row', async () => {
  const open = Array.from({ length: 1_000 }, (_, n) => placed(n, n % 30, n * 10))
  assert.ok((await processorMs(40, () => majorsOf(open))) < 40)
})
