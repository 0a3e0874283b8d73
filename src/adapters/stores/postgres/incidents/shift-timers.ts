import type { ClockCommand } from '../../../../core/incident/command.ts'
import { movedByMs } from '../../../../core/incident/deadlines.ts'
import type { Transaction } from '../engine/write.ts'

const SHIFT = `UPDATE timers SET opens_at = opens_at + $1, reminds_at = reminds_at + $1 WHERE status = 'running'`

/** Moves the deadlines of running timers with the clock, in the transaction that moves those of incidents. */
export function shiftTimers({ connection }: Transaction, command: ClockCommand): Promise<number> {
  return connection.run(SHIFT, [movedByMs(command)])
}
