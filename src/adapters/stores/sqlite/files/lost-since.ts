import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isCanary } from '../../../../core/account/canary.ts'
import { openReader, type SqliteDatabase } from '../engine/database.ts'

/** An incident that a restore would take back to an earlier moment, or remove. Times are epoch ms. */
export type LostIncident = {
  readonly incidentId: string
  readonly application: string
  readonly externalUserId: string
  readonly name: string | null
  readonly openedAt: number
  readonly closedAt: number | null
  /** Presses that were acknowledged since. */
  readonly presses: number
  readonly lastPressAt: number | null
  /** `opened`: it would be gone. `pressed`: its later presses would. `ended`: it would be open again, and held. */
  readonly lost: 'opened' | 'pressed' | 'ended'
}

type Row = Omit<LostIncident, 'lost'> & { readonly appId: string }

/** Only columns of the first schema: it is asked before going back to an older version, and after. */
const LOST = `
  SELECT i.id AS incidentId, i.app_id AS appId, a.name AS application, u.external_user_id AS externalUserId,
    u.name AS name, i.opened_at AS openedAt, i.closed_at AS closedAt,
    count(p.received_at) AS presses, max(p.received_at) AS lastPressAt
  FROM incidents AS i
  JOIN users AS u ON u.id = i.user_id
  JOIN applications AS a ON a.id = i.app_id
  LEFT JOIN alerts AS p ON p.incident = i.number AND p.received_at > :since
  GROUP BY i.number
  HAVING i.opened_at > :since OR i.closed_at > :since OR count(p.received_at) > 0
  ORDER BY i.opened_at`

/**
 * What the database of `dataDir` has of alarms since `since` (epoch ms), which restoring a backup of that moment would
 * lose. Works beside a running service, and changes nothing.
 */
export function lostSince(dataDir: string, since: number): readonly LostIncident[] {
  const path = join(dataDir, 'tocsin.db')
  if (!existsSync(path)) throw new Error(`there is no database in ${dataDir}, so nothing would be lost`)
  const db = openReader(path)
  try {
    const rows = db.prepare<{ since: number }, Row>(LOST).all({ since })
    return rows.flatMap(({ appId, ...row }) => {
      const lost = row.openedAt > since ? 'opened' : row.presses > 0 ? 'pressed' : 'ended'
      return isCanary(appId) ? [] : [{ ...row, lost }]
    })
  } finally {
    db.close()
  }
}

/** The last moment of alarms in a copy of a database; 0 if it has none. Throws with a sentence for the operator. */
export function lastAlarmIn(file: string): number {
  let db: SqliteDatabase | null = null
  try {
    db = new Database(file, { readonly: true, fileMustExist: true })
    const newest = `SELECT max(at) FROM (SELECT max(opened_at) AS at FROM incidents
      UNION ALL SELECT max(closed_at) FROM incidents UNION ALL SELECT max(received_at) FROM alerts)`
    return db.prepare<[], number | null>(newest).pluck().get() ?? 0
  } catch (error) {
    throw new Error(`${file} is no backup of Tocsin (${error instanceof Error ? error.message : String(error)})`)
  } finally {
    db?.close()
  }
}
