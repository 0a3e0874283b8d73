import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  type ContactFacts,
  findingCodes,
  findingsOf,
  type ReadinessFacts,
  readinessOf,
} from '../../../src/core/readiness/findings.ts'
import { findingText } from '../../../src/core/readiness/text.ts'
import { DAY } from '../../../src/lib/durations.ts'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const ago = (days: number) => NOW - days * DAY

const ana: ContactFacts = {
  ...{ id: 'a', name: 'Ana', phone: '+436641111111' },
  ...{ verifiedAt: ago(10), declinedAt: null, stoppedAt: null, last: null },
}
const ben: ContactFacts = { ...ana, id: 'b', phone: '+436642222222' }
const profile = { name: 'Mia', phone: '+436643333333' }
const lost = { status: 'failed', at: ago(3) } as const
const site = { isDown: false, isFailing: false, keepsMessages: false, channels: ['sms', 'voice'] } as const
const ways = { contacts: true, voice: true, http: false, others: false, fallback: false }
const seen = { at: ago(1), percent: 80, device: 'ok' } as const
const well: ReadinessFacts = {
  now: NOW,
  isDisabled: false,
  site,
  ways,
  contacts: [ana],
  profile,
  isPossible: (phone) => !phone.startsWith('+999') && phone.length > 6,
  lastSeen: seen,
  isDrilled: true,
  contactsChanged: null,
  accountChanged: null,
}

/** The codes, blocking ones with an exclamation mark. */
const codesOf = (facts: ReadinessFacts): string =>
  findingsOf(facts)
    .map(({ code, isBlocking }) => (isBlocking ? `!${code}` : code))
    .join(' ')

// preparing.md#readiness.
const table: readonly [name: string, given: Partial<ReadinessFacts>, codes: string][] = [
  ['all is well', {}, ''],
  ['the store cannot write', { site: { ...site, isDown: true } }, '!service_down'],
  ['only the outbox', { site: { ...site, keepsMessages: true } }, '!messages_stay_here'],
  ['only the outbox, and a chat', { site: { ...site, keepsMessages: true }, ways: { ...ways, others: true } }, ''],
  ['no provider takes anything', { site: { ...site, isFailing: true } }, 'provider_failing'],
  ['the modem hangs', { site: { ...site, modem: 'down' } }, 'modem_down'],
  ['the modem has a weak signal', { site: { ...site, modem: 'slow' } }, 'modem_slow'],
  ['the modem is well', { site: { ...site, modem: 'ok' } }, ''],
  ['no name', { profile: { ...profile, name: null } }, 'no_name'],
  ['an own number that cannot be', { profile: { ...profile, phone: '+999123456' } }, 'number_implausible'],
  ['a number too short for its country', { contacts: [{ ...ana, phone: '+4366' }] }, 'number_implausible'],
  ['the own number', { contacts: [{ ...ana, phone: profile.phone }] }, 'number_is_own'],
  ['one number for two', { contacts: [ana, { ...ben, phone: ana.phone }] }, 'number_twice'],
  ['disabled', { isDisabled: true }, '!disabled'],
  ['no contact', { contacts: [] }, '!nobody_to_alarm'],
  ['no contact but a fallback', { contacts: [], ways: { ...ways, fallback: true } }, ''],
  ['no contact but a webhook', { contacts: [], ways: { ...ways, others: true } }, ''],
  ['no actuator for contacts', { ways: { ...ways, contacts: false } }, '!nobody_to_alarm'],
  ['not asked yet', { contacts: [{ ...ana, verifiedAt: null }] }, 'contact_unverified'],
  ['a contact who stopped messages', { contacts: [ana, { ...ben, stoppedAt: ago(1) }] }, 'contact_stopped'],
  ['a stranger', { contacts: [ana, { ...ben, declinedAt: ago(1) }] }, 'contact_declined'],
  ['the only contact was not reached', { contacts: [{ ...ana, last: lost }] }, '!nobody_reached delivery_failed'],
  ['one of two was not reached', { contacts: [ana, { ...ben, last: lost }] }, 'delivery_failed'],
  ['not reached, but confirmed since', { contacts: [{ ...ana, last: lost, verifiedAt: ago(2) }] }, ''],
  ['confirmed long ago', { contacts: [{ ...ana, verifiedAt: ago(181) }] }, 'delivery_unproven'],
  [
    'confirmed long ago, reached lately',
    { contacts: [{ ...ana, verifiedAt: ago(181), last: { status: 'delivered', at: ago(5) } }] },
    '',
  ],
  ['no calls', { ways: { ...ways, voice: false } }, 'one_channel'],
  ['nobody serves calls', { site: { ...site, channels: ['sms'] } }, 'one_channel'],
  ['no calls, but a gateway', { ways: { ...ways, voice: false, http: true } }, ''],
  ['never heard of', { lastSeen: null }, 'never_seen'],
  ['silent', { lastSeen: { ...seen, at: ago(8) } }, 'silent'],
  ['a clock ahead', { lastSeen: { ...seen, at: ago(-1) } }, ''],
  ['the phone is almost empty', { lastSeen: { ...seen, percent: 15 } }, 'battery_low'],
  ['no exercise lately', { isDrilled: false }, 'no_drill'],
  ['contacts changed lately', { contactsChanged: { at: ago(6.9), on: '2026-04-24' } }, 'contacts_changed'],
  ['name or number changed lately', { accountChanged: { at: ago(6.9), on: '2026-04-24' } }, 'account_changed'],
  ['contacts changed a week ago', { contactsChanged: { at: ago(7), on: '2026-04-24' } }, ''],
  ['no exercise, but nobody to hold it with', { isDrilled: false, contacts: [] }, '!nobody_to_alarm'],
  ['the tracker is almost empty', { lastSeen: { ...seen, device: 'critical' } }, 'battery_low'],
]
suite('readiness', () => {
  for (const [name, given, codes] of table) test(name, () => assert.equal(codesOf({ ...well, ...given }), codes))

  test('one blocking finding is enough', () => {
    assert.equal(readinessOf(findingsOf(well)), 'ready')
    assert.equal(readinessOf(findingsOf({ ...well, isDrilled: false })), 'ready')
    const changed = { at: ago(1), on: '2026-04-30' }
    assert.equal(readinessOf(findingsOf({ ...well, contactsChanged: changed })), 'ready')
    assert.equal(readinessOf(findingsOf({ ...well, lastSeen: null })), 'attention')
    assert.equal(readinessOf(findingsOf({ ...well, lastSeen: null, contacts: [] })), 'not_ready')
  })

  test('each finding says what is wrong and what to do, in each language, without a placeholder left', () => {
    const said = new Set<string>()
    for (const code of findingCodes) {
      for (const language of ['en', 'de', 'fr', 'it', 'es']) {
        const finding = { code, isBlocking: true, contact: { id: 'a', name: 'evil.example Ana' }, days: 12 }
        const { text, remedy } = findingText(finding, [language])
        assert.doesNotMatch(text + remedy, /[{}]|evil\.example/)
        said.add(text)
      }
    }
    assert.equal(said.size, findingCodes.length * 5)
  })

  test('the own number is called that of the profile', () => {
    const { text } = findingText({ code: 'number_implausible', isBlocking: false }, ['de'])
    assert.equal(text, 'Ihr Profil: Diese Telefonnummer kann nicht stimmen.')
  })

  test('says a day as people do', () => {
    const finding = { code: 'delivery_failed', isBlocking: false, contact: { id: 'a', name: 'Ana' } } as const
    const said = (days: number, language: string) => findingText({ ...finding, days }, [language]).text
    assert.equal(said(0, 'en'), 'The last message did not reach Ana (today).')
    assert.equal(said(1, 'de'), 'Die letzte Nachricht hat Ana nicht erreicht (gestern).')
    const changed = { code: 'contacts_changed', isBlocking: false, on: '2026-05-01' } as const
    assert.equal(
      findingText(changed, ['de']).text,
      'Die Notfallkontakte wurden am 1. Mai 2026 von deinem Handy aus geändert.',
    )
    assert.equal(said(3, 'fr'), 'Le dernier message n’a pas atteint Ana (il y a 3 jours).')
  })
})
