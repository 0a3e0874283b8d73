import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { OutboxMessage } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { type StoreUnderTest, siteIn } from './site.ts'

const message = (incidentId: string, n: number): Omit<OutboxMessage, 'id'> => ({
  attemptId: `${incidentId}.${n}`,
  incidentId,
  contactId: 'ana',
  channel: n % 2 === 0 ? 'voice' : 'sms',
  to: '+4366012345678',
  text: 'Mia braucht Hilfe ⛰',
  createdAt: momentAt(n),
})

export function mailContract(subject: StoreUnderTest): void {
  suite('mail', () => {
    test('the outbox has one message per attempt, oldest first', async (t) => {
      const { store } = await siteIn(subject, t)
      const messages = [message('i1', 1), message('i2', 1), message('i1', 2)]
      for (const one of messages) await store.addToOutbox(one)
      await store.addToOutbox({ ...messages[0]!, text: 'another text' })
      const all = await store.outbox({ incidentId: null })
      assert.deepEqual(
        all.map(({ id: _, ...rest }) => rest),
        messages,
      )
      assert.deepEqual(await store.outbox({ incidentId: 'i1' }), [all[0], all[2]])
      assert.deepEqual(await store.outbox({ incidentId: 'i3' }), [])
      assert.deepEqual(await store.outboxMessage('i2.1'), all[1])
      assert.equal(await store.outboxMessage('i2.2'), null)
    })

    test('dead letters keep every byte, oldest first', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      const slice = Buffer.concat([Buffer.alloc(5000), everyByte]).subarray(5000)
      const letter = { userId: user.id, topic: 'tel/x/data', reason: 'no JSON object', receivedAt: momentAt(1) }
      await store.addDeadLetter({ ...letter, payload: slice })
      await store.addDeadLetter({ ...letter, payload: new Uint8Array() })
      const [first, second] = await store.deadLetters()
      const { id, payload, ...rest } = first!
      assert.deepEqual(rest, letter)
      assert.deepEqual(Uint8Array.from(payload), everyByte)
      assert.equal(second?.payload.length, 0)
      assert.ok(second.id > id)
    })
  })
}
