import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerReplyText } from '../../../src/core/message/answer-texts.ts'
import type { Facts } from '../../../src/core/message/facts.ts'
import { messageText } from '../../../src/core/message/message-text.ts'
import { isGsm7, segmentsOf } from '../../../src/core/text/gsm7.ts'
import { phrases } from '../../../src/core/text/phrases.ts'
import { factsOf, MINUTE, positionOf, purposes } from './facts.ts'

// rules.md#tracking-links: a link that nobody could open is in no message.

const languages = Object.keys(phrases)
const PHONE = '+436601234567'
const linkless: Partial<Facts> = { trackingUrl: null, phone: PHONE, answerCode: '4711' }
/** What asks to open something, in any of the languages. */
const TAPS = /link|lien|enlace|\btap|tippen|toque|touche|tocchi|hier\b|here\b|ici\b|:$/i

for (const language of languages) {
  test(`${language}: code, number and position take the place of the link, and nothing asks to tap it`, () => {
    const position = positionOf(3 * MINUTE, 47.07, 12.69)
    const alarm = messageText('sms', 'alarm', [language], factsOf({ ...linkless, position }))
    for (const part of [/OK 4711/, /T[eé]l\. \+436601234567 /, /\?q=47\.0700,12\.6900/]) assert.match(alarm, part)
    for (const purpose of purposes) {
      const text = messageText('sms', purpose, [language], factsOf({ ...linkless, position }))
      assert.doesNotMatch(text.replaceAll(/https:\/\/maps\S+/g, ''), /https?:/, purpose)
      assert.doesNotMatch(text, TAPS, purpose)
      assert.ok(text.includes(PHONE), purpose)
      assert.ok(isGsm7(text) && segmentsOf(text) <= 2, purpose)
      const call = messageText('voice', purpose, [language], factsOf({ ...linkless, position }))
      assert.doesNotMatch(call, TAPS, purpose)
    }
    const stopped = answerReplyText([language], { kind: 'stop', who: 'Mia', link: null })
    assert.match(stopped, /Mia.*START\.$/)
    assert.ok(isGsm7(stopped))
  })
}

test('control: with a link texts do ask to tap it', () => {
  const text = messageText('sms', 'check_in', ['en'], factsOf())
  assert.match(text, TAPS)
})
