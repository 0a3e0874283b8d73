import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mayLeadToCall, messageText } from '../../../src/core/message/message-text.ts'
import { isGsm7, segmentsOf } from '../../../src/core/text/gsm7.ts'
import { languages } from '../../../src/core/text/own-texts.ts'
import { filled, fixedWords } from '../../../src/core/text/phrases.ts'
import { closings, factsOf, forms, LINK, NOW, purposes } from './facts.ts'

// rules.md#silent-emergency

const WHO = 'Mia Moser'
/** What orders a reader to call the person. */
const CALL = new RegExp(
  [`call ${WHO}`, `rufen Sie ${WHO} an!`, `appelez ${WHO}`, `chiami ${WHO}`, `llame a ${WHO}`, `check on ${WHO}`].join(
    '|',
  ),
  'i',
)
const FORBIDS = new RegExp(
  Object.values(fixedWords)
    .map(({ silent }) => silent)
    .map(({ doNotCall }) => filled(doNotCall, { who: WHO }))
    .join('|'),
  'g',
)

const occasions = purposes.flatMap((purpose) =>
  (purpose === 'all_clear' ? closings : [{ closing: null, answeredBy: 'Ana' }]).flatMap((given) =>
    [null, { dueAt: NOW, note: 'Hochkar' }].map((overdue) => ({ purpose, facts: { ...given, overdue, endsAt: NOW } })),
  ),
)

suite('texts of a silent emergency', () => {
  for (const language of languages) {
    test(`${language}: say not to call wherever a reader might, and never to call the person`, () => {
      for (const form of forms) {
        for (const { purpose, facts } of occasions) {
          const text = messageText(form, purpose, [language], factsOf({ ...facts, isSilent: true }))
          const forbids = filled(fixedWords[language].silent.doNotCall, { who: WHO })
          assert.equal(text.includes(forbids), mayLeadToCall(purpose, facts.closing), `${form} ${purpose}: ${text}`)
          assert.doesNotMatch(text.replace(FORBIDS, ''), CALL, `${form} ${purpose}`)
        }
      }
    })

    test(`${language}: fit two segments of the SMS alphabet, with the link`, () => {
      for (const { purpose, facts } of occasions) {
        const who = 'Maximilian Mustermann'
        const text = messageText(
          'sms',
          purpose,
          [language],
          factsOf({ ...facts, who, isSilent: true, answerCode: '4711' }),
        )
        assert.ok(isGsm7(text), text)
        assert.ok(segmentsOf(text) <= 2, `${purpose}: ${text}`)
        assert.ok(text.includes(LINK), text)
      }
    })

    test(`${language}: without it, a control: some text does order a call`, () => {
      const said = closings.map((given) => messageText('sms', 'all_clear', [language], factsOf(given)))
      assert.ok(said.some((text) => CALL.test(text)))
    })
  }

  test('an own text that says "call" is not used', () => {
    const own = { en: { alarm: 'Call {who} now!' } }
    assert.match(messageText('sms', 'alarm', ['en'], factsOf(), own), /^Call Mia Moser now!/)
    const silent = messageText('sms', 'alarm', ['en'], factsOf({ isSilent: true }), own)
    assert.match(silent, /^SOS: Mia Moser needs help! Do not call or text Mia Moser: somebody may see it!/)
  })
})
