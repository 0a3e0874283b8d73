import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentAfterField, silentAfterText, silentSinceOf } from '../../../src/core/account/silence.ts'
import { silentDevicesText } from '../../../src/core/message/silent-devices.ts'

const HOUR = 3_600_000

test('when a device is silent', () => {
  const heard = { heardAt: 10 * HOUR, silentSince: null, silentAfterMinutes: 360 }
  const at = (hours: number, listeningSince = 0) => ({ now: hours * HOUR, listeningSince: listeningSince * HOUR })
  const cases = [
    ['just before', heard, at(15.99), null],
    ['after its interval', heard, at(16), heard.heardAt],
    ['not watched', { ...heard, silentAfterMinutes: 0 }, at(99), null],
    ['the service was off', heard, at(30, 29), null],
    ['and has listened long enough since', heard, at(35, 29), heard.heardAt],
    ['silent before the service was off', { ...heard, silentSince: heard.heardAt }, at(30, 29), heard.heardAt],
    ['heard again', { ...heard, heardAt: 20 * HOUR, silentSince: 10 * HOUR }, at(21), null],
    ['a longer interval', { ...heard, silentSince: heard.heardAt, silentAfterMinutes: 1440 }, at(17), null],
    ['heard by a clock that was ahead', { ...heard, heardAt: 50 * HOUR }, at(20), null],
  ] as const
  for (const [name, device, when, since] of cases) assert.equal(silentSinceOf(device, when), since, name)
})

test('intervals as people write them', () => {
  for (const [text, minutes] of [
    ['15m', 15],
    ['90m', 90],
    ['6h', 360],
    ['2d', 2880],
    ['off', 0],
  ] as const) {
    assert.equal(silentAfterField.parse(text), minutes)
    assert.equal(silentAfterText(minutes), text)
  }
  for (const bad of ['14m', '0h', '31d', '6', '-6h', '6 h', 'never', '']) {
    assert.equal(silentAfterField.safeParse(bad).success, false, bad)
  }
})

test('what the chat reads, in each language', () => {
  const none = { named: [], count: 0 }
  const fell = { named: ['864893030000123'], count: 3 }
  const back = { named: ['T-9'], count: 1 }
  assert.equal(
    silentDevicesText(['en'], { app: 'Hut', fell, back }),
    'Hut: No longer heard from: 864893030000123 and 2 more. This is not an SOS: check battery and coverage. Heard from again: T-9.',
  )
  assert.equal(silentDevicesText(['en'], { app: 'Hut', fell: none, back }), 'Hut: Heard from again: T-9.')
  const texts = ['en', 'de', 'fr', 'it', 'es'].map((tag) => silentDevicesText([tag], { app: 'Hut', fell, back }))
  assert.equal(new Set(texts).size, 5)
  for (const text of texts) {
    assert.doesNotMatch(text, /[{}]/)
    assert.match(text, /SOS/)
  }
})
