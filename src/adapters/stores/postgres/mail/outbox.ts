import type { OutboxMessage } from '../../../../ports/store.ts'
import type { Connection } from '../engine/connection.ts'

const ADD = {
  name: 'add-messages',
  text: `INSERT INTO outbox (attempt_id, incident_id, contact_id, channel, recipient, text, created_at)
    SELECT "attemptId", "incidentId", "contactId", channel, "to", text, "createdAt"
    FROM json_to_recordset($1) AS row ("attemptId" text, "incidentId" text, "contactId" text, channel text, "to" text,
      text text, "createdAt" bigint)
    ON CONFLICT (attempt_id) DO NOTHING`,
}

/** Writes messages to the outbox. A second one with the same attempt id changes nothing. */
export async function addMessages(
  connection: Connection,
  messages: readonly Omit<OutboxMessage, 'id'>[],
): Promise<void> {
  if (messages.length > 0) await connection.run(ADD, [JSON.stringify(messages)])
}
