import type { MailStore } from '../../../../ports/store.ts'
import { ROW_BYTES } from '../../shared/commit-limits.ts'
import { LETTER_BYTES, oldestOf } from '../../shared/quotas.ts'
import { quotaOf } from '../accounts/quota.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

export const LETTER_SIZE = `length(payload) + ${LETTER_BYTES}`
const MAX_REMOVED = 1000

function mailRows(context: WriteContext) {
  const { db, quotas } = context
  const sizes = db
    .prepare<[string, number], number>(`SELECT ${LETTER_SIZE} FROM dead_letters WHERE user_id = ? ORDER BY id LIMIT ?`)
    .pluck()
  const remove = db.prepare<[string, number]>('DELETE FROM dead_letters WHERE user_id = ? ORDER BY id LIMIT ?')
  return {
    addMessage: db.prepare<[string, string, string, string, string, string, number]>(
      `INSERT INTO outbox (attempt_id, incident_id, contact_id, channel, recipient, text, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (attempt_id) DO NOTHING`,
    ),
    addLetter: db.prepare<[string, string, string, Uint8Array, number]>(
      'INSERT INTO dead_letters (user_id, topic, reason, payload, received_at) VALUES (?, ?, ?, ?, ?)',
    ),
    charge: quotaOf(context, {
      column: 'dead_letter_bytes',
      quotaBytes: quotas.deadLetterBytes,
      removeOldest(userId, bytes) {
        // The newest stays, however large.
        const { rows, freed } = oldestOf(sizes.all(userId, MAX_REMOVED).slice(0, -1), bytes)
        remove.run(userId, rows)
        return freed
      },
    }),
  }
}

export const mailWrites = writesOf<MailStore>()(mailRows, {
  addToOutbox: {
    lane: 'alarm',
    step: () => 'outcome',
    reserve: 'releases',
    atomic: true,
    moment: ({ createdAt }) => createdAt,
    sender: ({ incidentId }) => incidentId,
    run({ addMessage }, { attemptId, incidentId, contactId, channel, to, text, createdAt }) {
      addMessage.run(attemptId, incidentId, contactId, channel, to, text, createdAt)
    },
  },
  addDeadLetter: {
    lane: 'bulk',
    reserve: 'spares',
    moment: ({ receivedAt }) => receivedAt,
    sender: ({ userId }) => userId,
    bytes: ({ payload }) => ROW_BYTES + payload.byteLength,
    run({ addLetter, charge }, { userId, topic, reason, payload, receivedAt }) {
      addLetter.run(userId, topic, reason, payload, receivedAt)
      charge(userId, payload.byteLength + LETTER_BYTES)
    },
  },
})
