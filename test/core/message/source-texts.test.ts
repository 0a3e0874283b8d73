import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { messageText } from '../../../src/core/message/message-text.ts'
import { isGsm7, segmentsOf } from '../../../src/core/text/gsm7.ts'
import { phrases } from '../../../src/core/text/phrases.ts'
import { sourceText, sourceWords } from '../../../src/core/text/source-words.ts'
import { factsOf, MINUTE, positionOf } from './facts.ts'

const relayed = { ...positionOf(MINUTE, 46.1, 11.1), source: 'other' } as const
const phone = { ...positionOf(12 * MINUTE, 47.2, 12.2), source: 'session' } as const

// rules.md#positions, rules.md#relays.
suite('a second place in messages', () => {
  test('is given with its source and age', () => {
    const facts = factsOf({ position: relayed, otherPlaces: [phone] })
    const sms = messageText('sms', 'alarm', ['en'], facts)
    assert.match(sms, /46\.1000,11\.1000/)
    assert.match(sms, /tracker, through another user, 1 min ago/)
    assert.match(sms, /47\.2000,12\.2000.*phone, 12 min ago/)
    assert.ok(segmentsOf(sms) <= 2, sms)
    for (const form of ['voice', 'chat'] as const) {
      const text = messageText(form, 'alarm', ['en'], facts)
      assert.match(text, /tracker, through another user, 1 minute ago/)
      assert.match(text, /phone, 12 minutes ago/)
    }
  })

  test('is left out before anything of the first, and fits in every language', () => {
    for (const language of Object.keys(phrases)) {
      for (const who of ['Mia', 'Maximiliane Hohenberger-Schwarzenbach von Oberstaufen']) {
        const late = { pressedAt: phone.at.length, receivedAt: Date.parse(relayed.at) }
        const facts = factsOf({ who, position: relayed, otherPlaces: [phone], raisedThrough: 'TRK-1', ...late })
        const sms = messageText('sms', 'alarm', [language], facts)
        assert.ok(isGsm7(sms) && segmentsOf(sms) <= 2, sms)
        assert.match(sms, /46\.1000,11\.1000/)
        assert.match(sms, /TRK-1/)
      }
    }
  })

  test('who has raised it is said in calls as well', () => {
    for (const form of ['sms', 'voice', 'chat'] as const) {
      const text = messageText(form, 'alarm', ['en'], factsOf({ position: relayed, raisedThrough: 'TRK-1' }))
      assert.match(text, /Raised through .?TRK-1.?, by another user of the service\./u, form)
    }
  })

  test('a single own place is given as it always was', () => {
    const without = messageText('sms', 'alarm', ['en'], factsOf({ position: positionOf(12 * MINUTE, 47.2, 12.2) }))
    assert.equal(messageText('sms', 'alarm', ['en'], factsOf({ position: phone })), without)
  })

  test('every language has words that an SMS can hold', () => {
    for (const language of Object.keys(phrases) as (keyof typeof phrases)[]) {
      assert.ok(Object.values(sourceWords[language]).every((text) => isGsm7(text.replace('{device}', ''))))
      assert.match(sourceWords[language].raised, /\{device\}/)
      assert.equal(sourceText(language, {}), null)
    }
  })
})
