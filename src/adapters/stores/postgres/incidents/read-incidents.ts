import { CANARY_APP_ID } from '../../../../core/account/canary.ts'
import type { Delivery, Lease } from '../../../../core/incident/delivery.ts'
import { attemptNumberOf, incidentIdOf } from '../../../../core/incident/escalation.ts'
import type { Incident } from '../../../../core/incident/incident.ts'
import { asCurrent } from '../../../../core/incident/incident-record.ts'
import { whereaboutsOf } from '../../../../core/incident/places.ts'
import type { Position } from '../../../../core/ingest/position.ts'
import type { DrillStore, DueIncidents, HistoryRecord, IncidentRecord, IncidentStore } from '../../../../ports/store.ts'
import { cursorOf, readCursor } from '../../shared/cursor.ts'
import { MAX_ATTEMPTS, MAX_LISTED, SHOWN_POSITIONS } from '../../shared/limits.ts'
import { type NewestRows, newestOfRows, shownTrail, type TimedRow } from '../../shared/position-row.ts'
import type { Reader } from '../engine/reader.ts'
import { NEVER } from './incident-row.ts'
import { NEWEST, newestJoins } from './newest-positions.ts'

type IncidentReads = Omit<IncidentStore & DueIncidents & DrillStore, 'changeIncident' | 'changePending'>

type RecordRow = {
  readonly number: number
  readonly openedAt: number
  readonly record: Incident
  readonly newest: NewestRows
}

const RECORD = `SELECT incidents.number, opened_at AS "openedAt", record, ${NEWEST} AS newest`
const WITH_POSITION = newestJoins('incidents')
const NEWEST_FIRST = 'ORDER BY opened_at DESC, incidents.number DESC'

const NOT_CANARY = `app_id <> '${CANARY_APP_ID}'`

const BY_ID = { name: 'incident', text: `${RECORD} FROM incidents ${WITH_POSITION} WHERE id = $1` }
const OPEN_OF = {
  name: 'open-incident',
  text: `${RECORD} FROM incidents ${WITH_POSITION} WHERE user_id = $1 AND open`,
}
/** A user's incidents do not overlap, so the last to open is the last to close. */
const LATEST = {
  name: 'latest-incident',
  text: `SELECT record FROM (
      SELECT open, closed_at, record FROM incidents WHERE user_id = $1 AND NOT drill
      ORDER BY opened_at DESC, number DESC LIMIT 1
    ) AS last WHERE open OR closed_at > $2`,
}
const OF_USER = `${RECORD} FROM incidents ${WITH_POSITION}
  WHERE user_id = $1 AND (opened_at, number) < ($2, $3) AND NOT drill ${NEWEST_FIRST} LIMIT $4`
const DRILLS = `SELECT record FROM incidents
  WHERE drill AND app_id = $1 AND ($2::text IS NULL OR user_id = $2) AND opened_at >= $3
    AND (NOT $4 OR closed_at IS NULL) ${NEWEST_FIRST} LIMIT $5`
const BY_TOKEN = {
  name: 'tracking-link',
  text: `${RECORD}, contact_id AS "contactId" FROM tracking_tokens
    JOIN incidents ON incidents.number = tracking_tokens.incident_number ${WITH_POSITION} WHERE token = $1`,
}
const trailIn = (table: 'trail' | 'relayed_trail') => ({
  name: table,
  text: `SELECT latitude, longitude, altitude, accuracy, at, source, ms, nanos FROM ${table} WHERE incident_number = $1
    ORDER BY ms DESC, nanos DESC LIMIT ${SHOWN_POSITIONS}`,
})
const TRAIL = trailIn('trail')
const RELAYED_TRAIL = trailIn('relayed_trail')
const TIMELINE = 'SELECT attempt FROM timeline WHERE incident_number = $1 ORDER BY n DESC LIMIT $2'
/** Three parts, each with its own index. The text search comes first, because most incidents belong to others. */
const CALLS = `WITH near AS (
    SELECT number, record FROM incidents WHERE open AND strpos(record::text, $1) > 0
    UNION ALL
    SELECT number, record FROM incidents WHERE drill AND closed_at IS NULL AND strpos(record::text, $1) > 0
    UNION ALL
    SELECT number, record FROM incidents WHERE closed_at > $2 AND strpos(record::text, $1) > 0
  ), attempts AS (
    SELECT json_array_elements(record -> 'deliveries') AS attempt, record FROM near
    UNION ALL
    SELECT attempt, record FROM near JOIN timeline ON timeline.incident_number = near.number
    WHERE (attempt ->> 'updatedAt')::bigint > $2
  )
  SELECT attempt ->> 'providerRef' AS ref
  FROM attempts CROSS JOIN LATERAL json_array_elements(record -> 'contacts') AS contact
  WHERE contact ->> 'phone' = $1 AND attempt ->> 'contactId' = contact ->> 'contactId'
    AND attempt ->> 'channel' = 'voice' AND attempt ->> 'providerRef' IS NOT NULL`
const unclaimed = (isDrill: boolean): string =>
  `(SELECT id, number, drill, coalesce(free_at, next_action_at) AS at FROM incidents
    WHERE next_action_at IS NOT NULL AND drill = ${isDrill} AND coalesce(free_at, next_action_at) <= $1
      AND id <> ALL ($2::text[])
    ORDER BY coalesce(free_at, next_action_at), number LIMIT $3)`
/** Unclaimed attempts, and claims that no other living node ($4: tokens) handles. Each part by its index. */
const dueSql = (order: string): string =>
  `WITH found AS (
      ${unclaimed(false)}
      UNION ALL
      ${unclaimed(true)}
      UNION ALL
      (SELECT id, number, drill, check_at FROM claims JOIN incidents ON number = incident_number
       WHERE check_at <= $1 AND token <> ALL ($4::bigint[]) AND next_action_at IS NOT NULL AND id <> ALL ($2::text[])
       ORDER BY drill, check_at, number LIMIT $3)
    )
    SELECT id, drill, min(at) AS at FROM found GROUP BY id, number, drill ORDER BY ${order} LIMIT $3`
const DUE = { name: 'due', text: dueSql('drill, min(at), number') }
const NEXT = { name: 'next-action', text: dueSql('min(at), number') }
const NEXT_REAL = {
  name: 'next-real-action',
  text: `SELECT coalesce(free_at, next_action_at) AS at FROM incidents WHERE next_action_at IS NOT NULL AND NOT drill
    ORDER BY coalesce(free_at, next_action_at) LIMIT 1`,
}

const BEYOND_ALL = NEVER - 1

const recordOf = ({ record, newest }: RecordRow): IncidentRecord => ({
  incident: asCurrent(record),
  ...whereaboutsOf(newestOfRows(newest)),
})
const orNull = (row: RecordRow | null): IncidentRecord | null => row && recordOf(row)

export function incidentReads({ rows, row }: Reader): IncidentReads {
  const byId = (id: string) => row<RecordRow>(BY_ID, [id])
  const trail = async (number: number): Promise<readonly Position[]> =>
    shownTrail(...(await Promise.all([rows<TimedRow>(TRAIL, [number]), rows<TimedRow>(RELAYED_TRAIL, [number])])))
  const folded = async (number: number, attemptId: string): Promise<Delivery | null> => {
    const n = attemptNumberOf(attemptId)
    if (!Number.isSafeInteger(n)) return null
    const found = await row<{ attempt: Delivery }>(
      'SELECT attempt FROM timeline WHERE incident_number = $1 AND n = $2',
      [number, n],
    )
    return found?.attempt ?? null
  }
  type DueRow = { readonly id: string; readonly drill: boolean; readonly at: number }
  const tokensOf = (leases: readonly Lease[]): readonly number[] => leases.map(({ token }) => token)

  return {
    incident: async (incidentId) => orNull(await byId(incidentId)),
    openIncident: async (userId) => orNull(await row<RecordRow>(OPEN_OF, [userId])),
    async attempt(attemptId) {
      const found = await byId(incidentIdOf(attemptId))
      if (found === null) return null
      const { deliveries } = asCurrent(found.record)
      return deliveries.find(({ id }) => id === attemptId) ?? folded(found.number, attemptId)
    },
    async attempts(incidentId, max = MAX_ATTEMPTS) {
      const found = await byId(incidentId)
      if (found === null) return []
      const timeline = await rows<{ attempt: Delivery }>(TIMELINE, [found.number, max])
      return [...timeline.map(({ attempt }) => attempt).reverse(), ...asCurrent(found.record).deliveries]
    },
    async latestIncident(userId, since) {
      const found = await row<{ record: Incident }>(LATEST, [userId, since])
      return found && asCurrent(found.record)
    },

    async history(userId, { after, limit }) {
      const place = after === null ? [BEYOND_ALL, BEYOND_ALL] : readCursor(after, 'incidents', ['number', 'number'])
      if (place === null) return { refused: 'bad_cursor' }
      const found = await rows<RecordRow>(OF_USER, [userId, ...place, limit + 1])
      const shown = found.slice(0, limit)
      const items: HistoryRecord[] = []
      // One after the other: a hundred long trails at once would hold up alerts.
      for (const one of shown) items.push({ ...recordOf(one), trail: await trail(one.number) })
      const last = found.length > limit ? shown.at(-1) : undefined
      return { items, after: last === undefined ? null : cursorOf('incidents', [last.openedAt, last.number]) }
    },

    async incidents({ openOnly }) {
      const where = `WHERE ${NOT_CANARY} AND ${openOnly ? '(open OR put_off)' : 'NOT drill'}`
      const sql = `${RECORD} FROM incidents ${WITH_POSITION} ${where} ${NEWEST_FIRST} LIMIT ${MAX_LISTED}`
      return (await rows<RecordRow>(sql)).map(recordOf)
    },

    async drills({ appId, userId, since, limit, isOpen = false }) {
      const found = await rows<{ record: Incident }>(DRILLS, [appId, userId, since, isOpen, limit])
      return found.map(({ record }) => asCurrent(record))
    },

    // Ids consist of hex digits and hyphens, so `g` sorts after all of them.
    async incidentIds(prefix, max) {
      const sql = `SELECT id FROM incidents WHERE id >= $1 AND id < $2 AND ${NOT_CANARY} ORDER BY id LIMIT $3`
      return (await rows<{ id: string }>(sql, [prefix, `${prefix}g`, max])).map(({ id }) => id)
    },

    async positionTrail(incidentId) {
      const found = await byId(incidentId)
      return found === null ? [] : trail(found.number)
    },

    async trackingLink(token) {
      const found = await row<RecordRow & { readonly contactId: string }>(BY_TOKEN, [token])
      return found && { ...recordOf(found), contactId: found.contactId }
    },

    callRefs: async (phone, since) => (await rows<{ ref: string }>(CALLS, [phone, since])).map(({ ref }) => ref),
    async due(now, limit, except = [], others = []) {
      const found = await rows<DueRow>(DUE, [now, except, limit, tokensOf(others)])
      const idsOf = (isDrill: boolean) => found.flatMap(({ id, drill }) => (drill === isDrill ? id : []))
      return { real: idsOf(false), drills: idsOf(true) }
    },
    nextActionAt: async (except = [], others = []) =>
      (await row<DueRow>(NEXT, [BEYOND_ALL, except, 1, tokensOf(others)]))?.at ?? null,
    nextRealActionAt: async () => (await row<Pick<DueRow, 'at'>>(NEXT_REAL, []))?.at ?? null,
  }
}
