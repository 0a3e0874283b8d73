import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Contact } from '../../../src/core/account/contact.ts'
import {
  type AskedContact,
  decideAnswerVerification,
  decideRequestVerification,
} from '../../../src/core/account/decide-verification.ts'
import { DAY } from '../../../src/lib/durations.ts'
import { momentAt, OWNER } from '../build.ts'

const NOW = momentAt(0)
const THEN = momentAt(-60)
const phone = '+4366012345678'

const contact: Contact = {
  ...{ id: 'ana', userId: OWNER, name: 'Ana', phone, email: null, language: 'de', priority: 1 },
  ...{ verifiedAt: null, declinedAt: null, stoppedAt: THEN, createdAt: THEN, updatedAt: THEN },
}
const situation = { contact, own: [], isAskedByOthers: false, requests: 0, ofApplication: 0, ofInvitation: null }
const asked = { token: 'token', now: NOW, perDay: 100 }
const row = { token: 'token', userId: OWNER, contactId: 'ana', phone, requestedAt: NOW, withheld: false, sentAt: null }
const today = { phone, requestedAt: NOW - 1 }

for (const [story, given, expected] of [
  ['is stored, to be sent', {}, { insert: row, result: { verdict: 'asked' } }],
  [
    'is stored and withheld where others asked the number',
    { isAskedByOthers: true },
    { insert: { ...row, withheld: true }, result: { verdict: 'withheld' } },
  ],
  ['of nobody is refused', { contact: null }, { refused: 'contact_not_found' }],
  [
    'of a contact who has agreed stores nothing, whatever the limits',
    { contact: { ...contact, verifiedAt: THEN }, own: [today] },
    { result: { verdict: 'verified' } },
  ],
  [
    'beyond the limits of the user is refused',
    { own: [today] },
    { refused: 'verification_limit', retryAfterMs: DAY - 1 },
  ],
  [
    'beyond the limits of site and application is refused',
    { requests: 100, ofApplication: 5 },
    { refused: 'verification_limit', retryAfterMs: DAY },
  ],
  [
    'within the share of the application is stored',
    { requests: 100, ofApplication: 4 },
    { insert: row, result: { verdict: 'asked' } },
  ],
] as const) {
  test(`a request ${story}`, () =>
    assert.deepEqual(decideRequestVerification({ ...situation, ...given }, asked), expected))
}

const link: AskedContact = { phone, requestedAt: THEN, contact: { ...contact, declinedAt: THEN } }
const answered = { answered: true }
const expired = { refused: 'link_expired' }

for (const [story, given, answer, now, expected] of [
  [
    'yes is kept, and takes a stop back',
    link,
    'confirmed',
    NOW,
    { update: { ...contact, verifiedAt: NOW, declinedAt: null, stoppedAt: null }, result: answered },
  ],
  [
    'no is kept, and a stop stays',
    { ...link, contact: { ...contact, verifiedAt: THEN } },
    'declined',
    NOW,
    { update: { ...contact, declinedAt: NOW }, result: answered },
  ],
  [
    'the last moment counts',
    link,
    'declined',
    THEN + 7 * DAY - 1,
    { update: { ...contact, declinedAt: THEN + 7 * DAY - 1 }, result: answered },
  ],
  ['after seven days is refused', link, 'confirmed', THEN + 7 * DAY, expired],
  ['for a contact who is gone is refused', { ...link, contact: null }, 'confirmed', NOW, expired],
  ['for another number is refused', { ...link, phone: '+43660999' }, 'confirmed', NOW, expired],
  ['to an unknown link is refused', null, 'confirmed', NOW, { refused: 'unknown_link' }],
] as const) {
  test(`an answer ${story}`, () => assert.deepEqual(decideAnswerVerification(given, answer, now), expected))
}
