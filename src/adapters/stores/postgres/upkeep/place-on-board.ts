import type { Incident } from '../../../../core/incident/incident.ts'
import { asCurrent } from '../../../../core/incident/incident-record.ts'
import { urgencyOf } from '../../../../core/incident/standing.ts'
import type { UrgencyStore } from '../../../../ports/store.ts'
import { writesOf } from '../engine/write.ts'

type First = { readonly number: number; readonly openedAt: number; readonly version: string; readonly record: Incident }

const FIRST = [Number.MIN_SAFE_INTEGER, 0] as const
const FIND = `SELECT number, opened_at AS "openedAt", xmin::text AS version, record FROM incidents
  WHERE open AND urgency = 0 AND (opened_at, number) > ($1, $2) ORDER BY opened_at, number LIMIT $3`
/**
 * Waits for no alarm, and leaves out incidents that an alarm has changed since they were read: those have their place.
 * So no two transactions wait for each other, and an alarm waits for the length of this statement and its commit.
 */
const PLACE = `WITH free AS (
    SELECT incidents.number, row.urgency FROM incidents
      JOIN unnest($1::bigint[], $2::text[], $3::integer[]) AS row (number, version, urgency)
        ON row.number = incidents.number AND incidents.xmin::text = row.version
    FOR NO KEY UPDATE OF incidents SKIP LOCKED
  )
  UPDATE incidents SET urgency = free.urgency FROM free WHERE incidents.number = free.number`

/** The place of open incidents on the board, for those stored before it was. */
export const placingWrites = writesOf<UrgencyStore>()({
  placeOnBoard: {
    async run({ connection }, { from, max }) {
      const rows = await connection.rows<First>(FIND, [...(from === '' ? FIRST : JSON.parse(from)), max])
      const places = rows
        .map(({ number, version, record }) => ({ number, version, urgency: urgencyOf(asCurrent(record)) }))
        .filter(({ urgency }) => urgency > 0)
      const columns = [
        places.map(({ number }) => number),
        places.map(({ version }) => version),
        places.map(({ urgency }) => urgency),
      ]
      const placed = places.length === 0 ? 0 : await connection.run(PLACE, columns)
      const last = rows.at(-1)
      const isLast = last === undefined || rows.length < max
      return { placed, next: isLast ? null : JSON.stringify([last.openedAt, last.number]) }
    },
  },
})
