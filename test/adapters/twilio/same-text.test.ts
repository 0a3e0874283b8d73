import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameText } from '../../../src/adapters/twilio/same-text.ts'
import { messageText } from '../../../src/core/text/message-text.ts'
import { phrases } from '../../../src/core/text/phrases.ts'

const facts = {
  who: 'Mia Moser',
  trackingUrl: 'https://sos.example.org/t/abcdefghijklmnopqrstuv',
  position: null,
  pressedAt: 0,
  receivedAt: 0,
  now: 0,
  closedAs: null,
}

for (const language of Object.keys(phrases)) {
  const alarm = messageText('sms', 'alarm', [language], facts)

  test(`${language}: an alarm is itself, later and somewhere else`, () => {
    const position = { latitude: 47.1, longitude: 12.7, altitude: null, at: '1970-01-01T00:00:00Z' }
    const later = { ...facts, now: 3_600_000, receivedAt: 600_000, position: position as never }
    assert.ok(isSameText(alarm, messageText('sms', 'alarm', [language], later)))
    assert.ok(isSameText(`Sent from your Twilio trial account - ${alarm}`, alarm))
  })

  for (const closedAs of ['cancelled', 'resolved', null] as const) {
    test(`${language}: the word that it is over (${closedAs}) is no alarm`, () => {
      const over = messageText('sms', 'all_clear', [language], { ...facts, closedAs })
      assert.ok(isSameText(over, over))
      assert.equal(isSameText(over, alarm), false)
      assert.equal(isSameText(alarm, over), false)
    })
  }
}

test('signs that a provider replaced do not matter', () => {
  assert.ok(isSameText('Jose’s – SOS https://x/t/1', "José's - SOS https://x/t/1"))
})

test('where the link comes first, what is behind it counts', () => {
  assert.ok(isSameText('https://x/t/1 SOS von Mia', 'https://x/t/1 SOS von Mia'))
  assert.equal(isSameText('https://x/t/1 Entwarnung', 'https://x/t/1 SOS von Mia'), false)
})
