import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Item } from '../../console/api/types.ts'
import { hear as hearAt, quiet, ringing } from '../../console/logic/alarm.ts'
import { filtered, filterOf, isFiltering, NO_FILTER, queryOf } from '../../console/logic/board-filter.ts'
import { pinsGathered } from '../../console/logic/gathered-pins.ts'
import { keyReader } from '../../console/logic/keys.ts'
import { routeOf } from '../../console/logic/route.ts'
import { inSections, sectionOf, stagesOf } from '../../console/logic/sections.ts'
import { hiddenUrgent } from '../../console/logic/shift.ts'
import { APP_ID, idOf, itemOf } from './items.ts'

const NOW = Date.parse('2026-03-01T02:00:00Z')
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString()
const news = (what: NonNullable<Item['news']>['what'], seconds = 0) => ({ what, at: at(seconds) })
const item = (over: Partial<Item> = {}): Item => itemOf(1, NOW, { version: 1, ...over })

suite('the sections of the board', () => {
  const rows: readonly (readonly [string, Partial<Item>, string])[] = [
    ['nobody has looked', { news: news('pressed') }, 'new'],
    ['an earlier service says only that it is new', { new: true }, 'new'],
    ['taken, and pressed again', { urgency: 4, news: news('pressed_again') }, 'new'],
    ['nobody reached', { urgency: 0 }, 'unanswered'],
    ['the helper is overdue', { urgency: 2 }, 'unanswered'],
    ['a contact helps', { urgency: 3 }, 'coming'],
    ['taken', { urgency: 4 }, 'taken'],
    ['ended, its presses are put off', { urgency: 5, putOff: { until: at(60) } }, 'unanswered'],
  ]
  for (const [what, over, section] of rows) test(what, () => assert.equal(sectionOf(item(over)), section))

  test('the newest news is first; the others stay in order of urgency', () => {
    const items = [
      itemOf(1, NOW, { urgency: 0 }),
      itemOf(2, NOW, { urgency: 0, news: news('pressed', -60) }),
      itemOf(3, NOW, { urgency: 1 }),
      itemOf(4, NOW, { urgency: 4, news: news('message', -5) }),
    ]
    const found = inSections(items)
    assert.deepEqual(
      [found.new, found.unanswered].map((part) => part.map(({ incidentId }) => incidentId)),
      [
        [idOf(4), idOf(2)],
        [idOf(1), idOf(3)],
      ],
    )
  })

  test('the strip has the stages of this alarm, and the answer', () => {
    assert.deepEqual(stagesOf(item()), [])
    assert.deepEqual(
      stagesOf(item({ urgency: 3, progress: { message: 'done', others: 'failed' } })).map(({ name, state }) => [
        name,
        state,
      ]),
      [
        ['message', 'done'],
        ['others', 'failed'],
        ['answered', 'done'],
      ],
    )
  })

  test('a taken alarm rings when it is pressed again or loses its helper, until an operator has looked', () => {
    const hear = (alarm: typeof quiet, one: Item) => hearAt(alarm, NOW, one)
    const taken = hear(quiet, item({ urgency: 4 }))
    const rings = (alarm: typeof taken) => ringing(alarm, NOW, NOW)
    assert.equal(rings(taken), null)
    const again = hear(taken, item({ version: 2, urgency: 4, presses: 2, news: news('pressed_again') }))
    assert.equal(rings(again), 'alarm')
    assert.equal(rings(hear(again, item({ version: 2, urgency: 4, presses: 2 }))), null)
    assert.equal(rings(hear(taken, item({ version: 2, urgency: 3, news: news('helper_lost') }))), 'alarm')
    // A message is one tone, and a first look that is missing after an answer is none.
    for (const what of ['message', 'pressed'] as const)
      assert.equal(rings(hear(taken, item({ version: 2, urgency: 4, news: news(what) }))), null)
  })
})

suite('the filter of a screen', () => {
  test('stands in the address and comes back from it', () => {
    const group = 'Östliche Hütten & Co'
    const filter = { owner: 'nobody', app: APP_ID, group, area: [47, 11, 47.5, 12.25], state: 'new' } as const
    const query = queryOf(filter)
    const written = '%C3%96stliche%20H%C3%BCtten%20%26%20Co'
    assert.equal(query, `?owner=nobody&app=${APP_ID}&group=${written}&area=47,11,47.5,12.25&state=new`)
    assert.deepEqual(filterOf(query.slice(1)), filter)
    assert.equal(queryOf(NO_FILTER), '')
    assert.deepEqual(
      ['#/', `#/${query}`, `#/wall${query}`, '#/history'].map((hash) => routeOf(hash).view),
      ['board', 'board', 'wall', 'history'],
    )
  })

  test('a mistyped one hides nothing', () => {
    const areas = ['area=48,11,47,12', 'area=1,2,3', 'area=a,b,c,d']
    const groups = ['group=', 'group=%20', 'group=a,b', `group=${'a'.repeat(61)}`]
    for (const query of ['owner=x', ...areas, 'state=<b>', 'app=%00', 'app=', ...groups])
      assert.equal(isFiltering(filterOf(query)), false, query)
  })

  test('an alarm without a position is in every area, of a person without a group in none, and hidden ones are counted', () => {
    const warden = { name: 'Ana', phone: null, externalId: 'ana', groups: ['Wardens', 'Lake'] }
    const items = [
      itemOf(1, NOW),
      itemOf(2, NOW, { position: null, person: warden }),
      itemOf(3, NOW, { urgency: 4, news: news('pressed_again'), applicationId: idOf(500) }),
    ]
    const area = { ...NO_FILTER, area: [0, 0, 1, 1] as const }
    assert.deepEqual(filtered(items, area, null), [items[1]])
    assert.equal(hiddenUrgent(items, filtered(items, area, null)), 2)
    assert.deepEqual(filtered(items, { ...NO_FILTER, app: idOf(500) }, null), [items[2]])
    assert.deepEqual(filtered(items, { ...NO_FILTER, group: 'Lake' }, null), [items[1]])
    assert.deepEqual(filtered(items, { ...NO_FILTER, group: 'lake' }, null), [])
    assert.deepEqual(filtered(items, { ...NO_FILTER, state: 'unanswered' }, null), [items[0], items[1]])
    assert.equal(filtered(items, NO_FILTER, null), items)
  })
})

test('single keys: a pair begins with g, a held key only moves on, and those of the browser are its own', () => {
  const read = keyReader()
  const press = (key: string, over: object = {}, at = 0) =>
    read({ key, ctrlKey: false, metaKey: false, altKey: false, repeat: false, ...over }, at)
  assert.deepEqual(
    ['j', 'ArrowUp', 't', '?', 'x', 'constructor'].map((key) => press(key)),
    ['next', 'previous', 'take', 'help', null, null],
  )
  assert.deepEqual([press('g'), press('b')], [null, 'board'])
  assert.deepEqual([press('g'), press('t')], [null, 'take'])
  assert.deepEqual([press('g'), press('b', {}, 2000)], [null, null])
  assert.deepEqual([press('t', { repeat: true }), press('j', { repeat: true })], [null, 'next'])
  assert.equal(press('t', { ctrlKey: true }), null)
})

test('pins that would cover each other are one, of the most urgent, and an invented one stays alone', () => {
  const gather = pinsGathered((count) => `${count} alarms`)
  const pin = (id: string, latitude: number, over: object = {}) => ({ id, latitude, longitude: 11, ...over })
  const pins = [
    pin('a', 47, { look: 'good' }),
    pin('b', 47.001, { look: 'alarm' }),
    pin('c', 48, { look: 'good', text: '3' }),
    pin('d', 47, { isInvented: true }),
  ] as const
  const [many, ...alone] = gather(pins, 7).toSorted((one) => (one.ids ? -1 : 1))
  assert.deepEqual([many?.ids, many?.text, many?.title, many?.look], [['a', 'b'], '×2', '2 alarms', 'alarm'])
  assert.deepEqual(
    alone.map(({ id }) => id),
    ['c', 'd'],
  )
  assert.equal(gather(pins, many!.expands!).length, 4)
  assert.equal(gather(pins, 18).length, 4)
})
