import { CANARY_CONTACT_ID } from '../../../../core/account/canary.ts'
import type { CutLetter, DeadLetter, OutboxMessage, ScopedQuery } from '../../../../ports/store.ts'
import { CUT_LETTERS, LETTERS, MESSAGES, MESSAGES_OF_APPS } from '../../shared/mail.ts'
import { letterList, outboxList, scopedPage } from '../../shared/scoped-page.ts'
import type { SqliteDatabase } from '../engine/database.ts'

const FROM_NEWEST = [Number.MAX_SAFE_INTEGER] as const

export function mailReads(db: SqliteDatabase) {
  const byAttempt = db.prepare<[string], OutboxMessage>(`${MESSAGES} WHERE attempt_id = ?`)
  const ofIncident = db.prepare<[string], OutboxMessage>(`${MESSAGES} WHERE incident_id = ? ORDER BY id`)
  const messages = db.prepare<[], OutboxMessage>(`${MESSAGES} WHERE contact_id <> '${CANARY_CONTACT_ID}' ORDER BY id`)
  const letters = db.prepare<[], DeadLetter>(`${LETTERS} ORDER BY id`)
  const messagesBefore = db.prepare<[string | number, number], OutboxMessage & { readonly appId: string | null }>(
    `${MESSAGES_OF_APPS}
     WHERE outbox.id < ? AND contact_id <> '${CANARY_CONTACT_ID}' ORDER BY outbox.id DESC LIMIT ?`,
  )
  const lettersBefore = db.prepare<[string | number, number], CutLetter>(
    `${CUT_LETTERS} WHERE dead_letters.id < ? ORDER BY dead_letters.id DESC LIMIT ?`,
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
