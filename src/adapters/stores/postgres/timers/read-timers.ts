import type { Timer } from '../../../../core/timer/timer.ts'
import type { RunningTimer, TimerStore } from '../../../../ports/store.ts'
import { scopedPage, timerList } from '../../shared/scoped-page.ts'
import { MOVED, OWNED_TIMERS, TIMERS } from '../../shared/timers.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'

export const RUNNING = `${TIMERS} WHERE timers.user_id = $1 AND status = 'running' ORDER BY due_at, timers.id`
const PAST = `${TIMERS} WHERE timers.user_id = $1 AND status <> 'running' ORDER BY over_at DESC, timers.id`
const OVERDUE = {
  name: 'overdue-timers',
  text: `${TIMERS} WHERE status = 'running' AND opens_at <= $1 AND (opens_at, timers.id) > ($2, $3)
    ORDER BY opens_at, timers.id LIMIT $4`,
}
const RUNNING_FROM = {
  name: 'running-timers',
  text: `${OWNED_TIMERS} WHERE status = 'running' AND (opens_at, timers.id) > ($1, $2) ORDER BY opens_at, timers.id LIMIT $3`,
}
const AGENDA = {
  name: 'timer-agenda',
  text: `SELECT least(
      (SELECT min(opens_at) FROM timers WHERE status = 'running'),
      (SELECT min(reminds_at) FROM timers WHERE status = 'running' AND reminds_at IS NOT NULL)
    ) AS "nextAt", EXISTS (SELECT 1 FROM timers WHERE ${MOVED}) AS "areMoved"`,
}

type Reads = ReadsOf<TimerStore>

export const timerReads = ({ rows, row }: Reader): Reads => ({
  async timers(userId) {
    const [running, past] = await Promise.all([rows<Timer>(RUNNING, [userId]), rows<Timer>(PAST, [userId])])
    return [...running, ...past]
  },
  timerPage: (query) =>
    scopedPage(timerList, query, (after, limit) =>
      rows<RunningTimer>(RUNNING_FROM, [...(after ?? [Number.MIN_SAFE_INTEGER, '']), limit]),
    ),
  overdueTimers: (now, max, after) =>
    rows<Timer>(OVERDUE, [now, after?.opensAt ?? Number.MIN_SAFE_INTEGER, after?.id ?? '', max]),
  timerAgenda: async () => (await row<Awaited<ReturnType<Reads['timerAgenda']>>>(AGENDA))!,
})
