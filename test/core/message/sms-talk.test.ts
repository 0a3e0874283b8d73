import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TalkLine } from '../../../src/core/incident/talk.ts'
import { NO_SMS_TALK, nextText, type SmsTalk, smsWays, withEnd } from '../../../src/core/message/sms-talk.ts'
import { talkSms } from '../../../src/core/message/talk-sms.ts'
import { isGsm7, segmentsOf } from '../../../src/core/text/gsm7.ts'
import { fixedWords, type Language } from '../../../src/core/text/phrases.ts'
import { HOUR, MINUTE } from '../../../src/lib/durations.ts'

const START = 1_000 * HOUR
const line = (n: number, side: TalkLine['side'], text = `line ${n}`, at = START): TalkLine => ({
  ...{ n, side, text, at, channel: 'console', senderId: 'x', name: side === 'contact' ? 'Ana' : 'Eva', phone: null },
  ...{ key: `key-${n}`, quickReply: null, toDesk: false, readers: [] },
})
const next = (side: 'operator' | 'contact', lines: readonly TalkLine[], talk: SmsTalk = NO_SMS_TALK, now = START) =>
  nextText(side, { talk, lines, askedAt: START, now, language: 'en' })

suite('texts of the talk to a person who alarmed by SMS', () => {
  test('each side’s lines go once, together, and the person’s own never', () => {
    const lines = [line(1, 'operator'), line(2, 'person'), line(3, 'contact'), line(4, 'operator')]
    const first = next('operator', lines)
    assert.ok(first.kind === 'send')
    assert.equal(first.text, 'Eva (rescue desk): line 1\nEva (rescue desk): line 4')
    assert.deepEqual(first.talk, { ...NO_SMS_TALK, version: 1, operator: { told: 4, at: [START] } })
    assert.deepEqual(next('operator', lines, first.talk), { kind: 'none' })
    const other = next('contact', lines, first.talk)
    assert.equal(other.kind === 'send' && other.text, 'Ana: line 3')
    assert.deepEqual(next('operator', lines, { ...NO_SMS_TALK, stopped: true }), { kind: 'none' })
    assert.deepEqual(next('operator', [line(1, 'operator', 'old', START - 11 * MINUTE)]), { kind: 'none' })
  })

  test('ten an hour; contacts have five of them, so that they use up none of the desk’s', () => {
    const left = { operator: 0, contact: 0 }
    let talk = NO_SMS_TALK
    for (let n = 1; n <= 20; n++) {
      for (const side of ['contact', 'operator'] as const) {
        const made = next(side, [line(n, side)], talk, START + n)
        if (made.kind !== 'send') continue
        talk = made.talk
        left[side] += 1
      }
    }
    assert.deepEqual(left, { operator: 5, contact: 5 })
    const waits = next('operator', [line(21, 'operator')], talk, START + MINUTE)
    assert.deepEqual(waits, { kind: 'wait', ms: HOUR + 1 - MINUTE })
    assert.equal(next('operator', [line(21, 'operator')], talk, START + HOUR + 2).kind, 'send')
  })

  test('what came of each line, for the console: sent, queued, waiting for the hour, not sent, stopped', () => {
    const lines = [1, 2, 3, 4].map((n) => line(n, 'operator'))
    const given = { lines: [line(9, 'person'), ...lines], askedAt: START, isPossible: true }
    const ways = (talk: SmsTalk, more: Partial<typeof given> & { now?: number } = {}) =>
      smsWays(talk, { ...given, now: START, ...more }).map(({ n, way }) => `${n} ${way}`)
    assert.deepEqual(ways(NO_SMS_TALK), ['1 queued', '2 queued', '3 queued', '4 queued'])
    const first = next('operator', lines.slice(0, 2))
    assert.ok(first.kind === 'send')
    assert.deepEqual(first.lines, { from: 1, to: 2 })
    const left = withEnd(first.talk, 'operator', first.lines, 'left')
    assert.equal(left.version, 2)
    const second = next('operator', lines, left)
    assert.ok(second.kind === 'send')
    assert.deepEqual(ways(second.talk), ['1 sent', '2 sent', '3 queued', '4 queued'])
    assert.deepEqual(ways(second.talk, { now: START + HOUR }), ['1 sent', '2 sent', '3 failed', '4 failed'], 'a crash')
    const lost = withEnd(second.talk, 'operator', { from: 3, to: 3 }, 'lost')
    assert.deepEqual(ways(lost), ['1 sent', '2 sent', '3 failed', '4 queued'])
    assert.deepEqual(ways({ ...left, stopped: true }), ['1 sent', '2 sent', '3 stopped', '4 stopped'])
    assert.deepEqual(ways(left, { isPossible: false }), ['1 sent', '2 sent', '3 failed', '4 failed'])
    const used = { ...left, contact: { told: 0, at: Array.from({ length: 9 }, () => START) } }
    const [, , waits] = smsWays(used, { ...given, now: START + MINUTE })
    assert.deepEqual(waits, { n: 3, way: 'waits', until: START + HOUR })
    const old = [line(1, 'operator', 'old', START - 11 * MINUTE)]
    assert.deepEqual(ways(NO_SMS_TALK, { lines: old }), [])
  })

  test('long lines and other scripts keep to their segments, and a text to the 7-bit alphabet where it can', () => {
    for (const [text, segments] of [
      ['x'.repeat(500), 4],
      ['“Où êtes‑vous ?” – répondez 🚁'.repeat(10), 3],
      ['Где вы? '.repeat(62), 8],
      ['🚁'.repeat(500), 8],
    ] as const) {
      const { text: sent, count } = talkSms('en', [line(1, 'operator', text), line(2, 'operator', 'z'.repeat(500))])
      assert.deepEqual([count, segmentsOf(sent) <= segments], [1, true], `${segmentsOf(sent)} segments: ${sent}`)
    }
    const { count } = talkSms(
      'en',
      Array.from({ length: 30 }, (_, n) => line(n, 'contact', 'x'.repeat(60))),
    )
    assert.ok(count >= 8 && count < 10, `${count} lines`)
    for (const language of ['en', 'de', 'fr', 'es', 'it'] satisfies Language[]) {
      for (const said of Object.values(fixedWords[language].sms)) assert.ok(isGsm7(said.replace(/\{\w+\}/g, '')), said)
    }
  })
})
