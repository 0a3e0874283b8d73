import type { DeadLetter, OutboxMessage } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'

const MESSAGES = `SELECT id, attempt_id AS attemptId, incident_id AS incidentId, contact_id AS contactId, channel,
  recipient AS "to", text, created_at AS createdAt FROM outbox`

export function mailReads(db: SqliteDatabase) {
  const byAttempt = db.prepare<[string], OutboxMessage>(`${MESSAGES} WHERE attempt_id = ?`)
  const ofIncident = db.prepare<[string], OutboxMessage>(`${MESSAGES} WHERE incident_id = ? ORDER BY id`)
  const messages = db.prepare<[], OutboxMessage>(`${MESSAGES} ORDER BY id`)
  const letters = db.prepare<[], DeadLetter>(
    'SELECT id, user_id AS userId, topic, reason, payload, received_at AS receivedAt FROM dead_letters ORDER BY id',
  )
  return {
    outboxMessage: (attemptId: string): OutboxMessage | null => byAttempt.get(attemptId) ?? null,
    outbox: ({ incidentId }: { readonly incidentId: string | null }): readonly OutboxMessage[] =>
      incidentId === null ? messages.all() : ofIncident.all(incidentId),
    deadLetters: (): readonly DeadLetter[] => letters.all(),
  }
}
