import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isFullNumber, type SmsFacts, smsAnswerOf, smsReach } from '../../../src/core/incident/sms-reach.ts'

suite('the reach of an SOS by SMS', () => {
  const rows: readonly (readonly [SmsFacts['number'], SmsFacts['code'], number, number, string])[] = [
    ['proved', 'none', 0, 0, 'other all'],
    ['proved', 'wrong', 0, 0, 'other all'],
    ['proved', 'right', 0, 0, 'owner all'],
    ['proved', 'none', 2, 1, 'other all'],
    ['proved', 'none', 3, 0, 'other fallback'],
    ['proved', 'wrong', 3, 0, 'other fallback'],
    ['proved', 'right', 30, 9, 'owner all'],
    ['proved', 'none', 0, 2, 'other later'],
    ['proved', 'none', 3, 2, 'other fallback'],
    ['unproved', 'none', 0, 0, 'other fallback'],
    ['unproved', 'right', 0, 0, 'other fallback'],
    ['unknown', 'right', 0, 0, 'other fallback'],
  ]
  for (const [number, code, opened, denials, expected] of rows) {
    test(`${number} number, ${code} code, ${opened} opened, ${denials} denied: ${expected}`, () => {
      const { by, reach } = smsReach({ number, code, opened, denials, isHeard: true })
      assert.equal(`${by} ${reach}`, expected)
    })
  }
  test('where nobody else would hear of it, three forged texts keep no contact from the next one', () => {
    const reach = (number: SmsFacts['number']) =>
      smsReach({ number, code: 'none', opened: 3, denials: 0, isHeard: false }).reach
    assert.deepEqual([reach('proved'), reach('unknown')], ['later', 'fallback'])
  })
})

suite('the answer to an SOS by SMS', () => {
  const usual = { isAllowed: true, isSilent: false, ofNumber: 0, ofSite: 0 }
  test('goes to a proved number, within what a number and the site may get', () => {
    assert.equal(smsAnswerOf(usual), 'sent')
    assert.equal(smsAnswerOf({ ...usual, isAllowed: false }), 'none')
    assert.equal(smsAnswerOf({ ...usual, isSilent: true }), 'none')
    assert.equal(smsAnswerOf({ ...usual, ofNumber: 3, ofSite: 49 }), 'sent')
    assert.equal(smsAnswerOf({ ...usual, ofNumber: 4 }), 'none')
    assert.equal(smsAnswerOf({ ...usual, ofSite: 50 }), 'held')
  })

  test('never goes to a short code or a name', () => {
    for (const number of ['+436641234567', '+12025550123']) assert.ok(isFullNumber(number))
    for (const number of ['12345', 'BANK', '+12345', '', '06641234567', '+0123456789', '+43664123456789012'])
      assert.ok(!isFullNumber(number), number)
  })
})
