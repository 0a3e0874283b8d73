import { type End, type EndFacts, MAX_AWAITED, type NamedIncident } from '../../../../core/incident/end.ts'
import type { Alert } from '../../../../core/ingest/alert.ts'
import {
  awaitedSince,
  BY_SESSION,
  laterPressSql,
  type SentAlert,
  sentBefore,
  sentOf,
  sentRowsSql,
} from '../../shared/sent-alerts.ts'
import type { SqliteDatabase } from '../engine/database.ts'

type Row = {
  readonly incidentId: string
  readonly incident: number
  readonly receivedAt: number
  readonly ms: number
  readonly nanos: number
  readonly bySession: 0 | 1
}
type ByUser = SentAlert & { readonly userId: string }

const USER = 'user = (SELECT number FROM users WHERE id = +@userId)'
const GIVEN = { ms: '+@ms', nanos: '+@nanos', sentId: '+@sentId', key: '+@key' }

/** The presses that ends name, and the ends that came before their alert. rules.md#ends. */
export function namedEnds(db: SqliteDatabase) {
  const owned = db
    .prepare<[string, string], string>('SELECT id FROM incidents WHERE id = ? AND user_id = ? AND drill = 0')
    .pluck()
  const sentRows = db.prepare<[ByUser], Row>(
    `SELECT incidents.id AS incidentId, sent.* FROM (
       ${sentRowsSql(`incident, received_at AS receivedAt, ms, nanos, ${BY_SESSION} AS bySession`, USER, GIVEN)}
     ) AS sent JOIN incidents ON incidents.number = sent.incident ORDER BY receivedAt DESC LIMIT 100`,
  )
  const later = db
    .prepare<[SentAlert & { incident: number; receivedAt: number; atMs: number; atNanos: number }], number>(
      `SELECT EXISTS (SELECT 1 FROM alerts WHERE incident = @incident
         AND ${laterPressSql(GIVEN, { receivedAt: '@receivedAt', ms: '@atMs', nanos: '@atNanos' })})`,
    )
    .pluck()
  const find = db
    .prepare<[SentAlert & { userId: string; since: number; until: number }], number>(
      `SELECT 1 FROM awaited_ends WHERE ${USER} AND ms = @ms AND nanos = @nanos AND device_id = @key
         AND at > @since AND at <= @until`,
    )
    .pluck()
  const keep = db.prepare<[SentAlert & { userId: string; at: number }]>(
    `INSERT INTO awaited_ends (user, ms, nanos, device_id, at)
     VALUES ((SELECT number FROM users WHERE id = @userId), @ms, @nanos, @key, @at)
     ON CONFLICT (user, ms, nanos, device_id) DO UPDATE SET at = excluded.at`,
  )
  const note = db.prepare<[SentAlert & { userId: string; now: number }]>(
    `UPDATE awaited_ends SET came_at = @now
     WHERE ${USER} AND ms = @ms AND nanos = @nanos AND device_id = @key AND came_at IS NULL`,
  )
  const come = db
    .prepare<[SentAlert & { userId: string }], number>(
      `SELECT EXISTS (SELECT 1 FROM awaited_ends
         WHERE ${USER} AND ms = @ms AND nanos = @nanos AND device_id = @key AND came_at IS NOT NULL)`,
    )
    .pluck()
  const forget = db.prepare<[{ userId: string }]>(
    `DELETE FROM awaited_ends WHERE ${USER} AND (ms, nanos, device_id) NOT IN (
       SELECT ms, nanos, device_id FROM awaited_ends WHERE ${USER} ORDER BY at DESC, ms DESC LIMIT ${MAX_AWAITED}
     )`,
  )

  const pressNamed = (userId: string, sent: SentAlert): NamedIncident | null => {
    const rows = sentRows.all({ ...sent, userId })
    const [newest] = rows
    if (newest === undefined) return null
    const { incidentId, incident, receivedAt, ms, nanos } = newest
    const isPressedAgain = later.get({ ...sent, incident, receivedAt, atMs: ms, atNanos: nanos }) === 1
    return { incidentId, isPressedAgain, isSent: rows.some(({ bySession }) => bySession === 1) }
  }

  const named = (userId: string | null, end: End | undefined): NamedIncident | null => {
    if (userId === null || end === undefined) return null
    switch (end.kind) {
      case 'incident': {
        const incidentId = owned.get(end.incidentId, userId)
        return incidentId === undefined ? null : { incidentId, isPressedAgain: false, isSent: true }
      }
      case 'press': {
        const sent = sentBefore(end)
        return sent && pressNamed(userId, sent)
      }
      case 'unnamed':
        return null
      default:
        return end satisfies never
    }
  }

  const hasCome = (userId: string | null, end: End | undefined): boolean => {
    const sent = end?.kind === 'press' ? sentBefore(end) : null
    return userId !== null && sent !== null && come.get({ ...sent, userId }) === 1
  }

  return {
    /** `at`: the moment of the decision. */
    factsOf: (userId: string | null, end: End | undefined, at: number): EndFacts => ({
      at,
      skewMs: 0,
      named: named(userId, end),
      hasCome: hasCome(userId, end),
    }),
    isAwaited(userId: string, alert: Alert, now: number): boolean {
      const sent = sentOf(alert)
      // A clock that was set back makes no end last longer.
      const window = { since: awaitedSince(now), until: now - awaitedSince(0) }
      return sent !== null && find.get({ ...sent, userId, ...window }) !== undefined
    },
    /** An alert has come that was ended before. */
    noteCome(userId: string, alert: Alert, now: number): void {
      const sent = sentOf(alert)
      if (sent !== null) note.run({ ...sent, userId, now })
    },
    keepAwaited(userId: string, end: End, at: number): void {
      const sent = end.kind === 'press' ? sentBefore(end) : null
      if (sent === null) return
      keep.run({ ...sent, userId, at })
      forget.run({ userId })
    },
  }
}
