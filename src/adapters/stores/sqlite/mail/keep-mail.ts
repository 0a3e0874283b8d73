import type { DeadLetter, OutboxMessage } from '../../../../ports/store.ts'
import type { Connection } from '../engine/connection.ts'
import { oldestOf, type QuotaParts, quotaOf } from '../telemetry/quota.ts'

/** What a letter takes besides its payload, about. */
const LETTER_BYTES = 200
export const LETTER_SIZE = `length(payload) + ${LETTER_BYTES}`
const MAX_REMOVED = 1000

/** The outbox and the dead letters, on the writer's side: to be called inside a transaction. */
export function mailWrites(db: Connection, { quotas, onUndone }: QuotaParts) {
  const addMessage = db.prepare<[string, string, string, string, string, string, number]>(
    `INSERT INTO outbox (attempt_id, incident_id, contact_id, channel, recipient, text, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (attempt_id) DO NOTHING`,
  )
  const addLetter = db.prepare<[string, string, string, Uint8Array, number]>(
    'INSERT INTO dead_letters (user_id, topic, reason, payload, received_at) VALUES (?, ?, ?, ?, ?)',
  )
  const sizes = db
    .prepare<[string, number], number>(`SELECT ${LETTER_SIZE} FROM dead_letters WHERE user_id = ? ORDER BY id LIMIT ?`)
    .pluck()
  const remove = db.prepare<[string, number]>('DELETE FROM dead_letters WHERE user_id = ? ORDER BY id LIMIT ?')
  const charge = quotaOf(
    db,
    {
      column: 'dead_letter_bytes',
      quotaBytes: quotas.deadLetterBytes,
      removeOldest(userId, bytes) {
        // The newest stays, however large.
        const { rows, freed } = oldestOf(sizes.all(userId, MAX_REMOVED).slice(0, -1), bytes)
        remove.run(userId, rows)
        return freed
      },
    },
    onUndone,
  )
  return {
    addToOutbox({ attemptId, incidentId, contactId, channel, to, text, createdAt }: Omit<OutboxMessage, 'id'>): void {
      addMessage.run(attemptId, incidentId, contactId, channel, to, text, createdAt)
    },
    addDeadLetter({ userId, topic, reason, payload, receivedAt }: Omit<DeadLetter, 'id'>): void {
      addLetter.run(userId, topic, reason, payload, receivedAt)
      charge(userId, payload.byteLength + LETTER_BYTES)
    },
  }
}
