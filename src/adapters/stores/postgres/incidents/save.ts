import { replacing } from '../../shared/columns.ts'
import { givenColumns, insertFrom } from '../engine/row.ts'
import type { Transaction } from '../engine/write.ts'
import { keepAwaited } from './load-ends.ts'
import type { Rows, WorkingSetRows } from './working-set.ts'

const INCIDENT = `(${givenColumns('incidents')}, "freeAt" bigint, claims json)`

const trailInto = (table: 'trail' | 'relayed_trail', rows: string): string =>
  `${insertFrom(rows, table)} ORDER BY given."incidentNumber", given.ms, given.nanos ON CONFLICT DO NOTHING`

/**
 * Writes all that a batch changed, and the notices of it. An incident is closed before its owner's next one opens
 * (`WHERE (SELECT …)`): only one may be open, and one drill. A second position at the same instant changes nothing.
 */
const SAVE = {
  name: 'save-incidents',
  text: `WITH changed AS (
      UPDATE incidents SET open = row.open, closed_at = row."closedAt", next_action_at = row."nextActionAt",
        relay_user_id = row."relayUserId", through_device = row."throughDevice", owner_id = row."ownerId",
        major_id = row."majorId",
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
      ${insertFrom('$2', 'incidents')} WHERE (SELECT count(*) FROM changed) >= 0
    ), linked AS (
      ${insertFrom('$3', 'tracking_tokens')} ON CONFLICT DO NOTHING
    ), remembered AS (
      ${insertFrom('$4', 'alerts')} ${replacing('alerts')}
    ), folded AS (
      ${insertFrom('$5', 'timeline')} ${replacing('timeline')}
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
