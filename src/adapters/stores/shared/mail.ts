import { EXCERPT_BYTES } from './scoped-page.ts'

const ofMessage = `outbox.id, attempt_id AS "attemptId", incident_id AS "incidentId", contact_id AS "contactId", channel,
    recipient AS "to", text, outbox.created_at AS "createdAt"`
export const MESSAGES = `SELECT ${ofMessage} FROM outbox`
/** With their application, null once the incident is gone. */
export const MESSAGES_OF_APPS = `SELECT ${ofMessage}, users.app_id AS "appId"
  FROM outbox LEFT JOIN incidents ON incidents.id = incident_id LEFT JOIN users ON users.id = incidents.user_id`

export const LETTERS =
  'SELECT id, user_id AS "userId", topic, reason, payload, received_at AS "receivedAt" FROM dead_letters'
/** With their application, and with the beginning of each payload. */
export const CUT_LETTERS = `SELECT dead_letters.id, user_id AS "userId", app_id AS "appId", topic, reason,
    substr(payload, 1, ${EXCERPT_BYTES}) AS payload, length(payload) AS "payloadBytes", received_at AS "receivedAt"
  FROM dead_letters LEFT JOIN users ON users.id = user_id`
