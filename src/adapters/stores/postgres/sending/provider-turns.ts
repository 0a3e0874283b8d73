import {
  decideTurns,
  NEW_SHARED_ACCOUNT,
  type SharedAccount,
  type TurnAnswer,
  type TurnRequest,
} from '../../../../core/pacing/shared-account.ts'
import { SECOND } from '../../../../lib/durations.ts'
import type { TurnStore } from '../../../../ports/node-store.ts'
import type { Connection } from '../engine/connection.ts'
import { toStoreError } from '../engine/failure.ts'
import type { Pool } from '../engine/pool.ts'

/** A node that has locked an account must decide within this time: less than another waits for the lock. */
const MAX_HOLD_MS = SECOND

/**
 * Turns are requested all the time and soon obsolete, so they wait for no disk and no standby: a crash of the server
 * loses a moment of the rate. A node that freezes must not hold an account from the others.
 */
const TERMS = {
  name: 'turn-terms',
  text: `SELECT set_config('synchronous_commit', 'off', true),
    set_config('idle_in_transaction_session_timeout', '${MAX_HOLD_MS}', true)`,
}
const LOCK = { name: 'lock-turns', text: 'SELECT record FROM provider_turns WHERE account = $1 FOR UPDATE' }
/** A separate statement, so that it reads the time once the row is locked. */
const NOW = {
  name: 'turns-now',
  text: 'SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS now',
}
const ADD = {
  name: 'add-turns',
  text: 'INSERT INTO provider_turns (account, record) VALUES ($1, $2) ON CONFLICT (account) DO NOTHING',
}
const SAVE = { name: 'save-turns', text: 'UPDATE provider_turns SET record = $2 WHERE account = $1' }

/** The accounts of turns in the database. `node`: in whose name this process asks. */
export const providerTurns = (pool: Pool, node: string): TurnStore => ({
  async takeTurns(account, request) {
    try {
      return await pool.use((connection) => taken(connection, account, { ...request, node }))
    } catch (error) {
      throw toStoreError(error)
    }
  },
})

/** One transaction of two round trips: the lock, then the decision made under it. */
async function taken(
  connection: Connection,
  name: string,
  request: TurnRequest & { readonly node: string },
): Promise<TurnAnswer> {
  const begun = Promise.all([connection.begin(), connection.run(TERMS)])
  try {
    const { before, now } = (await locked(connection, name, begun)) ?? (await added(connection, name))
    const { account, answer } = decideTurns(before, request, now)
    await connection.commitAfter([connection.run(SAVE, [name, JSON.stringify(account)])])
    return answer
  } catch (error) {
    if (connection.isUsable) await connection.rollback()
    throw error
  }
}

type Locked = { readonly before: SharedAccount; readonly now: number }

async function locked(connection: Connection, name: string, begun: Promise<unknown>): Promise<Locked | null> {
  const [, rows, times] = await Promise.all([
    begun,
    connection.rows<{ record: SharedAccount }>(LOCK, [name]),
    connection.rows<{ now: number }>(NOW),
  ])
  return rows[0] && times[0] ? { before: rows[0].record, now: times[0].now } : null
}

/** The first request creates the account. */
async function added(connection: Connection, name: string): Promise<Locked> {
  await connection.run(ADD, [name, JSON.stringify(NEW_SHARED_ACCOUNT)])
  const found = await locked(connection, name, Promise.resolve())
  if (found === null) throw new Error('the account of turns has been removed')
  return found
}
