import type { DueIncidents } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'

/** Moves the deadlines of running timers with the clock, in the transaction that moves those of incidents. */
export function timerShift(db: SqliteDatabase) {
  const shift = db.prepare<[number, number]>(
    "UPDATE timers SET opens_at = opens_at + ?, reminds_at = reminds_at + ? WHERE status = 'running'",
  )
  return (command: Parameters<DueIncidents['changePending']>[0]): void => {
    const byMs = command.type === 'shiftDeadlines' ? command.byMs : command.now - command.from
    shift.run(byMs, byMs)
  }
}
