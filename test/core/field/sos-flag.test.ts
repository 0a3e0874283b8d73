import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  alarmsFewOnly,
  meaningOf,
  type PressClosing,
  raiseAgainMs,
  raisedFlag,
  type SosFlag,
  unchangedFlag,
} from '../../../src/core/field/sos-flag.ts'
import { stuckFlagText } from '../../../src/core/message/stuck-flag.ts'

const MINUTE = 60_000
const NOW = Date.UTC(2026, 0, 1, 12)
const heard = (minutesAgo: number, press: string | null = null): SosFlag => ({
  heardAt: NOW - minutesAgo * MINUTE,
  press,
  incidentId: 'i1',
})
const set = { set: true, press: null }
const numbered = { set: true, press: '2' }
const repeated = (repeats: number): SosFlag => ({ ...heard(1), repeats })

/** devices.md#flags, row by row. */
const cases: readonly [string, SosFlag | null, Parameters<typeof meaningOf>[1], PressClosing, string][] = [
  ['first time', null, set, null, 'press'],
  ['still set, open incident', heard(1), set, null, 'same_press'],
  ['still set, heard 14 min 59 s ago', heard(14 + 59 / 60), set, null, 'same_press'],
  ['unheard for 15 min', heard(15), set, null, 'press'],
  ['another number of the press', heard(1, '1'), { set: true, press: '2' }, null, 'press'],
  ['the same number of the press', heard(1, '1'), { set: true, press: '1' }, null, 'same_press'],
  ['closed 14 min ago', heard(1), set, NOW - 14 * MINUTE, 'same_press'],
  ['still set 15 min after closing', heard(1), set, NOW - 15 * MINUTE, 'stuck'],
  ['the incident is gone', heard(1), set, 'unknown', 'stuck'],
  ['the second time 15 min after closing', repeated(1), set, NOW - 15 * MINUTE, 'same_press'],
  ['the second time 30 min after closing', repeated(1), set, NOW - 30 * MINUTE, 'stuck'],
  ['the ninth time 59 min after closing', repeated(9), set, NOW - 59 * MINUTE, 'same_press'],
  ['the ninth time an hour after closing', repeated(9), set, NOW - 60 * MINUTE, 'stuck'],
  ['stuck, then pressed under another number', { ...repeated(9), press: '1' }, numbered, NOW - MINUTE, 'press'],
  ['stuck, then unheard for 15 min', { ...repeated(9), heardAt: NOW - 15 * MINUTE }, set, NOW - MINUTE, 'press'],
  ['stuck, closed in the future: the clock was set back', repeated(9), set, NOW + 61 * MINUTE, 'stuck'],
  ['heard in the future: the clock was set back', heard(-20), set, null, 'press'],
  ['closed in the future: the clock was set back', heard(0), set, NOW + 16 * MINUTE, 'stuck'],
  ['clear', heard(1), { set: false, press: null }, null, 'clear'],
  ['nothing said of the flag', heard(1), { set: null, press: null }, null, 'unmentioned'],
]

suite('an SOS flag', () => {
  for (const [name, flag, reading, closing, meaning] of cases) {
    test(`${name}: ${meaning}`, () => assert.equal(meaningOf(flag, reading, closing, NOW), meaning))
  }

  test('is held for 15, 30 and 60 min, and never longer', () => {
    assert.deepEqual(
      [0, 1, 2, 3, 4000].map((repeats) => raiseAgainMs(repeats) / MINUTE),
      [15, 30, 60, 60, 60],
    )
  })

  test('that was raised again knows since when it is set and how often; a press starts afresh', () => {
    const raised = { now: NOW, press: null, incidentId: 'i2' }
    const stuck = raisedFlag('stuck', raisedFlag('stuck', heard(5), raised), { ...raised, now: NOW + MINUTE })
    assert.deepEqual(stuck, { ...stuck, since: NOW - 5 * MINUTE, heardAt: NOW + MINUTE, repeats: 2 })
    assert.equal(raisedFlag('press', stuck, raised).repeats, undefined)
  })

  const place = { latitude: 47, longitude: 11 }
  const near = { latitude: 47.001, longitude: 11.001 }
  const far = { latitude: 47.002, longitude: 11 }
  const unchanged = (times: number, more: Partial<SosFlag> = {}): SosFlag => ({
    ...heard(1),
    unchanged: times,
    place,
    ...more,
  })
  const few: readonly [string, SosFlag, typeof place | null, boolean][] = [
    ['the third time', unchanged(2), place, false],
    ['the fourth', unchanged(3), place, true],
    ['the fourth, without a fix', unchanged(3), null, true],
    ['the fourth, as far as a receiver errs', unchanged(3), near, true],
    ['the fourth, elsewhere', unchanged(3), far, false],
    [
      'the fourth, on the other side of the date line',
      unchanged(3, { place: { latitude: 0, longitude: 180 } }),
      { latitude: 0, longitude: -180 },
      true,
    ],
    ['the fourth, back from elsewhere', unchangedFlag(unchangedFlag(unchanged(3), NOW, far), NOW, place), place, false],
    ['the fourth, at a place after none was known', { ...heard(1), unchanged: 3 }, place, false],
    ['the fourth, and nothing is known of a place', { ...heard(1), unchanged: 3 }, null, true],
    ['of a version that did not count', repeated(9), place, false],
  ]
  for (const [name, flag, at, isFew] of few) {
    test(`raised again ${name}: tells ${isFew ? 'few' : 'everyone'}`, () =>
      assert.equal(alarmsFewOnly(flag, at), isFew))
  }

  test('counts how often it was raised unchanged, from the last change on', () => {
    const raised = { now: NOW, press: null, incidentId: 'i2' }
    const counts: (number | undefined)[] = []
    let flag = raisedFlag('press', null, { ...raised, place })
    for (const at of [null, place, near, far, null]) {
      flag = raisedFlag('stuck', flag, { ...raised, place: at })
      counts.push(flag.unchanged)
    }
    assert.deepEqual([counts, flag.place, flag.repeats], [[1, 2, 3, 0, 1], far, 5])
    assert.equal(raisedFlag('press', flag, raised).unchanged, undefined)
  })

  test('that looks stuck is told in five languages, with the device and when it alarms next', () => {
    const texts = ['en', 'de', 'fr', 'es', 'it'].map((tag) =>
      stuckFlagText(tag, { hardwareId: 'T-9 $& {minutes}', heldMinutes: 30 }),
    )
    assert.equal(new Set(texts).size, 5)
    assert.ok(texts.every((text) => text.includes('T-9 $& {minutes}') && text.includes('30 min')))
  })
})
