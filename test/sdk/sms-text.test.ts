import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smsLink, smsText } from '../../sdk/src/index.ts'
import { smsSos } from '../../src/core/message/sms-sos.ts'

const place = { latitude: 47.0638, longitude: -12.6921 }

test('the text of an SOS by SMS is what the service reads', () => {
  assert.equal(smsText(), 'SOS')
  assert.equal(smsText(place, '4711'), 'SOS 47.06380,-12.69210 4711')
  for (const [where, code] of [
    [null, null],
    [place, null],
    [null, '0815'],
    [place, '4711'],
    [{ latitude: 0, longitude: 0 }, '0000'],
    [{ latitude: -89.999999, longitude: 179.999999 }, '9999'],
  ] as const) {
    const read = smsSos(smsText(where, code))!
    assert.deepEqual([read.word, read.isBare, read.code], ['sos', true, code])
    assert.equal(read.place === null, where === null)
    if (where !== null) assert.ok(Math.abs(read.place!.latitude - where.latitude) < 1e-5)
  }
})

test('the link opens the messages with number and text, where the application takes them', () => {
  assert.equal(smsLink({ smsSos: null }), null)
  assert.equal(smsLink({}), null)
  assert.equal(smsLink({ smsSos: { number: null, code: '4711', from: null } }), null)
  assert.equal(
    smsLink({ smsSos: { number: '+431', code: '4711', from: '+432' } }, place),
    'sms:+431?body=SOS%2047.06380%2C-12.69210%204711',
  )
})
