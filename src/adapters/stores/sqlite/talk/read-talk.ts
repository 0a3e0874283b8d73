import type { TalkLine } from '../../../../core/incident/talk.ts'
import type { OpenTalk } from '../../../../ports/store.ts'
import { TALK_LINES } from '../../shared/talk.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { fromRow, type Row } from '../engine/row.ts'

export const talkLineOf = fromRow<TalkLine>('talk_lines')

export function talkReads(db: SqliteDatabase) {
  const newest = db.prepare<[string, number, number], Row>(
    `${TALK_LINES} WHERE incident_number = (SELECT number FROM incidents WHERE id = ?) AND n > ? ORDER BY n DESC LIMIT ?`,
  )
  const open = db.prepare<[number], OpenTalk>(
    `SELECT id AS incidentId, app_id AS appId, user_id AS userId FROM incidents WHERE open = 1
     ORDER BY opened_at DESC LIMIT ?`,
  )
  return {
    openTalks: (max: number): readonly OpenTalk[] => open.all(max),
    talkLines: (incidentId: string, after: number, max: number): readonly TalkLine[] =>
      newest.all(incidentId, after, max).map(talkLineOf).reverse(),
  }
}
