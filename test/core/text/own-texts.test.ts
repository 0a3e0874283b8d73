import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageText } from '../../../src/core/message/message-text.ts'
import { languages, phraseKeys, problemOfText, warningsOfText } from '../../../src/core/text/own-texts.ts'
import { phrases } from '../../../src/core/text/phrases.ts'
import { factsOf, MINUTE, NOW } from '../message/facts.ts'

test('every built-in text is a valid own text, without warnings', () => {
  for (const language of languages) {
    for (const key of phraseKeys) {
      assert.equal(problemOfText(key, phrases[language][key]), null, `${language} ${key}`)
      assert.deepEqual(warningsOfText(key, phrases[language][key]), [], `${language} ${key}`)
    }
  }
})

const refused = [
  ['alarm', 'Help!', 'must name {who}'],
  ['alarm', '{who} at {map}', 'names {map}, but alarm may name {who}'],
  ['alarm', '{Who} needs help', 'names {Who}, but alarm may name {who}'],
  ['alarm', '{who} needs help {', 'has a brace without its other half'],
  ['alarm', '{who}\nneeds help', 'must be one line of readable characters'],
  ['position', 'Map {map}', 'must name {age}'],
  ['confirm', 'Answer {who}', 'names {who}, but confirm has no placeholders'],
  ['confirm', '  ', 'must not be empty'],
  ['alarm', `{who} ${'x'.repeat(300)}`, 'must not be longer than 300 characters'],
] as const
for (const [key, text, problem] of refused) {
  test(`${key} cannot be ${JSON.stringify(text.slice(0, 30))}`, () => assert.equal(problemOfText(key, text), problem))
}

test('a text that leaves the 7-bit alphabet or needs a second SMS causes a warning, unless it is only spoken', () => {
  assert.match(warningsOfText('alarm', 'SOS 🆘 {who}')[0]!, /7-bit alphabet/)
  assert.match(warningsOfText('alarm', `{who} ${'needs help '.repeat(12)}`)[0]!, /needs 2 segments/)
  assert.deepEqual(warningsOfText('spokenAlarm', `{who} à l’hôpital ${'x'.repeat(200)}`), [])
})

const facts = factsOf({
  who: 'Mia',
  trackingUrl: 'https://sos.example/t/abc',
  position: null,
  closing: { status: 'resolved', by: null, name: null, hours: null },
})
const own = {
  de: { alarm: 'Hilfe für {who}!', spokenAlarm: 'Anruf für {who}.', resolved: '{who}: alles gut.' },
} as const

test('an own text replaces the built-in one in SMS, calls, chat and all-clears, in its language only', () => {
  assert.match(messageText('sms', 'alarm', ['de'], facts, own), /^Hilfe für Mia! Hier antworten: https/)
  assert.match(messageText('voice', 'alarm', ['de'], facts, own), /^Anruf für Mia\. /)
  assert.match(messageText('chat', 'alarm', ['de'], facts, own), /^Hilfe für Mia!\n/)
  assert.match(messageText('sms', 'all_clear', ['de'], facts, own), /^Mia: alles gut\. https/)
  assert.match(messageText('sms', 'alarm', ['en'], facts, own), /^SOS: Mia needs help!/)
})

test('an own text from before time zones is filled with UTC, as it says', () => {
  const late = { ...facts, timeZone: 'Europe/Vienna', pressedAt: NOW - 34 * MINUTE }
  const times = 'Gedrückt {pressed}, da {received} UTC.'
  const former = messageText('sms', 'alarm', ['de'], late, { de: { times } })
  assert.match(former, /Gedrückt 12:00, da 12:34 UTC\./)
  const now = messageText('sms', 'alarm', ['de'], late, { de: { times, late: 'Um {pressed}, da {received}.' } })
  assert.match(now, /Um 13:00 CET, da 13:34 CET\./)
  for (const language of languages) assert.doesNotMatch(messageText('sms', 'alarm', [language], late), /UTC/)
})
