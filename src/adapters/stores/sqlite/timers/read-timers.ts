import type { Timer } from '../../../../core/timer/timer.ts'
import type { RunningTimer, ScopedQuery } from '../../../../ports/store.ts'
import { scopedPage, timerList } from '../../shared/scoped-page.ts'
import { MOVED, OWNED_TIMERS, TIMERS } from '../../shared/timers.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { fromRow, type Row } from '../engine/row.ts'

export const timerOf = fromRow<Timer>('timers')
const runningTimerOf = fromRow<RunningTimer>('timers')

export function timerReads(db: SqliteDatabase) {
  const running = db.prepare<[string], Row>(
    `${TIMERS} WHERE timers.user_id = +? AND status = 'running' ORDER BY due_at, timers.id`,
  )
  const past = db.prepare<[string], Row>(
    `${TIMERS} WHERE timers.user_id = ? AND status <> 'running' ORDER BY over_at DESC, timers.id`,
  )
  const overdue = db.prepare<[number, number, string, number], Row>(
    `${TIMERS} WHERE status = 'running' AND opens_at <= ? AND (opens_at, timers.id) > (?, ?)
     ORDER BY opens_at, timers.id LIMIT ?`,
  )
  const runningFrom = db.prepare<[string | number, string | number, number], Row>(
    `${OWNED_TIMERS} WHERE status = 'running' AND (opens_at, timers.id) > (?, ?) ORDER BY opens_at, timers.id LIMIT ?`,
  )
  const agenda = db.prepare<[], { readonly nextAt: number | null; readonly areMoved: 0 | 1 }>(
    `SELECT (
         SELECT min(at) FROM (
           SELECT min(opens_at) AS at FROM timers WHERE status = 'running'
           UNION ALL SELECT min(reminds_at) FROM timers WHERE status = 'running' AND reminds_at IS NOT NULL
         )
       ) AS nextAt, EXISTS (SELECT 1 FROM timers WHERE ${MOVED}) AS areMoved`,
  )
  return {
    timers: (userId: string): readonly Timer[] => [...running.all(userId), ...past.all(userId)].map(timerOf),
    timerPage: (query: ScopedQuery) =>
      scopedPage(timerList, query, (after, limit): readonly RunningTimer[] => {
        const [at, id] = after ?? [Number.MIN_SAFE_INTEGER, '']
        return runningFrom.all(at!, id!, limit).map(runningTimerOf)
      }),
    overdueTimers(now: number, max: number, after: Pick<Timer, 'opensAt' | 'id'> | null): readonly Timer[] {
      const { opensAt, id } = after ?? { opensAt: Number.MIN_SAFE_INTEGER, id: '' }
      return overdue.all(now, opensAt, id, max).map(timerOf)
    },
    timerAgenda() {
      const { nextAt, areMoved } = agenda.get()!
      return { nextAt, areMoved: areMoved === 1 }
    },
  }
}
