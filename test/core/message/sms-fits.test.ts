import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Facts } from '../../../src/core/message/facts.ts'
import { messageText } from '../../../src/core/message/message-text.ts'
import { nameInSms } from '../../../src/core/message/sms-text.ts'
import { isGsm7, segmentsOf } from '../../../src/core/text/gsm7.ts'
import { neutralName } from '../../../src/core/text/person-name.ts'
import { phrases } from '../../../src/core/text/phrases.ts'
import { effort } from '../../harness/effort.ts'
import fc, { anyText } from '../../harness/fast-check.ts'
import { closings, factsOf, forms, LINK, MINUTE, NOW, purposes } from './facts.ts'

// rules.md#texts: the position is the last thing to be dropped from an SMS; two segments are better than no position.

const languages = Object.keys(phrases)
/** By which a text through the modem may be answered. */
const answerCode = fc.constantFrom(null, '47', '470')
const zones = ['UTC', 'Europe/Vienna', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland', 'Not/AZone']

const hostileName = fc.oneof(
  anyText({ maxLength: 300 }),
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
const moment = fc.integer({ min: NOW - 400 * 24 * 60 * MINUTE, max: NOW + 5 * MINUTE })
const anyPosition = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  altitude: fc.constant(null),
  at: moment.map((ms) => new Date(ms).toISOString()),
})
const linkOf = (length: number): string =>
  `https://${'sos.example.org/'.repeat(40).slice(0, length - 32)}/t/${'x'.repeat(21)}`
/** As long as one may be. */
const MAP_LINK = `https://map.example.org/${'a'.repeat(86)}/{lat},{lon}`
const anyFacts = fc
  .record({
    who: hostileName,
    app: hostileName,
    timeZone: fc.constantFrom(...zones),
    trackingUrl: fc.constantFrom(LINK, null),
    position: fc.option(anyPosition),
    pressedAt: moment,
    receivedAt: moment,
    again: fc.option(fc.record({ pressedAt: moment, receivedAt: moment })),
    answeredBy: fc.option(hostileName),
    endsAt: fc.option(moment),
    ended: fc.constantFrom(...closings),
    helper: fc.option(hostileName),
    code: answerCode,
    mapLink: fc.constantFrom(null, MAP_LINK),
    battery: fc.constantFrom(null, { of: 'phone', percent: 12, at: NOW - 90 * MINUTE } as const),
    phone: fc.constantFrom(undefined, '+436601234567'),
  })
  .map(({ ended, helper, code, phone, ...facts }): Facts => {
    const closing = ended.closing && { ...ended.closing, name: helper }
    return factsOf({ ...facts, closing, ...(code !== null && { answerCode: code }), ...(phone && { phone }) })
  })

test('no name, time or place makes a text that leaves its line or loses its link', () => {
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
        const direction = form === 'chat' ? /[\u2068\u2069]/g : /(?!)/g
        for (const line of lines) {
          assert.doesNotMatch(line.replace(direction, ''), /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        }
        if (form !== 'voice' && any.trackingUrl !== null) assert.equal(text.split(LINK).length, 2, text)
        assert.ok((text.match(/https?:\/\//g) ?? []).length <= 2)
      },
    ),
    { numRuns: effort(100, 3_000) },
  )
})

const letters = (alphabet: string, maxLength = 200) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength }).filter((name) => /\p{L}/u.test(name))
const latin = letters('abcdeßäöüéèàñ ABCÄÖÜ-.ŁřŽ’')
const otherScripts = letters('Мария山田太郎محمدদেব🆘👨‍👩‍👧 abc')

/** An alarm with a position, at any time, first or again, late or not. */
const alarm = (language: string, any: Facts, changes: Partial<Facts>): string =>
  messageText('sms', 'alarm', [language], { ...any, ...changes })

test('in the 7-bit alphabet an alarm has the name, the whole link and the position, in at most two segments', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...languages),
      anyFacts,
      latin,
      anyPosition,
      fc.integer({ min: 40, max: 190 }),
      (language, any, who, position, length) => {
        const trackingUrl = linkOf(length)
        const text = alarm(language, any, { who, position, trackingUrl, app: 'Bergrettung' })
        assert.ok(isGsm7(text), text)
        assert.ok(segmentsOf(text) <= 2, text)
        assert.ok(text.includes(trackingUrl), text)
        assert.match(text, /-?\d+\.\d{4},-?\d+\.\d{4}/)
        assert.ok(text.includes(nameInSms(neutralName(who)).slice(0, 5).trimEnd()), text)
      },
    ),
    { numRuns: effort(100, 3_000) },
  )
})

test('in another script too, at worst in a third segment', () => {
  const recent = fc.integer({ min: NOW - 20 * 60 * MINUTE, max: NOW })
  const any = fc.record({
    who: otherScripts,
    position: anyPosition,
    again: fc.option(fc.record({ pressedAt: recent, receivedAt: recent })),
    pressedAt: recent,
    timeZone: fc.constantFrom(...zones),
    code: answerCode,
  })
  fc.assert(
    fc.property(fc.constantFrom(...languages), any, (language, { code, ...changes }) => {
      const answer = code === null ? {} : { answerCode: code }
      const text = alarm(language, factsOf(), { ...changes, ...answer, trackingUrl: LINK })
      assert.ok(segmentsOf(text) <= (changes.again === null && code === null ? 2 : 3), `${segmentsOf(text)} ${text}`)
      assert.ok(text.includes(LINK), text)
      assert.match(text, /-?\d+\.\d{4},-?\d+\.\d{4}/)
      assert.ok(text.includes([...nameInSms(neutralName(changes.who))].slice(0, 4).join('').trimEnd()), text)
    }),
    { numRuns: effort(100, 3_000) },
  )
})

test('how to answer by SMS is told with every alarm and question, and given up before the position only', () => {
  const answerable = { answerCode: '47', trackingUrl: LINK }
  for (const language of languages) {
    for (const purpose of ['alarm', 'reopened', 'check_in', 'last_call'] as const) {
      const text = messageText('sms', purpose, [language], factsOf(answerable))
      assert.match(text, /OK 47 .* N\w+ 47\./)
      assert.ok(segmentsOf(text) <= 2, text)
      assert.doesNotMatch(messageText('sms', purpose, [language], factsOf({ trackingUrl: LINK })), /OK/)
    }
    assert.doesNotMatch(messageText('sms', 'all_clear', [language], factsOf(answerable)), /OK 47/)
    assert.doesNotMatch(messageText('voice', 'alarm', [language], factsOf(answerable)), /OK 47/)
    const crowded = alarm(language, factsOf(), { who: 'Мария', answerCode: '47', trackingUrl: linkOf(120) })
    assert.match(crowded, /-?\d+\.\d{4},-?\d+\.\d{4}/)
  }
})

test('only a link that fills the SMS by itself costs the position', () => {
  for (const length of [230, 260, 300, 400]) {
    const text = alarm('en', factsOf(), { trackingUrl: linkOf(length) })
    assert.ok(text.includes(linkOf(length)) && text.includes('Mia Moser'))
    assert.equal(segmentsOf(text), length < 280 ? 2 : 3)
  }
})
