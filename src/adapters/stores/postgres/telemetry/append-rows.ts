import { isoAt } from '../../../../core/ingest/event-time.ts'
import type { DeadLetter, Reporter, SentTelemetry, TelemetryStored } from '../../../../ports/store.ts'
import { StoreError } from '../../../../ports/store.ts'
import { DUPLICATE, STORED } from '../../shared/telemetry-row.ts'
import type { CallOutcome } from '../engine/commit-lane.ts'
import type { Connection } from '../engine/connection.ts'
import { raiseMoment, type WriteContext } from '../engine/write.ts'

type RowCall = {
  readonly reporter: Omit<Reporter, 'deviceId'>
  readonly row: SentTelemetry
  readonly json: string
}
type LetterCall = { readonly letter: Omit<DeadLetter, 'id'> }
/** What clients send at will and nobody waits for: telemetry, and what is no message of the protocol. */
export type BulkCall = RowCall | LetterCall

/** What the housekeeping hears of a batch once it is committed. */
export type Stored = {
  readonly owners: readonly { readonly number: number; readonly bytes: number }[]
  readonly letters: readonly { readonly userId: string; readonly bytes: number }[]
  /** Incidents whose trail has grown, one entry a row. */
  readonly grown: readonly number[]
}

/**
 * Stores rows in the history of the device's owner and in the trail of the owner's open incident, in one statement that
 * locks nothing. Rows are inserted in the order of their key, so that no two batches wait for each other. A row whose
 * arrival is its event time is numbered within its millisecond, because nothing else tells such rows apart
 * (rules.md#telemetry); if another batch took the number meanwhile, it has to be stored again.
 */
const APPEND = {
  name: 'append-rows',
  text: `WITH sent AS (
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::integer[], $6::text[], $7::bigint[],
        $8::text[], $9::double precision[], $10::double precision[], $11::double precision[], $12::text[], $13::text[])
      WITH ORDINALITY AS sent (app_id, reporter, device, ms, nanos, at, received_at, payload, latitude, longitude,
        altitude, at_text, arrival_text, k)
    ), owned AS (
      SELECT sent.*, coalesce(sent.device, '') AS device_id, users.number AS user_number, users.id <> sent.reporter AS relayed,
        sent.device IS NOT NULL AND paired.user_id IS NULL AS unknown_device,
        CASE WHEN sent.at IS NULL THEN sent.nanos ELSE (
          coalesce((SELECT max(nanos) FROM telemetry WHERE user_number = users.number AND telemetry.ms = sent.ms), -1)
            + row_number() OVER (PARTITION BY users.number, sent.ms, sent.at IS NULL ORDER BY k)
        ) END AS n
      FROM sent
        LEFT JOIN devices AS paired ON paired.app_id = sent.app_id AND paired.hardware_id = sent.device
        LEFT JOIN users ON users.id = coalesce(paired.user_id, sent.reporter)
    ), placed AS (
      SELECT owned.*, row_number() OVER (PARTITION BY user_number, owned.ms, n, device_id ORDER BY k) = 1 AS is_first,
        open.number AS incident_number, open.id AS incident_id
      FROM owned
        LEFT JOIN users ON users.number = owned.user_number
        -- An alert dated in the future must not keep out rows sent before that date; rows from before the incident are not part of it.
        LEFT JOIN incidents AS open ON open.user_id = users.id AND open.open
          AND (owned.ms, n) >= (least(open.occurred_ms, open.opened_at), open.occurred_nanos)
    ), stored AS (
      INSERT INTO telemetry (user_number, ms, nanos, device_id, at, received_at, payload)
      SELECT user_number, ms, n, device_id, at, received_at, payload FROM placed
      WHERE user_number IS NOT NULL AND is_first ORDER BY user_number, ms, n, device_id
      ON CONFLICT DO NOTHING
      RETURNING user_number, ms, nanos, device_id
    ), outcomes AS (
      SELECT placed.*, is_first AND stored.ms IS NOT NULL AS is_stored
      FROM placed LEFT JOIN stored ON stored.user_number = placed.user_number AND stored.ms = placed.ms
        AND stored.nanos = placed.n AND stored.device_id = placed.device_id
    ), traced AS (
      -- A relay whose clock runs ahead must not hide where the owner is.
      INSERT INTO trail (incident_number, ms, nanos, at, latitude, longitude, altitude)
      SELECT incident_number, CASE WHEN is_ahead THEN received_at ELSE ms END, CASE WHEN is_ahead THEN 0 ELSE n END,
        CASE WHEN is_ahead THEN arrival_text ELSE at_text END, latitude, longitude, altitude
      FROM (SELECT *, relayed AND ms > received_at AS is_ahead FROM outcomes) AS positions
      WHERE is_stored AND incident_number IS NOT NULL AND latitude IS NOT NULL AND longitude IS NOT NULL
      ORDER BY 1, 2, 3
      ON CONFLICT DO NOTHING
      RETURNING incident_number
    )
    SELECT user_number AS "userNumber", is_stored AS "isStored", incident_id AS "incidentId",
      incident_number AS "incidentNumber", unknown_device AS "unknownDevice"
    FROM outcomes ORDER BY k`,
}

type AppendedRow = {
  readonly userNumber: number | null
  readonly isStored: boolean
  readonly incidentId: string | null
  readonly incidentNumber: number | null
  readonly unknownDevice: boolean
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
    const appended = rows.length === 0 ? Promise.resolve([]) : connection.rows<AppendedRow>(APPEND, columnsOf(rows))
    const added = letters.length > 0 && connection.run(ADD_LETTERS, letterColumns(letters))
    const raised = raiseMoment({ ...context, connection }, { slot: firstSlot + slot, moment })
    await connection.commitAfter([begun, appended, added, raised])
    const found = await appended
    hear({
      owners: found.flatMap(({ isStored, userNumber }, place) =>
        isStored && userNumber !== null ? [{ number: userNumber, bytes: rows[place]!.json.length }] : [],
      ),
      letters: letters.map(({ userId, payload }) => ({ userId, bytes: payload.byteLength })),
      grown: found.flatMap(({ isStored, incidentNumber }) =>
        isStored && incidentNumber !== null ? [incidentNumber] : [],
      ),
    })
    const foundFor = new Map(rows.map((call, place) => [call, found[place]!]))
    return calls.map((call) => ('row' in call ? outcomeOf(call, foundFor.get(call)!) : { result: null }))
  }

function outcomeOf({ row }: RowCall, found: AppendedRow): CallOutcome<TelemetryStored> {
  const { userNumber, isStored, incidentId, unknownDevice } = found
  if (userNumber === null) return { failed: new StoreError('telemetry of an unknown user', 'fault') }
  if (!isStored && arrivalOf(row) !== null) return 'again'
  if (incidentId !== null || unknownDevice) return { result: { duplicate: !isStored, incidentId, unknownDevice } }
  return { result: isStored ? STORED : DUPLICATE }
}

const receivedAt = (call: BulkCall): number => ('row' in call ? call.row.receivedAt : call.letter.receivedAt)

/** The event time's text where the payload does not have it: then it is the arrival. */
const arrivalOf = ({ payload, at }: SentTelemetry): string | null =>
  at.text === (payload.timestamp ?? payload.occurredAt) ? null : at.text

function columnsOf(rows: readonly RowCall[]): readonly unknown[] {
  const column = <T>(read: (call: RowCall) => T): readonly T[] => rows.map(read)
  return [
    column(({ reporter }) => reporter.appId),
    column(({ reporter }) => reporter.userId),
    column(({ row }) => row.payload.deviceId ?? null),
    column(({ row }) => row.at.ms),
    column(({ row }) => row.at.nanos),
    column(({ row }) => arrivalOf(row)),
    column(({ row }) => row.receivedAt),
    column(({ json }) => json),
    column(({ row }) => row.payload.latitude ?? null),
    column(({ row }) => row.payload.longitude ?? null),
    column(({ row }) => row.payload.altitude ?? null),
    column(({ row }) => row.at.text),
    column(({ row }) => isoAt(row.receivedAt)),
  ]
}

const letterColumns = (letters: readonly Omit<DeadLetter, 'id'>[]): readonly unknown[] => [
  letters.map(({ userId }) => userId),
  letters.map(({ topic }) => topic),
  letters.map(({ reason }) => reason),
  letters.map(({ payload }) => Buffer.from(payload)),
  letters.map((letter) => letter.receivedAt),
]
