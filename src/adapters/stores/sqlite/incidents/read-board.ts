import { CANARY_APP_ID } from '../../../../core/account/canary.ts'
import type { AuditRow } from '../../../../core/operator/audit.ts'
import type { BoardRecord, IncidentFilter, MajorPart, PageQuery, PressTimes } from '../../../../ports/store.ts'
import {
  type BoardPlace,
  type BoardReads,
  boardPage,
  boardPerson,
  type Candidate,
  recordsInTurns,
} from '../../shared/board-walk.ts'
import { AUDIT } from '../../shared/operators.ts'
import { NEWEST_HEARD, NEWEST_MESSAGE } from '../../shared/talk.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import type { Row } from '../engine/row.ts'
import { auditFrom } from '../operators/record-audit.ts'
import { type IncidentRow, recordLookup } from './incident-row.ts'

type BoardRow = IncidentRow & {
  readonly name: string | null
  readonly phone: string | null
  readonly groupNames: string | null
  readonly application: string
  readonly presses: number
  readonly calledBack: 0 | 1
  readonly messageAt: number | null
  readonly heardAt: number | null
}

const BOARD = `SELECT incidents.number, record, users.name, users.phone, users.group_names AS groupNames,
    applications.name AS application,
    (SELECT count(*) FROM alerts WHERE incident = incidents.number) AS presses,
    EXISTS (SELECT 1 FROM called_back WHERE incident = incidents.number AND contact_id = '') AS calledBack,
    (${NEWEST_MESSAGE}) AS messageAt, (${NEWEST_HEARD}) AS heardAt
  FROM incidents JOIN users ON users.id = incidents.user_id JOIN applications ON applications.id = incidents.app_id`
/** The values of a list's conditions are bound by these names. */
type Bound = Readonly<Record<string, string | number>>

/** The reads of the operator's lists. Each runs on the thread that accepts alarms, so none reads many rows at once. */
export function boardReads(db: SqliteDatabase) {
  const byNumber = db.prepare<[number], BoardRow>(`${BOARD} WHERE incidents.number = +?`)
  const byId = db.prepare<[string], BoardRow>(
    `${BOARD} WHERE incidents.id = +? AND incidents.app_id <> '${CANARY_APP_ID}'`,
  )
  const pressTimes = db.prepare<[string, number], PressTimes>(
    `SELECT ms AS pressedAt, received_at AS receivedAt FROM alerts
     WHERE incident = (SELECT number FROM incidents WHERE id = ?) ORDER BY received_at DESC LIMIT ?`,
  )
  const actions = db.prepare<[string, number], Row>(
    `${AUDIT} WHERE subject = ? AND action NOT IN ('incident.view', 'incident.export', 'incident.card')
     ORDER BY id DESC LIMIT ?`,
  )
  const majorParts = db.prepare<[string], Omit<MajorPart, 'isDrill'> & { readonly drill: 0 | 1 }>(
    `SELECT app_id AS appId, drill, count(*) AS alarms, min(id) AS incidentId
     FROM incidents WHERE major_id = ? GROUP BY app_id, drill`,
  )
  const openMajors = db
    .prepare<[], number>(
      'SELECT count(DISTINCT major_id) FROM incidents WHERE major_id IS NOT NULL AND closed_at IS NULL',
    )
    .pluck()
  const ofMajor = db
    .prepare<[string, number], number>('SELECT number FROM incidents WHERE major_id = ? ORDER BY number LIMIT ?')
    .pluck()
  const recordOf = recordLookup(db)
  const boardOf = (row: BoardRow): BoardRecord => ({
    ...recordOf(row),
    person: boardPerson({ ...row, groups: row.groupNames === null ? null : JSON.parse(row.groupNames) }),
    applicationName: row.application,
    presses: row.presses,
    isCalledBack: row.calledBack === 1,
    ...(row.messageAt !== null && { messageAt: row.messageAt }),
    ...(row.heardAt !== null && { heardAt: row.heardAt }),
  })

  const reads: BoardReads = {
    async candidates(filter: IncidentFilter, place: BoardPlace, limit: number) {
      const { sql, bound } = candidatesOf(filter)
      return db.prepare<[Bound], Candidate>(sql).all({ ...bound, ...place, limit })
    },
    async records(numbers) {
      return numbers.flatMap((number) => {
        const row = byNumber.get(number)
        return row === undefined ? [] : boardOf(row)
      })
    },
  }

  return {
    board: (filter: IncidentFilter, page: PageQuery) => boardPage(reads, filter, page),
    boardRecord(incidentId: string): BoardRecord | null {
      const row = byId.get(incidentId)
      return row === undefined ? null : boardOf(row)
    },
    pressTimes: (incidentId: string, max: number): readonly PressTimes[] => pressTimes.all(incidentId, max).reverse(),
    majorParts: (majorId: string): readonly MajorPart[] =>
      majorParts.all(majorId).map(({ drill, ...part }) => ({ ...part, isDrill: drill === 1 })),
    openMajors: (): number => openMajors.get() ?? 0,
    majorRecords: (majorId: string, max: number) => recordsInTurns(reads, ofMajor.all(majorId, max)),
    incidentActions: (incidentId: string, max: number): readonly AuditRow[] =>
      actions.all(incidentId, max).map(auditFrom).reverse(),
  }
}

/** Each by the index that has the order of the list, so that nothing is sorted. */
function candidatesOf({ state, statuses, applications, from, to, drills }: IncidentFilter): {
  readonly sql: string
  readonly bound: Bound
} {
  const [only] = applications?.length === 1 ? applications : []
  const everyIndex = only === undefined ? 'incidents_by_opening' : 'incidents_of_application'
  const bound: Bound = {
    ...(only !== undefined && { app: only }),
    ...(from !== null && { from }),
    ...(to !== null && { to }),
  }
  const order = state === 'open' ? 'urgency, openedAt, number' : 'openedAt DESC, number DESC'
  const status = statuses === null ? 'NULL' : "record ->> '$.state.status'"
  const rowsOf = (index: string, conditions: readonly string[]): string => {
    const where = [
      drills ? 'drill = 1' : 'drill = 0',
      ...conditions,
      ...(only === undefined ? [] : ['incidents.app_id = @app']),
      ...(from === null ? [] : ['opened_at >= @from']),
      ...(to === null ? [] : ['opened_at < @to']),
    ].join(' AND ')
    return `SELECT incidents.number AS number, incidents.id, incidents.app_id AS appId, opened_at AS openedAt,
        ${status} AS status, urgency, external_user_id AS externalUserId, users.name, users.phone
      FROM incidents INDEXED BY ${index} CROSS JOIN users ON users.id = incidents.user_id
      WHERE ${where}`
  }
  const isBehind = '(urgency, opened_at, incidents.number) > (@urgency, @openedAt, @number)'
  const isEarlier = '(opened_at, incidents.number) < (@openedAt, @number)'
  const isClosed = state === 'closed' ? ['closed_at IS NOT NULL', 'put_off = 0'] : []
  const parts =
    state !== 'open'
      ? [rowsOf(drills ? 'drills_by_opening' : everyIndex, [isEarlier, ...isClosed])]
      : drills
        ? [rowsOf('drills_by_opening', ['closed_at IS NULL', isBehind])]
        : [rowsOf('incidents_open', ['open = 1', isBehind]), rowsOf('incidents_put_off', ['put_off = 1', isBehind])]
  return { sql: `${parts.join(' UNION ALL ')} ORDER BY ${order} LIMIT @limit`, bound }
}
