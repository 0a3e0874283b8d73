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
  /**
   * `opened`: it would be gone. `pressed`: its later presses would. `ended`: it would be open again, and held.
   * `acknowledged`: it would be active again, and held.
   */
  readonly lost: 'opened' | 'pressed' | 'ended' | 'acknowledged'
}

/** The end of the alarms in a copy. */
export type AlarmsEnd = {
  /** The last moment of one, epoch ms; 0 if there is none. */
  readonly at: number
  /** The number of the last incident. Numbers are never given out again, whatever the clock shows. */
  readonly number: number
}

type Row = Omit<LostIncident, 'lost'> & { readonly appId: string; readonly isNew: 0 | 1 }

/** Only columns of the first schema: it is asked before going back to an older version, and after. */
const LOST = `
  SELECT i.id AS incidentId, i.app_id AS appId, a.name AS application, u.external_user_id AS externalUserId,
    u.name AS name, i.opened_at AS openedAt, i.closed_at AS closedAt,
    count(p.received_at) AS presses, max(p.received_at) AS lastPressAt,
    i.opened_at > :at OR i.number > :number AS isNew
  FROM incidents AS i
  JOIN users AS u ON u.id = i.user_id
  JOIN applications AS a ON a.id = i.app_id
  LEFT JOIN alerts AS p ON p.incident = i.number AND (p.received_at > :at OR i.number > :number)
  GROUP BY i.number
  HAVING isNew OR i.closed_at > :at OR json_extract(i.record, '$.state.acknowledgedAt') > :at
    OR count(p.received_at) > 0
  ORDER BY i.opened_at`

/**
 * The alarms after `end` in the database of `dataDir`, which restoring that copy would lose. Works beside a
 * running service, and changes nothing.
 */
export function lostSince(dataDir: string, end: AlarmsEnd): readonly LostIncident[] {
  const path = join(dataDir, 'tocsin.db')
  if (!existsSync(path)) throw new Error(`there is no database in ${dataDir}, so nothing would be lost`)
  const db = openReader(path)
  try {
    const rows = db.prepare<AlarmsEnd, Row>(LOST).all(end)
    return rows.flatMap(({ appId, isNew, ...row }) => {
      const ended = row.closedAt !== null && row.closedAt > end.at ? 'ended' : 'acknowledged'
      const lost = isNew === 1 ? 'opened' : row.presses > 0 ? 'pressed' : ended
      return isCanary(appId) ? [] : [{ ...row, lost }]
    })
  } finally {
    db.close()
  }
}

const END = `SELECT (SELECT coalesce(max(at), 0) FROM (SELECT max(opened_at) AS at FROM incidents
    UNION ALL SELECT max(closed_at) FROM incidents UNION ALL SELECT max(received_at) FROM alerts
    UNION ALL SELECT max(json_extract(record, '$.state.acknowledgedAt')) FROM incidents)) AS at,
  (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'incidents') AS number`

/** Returns the end of the alarms in a copy of a database. Throws with a sentence for the operator. */
export function alarmsEndIn(file: string): AlarmsEnd {
  let db: SqliteDatabase | null = null
  try {
    db = new Database(file, { readonly: true, fileMustExist: true })
    return db.prepare<[], AlarmsEnd>(END).get()!
  } catch (error) {
    throw new Error(`${file} is no backup of Tocsin (${error instanceof Error ? error.message : String(error)})`)
  } finally {
    db?.close()
  }
}
