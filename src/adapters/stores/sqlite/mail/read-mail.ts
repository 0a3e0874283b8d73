import { CANARY_CONTACT_ID } from '../../../../core/account/canary.ts'
import type { CutLetter, DeadLetter, OutboxMessage, ScopedQuery } from '../../../../ports/store.ts'
import { EXCERPT_BYTES, letterList, outboxList, scopedPage } from '../../shared/scoped-page.ts'
import type { SqliteDatabase } from '../engine/database.ts'

const MESSAGES = `SELECT id, attempt_id AS attemptId, incident_id AS incidentId, contact_id AS contactId, channel,
  recipient AS "to", text, created_at AS createdAt FROM outbox`

const FROM_NEWEST = [Number.MAX_SAFE_INTEGER] as const

export function mailReads(db: SqliteDatabase) {
  const byAttempt = db.prepare<[string], OutboxMessage>(`${MESSAGES} WHERE attempt_id = ?`)
  const ofIncident = db.prepare<[string], OutboxMessage>(`${MESSAGES} WHERE incident_id = ? ORDER BY id`)
  const messages = db.prepare<[], OutboxMessage>(`${MESSAGES} WHERE contact_id <> '${CANARY_CONTACT_ID}' ORDER BY id`)
  const letters = db.prepare<[], DeadLetter>(
    'SELECT id, user_id AS userId, topic, reason, payload, received_at AS receivedAt FROM dead_letters ORDER BY id',
  )
  const messagesBefore = db.prepare<[string | number, number], OutboxMessage & { readonly appId: string | null }>(
    `SELECT outbox.id, attempt_id AS attemptId, incident_id AS incidentId, contact_id AS contactId, channel,
       recipient AS "to", text, outbox.created_at AS createdAt, users.app_id AS appId
     FROM outbox LEFT JOIN incidents ON incidents.id = incident_id LEFT JOIN users ON users.id = incidents.user_id
     WHERE outbox.id < ? AND contact_id <> '${CANARY_CONTACT_ID}' ORDER BY outbox.id DESC LIMIT ?`,
  )
  const lettersBefore = db.prepare<[string | number, number], CutLetter>(
    `SELECT dead_letters.id, user_id AS userId, app_id AS appId, topic, reason,
       substr(payload, 1, ${EXCERPT_BYTES}) AS payload, length(payload) AS payloadBytes, received_at AS receivedAt
     FROM dead_letters LEFT JOIN users ON users.id = user_id WHERE dead_letters.id < ? ORDER BY dead_letters.id DESC LIMIT ?`,
  )
  return {
    outboxPage: (query: ScopedQuery) =>
      scopedPage(outboxList, query, (after, limit) => messagesBefore.all((after ?? FROM_NEWEST)[0]!, limit)),
    deadLetterPage: (query: ScopedQuery) =>
      scopedPage(letterList, query, (after, limit) => lettersBefore.all((after ?? FROM_NEWEST)[0]!, limit)),
    outboxMessage: (attemptId: string): OutboxMessage | null => byAttempt.get(attemptId) ?? null,
    outbox: ({ incidentId }: { readonly incidentId: string | null }): readonly OutboxMessage[] =>
      incidentId === null ? messages.all() : ofIncident.all(incidentId),
    deadLetters: (): readonly DeadLetter[] => letters.all(),
  }
}
