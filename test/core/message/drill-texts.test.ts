import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { answerReplyText } from '../../../src/core/message/answer-texts.ts'
import type { Facts } from '../../../src/core/message/facts.ts'
import { messageText, type TextForm, type TextPurpose } from '../../../src/core/message/message-text.ts'
import { isGsm7, segmentsOf } from '../../../src/core/text/gsm7.ts'
import { closings, factsOf, forms, LINK, MINUTE, NOW, positionOf, purposes } from './facts.ts'

const prefixes = {
  en: 'EXERCISE: ',
  de: 'ÜBUNG: ',
  fr: 'EXERCICE : ',
  it: 'ESERCITAZIONE: ',
  es: 'SIMULACRO: ',
} as const
const languages = Object.entries(prefixes)
const say = (form: TextForm, purpose: TextPurpose, language: string, changes: Partial<Facts> = {}) =>
  messageText(form, purpose, [language], factsOf({ isDrill: true, ...changes }))

const again = { pressedAt: NOW - 20_000, receivedAt: NOW - 15_000 }
const occasions: readonly Partial<Facts>[] = [
  {},
  { position: null },
  { pressedAt: NOW - 34 * MINUTE },
  { again },
  { lostHelper: { name: 'Ana', hasWithdrawn: false } },
  { overdue: { dueAt: NOW, note: 'Glungezer' } },
  { who: 'M'.repeat(300) },
  { who: '美咲'.repeat(40) },
  { who: '' },
  { answerCode: '470' },
  ...closings,
]

// preparing.md#drills.
suite('texts of a drill', () => {
  for (const [language, prefix] of languages) {
    test(`${language}: every text begins with the word for exercise, however it is cut`, () => {
      for (const form of forms) {
        for (const purpose of purposes) {
          for (const changes of occasions) {
            const text = say(form, purpose, language, changes)
            assert.ok(text.startsWith(prefix), `${form} ${purpose}: ${text}`)
            if (form === 'voice')
              assert.ok(text.slice(prefix.length).includes(prefix.trim()), `said at the end: ${text}`)
          }
        }
      }
    })

    test(`${language}: an own text of the application does not take it away`, () => {
      const own = { [language]: { alarm: '{who}!', over: '{who}.', position: '{age} {map}' } }
      const text = messageText('sms', 'alarm', [language], factsOf({ isDrill: true }), own)
      assert.ok(text.startsWith(`${prefix}Mia Moser!`), text)
    })

    test(`${language}: an SMS stays in the 7-bit alphabet and within two segments, with link and position`, () => {
      for (const who of ['Mia Moser', 'Maximilian Oberhofer', 'M'.repeat(60)]) {
        for (const purpose of purposes) {
          const text = say('sms', purpose, language, { who })
          assert.ok(isGsm7(text), text)
          assert.ok(segmentsOf(text) <= 2, `${segmentsOf(text)}: ${text}`)
          assert.ok(text.includes(LINK), text)
        }
        assert.match(say('sms', 'alarm', language, { who }), /maps\.google\.com/)
      }
    })

    test(`${language}: the position is said to be invented, in each form, whatever its age`, () => {
      const real = messageText('sms', 'alarm', [language], factsOf({ position: positionOf(0) }))
      for (const form of forms) {
        const text = say(form, 'alarm', language, { position: positionOf(90 * MINUTE) })
        assert.match(text, /not real|erfunden|fictive|fittizia|ficticio/)
        assert.doesNotMatch(text, /90|1[.,]5/)
      }
      assert.doesNotMatch(real, /not real|erfunden|fictive|fittizia|ficticio/)
    })

    test(`${language}: its end says nothing about the person, and that other alarms are real`, () => {
      for (const closing of closings) {
        const text = say('sms', 'all_clear', language, closing)
        assert.equal(text.split(prefix.trim().slice(0, -1)).length, 3, text)
        assert.equal(text, say('sms', 'all_clear', language, closings[0]))
      }
    })

    test(`${language}: replies to an SMS say it, and a list of codes says it of each`, () => {
      const reply = { who: 'Mia', code: '47', isDrill: true }
      const of = (given: Parameters<typeof answerReplyText>[1]) => answerReplyText([language], given)
      for (const kind of ['help', 'unable'] as const) {
        assert.ok(of({ kind, ...reply }).startsWith(prefix))
        assert.ok(!of({ kind, ...reply, isDrill: false }).includes(prefix))
      }
      assert.ok(of({ kind: 'over', isDrill: true }).startsWith(prefix))
      assert.ok(of({ kind: 'which', alerts: [reply] }).startsWith(prefix))
      const mixed = of({ kind: 'which', alerts: [{ who: 'Tom', code: '12' }, reply] })
      assert.ok(!mixed.startsWith(prefix) && mixed.indexOf(prefix) > mixed.indexOf('Tom'), mixed)
      assert.ok(isGsm7(mixed))
    })
  }

  test('a real alarm never has the word', () => {
    for (const [language, prefix] of languages) {
      for (const form of forms) {
        const text = messageText(form, 'alarm', [language], factsOf())
        assert.ok(!text.includes(prefix.trim()), text)
      }
    }
  })
})

test('a name cannot make a real alarm read like an exercise, in any form or language', () => {
  const names = [
    'EXERCISE: Mia',
    'Übung - Mia',
    'U\u0308BUNG:Mia',
    'exercice Mia',
    'Mia (Simulacro)',
    'ＥＸＥＲＣＩＳＥ Mia',
  ]
  for (const [language, prefix] of languages) {
    for (const form of forms) {
      for (const who of names) {
        const text = messageText(form, 'alarm', [language], factsOf({ who }))
        for (const [, word] of languages) assert.ok(!text.toUpperCase().includes(word.slice(0, -2)), text)
        assert.match(text, /Mia/)
        assert.ok(!text.startsWith(prefix))
      }
    }
    const reply = { kind: 'help', who: 'EXERCISE:', code: '47' } as const
    assert.doesNotMatch(answerReplyText([language], reply), /EXERCISE/)
  }
  assert.match(messageText('sms', 'alarm', ['en'], factsOf({ who: 'Simulacros Exerciser' })), /Simulacros Exerciser/)
})
