import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isGsm7, segmentsOf } from '../../../src/core/text/gsm7.ts'
import { type Facts, messageText, type TextForm, type TextPurpose } from '../../../src/core/text/message-text.ts'
import { phrases } from '../../../src/core/text/phrases.ts'

const languages = Object.keys(phrases)
const forms: readonly TextForm[] = ['sms', 'voice', 'chat']
const purposes: readonly TextPurpose[] = ['alarm', 'all_clear']
const MINUTE = 60_000
const now = Date.parse('2026-03-01T12:34:56Z')
const link = `https://sos.example.org/t/${'Ab-_'.repeat(5)}Zz`

const positionOf = (ageMs: number, latitude = -47.071234, longitude = 112.691234) => ({
  latitude,
  longitude,
  altitude: 2100,
  at: new Date(now - ageMs).toISOString(),
})

const facts: Facts = {
  who: 'Mia Moser',
  trackingUrl: link,
  position: positionOf(3 * MINUTE),
  pressedAt: now - 20_000,
  receivedAt: now - 10_000,
  now,
  closedAs: null,
}
const delayed: Partial<Facts> = { pressedAt: now - 34 * MINUTE, position: positionOf(34 * MINUTE) }

const sms = (language: string, changes: Partial<Facts> = {}) =>
  messageText('sms', 'alarm', [language], { ...facts, ...changes })

test('an English alarm names who needs help, where to answer, where the user was and how long ago', () => {
  assert.equal(
    sms('en', { position: positionOf(3 * MINUTE, 47.07, 12.69) }),
    `SOS: Mia Moser needs help! Please confirm: ${link} Position 3 min ago: https://maps.google.com/?q=47.0700,12.6900`,
  )
})

test('an alert that arrived more than two minutes after it was pressed says both times', () => {
  assert.match(sms('en', { pressedAt: now - 34 * MINUTE }), /Pressed 12:00, received 12:34 UTC\./)
  assert.doesNotMatch(sms('en', { pressedAt: facts.receivedAt - 2 * MINUTE }), /Pressed/)
  assert.match(sms('en', { pressedAt: facts.receivedAt - 2 * MINUTE - 1 }), /Pressed 12:32, received 12:34 UTC\./)
})

test('where the times take the room, the map stays a link as long as it can', () => {
  const late = { pressedAt: now - 34 * MINUTE, position: positionOf(34 * MINUTE, 47.07, 12.69) }
  const text = sms('en', { ...late, trackingUrl: link.replace('sos.example.org', 'sos.hut.at') })
  assert.match(text, / maps\.google\.com\/\?q=47\.0700,12\.6900 \(34 min ago\)$/)
  assert.equal(segmentsOf(text), 1)
})

test('a time of another day comes with its date', () => {
  const text = sms('en', { pressedAt: Date.parse('2026-02-27T23:59:00Z'), position: null })
  assert.match(text, /Pressed 2026-02-27 23:59, received 12:34 UTC\./)
  assert.equal(segmentsOf(text), 1)
})

const ages = [
  { ms: -5 * MINUTE, text: 'just now' },
  { ms: 59_999, text: 'just now' },
  { ms: MINUTE, text: '1 min ago' },
  { ms: 119 * MINUTE, text: '119 min ago' },
  { ms: 120 * MINUTE, text: '2 h ago' },
  { ms: 47 * 60 * MINUTE, text: '47 h ago' },
  { ms: 48 * 60 * MINUTE, text: '2 d ago' },
]
for (const { ms, text } of ages) {
  test(`a position ${ms / MINUTE} minutes old is of "${text}"`, () =>
    assert.ok(sms('en', { position: positionOf(ms, 47, 12) }).includes(`Position ${text}: `)))
}

test('a rounded nothing has no sign', () => {
  assert.match(sms('en', { position: positionOf(0, -0.000001, 0) }), /\?q=0\.0000,0\.0000/)
})

for (const language of languages) {
  test(`${language}: the whole first SMS is one segment for usual names, with link, times and position`, () => {
    for (const who of ['Mia Moser', 'Maximilian Oberhofer', 'hiker-1', 'Jiří Novák', 'Zoë O’Brien', 'José Ibáñez']) {
      for (const changes of [{}, delayed, { position: null }, { ...delayed, position: null }]) {
        const text = sms(language, { who, ...changes })
        assert.equal(segmentsOf(text), 1, text)
        assert.ok(isGsm7(text), text)
        assert.ok(text.includes(link), text)
        if ('pressedAt' in changes) assert.match(text, /12:00\D+12:34 UTC/)
        if (!('position' in changes && changes.position === null)) assert.match(text, /-47\.0712,112\.6912/)
      }
    }
  })

  test(`${language}: an alarm names the user in every form, and each form has the position`, () => {
    for (const form of forms) {
      const text = messageText(form, 'alarm', [language], facts)
      assert.ok(text.includes('Mia Moser'), text)
      assert.ok(text.includes('-47.0712'), text)
      assert.equal(text.includes(link), form !== 'voice', text)
      assert.equal(text.includes('{'), false, text)
    }
  })

  test(`${language}: the three ways to say that it is over differ, and say who`, () => {
    for (const form of forms) {
      const texts = (['cancelled', 'resolved', null] as const).map((closedAs) =>
        messageText(form, 'all_clear', [language], { ...facts, closedAs }),
      )
      assert.equal(new Set(texts).size, 3)
      for (const text of texts) assert.ok(text.includes('Mia Moser') && !text.includes('-47'), text)
    }
  })
}

test('without a link the text still says what happened', () => {
  for (const form of forms) {
    const text = messageText(form, 'alarm', ['en'], { ...facts, trackingUrl: null })
    assert.match(text, /Mia Moser needs help/)
    assert.doesNotMatch(text, /confirm|null|\/t\/|link/)
  }
})

test('a long name gives way so that link and times still fit; the position goes before it', () => {
  const who = 'Maria Magdalena Theresia von Hohenstein-Oberfelderberg'
  assert.ok(sms('en', { who, ...delayed }).endsWith(' Pressed 12:00, received 12:34 UTC.'))
  const text = sms('de', { who, ...delayed })
  assert.equal(segmentsOf(text), 1)
  assert.ok(text.includes(link))
  assert.match(text, /^SOS: Maria Magdalena Theresia von Hohenstein.*\.\.\. braucht Hilfe!/)
  assert.match(text, /Ausgelöst 12:00, empfangen 12:34 UTC\.$/)
})

test('a name in another script is kept whole, in as many segments as it needs with the link', () => {
  const text = sms('en', { who: 'Мария Иванова' })
  assert.match(text, /^SOS: Мария Иванова needs help!/)
  assert.ok(text.includes(link))
  assert.equal(segmentsOf(text), 2)
})

test('a name of nothing but invisible characters is somebody', () => {
  assert.match(sms('en', { who: '\u202e\n\u0000 ' }), /^SOS: Somebody needs help!/)
})

test('a name can bring no address of its own', () => {
  const text = sms('en', { who: 'Mia https://evil.example/t/aaaaaaaaaaaaaaaaaaaaaa' })
  assert.equal(/https?:\/\/\S+\/t\/[\w-]+/.exec(text)?.[0], link)
})

const hostileName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        '\u0000',
        '\r\n',
        '\u2028',
        '\u0085',
        '\u202e',
        '\ufeff',
        '\ud800',
        '{who}',
        '{map}',
        '$&',
        '€',
        'https://x',
        ' ',
      ),
    )
    .map((bits) => bits.join('')),
)
const moment = fc.integer({ min: now - 400 * 24 * 60 * MINUTE, max: now + 5 * MINUTE })
const anyFacts = fc.record({
  who: hostileName,
  trackingUrl: fc.constantFrom(link, null),
  position: fc.option(
    fc.record({
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
      altitude: fc.constant(null),
      at: moment.map((ms) => new Date(ms).toISOString()),
    }),
  ),
  pressedAt: moment,
  receivedAt: moment,
  now: fc.constant(now),
  closedAs: fc.constantFrom('cancelled' as const, 'resolved' as const, null),
})

test('no name, time or place makes a text that breaks out of its line or loses its link', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...forms),
      fc.constantFrom(...purposes),
      fc.constantFrom(...languages),
      anyFacts,
      (form, purpose, language, any) => {
        const text = messageText(form, purpose, [language], any)
        assert.ok(text.isWellFormed())
        const lines = form === 'chat' ? text.split('\n') : [text]
        assert.ok(lines.length <= 4)
        for (const line of lines) assert.doesNotMatch(line, /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        if (form === 'sms') assert.ok(segmentsOf(text) <= 4, text)
        if (form !== 'voice' && any.trackingUrl !== null) assert.equal(text.split(link).length, 2, text)
        const addresses = text.match(/https?:\/\//g) ?? []
        assert.ok(addresses.length <= 2)
      },
    ),
    { numRuns: 500 },
  )
})

test('an SMS is one segment whatever there is to say, as long as the name is in the alphabet', () => {
  const name = fc.string({ unit: fc.constantFrom(...'abcdeßäöüéèàñ ABCÄÖÜ-.'), minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(fc.constantFrom(...languages), anyFacts, name, (language, any, who) => {
      // One day, so that two full dates are not asked for: those may take a second segment.
      const today = { pressedAt: now - 30 * MINUTE, receivedAt: now }
      const text = sms(language, { ...any, who, ...today })
      assert.equal(segmentsOf(text), 1, text)
    }),
  )
})
