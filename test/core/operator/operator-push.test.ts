import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorPushBody, operatorPushTitle } from '../../../src/core/message/operator-push-text.ts'
import { decideKeepPush, pushWaitMs, sentWith, toldOf } from '../../../src/core/operator/operator-push.ts'
import { type Language, phrases } from '../../../src/core/text/phrases.ts'

const NOW = Date.UTC(2026, 0, 1, 3)

test('a flood rings ten times in the first two minutes and then every five', () => {
  let sent: readonly number[] = []
  const at: number[] = []
  for (let now = NOW; now < NOW + 3_600_000; now += 1000) {
    if (pushWaitMs(sent, now) > 0) continue
    at.push((now - NOW) / 1000)
    sent = sentWith(sent, now)
  }
  assert.deepEqual(at.slice(0, 12), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 390, 690])
  assert.equal(at.length, 21)
})

test('what is new is told, what is old or a message is not', () => {
  const told = (what: 'pressed' | 'pressed_again' | 'helper_lost' | 'message', ago: number) =>
    toldOf({ what, at: NOW - ago }, NOW)
  assert.deepEqual(
    [told('pressed', 0), told('pressed_again', 120_000), told('helper_lost', 5)],
    ['pressed', 'pressed_again', 'helper_lost'],
  )
  assert.deepEqual([told('pressed', 120_001), told('message', 0), toldOf(null, NOW)], [null, null, null])
})

test('the title names the application alone; names are neutral, short and only where they were chosen', () => {
  for (const language of Object.keys(phrases) as Language[]) {
    for (const what of ['pressed', 'pressed_again', 'helper_lost'] as const) {
      const title = operatorPushTitle(language, what, 'Hut \u202e')
      assert.match(title, /SOS .*Hut/)
      assert.doesNotMatch(title, /[{}\u202e]/)
    }
    const body = operatorPushBody(language, `Mia \u202e${'x'.repeat(500)}`, true)
    assert.ok(body.length < 250 && body.startsWith('Mia'), body)
    assert.equal(operatorPushBody(language, 'Mia', false), 'Mia')
  }
})

test('a browser is subscribed for an open session, and one more than the limit is not', () => {
  const push = {
    ...{ sessionId: 's', operatorId: 'o', endpoint: 'https://push.example/1', p256dh: 'p', auth: 'a' },
    ...{ language: 'en' as const, wholeText: false, keptAt: NOW },
  }
  const insert = { ...push, sentAt: null, failedAt: null, failure: null }
  for (const [isSession, others, expected] of [
    [true, 4, { insert, result: { kept: true } }],
    [true, 5, { refused: 'push_limit' }],
    [false, 0, { refused: 'session_not_found' }],
  ] as const) {
    assert.deepEqual(decideKeepPush({ isSession, others }, push, 5), expected)
  }
})
