import type { UnnamedEnds, UnnamedEndsStore } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

export function unnamedEndReads(db: SqliteDatabase) {
  const found = db.prepare<{ since: number; max: number; appIds: string | null }, UnnamedEnds>(
    `SELECT applications.name AS application, sum(unnamed_ends.count) AS count
     FROM unnamed_ends JOIN applications ON applications.id = unnamed_ends.app_id
     WHERE unnamed_ends.day >= @since AND (@appIds IS NULL OR unnamed_ends.app_id IN (SELECT value FROM json_each(@appIds)))
     GROUP BY applications.id, applications.name
     ORDER BY sum(unnamed_ends.count) DESC, applications.id LIMIT @max`,
  )
  return {
    unnamedEnds: (since: number, max: number, appIds: readonly string[] | null): readonly UnnamedEnds[] =>
      found.all({ since, max, appIds: appIds && JSON.stringify(appIds) }),
  }
}

const adding = ({ db }: WriteContext) =>
  db.prepare<[string, number, number]>(
    `INSERT INTO unnamed_ends (app_id, day, count) VALUES (?, ?, ?)
     ON CONFLICT (app_id, day) DO UPDATE SET count = count + excluded.count`,
  )

export const unnamedEndWrites = writesOf<UnnamedEndsStore>()(adding, {
  addUnnamedEnds: {
    lane: 'bulk',
    reserve: 'spares',
    run(add, counted) {
      for (const { appId, day, count } of counted) add.run(appId, day, count)
    },
  },
})
