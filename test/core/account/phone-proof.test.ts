import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type CodeFacts, decidePhoneCode, decideProof, type PhoneProof } from '../../../src/core/account/phone-proof.ts'
import { HOUR, MINUTE } from '../../../src/lib/durations.ts'

const PHONE = '+436641234567'
const NOW = Date.UTC(2026, 10, 28)

suite('a code to a number', () => {
  const usual: CodeFacts = {
    ...{ phone: PHONE, allowedPrefixes: ['+43', '+49'], own: [], ofNumber: 0, ofNetwork: 0, ofSite: 0 },
    ...{ ofApplication: 0, ofInvitation: null },
  }
  const decided = (facts: Partial<CodeFacts>, network: string | null = '192.0.2') => {
    const asked = { id: 'a', userId: 'mia', code: '123456', network, now: NOW, perDay: 100 }
    const found = decidePhoneCode({ ...usual, ...facts }, asked)
    return 'refused' in found ? found.refused : 'sent'
  }
  const asked = (...minutesAgo: readonly number[]) =>
    minutesAgo.map((minutes) => ({ requestedAt: NOW - minutes * MINUTE }))
  for (const [facts, expected] of [
    [{}, 'sent'],
    [{ phone: null }, 'no_phone'],
    [{ allowedPrefixes: [] }, 'sent'],
    [{ phone: '+4366' }, 'sent'],
    [{ phone: '+420601234567' }, 'phone_not_allowed'],
    [{ allowedPrefixes: ['+49'] }, 'phone_not_allowed'],
    [{ phone: null, allowedPrefixes: ['+49'] }, 'no_phone'],
    [{ allowedPrefixes: ['+49'], own: asked(0.5) }, 'phone_not_allowed'],
    [{ own: asked(0.5) }, 'code_limit'],
    [{ own: asked(1, 2, 3, 4) }, 'sent'],
    [{ own: asked(1, 2, 3, 4, 5) }, 'code_limit'],
    [{ ofNumber: 2 }, 'sent'],
    [{ ofNumber: 2, ofNetwork: 2 }, 'sent'],
    [{ ofNumber: 3, ofNetwork: 3 }, 'code_limit'],
    [{ ofNumber: 3, ofNetwork: 1 }, 'code_limit'],
    [{ ofNumber: 5 }, 'sent'],
    [{ ofNumber: 6 }, 'code_limit'],
    [{ ofSite: 100, ofApplication: 5 }, 'code_limit'],
    [{ ofSite: 100, ofApplication: 4 }, 'sent'],
    [{ ofInvitation: 99, own: asked(1, 2) }, 'sent'],
    [{ ofInvitation: 0, own: asked(1, 2, 3) }, 'code_limit'],
    [{ ofInvitation: 100 }, 'code_limit'],
  ] as const) {
    test(`${JSON.stringify(facts)}: ${expected}`, () => assert.equal(decided(facts), expected))
  }

  test('from a network that is not known: three to a number', () => {
    assert.deepEqual([decided({ ofNumber: 2 }, null), decided({ ofNumber: 3 }, null)], ['sent', 'code_limit'])
  })
})

suite('the proof of a number', () => {
  const sent = { id: 'a', userId: 'mia', phone: PHONE, code: '123456', requestedAt: NOW, tries: 0, network: null }
  const facts = { phone: PHONE, sent, holder: null, known: null }
  const said = { code: '123456', smsCode: '4711', now: NOW + MINUTE }
  const proof: PhoneProof = { userId: 'mia', phone: PHONE, provedAt: said.now, takenAt: null, code: '4711' }

  test('is the newest code, typed in time', () => {
    assert.deepEqual(decideProof(facts, said), { proof, taken: null, replaced: null })
    const wrong = { refused: 'wrong_code', update: { ...sent, tries: 1 } }
    assert.deepEqual(decideProof(facts, { ...said, code: '123457' }), wrong)
    const dead = { refused: 'wrong_code', update: null }
    assert.deepEqual(decideProof({ ...facts, sent: null }, said), dead)
    assert.deepEqual(decideProof({ ...facts, phone: '+431' }, said), dead)
    assert.deepEqual(decideProof({ ...facts, phone: null }, said), dead)
    assert.deepEqual(decideProof(facts, { ...said, now: NOW + HOUR }), dead)
    assert.deepEqual(decideProof(facts, { ...said, now: NOW - HOUR }), dead, 'a clock that was set back')
    assert.deepEqual(decideProof({ ...facts, sent: { ...sent, tries: 5 } }, said), dead, 'five wrong ones end it')
  })

  test('takes the number from others, and keeps the own code', () => {
    const other = { ...proof, userId: 'ana', code: '0815' }
    const taken = { ...other, takenAt: said.now }
    assert.deepEqual(decideProof({ ...facts, holder: other }, said), { proof, taken, replaced: null })
    const known = { ...proof, code: '0815', provedAt: 1 }
    assert.deepEqual(decideProof({ ...facts, holder: known, known }, said), {
      proof: { ...proof, code: '0815' },
      taken: null,
      replaced: null,
    })
    const elsewhere = { ...known, phone: '+431' }
    assert.deepEqual(decideProof({ ...facts, known: elsewhere }, said), { proof, taken: null, replaced: '+431' })
    assert.deepEqual(decideProof({ ...facts, known: { ...known, takenAt: 2 } }, said), {
      proof,
      taken: null,
      replaced: null,
    })
  })
})
