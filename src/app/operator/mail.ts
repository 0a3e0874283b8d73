import { isoAt } from '../../core/ingest/event-time.ts'
import type { DeadLetter, OutboxMessage, UserFeedback } from '../../ports/store.ts'

/** A message that the outbox stored instead of sending it. A test message belongs to no incident. */
export const outboxView = ({ id, incidentId, contactId, channel, to, text, createdAt }: OutboxMessage) => ({
  id,
  incidentId: incidentId || null,
  contactId: contactId || null,
  channel,
  to,
  text,
  createdAt: isoAt(createdAt),
})

/** A publish that was unusable. `payload`: base64. */
export const deadLetterView = ({ id, userId, topic, reason, payload, receivedAt }: DeadLetter) => ({
  id,
  userId,
  topic,
  reason,
  payload: Buffer.from(payload).toString('base64'),
  receivedAt: isoAt(receivedAt),
})

/** A user's feedback from the app. */
export const feedbackView = ({ createdAt, ...given }: UserFeedback) => ({ ...given, createdAt: isoAt(createdAt) })
