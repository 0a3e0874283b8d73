import type { UnnamedEnds, UnnamedEndsStore } from '../../../../ports/store.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { writesOf } from '../engine/write.ts'

const FOUND = {
  name: 'unnamed-ends',
  text: `SELECT applications.name AS application, sum(unnamed_ends.count)::bigint AS count
     FROM unnamed_ends JOIN applications ON applications.id = unnamed_ends.app_id
     WHERE unnamed_ends.day >= $1 AND ($3::text[] IS NULL OR unnamed_ends.app_id = ANY ($3::text[]))
     GROUP BY applications.id, applications.name
     ORDER BY sum(unnamed_ends.count) DESC, applications.id LIMIT $2`,
}
/** In one order on all nodes, so that two of them never wait for each other. */
const ADD = `INSERT INTO unnamed_ends (app_id, day, count)
  SELECT "appId", day, count FROM json_to_recordset($1)
    AS row ("appId" text COLLATE "C", day bigint, count bigint) ORDER BY "appId", day
  ON CONFLICT (app_id, day) DO UPDATE SET count = unnamed_ends.count + excluded.count`

export const unnamedEndReads = ({ rows }: Reader): ReadsOf<UnnamedEndsStore> => ({
  unnamedEnds: (since, max, appIds) => rows<UnnamedEnds>(FOUND, [since, max, appIds]),
})

export const unnamedEndWrites = writesOf<UnnamedEndsStore>()({
  addUnnamedEnds: {
    async run({ connection }, counted) {
      await connection.run(ADD, [JSON.stringify(counted)])
    },
  },
})
