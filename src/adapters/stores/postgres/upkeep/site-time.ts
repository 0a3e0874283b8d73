import { LEASE_MS } from '../../../../app/sending/node-lease.ts'
import type { ClockCommand } from '../../../../core/incident/command.ts'
import { movedByMs } from '../../../../core/incident/deadlines.ts'
import type { ClockJumps, SharedTime } from '../../../../ports/shared-time.ts'
import type { Era } from '../engine/era.ts'
import type { Pool } from '../engine/pool.ts'
import { NOW } from '../engine/server-clock.ts'
import { type Transaction, writesOf } from '../engine/write.ts'
import { changePending } from '../incidents/door.ts'
import { setMoment } from './clock.ts'

const READ = {
  name: 'read-clock',
  text: `SELECT ${NOW} AS now, jumps.count, jumps.total_ms AS "totalMs", confirmed.at, confirmed.node
    FROM (SELECT 1) AS always LEFT JOIN clock_jumps AS jumps ON true LEFT JOIN clock_confirmed AS confirmed ON true`,
}
/** Only by a node that has followed every jump. */
const CONFIRM = {
  name: 'confirm-clock',
  text: `INSERT INTO clock_confirmed (only_row, at, node)
    SELECT true, $1, $2 WHERE coalesce((SELECT count FROM clock_jumps), 0) = $3
    ON CONFLICT (only_row) DO UPDATE SET at = excluded.at, node = excluded.node`,
}

type ClockRow = {
  readonly now: number
  readonly count: number | null
  readonly totalMs: number | null
  readonly at: number | null
  readonly node: string | null
}

type SiteTimeNeeds = {
  /** One session, which must not wait for writes. */
  readonly pool: Pool
  readonly node: string | null
  readonly era: Era
  readonly move: (jump: Jump) => Promise<ClockJumps | null>
}

/** The clock of the server. */
export function siteTimeOn({ pool, node, era, move }: SiteTimeNeeds): SharedTime {
  return {
    async read() {
      const [row] = await pool.use((connection) => connection.rows<ClockRow>(READ))
      const { now, count, totalMs, at, node: by } = row!
      return {
        now,
        jumps: { count: count ?? 0, totalMs: totalMs ?? 0 },
        confirmed: at === null ? null : { at, isOwn: by === node },
      }
    },
    async confirm(at, { count }) {
      if (node !== null) await pool.use((connection) => connection.run(CONFIRM, [at, node, count])).catch(() => {})
    },
    move: ({ jumps, now, byMs, passed }) =>
      move({ command: { type: 'shiftDeadlines', now, byMs }, after: jumps, passed }),
    follow: (jumps) => era.follow(jumps),
  }
}

/**
 * `after`: the jumps that the one who moves the deadlines knows of; null: it does not follow the server's clock.
 * `passed`: see the port; null: it has none to compare with.
 */
export type Jump = {
  readonly command: ClockCommand
  readonly after: ClockJumps | null
  readonly passed: number | null
}

/** Batches hold the table only briefly, and writes behind this lock must not wait for long. */
const LOCK_PATIENCE = "SET LOCAL lock_timeout = '500ms'"
const LOCK = 'LOCK TABLE clock_jumps IN ACCESS EXCLUSIVE MODE'
const KNOWN = `SELECT coalesce((SELECT count FROM clock_jumps), 0) AS count,
  coalesce((SELECT total_ms FROM clock_jumps), 0) AS "totalMs", (SELECT at FROM clock_confirmed) AS at`
const JUMPED = `INSERT INTO clock_jumps (only_row, count, total_ms) VALUES (true, $1, $2)
  ON CONFLICT (only_row) DO UPDATE SET count = excluded.count, total_ms = excluded.total_ms`
const CONFIRMED = 'UPDATE clock_confirmed SET at = $1'
/** Shortens leases after the clock was set back: otherwise a node that is gone would count as living for that long. */
const LEASES_END = `UPDATE nodes SET lease_until = ${NOW} + ${LEASE_MS} WHERE lease_until > ${NOW} + ${LEASE_MS}`

type Moved = { readonly jumps: ClockJumps | null; readonly changed: number }

/** Moves the deadlines with the clock, once for all nodes: one that has not seen the last jump does nothing. */
async function moveDeadlines(transaction: Transaction, { command, after, passed }: Jump): Promise<Moved> {
  const { connection } = transaction
  await connection.run(LOCK_PATIENCE)
  await connection.run(LOCK)
  const [known] = await connection.rows<ClockJumps & { at: number | null }>(KNOWN)
  const { count, totalMs, at } = known!
  const isMoved = after !== null && after.count !== count
  const hasPassed = passed !== null && at !== null && at > passed
  if (isMoved || hasPassed) return { jumps: null, changed: 0 }
  const jumps = { count: count + 1, totalMs: totalMs + movedByMs(command) }
  await connection.run(JUMPED, [jumps.count, jumps.totalMs])
  await connection.run(CONFIRMED, [command.now])
  await connection.run(LEASES_END)
  const changed = await changePending(transaction, command)
  await setMoment(transaction, command.now)
  return { jumps, changed }
}

export const siteTimeWrites = writesOf<{ moveDeadlines(jump: Jump): Promise<Moved> }>()({
  // In a mass alert thousands of other upkeep calls may wait.
  moveDeadlines: { sender: () => 'clock', run: moveDeadlines },
})
