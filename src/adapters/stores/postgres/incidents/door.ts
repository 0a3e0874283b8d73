import type { ClockCommand } from '../../../../core/incident/command.ts'
import type { Committed } from '../../../../ports/store.ts'
import type { Transaction } from '../engine/write.ts'
import { askOf, type DoorCall, type Found, inStoredTime } from './ask.ts'
import { lockAndLoad } from './load.ts'
import { save } from './save.ts'
import { shiftTimers } from './shift-timers.ts'
import { WorkingSet } from './working-set.ts'

/** Incidents that a change of the clock loads at a time. */
const PENDING_AT_ONCE = 200

/** The write door for one command of a transaction whose owner is locked: a contact who joins, or is corrected. */
export async function changeIncidentIn(transaction: Transaction, call: DoorCall): Promise<Committed> {
  const { connection, defaults, era } = transaction
  const [found] = await lockAndLoad(connection, [askOf(call, 0, [call])], { defaults, begun: Promise.resolve() })
  if (found?.isLocked !== true) throw new Error('the owner of the incident is not locked')
  const set = new WorkingSet()
  const followedMs = era.jumps?.totalMs ?? null
  const committed = set.apply(inStoredTime({ ...call, followedMs }, found), found)
  await save(transaction, set.rows())
  return committed
}

const OWNERS_OF_PENDING = `SELECT number FROM users
  WHERE id IN (SELECT user_id FROM incidents WHERE next_action_at IS NOT NULL OR open) ORDER BY number FOR NO KEY UPDATE`
const PENDING = `SELECT id, number FROM incidents WHERE (next_action_at IS NOT NULL OR open) AND number > $1
  ORDER BY number LIMIT $2`

/** One command for every incident with something pending, in one transaction. */
export async function changePending(transaction: Transaction, command: ClockCommand): Promise<number> {
  const { connection, defaults } = transaction
  await shiftTimers(transaction, command)
  await connection.run(OWNERS_OF_PENDING)
  let changed = 0
  for (let last = 0; ; ) {
    const pending = await connection.rows<{ id: string; number: number }>(PENDING, [last, PENDING_AT_ONCE])
    const calls = pending.map(({ id }): DoorCall => ({ key: { incidentId: id }, command }))
    const found = await lockAndLoad(connection, calls.map(askOf), { defaults, begun: Promise.resolve() })
    const set = new WorkingSet()
    for (const [place, call] of calls.entries()) changed += isChanged(set, call, found[place]!) ? 1 : 0
    await save(transaction, set.rows())
    if (pending.length < PENDING_AT_ONCE) return changed
    last = pending.at(-1)?.number ?? last
  }
}

function isChanged(set: WorkingSet, call: DoorCall, found: Found): boolean {
  if (!found.isLocked) throw new Error('the owner of the incident is not locked')
  return set.apply(call, found).incident !== found.incident
}
