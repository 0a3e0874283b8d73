import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callReceipt, messageReceipt } from '../../../../src/adapters/outbound/twilio/statuses.ts'

const messages = {
  sent: ['accepted', 'scheduled', 'queued', 'sending', 'sent', 'receiving', 'received'],
  delivered: ['delivered', 'read', 'partially_delivered'],
  failed: ['undelivered', 'failed', 'canceled'],
}
const calls = {
  sent: ['queued', 'initiated', 'ringing'],
  delivered: ['in-progress', 'answered', 'completed'],
  failed: ['busy', 'no-answer', 'failed', 'canceled'],
}

for (const [name, table, read] of [
  ['message', messages, messageReceipt],
  ['call', calls, callReceipt],
] as const) {
  for (const [status, words] of Object.entries(table)) {
    for (const word of words) {
      test(`a ${name} that is ${word} is ${status}`, () => {
        const receipt = read(word, null)
        assert.equal(receipt?.status, status)
        assert.equal(receipt?.error, status === 'failed' ? word : null)
        assert.equal(receipt?.final, status !== 'sent')
      })
    }
  }
  test(`an unknown status of a ${name} is no news`, () => {
    for (const word of ['', 'DELIVERED', 'toString', 'new-status']) assert.equal(read(word, null), null)
  })
}

test('a failure is named after its code', () => {
  assert.equal(messageReceipt('undelivered', 30003)?.error, 'provider error 30003')
  assert.equal(messageReceipt('failed', 21211)?.error, 'invalid number')
  assert.equal(messageReceipt('delivered', 30003)?.error, null)
})
