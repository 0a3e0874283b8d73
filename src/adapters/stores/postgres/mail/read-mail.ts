import { CANARY_CONTACT_ID } from '../../../../core/account/canary.ts'
import type { CutLetter, DeadLetter, MailStore, OutboxMessage } from '../../../../ports/store.ts'
import { EXCERPT_BYTES, letterList, outboxList, scopedPage } from '../../shared/scoped-page.ts'
import type { Reader } from '../engine/reader.ts'

const MESSAGES = `SELECT id, attempt_id AS "attemptId", incident_id AS "incidentId", contact_id AS "contactId", channel,
  recipient AS "to", text, created_at AS "createdAt" FROM outbox`

const MESSAGES_BEFORE = `SELECT outbox.id, attempt_id AS "attemptId", incident_id AS "incidentId",
    contact_id AS "contactId", channel, recipient AS "to", text, outbox.created_at AS "createdAt", users.app_id AS "appId"
  FROM outbox LEFT JOIN incidents ON incidents.id = incident_id LEFT JOIN users ON users.id = incidents.user_id
  WHERE outbox.id < $1 AND contact_id <> '${CANARY_CONTACT_ID}' ORDER BY outbox.id DESC LIMIT $2`
const LETTERS_BEFORE = `SELECT dead_letters.id, user_id AS "userId", app_id AS "appId", topic, reason,
    substring(payload FROM 1 FOR ${EXCERPT_BYTES}) AS payload, octet_length(payload) AS "payloadBytes",
    received_at AS "receivedAt"
  FROM dead_letters LEFT JOIN users ON users.id = user_id WHERE dead_letters.id < $1 ORDER BY dead_letters.id DESC LIMIT $2`
const FROM_NEWEST = [Number.MAX_SAFE_INTEGER]

type Reads = Pick<MailStore, 'outboxMessage' | 'outbox' | 'outboxPage' | 'deadLetters' | 'deadLetterPage'>

export const mailReads = ({ rows, row }: Reader): Reads => ({
  outboxPage: (query) =>
    scopedPage(outboxList, query, (after, limit) =>
      rows<OutboxMessage & { readonly appId: string | null }>(MESSAGES_BEFORE, [...(after ?? FROM_NEWEST), limit]),
    ),
  deadLetterPage: (query) =>
    scopedPage(letterList, query, (after, limit) =>
      rows<CutLetter>(LETTERS_BEFORE, [...(after ?? FROM_NEWEST), limit]),
    ),
  outboxMessage: (attemptId) => row<OutboxMessage>(`${MESSAGES} WHERE attempt_id = $1`, [attemptId]),
  outbox: ({ incidentId }) =>
    incidentId === null
      ? rows<OutboxMessage>(`${MESSAGES} WHERE contact_id <> '${CANARY_CONTACT_ID}' ORDER BY id`)
      : rows<OutboxMessage>(`${MESSAGES} WHERE incident_id = $1 ORDER BY id`, [incidentId]),
  deadLetters: () =>
    rows<DeadLetter>(
      'SELECT id, user_id AS "userId", topic, reason, payload, received_at AS "receivedAt" FROM dead_letters ORDER BY id',
    ),
})
