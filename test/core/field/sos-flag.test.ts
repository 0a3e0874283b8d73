import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { meaningOf, type PressClosing, type SosFlag } from '../../../src/core/field/sos-flag.ts'

const MINUTE = 60_000
const NOW = Date.UTC(2026, 0, 1, 12)
const heard = (minutesAgo: number, press: string | null = null): SosFlag => ({
  heardAt: NOW - minutesAgo * MINUTE,
  press,
  incidentId: 'i1',
})
const set = { set: true, press: null }

/** rules.md#flags, row by row. */
const cases: readonly [string, SosFlag | null, Parameters<typeof meaningOf>[1], PressClosing, string][] = [
  ['first time', null, set, null, 'press'],
  ['still set, open incident', heard(1), set, null, 'held'],
  ['still set, heard 14 min 59 s ago', heard(14 + 59 / 60), set, null, 'held'],
  ['unheard for 15 min', heard(15), set, null, 'press'],
  ['another number of the press', heard(1, '1'), { set: true, press: '2' }, null, 'press'],
  ['the same number of the press', heard(1, '1'), { set: true, press: '1' }, null, 'held'],
  ['closed 14 min ago', heard(1), set, NOW - 14 * MINUTE, 'held'],
  ['still set 15 min after closing', heard(1), set, NOW - 15 * MINUTE, 'press'],
  ['the incident is gone', heard(1), set, 'unknown', 'press'],
  ['heard in the future: the clock was set back', heard(-20), set, null, 'press'],
  ['closed in the future: the clock was set back', heard(0), set, NOW + 16 * MINUTE, 'press'],
  ['clear', heard(1), { set: false, press: null }, null, 'clear'],
  ['nothing said of the flag', heard(1), { set: null, press: null }, null, 'silent'],
]

suite('an SOS flag', () => {
  for (const [name, flag, reading, closing, meaning] of cases) {
    test(`${name}: ${meaning}`, () => assert.equal(meaningOf(flag, reading, closing, NOW), meaning))
  }
})
