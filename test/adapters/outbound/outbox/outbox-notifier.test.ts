import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOutboxNotifier } from '../../../../src/adapters/outbound/outbox/outbox-notifier.ts'
import { type MailStore, type OutboxMessage, StoreError } from '../../../../src/ports/store.ts'
import { textNotification } from '../../../harness/text-notification.ts'

const text = textNotification({
  text: 'SOS: Mia Moser needs help! https://sos.example.org/t/secret-token',
  token: 'secret-token',
})

function outbox(fault?: Error) {
  const messages: OutboxMessage[] = []
  const store: Pick<MailStore, 'addToOutbox' | 'outboxMessage'> = {
    async addToOutbox(message) {
      if (fault) throw fault
      messages.push({ id: messages.length + 1, ...message })
    },
    async outboxMessage(attemptId) {
      if (fault) throw fault
      return messages.find((message) => message.attemptId === attemptId) ?? null
    },
  }
  const lines: string[] = []
  const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }))
  const log = { info: note, warn: note, error: note }
  return { notifier: createOutboxNotifier({ store, clock: { now: () => 42 }, log }), messages, lines }
}

const sent = { kind: 'sent', provider: 'outbox', providerRef: 'i.1' }

test('a message is written as it would be sent, and stays sent', async () => {
  const { notifier, messages } = outbox()
  assert.deepEqual(await notifier.send(text), sent)
  const { attemptId, incidentId, contactId, channel, to } = text
  assert.deepEqual(messages, [{ id: 1, attemptId, incidentId, contactId, channel, to, text: text.text, createdAt: 42 }])
})

test('the log says that a message was written, but not its text or recipient', async () => {
  const { notifier, lines } = outbox()
  await notifier.send(text)
  assert.equal(lines.length, 1)
  assert.match(lines[0]!, /"incidentId":"i","attemptId":"i.1","channel":"sms"/)
  assert.doesNotMatch(lines[0]!, /\+43|Mia|secret-token/)
})

test('an attempt without an outcome is found, or not', async () => {
  const { notifier } = outbox()
  assert.deepEqual(await notifier.lookUp(text), { kind: 'not_found' })
  await notifier.send(text)
  assert.deepEqual(await notifier.lookUp(text), sent)
})

for (const kind of ['disk_full', 'disk_reserve', 'overloaded', 'busy', 'unreachable', 'fault'] as const) {
  test(`a store that cannot write (${kind}) is a retryable failure`, async () => {
    const { notifier } = outbox(new StoreError('write', kind))
    assert.deepEqual(await notifier.send(text), { kind: 'failed', error: 'outbox not writable', retryable: true })
  })
}

test('after a closing store, an unanswered commit or another fault the outcome is unknown', async () => {
  for (const fault of [
    new StoreError('closed', 'closed'),
    new StoreError('unknown', 'unknown'),
    new Error('worker died'),
  ]) {
    const { notifier, lines } = outbox(fault)
    assert.deepEqual(await notifier.send(text), { kind: 'unknown' })
    assert.deepEqual(await notifier.lookUp(text), { kind: 'unknown' })
    assert.doesNotMatch(lines.join(), /\+43|Mia|secret-token/)
  }
})
