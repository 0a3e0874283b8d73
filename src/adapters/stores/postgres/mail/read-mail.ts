import type { DeadLetter, MailStore, OutboxMessage } from '../../../../ports/store.ts'
import type { Reader } from '../engine/reader.ts'

const MESSAGES = `SELECT id, attempt_id AS "attemptId", incident_id AS "incidentId", contact_id AS "contactId", channel,
  recipient AS "to", text, created_at AS "createdAt" FROM outbox`

export const mailReads = ({ rows, row }: Reader): Pick<MailStore, 'outboxMessage' | 'outbox' | 'deadLetters'> => ({
  outboxMessage: (attemptId) => row<OutboxMessage>(`${MESSAGES} WHERE attempt_id = $1`, [attemptId]),
  outbox: ({ incidentId }) =>
    incidentId === null
      ? rows<OutboxMessage>(`${MESSAGES} ORDER BY id`)
      : rows<OutboxMessage>(`${MESSAGES} WHERE incident_id = $1 ORDER BY id`, [incidentId]),
  deadLetters: () =>
    rows<DeadLetter>(
      'SELECT id, user_id AS "userId", topic, reason, payload, received_at AS "receivedAt" FROM dead_letters ORDER BY id',
    ),
})
