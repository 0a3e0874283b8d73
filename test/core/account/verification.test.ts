import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type VerificationFacts,
  type VerificationVerdict,
  verificationOf,
} from '../../../src/core/account/verification.ts'
import { DAY, HOUR } from '../../../src/lib/durations.ts'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const PHONE = '+436641111111'
const requests = (count: number, agoMs: number, phone = PHONE) =>
  Array.from({ length: count }, (_, nth) => ({
    phone: phone === PHONE ? PHONE : `${phone}${nth}`,
    requestedAt: NOW - agoMs,
  }))
const refused = (retryAfterMs: number | null) => ({ refused: 'verification_limit', retryAfterMs }) as const

// preparing.md#verification.
const table: readonly [name: string, given: Partial<VerificationFacts>, verdict: VerificationVerdict][] = [
  ['a number that nobody has had asked', {}, 'asked'],
  ['once more after a day', { own: requests(1, DAY) }, 'asked'],
  ['once more on the same day', { own: requests(1, DAY - 1) }, refused(1)],
  ['dated ahead by a clock that was set back', { own: requests(1, -5 * DAY) }, refused(DAY)],
  ['a third time', { own: requests(2, 2 * DAY) }, 'asked'],
  ['a fourth time', { own: requests(3, 2 * DAY) }, refused(null)],
  ['the tenth number of a day', { own: requests(9, HOUR, '+4366') }, 'asked'],
  ['the eleventh number of a day', { own: requests(10, HOUR, '+4366') }, refused(23 * HOUR)],
  ['the 300th request of a user', { own: requests(299, 9 * DAY, '+4366') }, 'asked'],
  ['the 301st request of a user', { own: requests(300, 9 * DAY, '+4366') }, refused(null)],
  ['somebody else had it asked today', { isAskedByOthers: true }, 'withheld'],
  ['own limits come before what others did', { isAskedByOthers: true, own: requests(1, HOUR) }, refused(23 * HOUR)],
  ['the last one of the site', { site: { requests: 4, max: 5 } }, 'asked'],
  ['the site has had enough', { site: { requests: 5, max: 5 } }, refused(DAY)],
  ['another application has used up what the site has', { site: { requests: 40, max: 40 }, ofApplication: 1 }, 'asked'],
  ['and this one its share', { site: { requests: 40, max: 40 }, ofApplication: 2 }, refused(DAY)],
  [
    'the third number of a day, of somebody who was invited',
    { own: requests(2, HOUR, '+4366'), ofInvitation: 2 },
    'asked',
  ],
  ['the fourth', { own: requests(3, HOUR, '+4366'), ofInvitation: 3 }, refused(23 * HOUR)],
  ['the 50th of a day by one invitation', { ofInvitation: 49 }, 'asked'],
  ['the 51st', { ofInvitation: 50 }, refused(DAY)],
  ['a site that asks nobody', { site: { requests: 0, max: 0 } }, refused(DAY)],
]
for (const [name, given, verdict] of table) {
  test(`a request to verify: ${name}`, () => {
    const facts = { phone: PHONE, now: NOW, own: [], isAskedByOthers: false, site: { requests: 0, max: 1000 } }
    const ofApplication = given.site?.requests ?? 0
    assert.deepEqual(verificationOf({ ...facts, ofApplication, ofInvitation: null, ...given }), verdict)
  })
}
