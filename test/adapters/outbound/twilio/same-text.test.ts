import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameText } from '../../../../src/adapters/outbound/twilio/same-text.ts'
import { messageText } from '../../../../src/core/message/message-text.ts'
import { phrases } from '../../../../src/core/text/phrases.ts'
import { closings, factsOf, MINUTE, NOW, positionOf } from '../../../core/message/facts.ts'

const facts = factsOf({ position: null })
const again = { pressedAt: NOW, receivedAt: NOW }

for (const language of Object.keys(phrases)) {
  const alarm = messageText('sms', 'alarm', [language], facts)

  test(`${language}: an alarm matches itself, later and elsewhere`, () => {
    const later = { ...facts, now: NOW + 60 * MINUTE, receivedAt: NOW + 10 * MINUTE, position: positionOf(0) }
    assert.ok(isSameText(alarm, messageText('sms', 'alarm', [language], later)))
    assert.ok(isSameText(`Sent from your Twilio trial account - ${alarm}`, alarm))
  })

  test(`${language}: every other text about an incident is distinguished from it`, () => {
    const texts = [
      alarm,
      messageText('sms', 'alarm', [language], { ...facts, again }),
      messageText('sms', 'check_in', [language], facts),
      messageText('sms', 'last_call', [language], { ...facts, endsAt: NOW + 60 * MINUTE }),
      ...closings.map((closing) => messageText('sms', 'all_clear', [language], { ...facts, ...closing })),
    ]
    const different = [...new Set(texts)]
    assert.equal(different.length, 4 + 7)
    for (const a of different) for (const b of different) assert.equal(isSameText(a, b), a === b, `${a}\n${b}`)
  })
}

test('characters that a provider replaced do not matter', () => {
  assert.ok(isSameText('Jose’s – SOS https://x/t/1', "José's - SOS https://x/t/1"))
})

test('if the link comes first, the words after it count', () => {
  assert.ok(isSameText('https://x/t/1 SOS von Mia', 'https://x/t/1 SOS von Mia'))
  assert.equal(isSameText('https://x/t/1 Entwarnung', 'https://x/t/1 SOS von Mia'), false)
})
