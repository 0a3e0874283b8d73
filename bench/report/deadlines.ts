import type { DeadlineFigures } from '../measurements/deadlines.ts'
import { aims } from '../plan.ts'
import { spreadCells, table, whole } from './text.ts'

export function formatDeadlines({ incidents, graceSeconds, openedWithinMs, latenessMs }: DeadlineFigures): string[] {
  return [
    '',
    `How late notifications leave: ${whole(incidents)} incidents opened within ${whole(openedWithinMs)} ms, each due ${graceSeconds} s later`,
    ...table([
      ['', 'p50', 'p99', 'max', ''],
      ['after dueAt', ...spreadCells(latenessMs), `aim: p99 within ${aims.latenessMs} ms`],
    ]),
  ]
}
