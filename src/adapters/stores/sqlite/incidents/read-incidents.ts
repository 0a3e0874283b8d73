import { setImmediate } from 'node:timers/promises'
import { CANARY_APP_ID } from '../../../../core/account/canary.ts'
import type { Delivery } from '../../../../core/incident/delivery.ts'
import { incidentIdOf } from '../../../../core/incident/escalation.ts'
import type { Incident } from '../../../../core/incident/incident.ts'
import type { Position } from '../../../../core/ingest/position.ts'
import type { DrillQuery, HistoryRecord, IncidentRecord, Page, PageQuery } from '../../../../ports/store.ts'
import { cursorOf, readCursor } from '../../shared/cursor.ts'
import { MAX_ATTEMPTS, MAX_LISTED } from '../../shared/limits.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type IncidentRow, incidentOf, recordLookup } from './incident-row.ts'
import { timelineReads } from './timeline.ts'
import { trailReads } from './trail.ts'

const BEYOND_ALL = Number.MAX_SAFE_INTEGER

type PlacedRow = IncidentRow & { readonly opened_at: number }

const NOT_CANARY = `app_id <> '${CANARY_APP_ID}'`

export function incidentReads(db: SqliteDatabase) {
  const byId = db.prepare<[string], IncidentRow>('SELECT number, record FROM incidents WHERE id = ?')
  const openOf = db.prepare<[string], IncidentRow>(
    'SELECT number, record FROM incidents WHERE user_id = ? AND open = 1',
  )
  // A user's incidents do not overlap, so the last to open is the last to close.
  const lastOf = db.prepare<[string, number], IncidentRow>(
    `SELECT number, record FROM (
       SELECT number, record, closed_at FROM incidents WHERE user_id = +? AND drill = 0
       ORDER BY opened_at DESC, number DESC LIMIT 1
     ) WHERE closed_at > +?`,
  )
  const ofUser = db.prepare<[string, number, number, number], PlacedRow>(
    `SELECT number, record, opened_at FROM incidents
     WHERE user_id = ? AND (opened_at, number) < (?, ?) AND drill = 0
     ORDER BY opened_at DESC, number DESC LIMIT ?`,
  )
  const newest = db.prepare<[number], IncidentRow>(
    `SELECT number, record FROM incidents WHERE ${NOT_CANARY} AND drill = 0
     ORDER BY opened_at DESC, number DESC LIMIT ?`,
  )
  const drillsOf = db.prepare<Omit<DrillQuery, 'isOpen'> & { readonly open: 0 | 1 }, IncidentRow>(
    `SELECT number, record FROM incidents INDEXED BY drills_by_opening
     WHERE drill = 1 AND app_id = @appId AND (@userId IS NULL OR user_id = @userId) AND opened_at >= @since
       AND (@open = 0 OR closed_at IS NULL)
     ORDER BY opened_at DESC, number DESC LIMIT @limit`,
  )
  // The plus sign: sorts the few that are open, instead of looking for them among all.
  const newestOpen = db.prepare<[number], IncidentRow>(
    `SELECT number, record FROM incidents WHERE number IN (
       SELECT number FROM incidents WHERE open = 1 UNION SELECT number FROM incidents WHERE put_off = 1
     ) AND ${NOT_CANARY} ORDER BY +opened_at DESC, number DESC LIMIT ?`,
  )
  const beginning = db
    .prepare<[string, string, number], string>(
      `SELECT id FROM incidents WHERE id >= ? AND id < ? AND ${NOT_CANARY} ORDER BY id LIMIT ?`,
    )
    .pluck()
  const byToken = db.prepare<[string], IncidentRow & { readonly contact_id: string }>(
    `SELECT incidents.number, record, contact_id
     FROM tracking_tokens JOIN incidents ON incidents.number = tracking_tokens.incident WHERE token = +?`,
  )
  // Three parts, each with its own index. The text search comes first, because most incidents belong to others.
  const calls = db
    .prepare<[{ phone: string; since: number }], string>(
      `WITH near AS (
         SELECT number, record FROM incidents WHERE open = 1 AND instr(record, @phone) > 0
         UNION ALL
         SELECT number, record FROM incidents WHERE drill = 1 AND closed_at IS NULL AND instr(record, @phone) > 0
         UNION ALL
         SELECT number, record FROM incidents WHERE closed_at > @since AND instr(record, @phone) > 0
       ), attempts AS (
         SELECT value AS attempt, record FROM near, json_each(record, '$.deliveries')
         UNION ALL
         SELECT attempt, record FROM near JOIN timeline ON timeline.incident = near.number
         WHERE attempt ->> 'updatedAt' > @since
       )
       SELECT attempt ->> 'providerRef'
       FROM attempts, json_each(record, '$.contacts') AS contact
       WHERE contact.value ->> 'phone' = @phone AND attempt ->> 'contactId' = contact.value ->> 'contactId'
         AND attempt ->> 'channel' = 'voice' AND attempt ->> 'providerRef' IS NOT NULL`,
    )
    .pluck()
  const recordOf = recordLookup(db)
  const { trail } = trailReads(db)
  const timeline = timelineReads(db)
  const orNull = (row: IncidentRow | undefined): IncidentRecord | null => (row === undefined ? null : recordOf(row))

  return {
    incident: (incidentId: string) => orNull(byId.get(incidentId)),
    openIncident: (userId: string) => orNull(openOf.get(userId)),
    attempt(attemptId: string): Delivery | null {
      const row = byId.get(incidentIdOf(attemptId))
      if (row === undefined) return null
      return incidentOf(row).deliveries.find(({ id }) => id === attemptId) ?? timeline.attempt(row.number, attemptId)
    },
    attempts(incidentId: string, max = MAX_ATTEMPTS): readonly Delivery[] {
      const row = byId.get(incidentId)
      return row === undefined ? [] : [...timeline.timeline(row.number, max), ...incidentOf(row).deliveries]
    },

    latestIncident(userId: string, since: number): Incident | null {
      const row = openOf.get(userId) ?? lastOf.get(userId, since)
      return row === undefined ? null : incidentOf(row)
    },

    async history(
      userId: string,
      { after, limit }: PageQuery,
    ): Promise<Page<HistoryRecord> | { readonly refused: 'bad_cursor' }> {
      const place = after === null ? [BEYOND_ALL, BEYOND_ALL] : readCursor(after, 'incidents', ['number', 'number'])
      if (place === null) return { refused: 'bad_cursor' }
      const [openedAt, number] = place as [number, number]
      const rows = ofUser.all(userId, openedAt, number, limit + 1)
      const shown = rows.slice(0, limit)
      const items: HistoryRecord[] = []
      for (const row of shown) {
        items.push({ ...recordOf(row), trail: trail(row.number) })
        // A hundred long trails take a while, and alerts must not wait for them.
        await setImmediate()
      }
      const last = rows.length > limit ? shown.at(-1) : undefined
      return { items, after: last === undefined ? null : cursorOf('incidents', [last.opened_at, last.number]) }
    },

    incidents: ({ openOnly }: { readonly openOnly: boolean }): readonly IncidentRecord[] =>
      (openOnly ? newestOpen : newest).all(MAX_LISTED).map(recordOf),

    drills: ({ isOpen, ...query }: DrillQuery): readonly Incident[] =>
      drillsOf.all({ ...query, open: isOpen === true ? 1 : 0 }).map(incidentOf),

    // Ids consist of hex digits and hyphens, so `g` sorts after all of them.
    incidentIds: (prefix: string, max: number): readonly string[] => beginning.all(prefix, `${prefix}g`, max),

    positionTrail(incidentId: string): readonly Position[] {
      const row = byId.get(incidentId)
      return row === undefined ? [] : trail(row.number)
    },

    trackingLink(token: string): (IncidentRecord & { readonly contactId: string }) | null {
      const row = byToken.get(token)
      return row === undefined ? null : { ...recordOf(row), contactId: row.contact_id }
    },

    callRefs: (phone: string, since: number): readonly string[] => calls.all({ phone, since }),
  }
}
