import type { DeadLetter, OutboxMessage } from '../../ports/store.ts'
import type { Connection } from './connection.ts'

/** The outbox and the dead letters, on the writer's side: to be called inside a transaction. */
export function mailWrites(db: Connection) {
  const addMessage = db.prepare<[string, string, string, string, string, string, number]>(
    `INSERT INTO outbox (attempt_id, incident_id, contact_id, channel, recipient, text, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (attempt_id) DO NOTHING`,
  )
  const addLetter = db.prepare<[string, string, string, Uint8Array, number]>(
    'INSERT INTO dead_letters (user_id, topic, reason, payload, received_at) VALUES (?, ?, ?, ?, ?)',
  )
  return {
    addToOutbox({ attemptId, incidentId, contactId, channel, to, text, createdAt }: Omit<OutboxMessage, 'id'>): void {
      addMessage.run(attemptId, incidentId, contactId, channel, to, text, createdAt)
    },
    addDeadLetter({ userId, topic, reason, payload, receivedAt }: Omit<DeadLetter, 'id'>): void {
      addLetter.run(userId, topic, reason, payload, receivedAt)
    },
  }
}
