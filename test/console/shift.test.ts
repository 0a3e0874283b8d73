import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item, Shift } from '../../console/api/types.ts'
import { hiddenUrgent, isLoud, ofOwner, shiftNews } from '../../console/logic/shift.ts'
import { itemOf } from './items.ts'

const NOW = Date.parse('2026-03-01T06:00:00Z')
const iso = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString()
const [EVA, IVO] = [{ operatorId: 'eva', name: 'Eva' } as const, { operatorId: 'ivo', name: 'Ivo' } as const]

const takenBy = (
  by: { readonly operatorId: string; readonly name: string },
  from?: NonNullable<Item['takenBy']>['from'],
) => ({
  takenBy: { ...by, at: iso(-1), ...(from && { from }) },
})
const items = [
  itemOf(0, NOW, { urgency: 4, ...takenBy(EVA) }),
  itemOf(1, NOW, { urgency: 1 }),
  itemOf(2, NOW, { urgency: 4, ...takenBy(IVO) }),
  itemOf(3, NOW, { urgency: 2, ...takenBy(IVO) }),
]

test('a filter says how many it hides that need somebody', () => {
  const ids = (owner: Parameters<typeof ofOwner>[1]) => ofOwner(items, owner, 'eva').map((item) => items.indexOf(item))
  assert.deepEqual([ids('all'), ids('mine'), ids('nobody')], [[0, 1, 2, 3], [0], [1]])
  assert.equal(hiddenUrgent(items, ofOwner(items, 'mine', 'eva')), 2)
  assert.equal(hiddenUrgent(items, ofOwner(items, 'nobody', 'eva')), 1)
  assert.deepEqual(ofOwner(items, 'mine', null), [])
})

const offer = (over: Partial<Shift['handOvers'][number]> = {}): Shift['handOvers'][number] => ({
  ...{ from: EVA, to: IVO, offeredAt: iso(-1), endsAt: iso(4), state: 'offered', answeredAt: null },
  ...over,
})
const newsFor = (me: string, given: Partial<Parameters<typeof shiftNews>[0]> = {}) =>
  shiftNews({ offers: [], items: [], me, now: NOW, putAway: new Set(), ...given })

test('an offer is shown to both until it is answered; one that lapses is told to the giver, whatever the service said last', () => {
  const told = (me: string, now: number, one = offer()) =>
    newsFor(me, { offers: [one], now }).map((news) => [news.kind === 'answered' ? news.state : news.kind, isLoud(news)])
  assert.deepEqual(told('ivo', NOW), [['offered', true]])
  assert.deepEqual(told('eva', NOW), [['waiting', false]])
  assert.deepEqual(told('ivo', NOW + 4 * 60_000), [])
  assert.deepEqual(told('eva', NOW + 4 * 60_000), [['lapsed', true]])
  for (const [state, loud] of [
    ['accepted', false],
    ['declined', true],
  ] as const) {
    assert.deepEqual(told('eva', NOW, offer({ state })), [[state, loud]])
    assert.deepEqual(told('ivo', NOW, offer({ state })), [])
  }
})

test('who had an alarm is told who has taken it over, once, and not after a hand-over', () => {
  const [taken] = newsFor('eva', { items: [itemOf(0, NOW, takenBy(IVO, EVA))] })
  assert.deepEqual([taken?.kind, taken?.kind === 'taken' && taken.by], ['taken', 'Ivo'])
  assert.equal(isLoud(taken!), true)
  const given = { items: [itemOf(0, NOW, takenBy(IVO, EVA))] }
  assert.deepEqual(newsFor('eva', { ...given, putAway: new Set([taken!.key]) }), [])
  assert.deepEqual(newsFor('ivo', given), [])
  assert.deepEqual(newsFor('eva', { items: [itemOf(0, NOW, takenBy(IVO, { ...EVA, agreed: true }))] }), [])
})
