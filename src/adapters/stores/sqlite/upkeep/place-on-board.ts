import { urgencyOf } from '../../../../core/incident/standing.ts'
import type { UrgencyStore } from '../../../../ports/store.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { type IncidentRow, incidentOf } from '../incidents/incident-row.ts'

type First = IncidentRow & { readonly openedAt: number }
type Place = readonly [openedAt: number, number: number]

const FIRST: Place = [Number.MIN_SAFE_INTEGER, 0]

const firstRows = ({ db }: WriteContext) => ({
  find: db.prepare<[...Place, number], First>(
    `SELECT number, opened_at AS openedAt, record FROM incidents INDEXED BY incidents_open
     WHERE open = 1 AND urgency = 0 AND (opened_at, number) > (?, ?) ORDER BY opened_at, number LIMIT ?`,
  ),
  place: db.prepare<[number, number]>('UPDATE incidents SET urgency = ? WHERE number = ?'),
})

/** The place of open incidents on the board, for those stored before it was. */
export const placingWrites = writesOf<UrgencyStore>()(firstRows, {
  placeOnBoard: {
    lane: 'bulk',
    run({ find, place }, { from, max }) {
      const rows = find.all(...(from === '' ? FIRST : (JSON.parse(from) as Place)), max)
      let placed = 0
      for (const row of rows) {
        const urgency = urgencyOf(incidentOf(row))
        if (urgency > 0) placed += place.run(urgency, row.number).changes
      }
      const last = rows.at(-1)
      return {
        placed,
        next: last === undefined || rows.length < max ? null : JSON.stringify([last.openedAt, last.number]),
      }
    },
  },
})
