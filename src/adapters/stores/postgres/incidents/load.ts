import type { Actuators } from '../../../../core/account/actuator.ts'
import type { FallbackContact } from '../../../../core/account/application.ts'
import { type BoardWatch, type OnCall, withAccounts } from '../../../../core/account/on-call.ts'
import type { PlanSettings } from '../../../../core/account/settings.ts'
import type { PlannedContact } from '../../../../core/incident/alarm-plan.ts'
import { alarmPlanOf, plannedContactOf } from '../../../../core/incident/alarm-plan.ts'
import type { Delivery } from '../../../../core/incident/delivery.ts'
import { MAX_DRILLS_A_DAY, MAX_OF_STRANGERS } from '../../../../core/incident/drill.ts'
import type { EarlierAlert, Incident } from '../../../../core/incident/incident.ts'
import { asCurrent } from '../../../../core/incident/incident-record.ts'
import { RUN_GAP_MS, RUN_LENGTH } from '../../../../core/incident/put-off.ts'
import { pairedSql } from '../../shared/dev-eui-sql.ts'
import { isStranger } from '../../shared/enrolments.ts'
import { BOARD_WATCH, ON_CALL } from '../../shared/on-call.ts'
import { admittedSql } from '../devices/admitted-sql.ts'
import type { Connection, Statement } from '../engine/connection.ts'
import { NOW } from '../engine/server-clock.ts'
import { DISABLED } from '../operators/on-call.ts'
import type { Ask, Found, Newest } from './ask.ts'
import { ASKED_OF_ENDS, AWAITED, HAS_COME, NAMED } from './load-ends.ts'
import { NEWEST, newestJoins } from './newest-positions.ts'

const ASKED = `json_to_recordset($1) AS ask (k integer, incident text, owner text, app text, device text, eui text, ms bigint,
  nanos integer, "alertDevice" text, "sentDevice" text, attempt bigint, plan boolean, opens boolean,
  "pressedAt" bigint, "followsEnd" boolean, "drillsSince" bigint, waits boolean, ${ASKED_OF_ENDS})`

const PAIRED = pairedSql('user_id', { app: 'ask.app', id: 'ask.device', eui: 'ask.eui' })
/**
 * Whether a user may send for the trackers of that owner. rules.md#relays. Not EXISTS, which the server may answer from
 * a hash of all users.
 */
const isAdmitted = (user: string, owner: string): string => `(${owner} = ${user} OR coalesce((
    SELECT ${admittedSql('a.relays', 'sender')}
    FROM users AS sender JOIN applications AS a ON a.id = sender.app_id WHERE sender.id = ${user}
  ), false))`

/**
 * Locks the owners, in the order of their numbers, so that no two batches wait for each other. A paired device may
 * change hands before the lock is there: what is loaded then names another owner, who is not locked. To name
 * `clock_jumps` keeps the deadlines from being moved until the batch has ended, and lets it wait while they are.
 */
const lockFor = (asks: string): string => `SELECT number FROM users WHERE id = ANY (ARRAY(
    SELECT coalesce(
      (SELECT user_id FROM incidents WHERE id = ask.incident),
      (SELECT paired.user_id FROM (SELECT ${PAIRED} AS user_id) AS paired
        WHERE ${isAdmitted('ask.owner', 'paired.user_id')}),
      ask.owner
    ) FROM ${ASKED} WHERE ${asks}
  )) AND (SELECT count(*) FROM clock_jumps) >= 0 ORDER BY number FOR NO KEY UPDATE`
const LOCK = { name: 'lock-owners', text: lockFor('ask.waits') }
/** Waits for no owner, so it may come behind the other lock. */
const LOCK_FREE = { name: 'lock-free-owners', text: `${lockFor('NOT ask.waits')} SKIP LOCKED` }

/**
 * SQL for the earlier alarm that a press of `users` follows, as in `Found`: one look, and more only right after an end.
 */
const BEFORE = `CASE WHEN asked."pressedAt" IS NOT NULL AND (incident.number IS NULL OR asked."followsEnd") THEN (
    SELECT json_build_object('number', last.number, 'incident', last.record, 'presses', coalesce((
      SELECT json_agg(press) FROM (
        SELECT received_at AS "receivedAt", run FROM alerts
        WHERE user_number = users.number AND device_id = asked."alertDevice" AND run IS NOT NULL
        ORDER BY received_at DESC LIMIT ${RUN_LENGTH - 1}
      ) AS press
    ), '[]')) FROM (
      SELECT number, record, closed_at, put_off FROM incidents WHERE user_id = users.id AND NOT drill
      ORDER BY opened_at DESC, number DESC LIMIT 1
    ) AS last WHERE last.closed_at >= asked."pressedAt" - ${RUN_GAP_MS} OR last.put_off OR last.closed_at IS NULL
  ) END`

/**
 * Everything that the commands may need, in a separate statement: one that locks and loads at once would read the state
 * before it had the lock.
 */
const LOAD = {
  name: 'load-situations',
  text: `WITH asked AS (
      SELECT ask.*, coalesce(paired.user_id, ask.owner) AS owner_id,
        ask.device IS NOT NULL AND paired.user_id IS NULL AS unknown_device
      FROM ${ASKED} LEFT JOIN LATERAL (SELECT ${PAIRED} AS user_id) AS paired
        ON ${isAdmitted('ask.owner', 'paired.user_id')}
    )
    SELECT coalesce(incident.user_id, asked.owner_id) AS "ownerId", users.number AS "ownerNumber",
      asked.unknown_device AS "unknownDevice", incident.number, incident.record,
      coalesce((
        SELECT relay FROM users WHERE id = asked.owner AND asked.opens AND asked.owner_id <> asked.owner
      ), false) AS "isListed",
      drill.number AS "drillNumber", drill.record AS "drillRecord",
      CASE WHEN asked."drillsSince" IS NULL THEN 0 ELSE (
        SELECT count(*) FROM (
          SELECT 1 FROM incidents WHERE drill AND app_id = users.app_id AND opened_at > asked."drillsSince" LIMIT ${MAX_DRILLS_A_DAY}
        ) AS counted
      ) END AS "drillsBefore",
      CASE WHEN asked."drillsSince" IS NOT NULL AND ${isStranger('users')} THEN (
        SELECT count(*) FROM (
          SELECT 1 FROM incidents JOIN users AS others ON others.id = incidents.user_id
          WHERE drill AND incidents.app_id = users.app_id AND opened_at > asked."drillsSince"
            AND ${isStranger('others')} LIMIT ${MAX_OF_STRANGERS}
        ) AS counted
      ) END AS "strangersDrills",
      ${BEFORE} AS before,
      ${NEWEST} AS newest, row_to_json(earlier) AS earlier, timeline.attempt,
      coalesce((SELECT total_ms FROM clock_jumps), 0) AS "jumpedMs", ${NOW} AS "loadedAt", ${NAMED} AS named, ${AWAITED} AS "isAwaited",
      ${HAS_COME} AS "hasCome",
      CASE WHEN asked.opens THEN nextval('incident_numbers') END AS "nextNumber",
      CASE WHEN asked.plan AND applications.id IS NOT NULL THEN json_build_object(
        'appId', applications.id, 'legacy', applications.legacy, 'language', applications.language,
        'settings', applications.settings, 'actuators', applications.actuators,
        'fallbackContact', applications.fallback_contact, 'silentByDefault', applications.silent_by_default,
        'userId', users.id, 'externalUserId', users.external_user_id,
        'contacts', coalesce((
          SELECT json_agg(json_build_object('contactId', id, 'name', name, 'phone', phone, 'email', email,
            'language', language, 'priority', priority, 'declinedAt', declined_at,
            'stoppedAt', stopped_at, 'verifiedAt', verified_at) ORDER BY priority)
          FROM contacts WHERE user_id = users.id
        ), '[]'),
        'onCall', (${ON_CALL}), 'disabledOnCall', (${DISABLED}), 'boardWatch', (${BOARD_WATCH})
      ) END AS owner
    FROM asked
    LEFT JOIN LATERAL (
      SELECT number, user_id, record, through_device FROM incidents WHERE id = asked.incident
      UNION ALL
      SELECT number, user_id, record, through_device FROM incidents WHERE asked.incident IS NULL AND user_id = asked.owner_id AND open
    ) AS incident ON true
    LEFT JOIN incidents AS drill ON asked.opens AND drill.user_id = asked.owner_id AND drill.drill
      AND drill.closed_at IS NULL
    LEFT JOIN users ON users.id = coalesce(incident.user_id, asked.owner_id)
    LEFT JOIN applications ON applications.id = users.app_id
    ${newestJoins('incident')}
    LEFT JOIN LATERAL (
      SELECT incidents.id AS "incidentId", received_at AS "receivedAt", fingerprint, relayed AS "isRelayed"
      FROM alerts JOIN incidents ON incidents.number = alerts.incident_number
      WHERE asked.opens AND user_number = users.number AND ms = asked.ms AND nanos = asked.nanos
        AND device_id IN (asked."alertDevice", asked."sentDevice")
      ORDER BY received_at DESC LIMIT 1
    ) AS earlier ON true
    LEFT JOIN timeline ON timeline.incident_number = incident.number AND timeline.n = asked.attempt
    ORDER BY asked.k`,
}

type OwnerRow = {
  readonly appId: string
  readonly legacy: boolean
  readonly language: string
  readonly settings: Partial<PlanSettings>
  readonly actuators: Actuators
  readonly fallbackContact: FallbackContact | null
  readonly silentByDefault: boolean
  readonly userId: string
  readonly externalUserId: string
  readonly onCall: OnCall | null
  readonly disabledOnCall: readonly string[]
  readonly boardWatch: BoardWatch | null
  readonly contacts: readonly (Omit<PlannedContact, 'isStranger' | 'isStopped' | 'isConfirmed'> & {
    readonly declinedAt: number | null
    readonly stoppedAt: number | null
    readonly verifiedAt: number | null
  })[]
}

type LoadedRow = {
  readonly ownerId: string | null
  readonly ownerNumber: number | null
  readonly unknownDevice: boolean
  readonly isListed: boolean
  readonly number: number | null
  readonly record: Incident | null
  readonly drillNumber: number | null
  readonly drillRecord: Incident | null
  readonly drillsBefore: number
  readonly strangersDrills: number | null
  readonly before: Found['before']
  readonly newest: Newest
  readonly earlier: EarlierAlert | null
  readonly attempt: Delivery | null
  readonly jumpedMs: number
  readonly loadedAt: number
  readonly named: Found['named']
  readonly isAwaited: boolean
  readonly hasCome: boolean
  readonly nextNumber: number | null
  readonly owner: OwnerRow | null
}

/**
 * Locks the owners of the calls and loads their situations, in one round trip. `begun`: the answer to BEGIN, which may
 * still be on its way. A call whose owner is not locked has to be asked again, or was not willing to wait.
 */
export async function lockAndLoad(
  connection: Connection,
  asks: readonly Ask[],
  { defaults, begun }: { readonly defaults: PlanSettings; readonly begun: Promise<unknown> },
): Promise<readonly Found[]> {
  const json = JSON.stringify(asks)
  // Not `async`: if several statements fail, the first must reject first.
  const lock = (isNeeded: boolean, statement: Statement): Promise<readonly { number: number }[]> =>
    isNeeded ? connection.rows<{ number: number }>(statement, [json]) : Promise.resolve([])
  const waiting = asks.filter(({ waits }) => waits).length
  const [, locked, free, loaded] = await Promise.all([
    begun,
    lock(waiting > 0, LOCK),
    lock(waiting < asks.length, LOCK_FREE),
    connection.rows<LoadedRow>(LOAD, [json]),
  ])
  const owners = new Set([...locked, ...free].map(({ number }) => number))
  return loaded.map(({ record, drillNumber, drillRecord, owner, ...row }) => ({
    ...row,
    before: row.before && { ...row.before, incident: asCurrent(row.before.incident) },
    drill:
      drillNumber !== null && drillRecord !== null ? { number: drillNumber, incident: asCurrent(drillRecord) } : null,
    isLocked: row.ownerNumber === null || owners.has(row.ownerNumber),
    incident: record && asCurrent(record),
    plan: owner && alarmPlanOf(planned(owner), defaults),
  }))
}

const planned = ({
  appId,
  userId,
  externalUserId,
  contacts,
  onCall,
  disabledOnCall,
  boardWatch,
  ...application
}: OwnerRow) => ({
  user: { id: userId, externalUserId },
  application: { id: appId, ...application },
  contacts: contacts.map(({ contactId, ...contact }) => plannedContactOf({ id: contactId, ...contact })),
  ...{ onCall: onCall && withAccounts(onCall, disabledOnCall), boardWatch },
})
