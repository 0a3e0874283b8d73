import type { ClockCommand } from '../../../../core/incident/command.ts'
import { movedByMs } from '../../../../core/incident/deadlines.ts'
import type { SqliteDatabase } from '../engine/database.ts'

/** Moves the deadlines of running timers with the clock, in the transaction that moves those of incidents. */
export function timerShift(db: SqliteDatabase) {
  const shift = db.prepare<[number, number]>(
    "UPDATE timers SET opens_at = opens_at + ?, reminds_at = reminds_at + ? WHERE status = 'running'",
  )
  return (command: ClockCommand): void => {
    const byMs = movedByMs(command)
    shift.run(byMs, byMs)
  }
}
