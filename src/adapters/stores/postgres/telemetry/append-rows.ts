import type { DeadLetter, TelemetryStored } from '../../../../ports/store.ts'
import { StoreError } from '../../../../ports/store.ts'
import { pairedSql } from '../../shared/dev-eui-sql.ts'
import { isArrival } from '../../shared/stored-telemetry.ts'
import { BARRED, DUPLICATE, STORED } from '../../shared/telemetry-row.ts'
import { admittedSql } from '../devices/admitted-sql.ts'
import type { CallOutcome } from '../engine/commit-lane.ts'
import type { Connection } from '../engine/connection.ts'
import { raiseMoment, type WriteContext } from '../engine/write.ts'
import { type RowCall, sentRows } from './sent-rows.ts'

type LetterCall = { readonly letter: Omit<DeadLetter, 'id'> }
/** Calls that clients make at will without waiting: telemetry, and publishes that are not valid messages. */
export type BulkCall = RowCall | LetterCall

/** The housekeeping after the commit of a batch. */
export type Stored = {
  readonly owners: readonly { readonly number: number; readonly bytes: number }[]
  readonly letters: readonly { readonly userId: string; readonly bytes: number }[]
  /** Incidents whose trail has grown, one entry a row. */
  readonly grown: readonly number[]
}

/**
 * Stores rows in the history of the device's owner and in the trail of the owner's open incident, in one statement that
 * locks nothing. What rows of a source have in common is looked up once. Rows are inserted in the order of their key,
 * so that no two batches wait for each other. A row whose arrival is its event time is numbered within its millisecond,
 * because nothing else tells such rows apart (rules.md#telemetry); if another batch took the number meanwhile, it has
 * to be stored again. What other users sent (`origin`: other) has tables of its own. rules.md#positions.
 */
const APPEND = {
  name: 'append-rows',
  text: `WITH source AS MATERIALIZED (
      SELECT s, users.number AS user_number, coalesce(device, '') AS device_id, eui, users.id <> reporter AS relayed,
        CASE WHEN users.id <> reporter THEN CASE WHEN sender.relay THEN 'relay' ELSE 'other' END
          WHEN by_device = 1 THEN 'device' ELSE 'session' END AS origin, NOT coalesce(sender.is_admitted, true) AS is_barred,
        device IS NOT NULL AND paired.user_id IS NULL AS unknown_device, open.number AS incident_number, open.id AS incident_id,
        -- An alert dated in the future must not keep out rows sent before that date. Rows from before the incident are
        -- not part of it.
        least(open.occurred_ms, open.opened_at) AS from_ms, open.occurred_nanos AS from_nanos
      FROM unnest($1::text[], $2::text[], $3::text[], $16::text[], $17::integer[]) WITH ORDINALITY
          AS source (app_id, reporter, device, eui, by_device, s)
        CROSS JOIN LATERAL (
          SELECT ${pairedSql('user_id', { app: 'source.app_id', id: 'source.device', eui: 'source.eui' })} AS user_id
        ) AS paired
        -- Only of one who sends for another's tracker.
        LEFT JOIN LATERAL (
          SELECT relay, ${admittedSql('relays', 'users')} AS is_admitted
          FROM users JOIN applications ON applications.id = users.app_id
          WHERE users.id = source.reporter AND paired.user_id <> source.reporter
        ) AS sender ON true
        LEFT JOIN users ON users.id = coalesce(paired.user_id, source.reporter) AND coalesce(sender.is_admitted, true)
        LEFT JOIN incidents AS open ON open.user_id = users.id AND open.open
    ), numbered AS (
      SELECT *, CASE WHEN arrived IS NULL THEN nanos ELSE arrived + 1 + coalesce(
          CASE WHEN origin = 'other'
            THEN (SELECT max(nanos) FROM relayed_telemetry AS r WHERE r.user_number = source.user_number AND r.ms = sent.ms)
            ELSE (SELECT max(nanos) FROM telemetry AS t WHERE t.user_number = source.user_number AND t.ms = sent.ms)
          END, -1
        ) END AS n
      FROM unnest($4::integer[], $5::bigint[], $6::integer[], $7::integer[], $8::bigint[], $9::text[],
          $10::double precision[], $11::double precision[], $12::double precision[], $13::double precision[], $14::text[],
          $15::text[], $18::bytea[])
        WITH ORDINALITY AS sent (s, ms, nanos, arrived, received_at, payload, latitude, longitude, altitude, accuracy,
          at_text, arrival_text, compact, k)
        JOIN source USING (s)
      WHERE user_number IS NOT NULL
    ), placed AS MATERIALIZED (
      SELECT *, (ms, n) >= (from_ms, from_nanos) AS is_within FROM numbered
    ), stored AS (
      INSERT INTO telemetry (user_number, ms, nanos, device_id, at, received_at, payload, source, compact)
      SELECT DISTINCT ON (user_number, ms, n, device_id)
        user_number, ms, n, device_id, CASE WHEN arrived IS NOT NULL THEN at_text END, received_at, payload, origin, compact
      FROM placed WHERE origin <> 'other' ORDER BY user_number, ms, n, device_id, k
      ON CONFLICT DO NOTHING
      RETURNING user_number, ms, nanos, device_id
    ), stored_apart AS (
      INSERT INTO relayed_telemetry (user_number, ms, nanos, device_id, at, received_at, payload, source, compact)
      SELECT DISTINCT ON (user_number, ms, n, device_id)
        user_number, ms, n, device_id, CASE WHEN arrived IS NOT NULL THEN at_text END, received_at, payload, origin, compact
      FROM placed WHERE origin = 'other' ORDER BY user_number, ms, n, device_id, k
      ON CONFLICT DO NOTHING
      RETURNING user_number, ms, nanos, device_id
    ), written AS MATERIALIZED (
      SELECT *, false AS apart FROM stored UNION ALL SELECT *, true FROM stored_apart
    ), refused AS MATERIALIZED (
      -- Looks at each row only where there is one.
      SELECT k FROM (
        SELECT *, origin = 'other' AS apart,
          row_number() OVER (PARTITION BY user_number, ms, n, device_id, origin = 'other' ORDER BY k) AS place
        FROM placed
      ) AS alike
      WHERE (SELECT count(*) FROM written) < (SELECT count(*) FROM placed)
        AND (place > 1 OR (user_number, ms, n, device_id, apart) NOT IN (
          SELECT user_number, ms, nanos, device_id, apart FROM written
        ))
    ), positions AS (
      -- A relay whose clock runs ahead must not hide where the owner is.
      SELECT incident_number, CASE WHEN is_ahead THEN received_at ELSE ms END AS ms,
        CASE WHEN is_ahead THEN 0 ELSE n END AS n, CASE WHEN is_ahead THEN arrival_text ELSE at_text END AS at,
        latitude, longitude, altitude, accuracy, origin, coalesce(eui, nullif(device_id, '')) AS device_id, k
      FROM (SELECT *, relayed AND ms > received_at AS is_ahead FROM placed) AS capped
      WHERE is_within AND latitude IS NOT NULL AND longitude IS NOT NULL AND k NOT IN (SELECT k FROM refused)
    ), traced AS (
      INSERT INTO trail (incident_number, ms, nanos, at, latitude, longitude, altitude, accuracy, source, device_id)
      SELECT incident_number, ms, n, at, latitude, longitude, altitude, accuracy, origin, device_id
      FROM positions WHERE origin <> 'other' ORDER BY incident_number, ms, n, k
      ON CONFLICT DO NOTHING
    ), traced_apart AS (
      INSERT INTO relayed_trail (incident_number, ms, nanos, at, latitude, longitude, altitude, accuracy, source, device_id)
      SELECT incident_number, ms, n, at, latitude, longitude, altitude, accuracy, origin, device_id
      FROM positions WHERE origin = 'other' ORDER BY incident_number, ms, n, k
      ON CONFLICT DO NOTHING
    )
    SELECT to_json(array(SELECT user_number FROM source ORDER BY s)) AS owners,
      to_json(array(SELECT s FROM source WHERE unknown_device)) AS "unknownDevices",
      to_json(array(SELECT s FROM source WHERE is_barred)) AS barred,
      to_json(array(SELECT k FROM refused)) AS refused,
      -- Whether somebody is in an SOS is nothing that a relay is told.
      coalesce((SELECT json_agg(json_build_array(k, incident_number, CASE WHEN NOT relayed THEN incident_id END))
        FROM placed WHERE is_within), '[]') AS within`,
}

/** The statement's answer for a batch. Rows and sources count from 1, in the order in which they were sent. */
type Appended = {
  /** By source; null: unknown user. */
  readonly owners: readonly (number | null)[]
  /** Sources whose device is paired with nobody. */
  readonly unknownDevices: readonly number[]
  /** Sources that may not send for their device. */
  readonly barred: readonly number[]
  /** Rows that were there before. */
  readonly refused: readonly number[]
  /** Rows of open incidents. */
  readonly within: readonly (readonly [row: number, incidentNumber: number, incidentId: string | null])[]
}

const ADD_LETTERS = {
  name: 'add-letters',
  text: `INSERT INTO dead_letters (user_id, topic, reason, payload, received_at)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::bigint[])`,
}

/** Rows and letters of one batch, in one round trip. */
export const bulkBatch =
  (context: WriteContext, { firstSlot, hear }: { firstSlot: number; hear: (stored: Stored) => void }) =>
  async (
    connection: Connection,
    calls: readonly BulkCall[],
    slot: number,
  ): Promise<readonly CallOutcome<TelemetryStored | null>[]> => {
    const rows = calls.filter((call) => 'row' in call)
    const letters = calls.filter((call) => 'letter' in call).map(({ letter }) => letter)
    const moment = calls.reduce((newest, call) => Math.max(newest, receivedAt(call)), 0)
    const begun = connection.begin()
    const { sourceOf, columns } = sentRows(rows)
    const appended = rows.length > 0 ? connection.rows<Appended>(APPEND, columns) : Promise.resolve([])
    const added = letters.length > 0 && connection.run(ADD_LETTERS, letterColumns(letters))
    const raised = raiseMoment({ ...context, connection }, { slot: firstSlot + slot, moment })
    await connection.commitAfter([begun, appended, added, raised])
    const [found] = await appended
    const placed = found === undefined ? [] : placesOf(sourceOf, found)
    const stored = placed.flatMap((place, row) => (place.isStored ? [{ ...place, row }] : []))
    hear({
      owners: stored.map(({ owner, row }) => ({ number: owner!, bytes: rows[row]!.payload.length })),
      letters: letters.map(({ userId, payload }) => ({ userId, bytes: payload.byteLength })),
      grown: stored.flatMap(({ incidentNumber }) => incidentNumber ?? []),
    })
    let next = 0
    return calls.map((call) => ('row' in call ? outcomeOf(call, placed[next++]!) : { result: null }))
  }

type Place = {
  /** Null: the user is unknown. */
  readonly owner: number | null
  readonly isStored: boolean
  readonly incidentNumber: number | null
  readonly incidentId: string | null
  readonly unknownDevice: boolean
  readonly isBarred: boolean
}

function placesOf(sourceOf: readonly number[], appended: Appended): readonly Place[] {
  const unknown = new Set(appended.unknownDevices)
  const barred = new Set(appended.barred)
  const refused = new Set(appended.refused)
  const within = new Map(appended.within.map(([row, ...incident]) => [row, incident]))
  return sourceOf.map((source, index) => {
    const owner = appended.owners[source - 1]!
    const [incidentNumber, incidentId] = within.get(index + 1) ?? [null, null]
    const isStored = owner !== null && !refused.has(index + 1)
    const about = { unknownDevice: unknown.has(source), isBarred: barred.has(source) }
    return { owner, isStored, incidentNumber, incidentId, ...about }
  })
}

function outcomeOf({ row }: RowCall, place: Place): CallOutcome<TelemetryStored> {
  const { owner, isStored, incidentId, unknownDevice, isBarred } = place
  if (isBarred) return { result: BARRED }
  if (owner === null) return { failed: new StoreError('telemetry of an unknown user', 'fault') }
  if (!isStored && isArrival(row)) return 'again'
  if (incidentId !== null || unknownDevice) return { result: { duplicate: !isStored, incidentId, unknownDevice } }
  return { result: isStored ? STORED : DUPLICATE }
}

const receivedAt = (call: BulkCall): number => ('row' in call ? call.row.receivedAt : call.letter.receivedAt)

const letterColumns = (letters: readonly Omit<DeadLetter, 'id'>[]): readonly unknown[] => [
  letters.map(({ userId }) => userId),
  letters.map(({ topic }) => topic),
  letters.map(({ reason }) => reason),
  letters.map(({ payload }) => Buffer.from(payload)),
  letters.map((letter) => letter.receivedAt),
]
