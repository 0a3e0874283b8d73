import type { Transaction } from '../engine/write.ts'
import { keepAwaited } from './load-ends.ts'
import type { Rows, WorkingSetRows } from './working-set.ts'

const INCIDENT = `(number bigint, id text, "appId" text, "userId" text, open boolean, "occurredMs" bigint,
  "occurredNanos" integer, "openedAt" bigint, "closedAt" bigint, "nextActionAt" bigint, "relayUserId" text, "throughDevice" text, "ownerId" text, held boolean,
  drill boolean, "putOff" boolean, urgency integer, record json, "freeAt" bigint, claims json)`

const trailInto = (table: string, rows: string): string =>
  `INSERT INTO ${table} (incident_number, ms, nanos, at, latitude, longitude, altitude, accuracy, source, device_id)
    SELECT number, ms, nanos, at, latitude, longitude, altitude, accuracy, source, device
    FROM json_to_recordset(${rows}) AS row (number bigint, ms bigint, nanos integer, at text, latitude double precision,
      longitude double precision, altitude double precision, accuracy double precision, source text, device text)
    ORDER BY number, ms, nanos
    ON CONFLICT DO NOTHING`

/**
 * Writes all that a batch changed, and the notices of it. An incident is closed before its owner's next one opens
 * (`WHERE (SELECT …)`): only one may be open, and one drill. A second position at the same instant changes nothing.
 */
const SAVE = {
  name: 'save-incidents',
  text: `WITH changed AS (
      UPDATE incidents SET open = row.open, closed_at = row."closedAt", next_action_at = row."nextActionAt",
        relay_user_id = row."relayUserId", through_device = row."throughDevice", owner_id = row."ownerId",
        held = row.held, urgency = row.urgency, put_off = row."putOff", record = row.record, free_at = row."freeAt"
      FROM json_to_recordset($1) AS row ${INCIDENT} WHERE incidents.number = row.number
      RETURNING incidents.number
    ), left_claims AS (
      SELECT row.number, claim.token, claim."checkAt" FROM json_to_recordset($1) AS row ${INCIDENT},
        json_to_recordset(row.claims) AS claim (token bigint, "checkAt" bigint)
    ), ended AS (
      DELETE FROM claims USING changed WHERE incident_number = changed.number
        AND (incident_number, token) NOT IN (SELECT number, token FROM left_claims)
    ), claimed AS (
      INSERT INTO claims (incident_number, token, check_at) SELECT number, token, "checkAt" FROM left_claims
      ON CONFLICT (incident_number, token) DO UPDATE SET check_at = excluded.check_at
    ), opened AS (
      INSERT INTO incidents (number, id, app_id, user_id, open, occurred_ms, occurred_nanos, opened_at, closed_at,
        next_action_at, relay_user_id, through_device, owner_id, held, drill, urgency, record)
      SELECT number, id, "appId", "userId", open, "occurredMs", "occurredNanos", "openedAt", "closedAt", "nextActionAt",
        "relayUserId", "throughDevice", "ownerId", held, drill, urgency, record
      FROM json_to_recordset($2) AS row ${INCIDENT} WHERE (SELECT count(*) FROM changed) >= 0
    ), linked AS (
      INSERT INTO tracking_tokens (token, incident_number, contact_id)
      SELECT token, number, "contactId" FROM json_to_recordset($3) AS row (token text, number bigint, "contactId" text)
      ON CONFLICT DO NOTHING
    ), remembered AS (
      INSERT INTO alerts (user_number, ms, nanos, device_id, incident_number, received_at, fingerprint, relayed,
        sent_ms, sent_nanos, sent_by, run)
      SELECT owner, ms, nanos, device, number, "receivedAt", fingerprint, relayed, "sentMs", "sentNanos", "sentBy", run
      FROM json_to_recordset($4) AS row (owner bigint, ms bigint, nanos integer, device text, number bigint,
        "receivedAt" bigint, fingerprint text, relayed boolean, "sentMs" bigint, "sentNanos" integer, "sentBy" text, run text)
      ON CONFLICT (user_number, ms, nanos, device_id) DO UPDATE SET incident_number = excluded.incident_number,
        received_at = excluded.received_at, fingerprint = excluded.fingerprint, relayed = excluded.relayed,
        sent_ms = excluded.sent_ms, sent_nanos = excluded.sent_nanos, sent_by = excluded.sent_by,
        run = excluded.run
    ), folded AS (
      INSERT INTO timeline (incident_number, n, attempt)
      SELECT number, n, attempt FROM json_to_recordset($5) AS row (number bigint, n bigint, attempt json)
      ON CONFLICT (incident_number, n) DO UPDATE SET attempt = excluded.attempt
    ), announced AS (
      INSERT INTO notices (xact, origin, incident_id, mark, notice)
      SELECT pg_current_xact_id()::text::bigint, $8, incident, mark, notice
      FROM json_to_recordset($7) AS row (k integer, incident text, mark bigint, notice text) ORDER BY k
    ), traced_apart AS (
      ${trailInto('relayed_trail', '$9')}
    )
    ${trailInto('trail', '$6')}`,
}

type Saving = Pick<Transaction, 'connection' | 'done'> & { readonly notices: Pick<Transaction['notices'], 'origin'> }

export async function save({ connection, notices: { origin }, done }: Saving, rows: WorkingSetRows): Promise<void> {
  const { changed, opened, tokens, alerts, timeline, trail, relayedTrail, notices } = rows
  const ends = keepAwaited(connection, rows)
  const tables: readonly Rows[] = [changed, opened, tokens, alerts, timeline, trail, notices]
  if ([...tables, relayedTrail].every(({ length }) => length === 0)) return ends
  if (notices.length > 0) done.leavesNotice = true
  const json = [...tables.map((table) => JSON.stringify(table)), origin, JSON.stringify(relayedTrail)]
  await Promise.all([ends, connection.run(SAVE, json)])
}
