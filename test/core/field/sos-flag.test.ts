import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { heldMs, meaningOf, type PressClosing, raisedFlag, type SosFlag } from '../../../src/core/field/sos-flag.ts'
import { stuckFlagText } from '../../../src/core/text/stuck-flag.ts'

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

/** rules.md#flags, row by row. */
const cases: readonly [string, SosFlag | null, Parameters<typeof meaningOf>[1], PressClosing, string][] = [
  ['first time', null, set, null, 'press'],
  ['still set, open incident', heard(1), set, null, 'held'],
  ['still set, heard 14 min 59 s ago', heard(14 + 59 / 60), set, null, 'held'],
  ['unheard for 15 min', heard(15), set, null, 'press'],
  ['another number of the press', heard(1, '1'), { set: true, press: '2' }, null, 'press'],
  ['the same number of the press', heard(1, '1'), { set: true, press: '1' }, null, 'held'],
  ['closed 14 min ago', heard(1), set, NOW - 14 * MINUTE, 'held'],
  ['still set 15 min after closing', heard(1), set, NOW - 15 * MINUTE, 'stuck'],
  ['the incident is gone', heard(1), set, 'unknown', 'stuck'],
  ['the second time 15 min after closing', repeated(1), set, NOW - 15 * MINUTE, 'held'],
  ['the second time 30 min after closing', repeated(1), set, NOW - 30 * MINUTE, 'stuck'],
  ['the ninth time 59 min after closing', repeated(9), set, NOW - 59 * MINUTE, 'held'],
  ['the ninth time an hour after closing', repeated(9), set, NOW - 60 * MINUTE, 'stuck'],
  ['stuck, then pressed under another number', { ...repeated(9), press: '1' }, numbered, NOW - MINUTE, 'press'],
  ['stuck, then unheard for 15 min', { ...repeated(9), heardAt: NOW - 15 * MINUTE }, set, NOW - MINUTE, 'press'],
  ['stuck, closed in the future: the clock was set back', repeated(9), set, NOW + 61 * MINUTE, 'stuck'],
  ['heard in the future: the clock was set back', heard(-20), set, null, 'press'],
  ['closed in the future: the clock was set back', heard(0), set, NOW + 16 * MINUTE, 'stuck'],
  ['clear', heard(1), { set: false, press: null }, null, 'clear'],
  ['nothing said of the flag', heard(1), { set: null, press: null }, null, 'silent'],
]

suite('an SOS flag', () => {
  for (const [name, flag, reading, closing, meaning] of cases) {
    test(`${name}: ${meaning}`, () => assert.equal(meaningOf(flag, reading, closing, NOW), meaning))
  }

  test('is held for 15, 30 and 60 min, and never longer', () => {
    assert.deepEqual(
      [0, 1, 2, 3, 4000].map((repeats) => heldMs(repeats) / MINUTE),
      [15, 30, 60, 60, 60],
    )
  })

  test('that was raised again knows since when it is set and how often; a press starts afresh', () => {
    const raised = { now: NOW, press: null, incidentId: 'i2' }
    const stuck = raisedFlag('stuck', raisedFlag('stuck', heard(5), raised), { ...raised, now: NOW + MINUTE })
    assert.deepEqual(stuck, { ...stuck, since: NOW - 5 * MINUTE, heardAt: NOW + MINUTE, repeats: 2 })
    assert.equal(raisedFlag('press', stuck, raised).repeats, undefined)
  })

  test('that looks stuck is told in five languages, with the device and when it alarms next', () => {
    const texts = ['en', 'de', 'fr', 'es', 'it'].map((tag) =>
      stuckFlagText(tag, { hardwareId: 'T-9 $& {minutes}', heldMinutes: 30 }),
    )
    assert.equal(new Set(texts).size, 5)
    assert.ok(texts.every((text) => text.includes('T-9 $& {minutes}') && text.includes('30 min')))
  })
})
