import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Facts } from '../../../src/core/message/facts.ts'
import { messageText, type TextForm, type TextPurpose } from '../../../src/core/message/message-text.ts'
import { isGsm7, segmentsOf } from '../../../src/core/text/gsm7.ts'
import { type Language, phrases } from '../../../src/core/text/phrases.ts'
import { closings, factsOf, forms, LINK, MINUTE, NOW, positionOf } from './facts.ts'

const languages = Object.keys(phrases)
const delayed: Partial<Facts> = { pressedAt: NOW - 34 * MINUTE, position: positionOf(34 * MINUTE) }
const again: Partial<Facts> = { again: { pressedAt: NOW - 20_000, receivedAt: NOW - 15_000 } }

const say = (form: TextForm, purpose: TextPurpose, language: string, changes: Partial<Facts> = {}) =>
  messageText(form, purpose, [language], factsOf(changes))
const sms = (language: string, changes: Partial<Facts> = {}) => say('sms', 'alarm', language, changes)
const ended = (changes: Partial<Facts>) => say('sms', 'all_clear', 'en', changes)

suite('an alarm', () => {
  test('names who needs help, where to answer, the position with its age, and the application', () => {
    assert.equal(
      sms('en', { position: positionOf(3 * MINUTE, 47.07, 12.69) }),
      `SOS: Mia Moser needs help! Tap to respond: ${LINK} https://maps.google.com/?q=47.0700,12.6900 (3 min ago) via Hut`,
    )
  })

  test('gives both times if it arrived more than two minutes after it was pressed', () => {
    assert.match(sms('en', { pressedAt: NOW - 34 * MINUTE }), /Pressed 12:00 UTC, received 12:34 UTC\./)
    const { receivedAt } = factsOf()
    assert.doesNotMatch(sms('en', { pressedAt: receivedAt - 2 * MINUTE }), /Pressed/)
    assert.match(sms('en', { pressedAt: receivedAt - 2 * MINUTE - 1 }), /Pressed 12:32 UTC, received 12:34 UTC\./)
  })

  test('gives times in the application’s time zone, with its name, and the date for another day', () => {
    const late = { pressedAt: Date.parse('2026-02-28T23:30:00Z'), timeZone: 'Europe/Vienna' }
    assert.match(sms('en', late), /Pressed 00:30 CET, received 13:34 CET\./)
    assert.match(sms('en', { ...late, timeZone: 'UTC' }), /Pressed 28 Feb 23:30 UTC, received 12:34 UTC\./)
    assert.match(
      sms('de', { ...late, timeZone: 'America/New_York' }),
      /Ausgelöst 28\. Feb\. 18:30 EST, empfangen 07:34 EST\./,
    )
  })

  test('without a position says so', () => {
    const text = sms('en', { position: null })
    assert.equal(text, `SOS: Mia Moser needs help! Tap to respond: ${LINK} Location unknown. via Hut`)
  })

  test('without a link still says what happened', () => {
    for (const form of forms) {
      const text = say(form, 'alarm', 'en', { trackingUrl: null })
      assert.match(text, /Mia Moser needs help/)
      assert.doesNotMatch(text, /respond|null|\/t\/|link/)
    }
  })

  test('the position leads to the map of the application', () => {
    const position = positionOf(3 * MINUTE, 47.07, 12.69)
    const mapLink = 'https://map.example.org/?lon={lon}&lat={lat}'
    assert.match(
      sms('en', { position, mapLink }),
      / https:\/\/map\.example\.org\/\?lon=12\.6900&lat=47\.0700 \(3 min ago\)/,
    )
    assert.match(
      say('chat', 'alarm', 'en', { position, mapLink }),
      /https:\/\/map\.example\.org\/\?lon=12\.69000&lat=47\.07000$/,
    )
  })

  test('a coordinate that rounds to zero has no sign', () => {
    assert.match(sms('en', { position: positionOf(0, -0.000001, 0) }), /\?q=0\.0000,0\.0000/)
  })

  const ages = [
    { ms: -5 * MINUTE, text: 'just now' },
    { ms: 59_999, text: 'just now' },
    { ms: MINUTE, text: '1 min ago' },
    { ms: 119 * MINUTE, text: '119 min ago' },
    { ms: 120 * MINUTE, text: '2 h ago' },
    { ms: 47 * 60 * MINUTE, text: '47 h ago' },
    { ms: 48 * 60 * MINUTE, text: '2 days ago' },
  ]
  for (const { ms, text } of ages) {
    test(`a position ${ms / MINUTE} minutes old has the age "${text}"`, () =>
      assert.ok(sms('en', { position: positionOf(ms, 47, 12), app: '' }).includes(`Location ${text}: `)))
  }

  for (const language of languages) {
    test(`${language}: is one segment for usual names, with link, position and application; two if it came late`, () => {
      for (const who of ['Mia Moser', 'Maximilian Oberhofer', 'hiker-1', 'Jiří Novák', 'Zoë O’Brien', 'José Ibáñez']) {
        for (const [changes, segments] of [
          [{}, 1],
          [{ position: null }, 1],
          [delayed, 2],
          [{ ...delayed, position: null }, 2],
        ] as const) {
          const text = sms(language, { who, ...changes })
          assert.ok(segmentsOf(text) <= segments, text)
          assert.ok(isGsm7(text), text)
          assert.ok(text.includes(LINK) && text.endsWith(' Hut'), text)
          if ('pressedAt' in changes) assert.match(text, /12:00 UTC\D+12:34 UTC/)
          if (!('position' in changes && changes.position === null)) assert.match(text, /-47\.0712,112\.6912/)
        }
      }
    })

    test(`${language}: names the user in every form, and each form has the position`, () => {
      for (const form of forms) {
        const text = say(form, 'alarm', language)
        assert.ok(text.includes('Mia Moser') && text.includes('-47.0712'), text)
        assert.equal(text.includes(LINK), form !== 'voice', text)
        assert.equal(text.includes('{'), false, text)
      }
    })

    test(`${language}: late, with a 32-character name: complete in two segments`, () => {
      const who = 'Maximilian Friedrich Oberhofer-K'
      const text = sms(language, { who, ...delayed })
      assert.equal(segmentsOf(text), 2)
      for (const part of [
        who,
        LINK,
        'https://maps.google.com/?q=-47.0712,112.6912',
        phrases[language as 'en'].confirm,
      ]) {
        assert.ok(text.includes(part), `${part} in ${text}`)
      }
    })

    test(`${language}: a further press never begins like the first alarm, and says when`, () => {
      for (const form of forms) {
        const [first, second] = [say(form, 'alarm', language), say(form, 'alarm', language, again)]
        assert.match(second, /12:34 UTC/)
        assert.ok(second.includes('Mia Moser'))
        assert.notEqual(second.slice(0, 25), first.slice(0, 25))
      }
      assert.equal(say('chat', 'reopened', language, again), say('chat', 'alarm', language, again))
    })
  }

  test('of someone who pressed again says again', () => {
    assert.match(sms('en', again), /^SOS pressed again \(12:34 UTC\): Mia Moser needs help!/)
    assert.match(say('voice', 'alarm', 'en', again), /Mia Moser pressed SOS again and needs help\. Time: 12:34 UTC\./)
    const late = { again: { pressedAt: NOW - 34 * MINUTE, receivedAt: NOW } }
    assert.match(sms('en', late), /Pressed 12:00 UTC, received 12:34 UTC\./)
  })
})

suite('other news', () => {
  test('of an answer: who answered whom', () => {
    assert.equal(
      say('chat', 'acknowledged', 'en', { answeredBy: 'Ana', trackingUrl: null }),
      "Ana has answered Mia Moser's SOS and is taking care of it.",
    )
    assert.match(say('chat', 'acknowledged', 'en', { trackingUrl: null }), /^Someone has answered/)
  })

  test('of no answer: what to do, and where', () => {
    const text = say('chat', 'unanswered', 'en', { trackingUrl: null })
    assert.match(
      text,
      /^Nobody has answered Mia Moser's SOS\. Call Mia Moser or the emergency services now!\nLocation /,
    )
  })

  test('asks the helper how it is going', () => {
    assert.equal(say('sms', 'check_in', 'en'), `Are you still helping Mia Moser? Tap to say how it is: ${LINK}`)
  })

  test('before it is closed: when, and that nobody has confirmed', () => {
    const text = say('sms', 'last_call', 'en', { endsAt: NOW + 60 * MINUTE, timeZone: 'Europe/Vienna' })
    assert.match(
      text,
      /^Nobody has confirmed that Mia Moser is safe! This alert will close automatically at 14:34 CET\./,
    )
    assert.ok(text.endsWith(LINK))
    assert.match(say('sms', 'last_call', 'en'), /^Nobody has answered/)
  })

  const byUser = { status: 'cancelled', by: 'user', name: null, hours: null } as const
  const bySystem = { status: 'resolved', by: 'system', name: null, hours: 24 } as const

  test('an end from the person’s own phone tells people to call them', () => {
    assert.equal(
      ended({ closing: byUser }),
      `SOS ended from Mia Moser's phone, nobody else confirmed it: call Mia Moser! ${LINK}`,
    )
  })

  test('an end by someone else names them', () => {
    const by = (by: 'operator' | 'contact', name: string | null) => ({ closing: { ...byUser, by, name } })
    assert.match(ended(by('contact', 'Ana Berger')), /^All clear: Ana Berger has ended Mia Moser's SOS\./)
    assert.match(ended(by('operator', 'Rescue')), /^All clear: Rescue has ended/)
    assert.match(ended(by('operator', null)), /^All clear: the operator has ended/)
    assert.match(ended(by('contact', '\u0000')), /^All clear: a contact has ended/)
  })

  test('an automatic end is not an all-clear, with or without an earlier answer', () => {
    assert.match(
      ended({ closing: bySystem }),
      /^Mia Moser's SOS was closed automatically after 24 h; nobody confirmed that Mia Moser is safe/,
    )
    assert.match(
      ended({ closing: bySystem, answeredBy: 'Ana' }),
      /closed automatically after 24 h, after Ana had acknowledged; nobody confirmed that Mia Moser is safe/,
    )
    assert.match(ended({ closing: { ...bySystem, hours: 0.5 } }), /after 30 min;/)
    assert.match(ended({ closing: { ...bySystem, hours: null }, pressedAt: NOW - 180 * MINUTE }), /after 3 h;/)
  })

  test('a voice reads months and lengths of time in full', () => {
    const closed = (language: string, hours: number) =>
      say('voice', 'all_clear', language, { closing: { ...bySystem, hours } })
    assert.match(closed('en', 24), /after 24 hours;/)
    assert.match(closed('de', 0.5), /nach 30 Minuten automatisch/)
    assert.match(closed('it', 1), /dopo 1 ora\./)
    const yesterday = { pressedAt: Date.parse('2026-02-28T23:30:00Z') }
    assert.match(say('voice', 'alarm', 'fr', yesterday), /Appui : 28 février 23:30 UTC, réception : 12:34 UTC\./)
    assert.match(sms('fr', yesterday), /Appui : 28 févr\. 23:30 UTC/)
  })

  for (const language of languages) {
    test(`${language}: each ending says who and how it ended, without a position`, () => {
      for (const form of forms) {
        const texts = closings.map((closing) => say(form, 'all_clear', language, closing))
        for (const text of texts) assert.ok(text.includes('Mia Moser') && !text.includes('-47'), text)
        // The text depends on who ended it. Cancelled or resolved only matters if nothing else is known.
        assert.equal(new Set(texts).size, 7)
      }
      const allClear = phrases[language as 'en'].endedBy.split(/[:{]/)[0]!.replace(' pour ', '')
      const bySomebody = closings.filter(({ closing }) => closing?.by === 'user' || closing?.by === 'system')
      for (const closing of bySomebody) assert.ok(!say('sms', 'all_clear', language, closing).startsWith(allClear))
    })

    test(`${language}: every message fits two segments of the SMS alphabet, whatever the name`, () => {
      const long = 'Maria Magdalena Theresia von Hohenstein-Oberfelderberg zu Tal und Berg'
      const news: readonly Partial<Facts>[] = [{ endsAt: NOW + 20 * 60 * MINUTE }, ...closings]
      for (const purpose of ['check_in', 'last_call', 'all_clear', 'unanswered', 'acknowledged'] as const) {
        for (const changes of news) {
          const text = say('sms', purpose, language, {
            who: long,
            ...changes,
            answeredBy: changes.answeredBy ? long : null,
          })
          assert.ok(isGsm7(text) && segmentsOf(text) <= 2 && text.endsWith(LINK), text)
        }
      }
    })

    test(`${language}: a name in another script, however long, takes no more segments than its start`, () => {
      for (const letter of ['한', '😀', 'Щ']) {
        for (const changes of [{ endsAt: NOW + 20 * 60 * MINUTE }, ...closings]) {
          for (const purpose of ['check_in', 'last_call', 'all_clear', 'unanswered', 'acknowledged'] as const) {
            const [long, short] = [200, 5].map((length) =>
              say('sms', purpose, language, { ...changes, who: letter.repeat(length) }),
            )
            // Three characters stand for the rest of the name, wherever it is said.
            const most = Math.max(2, segmentsOf(short!.replaceAll(letter.repeat(5), '$&...')))
            assert.ok(segmentsOf(long!) <= most && long!.endsWith(LINK), `${segmentsOf(long!)} > ${most}: ${long}`)
          }
        }
      }
    })
  }
})

suite('names', () => {
  test('a name in another script is kept whole, in two segments, with link and position', () => {
    const text = sms('en', { who: 'Мария Иванова' })
    assert.match(text, /^SOS: Мария Иванова needs help!/)
    assert.ok(text.includes(LINK) && text.includes('-47.0712,112.6912'), text)
    assert.equal(segmentsOf(text), 2)
  })

  test('emoji in a name do not cost the SMS its alphabet', () => {
    assert.match(sms('en', { who: 'José 🆘👨‍👩‍👧' }), /^SOS: José needs help!/)
    assert.match(sms('en', { who: '🦊' }), /^SOS: 🦊 needs help!/)
  })

  test('a name of only invisible characters becomes somebody', () => {
    for (const who of ['\u202e\n\u0000 ', '\u200d', '\u0301'])
      assert.match(sms('en', { who }), /^SOS: Someone needs help!/)
  })

  test('a right-to-left name is isolated on channels that can do so', () => {
    assert.ok(say('chat', 'alarm', 'en', { who: 'מרים' }).startsWith('SOS: \u2068מרים\u2069 needs help!'))
    assert.ok(sms('en', { who: 'מרים' }).startsWith('SOS: מרים needs help!'))
  })

  test('no name of a user, application or helper brings a link or a number to call', () => {
    const name = 'bank.example/x ring 0900 123 456'
    for (const text of [
      sms('en', { who: name, position: null, trackingUrl: null, app: 'Hut' }),
      sms('en', { app: name, position: null, trackingUrl: null }),
      say('chat', 'acknowledged', 'en', { answeredBy: name, trackingUrl: null }),
      ended({ closing: { status: 'resolved', by: 'operator', name, hours: null }, trackingUrl: null }),
    ]) {
      assert.doesNotMatch(text, /\p{L}[./]\p{L}|\d{4}/u)
      assert.match(text, /bank\. example\/ x/)
    }
  })
})

test('a battery that is almost empty costs a second segment, not the words that say what to do', () => {
  const low = { of: 'phone', percent: 12, at: NOW } as const
  for (const language of languages) {
    const text = sms(language, { battery: low })
    assert.match(text, /12 ?%/)
    assert.equal(segmentsOf(text), 2)
    for (const words of [phrases[language as Language].confirm, 'https://maps.google.com/', LINK]) {
      assert.ok(text.includes(words), text)
    }
  }
  const crowded = sms('en', { battery: low, ...delayed, ...again, answerCode: '1234', who: 'Мария Магдалена Мозер' })
  assert.doesNotMatch(crowded, /12 ?%/)
  assert.match(crowded, /OK 1234/)
})
