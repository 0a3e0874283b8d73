import { CANARY_CONTACT_ID } from '../../../../core/account/canary.ts'
import type { CutLetter, DeadLetter, MailStore, OutboxMessage } from '../../../../ports/store.ts'
import { CUT_LETTERS, LETTERS, MESSAGES, MESSAGES_OF_APPS } from '../../shared/mail.ts'
import { letterList, outboxList, scopedPage } from '../../shared/scoped-page.ts'
import type { Reader } from '../engine/reader.ts'

const MESSAGES_BEFORE = `${MESSAGES_OF_APPS}
  WHERE outbox.id < $1 AND contact_id <> '${CANARY_CONTACT_ID}' ORDER BY outbox.id DESC LIMIT $2`
const LETTERS_BEFORE = `${CUT_LETTERS} WHERE dead_letters.id < $1 ORDER BY dead_letters.id DESC LIMIT $2`
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
  deadLetters: () => rows<DeadLetter>(`${LETTERS} ORDER BY id`),
})
