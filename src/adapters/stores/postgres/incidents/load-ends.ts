import { MAX_AWAITED } from '../../../../core/incident/end.ts'
import { BY_SESSION, laterPressSql, sentRowsSql } from '../../shared/sent-alerts.ts'
import type { Connection } from '../engine/connection.ts'
import type { Row } from './incident-row.ts'

/** The columns of an `Ask` that are about ends. */
export const ASKED_OF_ENDS = `named text, "namesPress" boolean, "sentMs" bigint, "sentNanos" integer, "sentId" text,
  "sentKey" text, "awaitedSince" bigint, "awaitedUntil" bigint`

const GIVEN = {
  ms: 'asked."sentMs"',
  nanos: 'asked."sentNanos"',
  sentId: 'asked."sentId"',
  key: 'asked."sentKey"',
}
const COLUMNS = `incident_number AS number, received_at AS "receivedAt", ms, nanos, sent_by AS "sentBy", ${BY_SESSION} AS "bySession"`

/**
 * SQL for the press that an end of the user `users` names: as `NamedAlert`, null if it names none of theirs.
 * rules.md#ends.
 */
export const NAMED = `CASE
    WHEN asked.named IS NOT NULL THEN (
      SELECT json_build_object('incidentId', id) FROM incidents
      WHERE id = asked.named AND user_id = users.id AND NOT drill
    )
    WHEN asked."namesPress" THEN (
      WITH sent AS (${sentRowsSql(COLUMNS, 'user_number = users.number', GIVEN)})
      SELECT json_build_object(
        'incidentId', incidents.id, 'receivedAt', newest."receivedAt", 'ms', newest.ms, 'nanos', newest.nanos,
        'sentBy', newest."sentBy", 'isSent', (SELECT bool_or("bySession") FROM sent),
        'isPressedAgain', EXISTS (
          SELECT 1 FROM alerts WHERE incident_number = newest.number
            AND ${laterPressSql(GIVEN, { receivedAt: 'newest."receivedAt"', ms: 'newest.ms', nanos: 'newest.nanos' })}
        )
      ) FROM sent AS newest JOIN incidents ON incidents.number = newest.number
      ORDER BY newest."receivedAt" DESC LIMIT 1
    )
  END`

/** SQL for whether the press that an end of the user `users` names has come after an end, and opened nothing. */
export const HAS_COME = `asked."namesPress" AND EXISTS (
    SELECT 1 FROM awaited_ends WHERE user_number = users.number AND ms = asked."sentMs" AND nanos = asked."sentNanos"
      AND device_id = asked."sentKey" AND came_at IS NOT NULL
  )`

/** SQL for whether the user `users` has ended this alert before it came. */
export const AWAITED = `asked."awaitedSince" IS NOT NULL AND EXISTS (
    SELECT 1 FROM awaited_ends WHERE user_number = users.number AND ms = asked."sentMs" AND nanos = asked."sentNanos"
      AND device_id = asked."sentKey" AND at > asked."awaitedSince" AND at <= asked."awaitedUntil"
  )`

const KEEP = `INSERT INTO awaited_ends (user_number, ms, nanos, device_id, at)
  SELECT owner, ms, nanos, device, at
  FROM json_to_recordset($1) AS row (owner bigint, ms bigint, nanos integer, device text, at bigint)
  ON CONFLICT (user_number, ms, nanos, device_id) DO UPDATE SET at = excluded.at`
const COME = `UPDATE awaited_ends SET came_at = row.at
  FROM json_to_recordset($1) AS row (owner bigint, ms bigint, nanos integer, device text, at bigint)
  WHERE user_number = row.owner AND awaited_ends.ms = row.ms AND awaited_ends.nanos = row.nanos
    AND device_id = row.device AND came_at IS NULL`
const FORGET = `DELETE FROM awaited_ends WHERE (user_number, ms, nanos, device_id) IN (
    SELECT user_number, ms, nanos, device_id FROM (
      SELECT *, row_number() OVER (PARTITION BY user_number ORDER BY at DESC, ms DESC) AS place FROM awaited_ends
      WHERE user_number IN (SELECT owner FROM json_to_recordset($1) AS row (owner bigint))
    ) AS placed WHERE place > ${MAX_AWAITED}
  )`

/** Keeps the ends of alerts that are still on their way, and notes which alerts have come. */
export async function keepAwaited(
  connection: Connection,
  { awaitedEnds, comeEnds }: { readonly awaitedEnds: readonly Row[]; readonly comeEnds: readonly Row[] },
): Promise<void> {
  const json = JSON.stringify(awaitedEnds)
  await Promise.all([
    awaitedEnds.length > 0 && connection.run(KEEP, [json]),
    comeEnds.length > 0 && connection.run(COME, [JSON.stringify(comeEnds)]),
    awaitedEnds.length > 0 && connection.run(FORGET, [json]),
  ])
}
