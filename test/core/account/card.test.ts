import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { emptyCard, isBlank, isTicked, ownCardView, ticksFor } from '../../../src/core/account/card.ts'
import { cardUpdateSchema } from '../../../src/core/account/card-schema.ts'
import { cardRows, cardWords } from '../../../src/core/account/card-words.ts'
import type { Language } from '../../../src/core/text/phrases.ts'

const ANA = { id: 'ana', phone: '+4366011' }
const BEN = { id: 'ben', phone: '+4366022' }

// rules.md#card.
suite('the card of a person', () => {
  test('a tick is for a contact at a number', () => {
    const ticks = ticksFor(['ana', 'ana'], [ANA, BEN])
    assert.deepEqual(ticks, [{ contactId: 'ana', phone: '+4366011' }])
    const card = { ...emptyCard, note: 'Insulin', ticks: ticks! }
    assert.equal(isTicked(card, ANA), true)
    assert.equal(isTicked(card, BEN), false)
    assert.equal(isTicked(card, { ...ANA, phone: '+4366099' }), false)
    assert.deepEqual(ownCardView(card, [ANA, BEN], 0).contactIds, ['ana'])
    assert.deepEqual(ownCardView(card, [{ ...ANA, phone: '+4366099' }], 0).contactIds, [])
    assert.deepEqual(ownCardView(card, [], 0).contactIds, [])
    assert.equal(ticksFor(['mallory'], [ANA]), null)
    assert.deepEqual(ticksFor([], [ANA]), [])
  })

  test('a card with ticks alone is blank', () => {
    assert.equal(isBlank({ ...emptyCard, ticks: [{ contactId: 'ana', phone: '+1' }] }), true)
    for (const said of [{ languages: ['de'] }, { hearing: 'deaf' }, { yearOfBirth: 1961 }, { note: 'x' }] as const) {
      assert.equal(isBlank({ ...emptyCard, ...said }), false)
    }
  })

  test('what it takes, and what it refuses', () => {
    const takes = [
      {},
      { languages: null, hearing: null, yearOfBirth: null, peopleWithMe: null, vehicle: null, note: null },
      { languages: ['de', 'pt-BR'], hearing: 'deaf', yearOfBirth: 1900, note: 'a\nb', unknown: 7 },
    ]
    for (const given of takes) assert.equal(cardUpdateSchema.safeParse(given).success, true, JSON.stringify(given))
    const refuses = [
      { languages: 'de' },
      { languages: ['not a tag'] },
      { languages: Array(11).fill('de') },
      { hearing: 'good' },
      { yearOfBirth: 1899 },
      { yearOfBirth: 1961.5 },
      { yearOfBirth: '1961' },
      { peopleWithMe: 'x'.repeat(201) },
      { vehicle: ' ' },
      { note: 'x'.repeat(1001) },
      { note: '\ud800' },
      { contactIds: ['ana'] },
    ]
    for (const given of refuses) assert.equal(cardUpdateSchema.safeParse(given).success, false, JSON.stringify(given))
  })

  test('it reads in the language of the helper, without fields that say nothing', () => {
    const card = {
      ...emptyCard,
      languages: ['de', 'de-x'],
      hearing: 'hard_of_hearing',
      note: 'one\ntwo\u202e',
    } as const
    const texts = (language: Language) => cardRows(language, card).map(({ text }) => text)
    assert.deepEqual(texts('en'), ['German, de-x', 'hard of hearing', 'one\ntwo'])
    assert.deepEqual(texts('de').slice(0, 2), ['Deutsch, de-x', 'schwerhörig'])
    for (const language of Object.keys(cardWords) as Language[]) assert.equal(cardRows(language, card).length, 3)
    assert.deepEqual(cardRows('en', emptyCard), [])
  })
})
