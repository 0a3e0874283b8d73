import { CANARY_APP_ID } from '../../../../core/account/canary.ts'
import type { Incident } from '../../../../core/incident/incident.ts'
import { asCurrent } from '../../../../core/incident/incident-record.ts'
import { whereaboutsOf } from '../../../../core/incident/places.ts'
import type { BoardRecord, BoardStore, IncidentFilter, MajorPart, PressTimes } from '../../../../ports/store.ts'
import {
  type BoardPlace,
  type BoardReads,
  boardPage,
  boardPerson,
  type Candidate,
  recordsInTurns,
} from '../../shared/board-walk.ts'
import { AUDIT, type AuditColumns, auditOf } from '../../shared/operators.ts'
import { type NewestRows, newestOfRows } from '../../shared/position-row.ts'
import { NEWEST_HEARD, NEWEST_MESSAGE } from '../../shared/talk.ts'
import type { Reader } from '../engine/reader.ts'
import { NEWEST, newestJoins } from './newest-positions.ts'

type BoardRow = Omit<BoardRecord, 'incident' | 'lastPosition' | 'newest' | 'messageAt' | 'heardAt' | 'person'> & {
  readonly person: Parameters<typeof boardPerson>[0]
  readonly messageAt: number | null
  readonly heardAt: number | null
  readonly number: number
  readonly record: Incident
  readonly newest: NewestRows
}

const BOARD = `SELECT incidents.number, record, ${NEWEST} AS newest,
    json_build_object('name', users.name, 'phone', users.phone, 'groups', users.group_names) AS person,
    applications.name AS "applicationName",
    (SELECT count(*) FROM alerts WHERE incident_number = incidents.number) AS presses,
    EXISTS (SELECT FROM called_back WHERE incident_number = incidents.number AND contact_id = '') AS "isCalledBack",
    (${NEWEST_MESSAGE}) AS "messageAt", (${NEWEST_HEARD}) AS "heardAt"
  FROM incidents JOIN users ON users.id = incidents.user_id JOIN applications ON applications.id = incidents.app_id
  ${newestJoins('incidents')}`
/** Each part by the index that has it in order. */
const ON_BOARD = `(SELECT * FROM incidents WHERE open UNION ALL SELECT * FROM incidents WHERE put_off) AS incidents`
const NOT_CANARY = `incidents.app_id <> '${CANARY_APP_ID}'`
const PRESSES = `SELECT ms AS "pressedAt", received_at AS "receivedAt" FROM alerts
  WHERE incident_number = (SELECT number FROM incidents WHERE id = $1) ORDER BY received_at DESC LIMIT $2`
const MAJOR_PARTS = `SELECT app_id AS "appId", drill AS "isDrill", count(*)::integer AS alarms, min(id) AS "incidentId"
  FROM incidents WHERE major_id = $1 GROUP BY app_id, drill`
const OPEN_MAJORS = `SELECT count(DISTINCT major_id)::integer AS count FROM incidents
  WHERE major_id IS NOT NULL AND closed_at IS NULL`
const OF_MAJOR = 'SELECT number FROM incidents WHERE major_id = $1 ORDER BY number LIMIT $2'
const ACTIONS = `${AUDIT}
  WHERE subject = $1 AND action NOT IN ('incident.view', 'incident.export', 'incident.card') ORDER BY id DESC LIMIT $2`

const boardOf = ({ number: _, record, newest, messageAt, heardAt, person, ...row }: BoardRow): BoardRecord => ({
  incident: asCurrent(record),
  ...whereaboutsOf(newestOfRows(newest)),
  ...row,
  person: boardPerson(person),
  ...(messageAt !== null && { messageAt }),
  ...(heardAt !== null && { heardAt }),
})

/** The reads of the operator's lists. */
export function boardReads({ rows, row }: Reader): BoardStore {
  const reads: BoardReads = {
    candidates: (filter, place, limit) => rows<Candidate>(candidatesOf(filter), valuesOf(filter, place, limit)),
    async records(numbers) {
      const found = await rows<BoardRow>(`${BOARD} WHERE incidents.number = ANY ($1::bigint[])`, [numbers])
      const known = new Map(found.map((one) => [one.number, one]))
      return numbers.flatMap((number) => {
        const one = known.get(number)
        return one === undefined ? [] : boardOf(one)
      })
    },
  }
  return {
    board: (filter, page) => boardPage(reads, filter, page),
    async boardRecord(incidentId) {
      const found = await row<BoardRow>(`${BOARD} WHERE incidents.id = $1 AND ${NOT_CANARY}`, [incidentId])
      return found && boardOf(found)
    },
    pressTimes: async (incidentId, max) => (await rows<PressTimes>(PRESSES, [incidentId, max])).toReversed(),
    majorParts: (majorId) => rows<MajorPart>(MAJOR_PARTS, [majorId]),
    openMajors: async () => (await row<{ count: number }>(OPEN_MAJORS))?.count ?? 0,
    async majorRecords(majorId, max) {
      const found = await rows<{ number: number }>(OF_MAJOR, [majorId, max])
      return recordsInTurns(
        reads,
        found.map(({ number }) => number),
      )
    },
    incidentActions: async (incidentId, max) =>
      (await rows<AuditColumns>(ACTIONS, [incidentId, max])).map(auditOf).toReversed(),
  }
}

/** The application of the filter, if it is one: then its own index has the list in order. */
const onlyOf = ({ applications }: IncidentFilter): string | null =>
  applications?.length === 1 ? (applications[0] ?? null) : null

/** The conditions that take a value, each with it. */
const boundsOf = (filter: IncidentFilter): readonly (readonly [string, string | number])[] => {
  const { from, to } = filter
  const only = onlyOf(filter)
  return [
    ...(only === null ? [] : [['incidents.app_id =', only] as const]),
    ...(from === null ? [] : [['opened_at >=', from] as const]),
    ...(to === null ? [] : [['opened_at <', to] as const]),
  ]
}

const valuesOf = (
  filter: IncidentFilter,
  { openedAt, number, urgency }: BoardPlace,
  limit: number,
): readonly unknown[] => [
  openedAt,
  number,
  limit,
  ...(filter.state === 'open' ? [urgency] : []),
  ...boundsOf(filter).map(([, value]) => value),
]

function candidatesOf(filter: IncidentFilter): string {
  const { state, statuses, drills } = filter
  const isByUrgency = state === 'open'
  const where = [
    drills ? 'drill' : 'NOT drill',
    ...(isByUrgency
      ? [...(drills ? ['closed_at IS NULL'] : []), '(urgency, opened_at, incidents.number) > ($4, $1, $2)']
      : ['(opened_at, incidents.number) < ($1, $2)']),
    ...(state === 'closed' ? ['closed_at IS NOT NULL', 'NOT put_off'] : []),
    ...boundsOf(filter).map(([condition], place) => `${condition} $${place + (isByUrgency ? 5 : 4)}`),
  ].join(' AND ')
  const order = isByUrgency ? 'urgency, opened_at, incidents.number' : 'opened_at DESC, incidents.number DESC'
  const status = statuses === null ? 'NULL::text' : "record -> 'state' ->> 'status'"
  return `SELECT incidents.number, incidents.id, incidents.app_id AS "appId", opened_at AS "openedAt",
      ${status} AS status, urgency, external_user_id AS "externalUserId", users.name, users.phone
    FROM ${isByUrgency && !drills ? ON_BOARD : 'incidents'} JOIN users ON users.id = incidents.user_id
    WHERE ${where} ORDER BY ${order} LIMIT $3`
}
