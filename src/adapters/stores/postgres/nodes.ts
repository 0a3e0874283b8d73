import { DAY } from '../../../lib/durations.ts'
import type { NodeRecord, NodeStore } from '../../../ports/node-store.ts'
import type { Connection } from './engine/connection.ts'
import { whyNoSite } from './engine/departure.ts'
import { toStoreError } from './engine/failure.ts'
import { Pool } from './engine/pool.ts'
import { NOW } from './engine/server-clock.ts'
import type { SessionLimits } from './engine/session.ts'
import { serverRun } from './engine/timeline.ts'
import { recordAudit } from './operators/record-audit.ts'

/**
 * A hanging renewal is retried in time: all tries fit into a third of a lease. Only its commit waits as long as every
 * commit does: while claims can be committed, leases last.
 */
export const LEASE_SESSION: SessionLimits = {
  connectTimeoutMs: 3_000,
  lockTimeoutMs: 1_000,
  statementTimeoutMs: 2_000,
  answerTimeoutMs: 3_000,
}

/** A node that is gone stays listed this long. */
const LISTED_MS = 7 * DAY

/** Less than the rest of a lease when it is renewed. */
const JUMP_MS = 5_000

/**
 * A start on the same data directory takes over its own id at once, and the process that ran there before gets no lease
 * again. A lease that has ended, if only by the clocks of its node, is granted again under another token. No lease is
 * granted where the site has left: a node may have been opened, or frozen, before everything was copied.
 */
const LEASE = {
  name: 'lease',
  text: `INSERT INTO nodes AS held (id, place, process, version, token, started_at, lease_until)
    SELECT $1, $2, $3, $4, nextval('lease_tokens'), ${NOW}, ${NOW} + $5 WHERE NOT EXISTS (SELECT 1 FROM site_copy)
    ON CONFLICT (id) DO UPDATE SET place = excluded.place, process = excluded.process,
      version = excluded.version, stopped = false,
      token = CASE WHEN held.token = $6 AND held.lease_until > ${NOW} THEN held.token ELSE excluded.token END,
      started_at = CASE WHEN held.process = excluded.process THEN held.started_at ELSE excluded.started_at END,
      draining = held.draining AND held.process = excluded.process,
      lease_until = excluded.lease_until
    WHERE held.lease_until <= ${NOW} OR held.process = excluded.process OR ($7 AND held.place = excluded.place)
    RETURNING token, draining`,
}
const COLUMNS = `id, token, version, started_at AS "startedAt", lease_until AS "leaseUntil", draining, stopped, ${NOW} AS now`
const NODES = { name: 'nodes', text: `SELECT ${COLUMNS} FROM nodes ORDER BY id` }
const END = `UPDATE nodes SET lease_until = least(lease_until, ${NOW}), stopped = true WHERE id = $1 AND token = $2`
const FORGET = `DELETE FROM nodes WHERE lease_until < ${NOW} - ${LISTED_MS}`
const DRAIN = 'UPDATE nodes SET draining = $2 WHERE id = $1'

type Row = {
  readonly id: string
  readonly token: number
  readonly version: string
  readonly startedAt: number
  readonly leaseUntil: number
  readonly draining: boolean
  readonly stopped: boolean
  readonly now: number
}

const recordOf = ({ id, token, version, startedAt, leaseUntil, draining, stopped }: Row): NodeRecord => ({
  lease: { node: id, token },
  version,
  startedAt,
  leaseUntil,
  isDraining: draining,
  isStopped: stopped,
})

/**
 * Whether a node may still run, or go on: all leases end while the database is away, and a node that is frozen or cut
 * off comes back. One that is listed no longer does not count.
 */
export const mayRun = ({ leaseUntil, isStopped }: NodeRecord, now: number): boolean =>
  !isStopped && leaseUntil > now - LISTED_MS

type NodesOnSession = NodeStore & {
  /** Whether the last answer for a lease named no other node that lives. */
  isAlone(): boolean
  /** Whether that answer named a node of another version that may still run; null before the first answer. */
  isMixed(): boolean | null
  close(): Promise<void>
}

/** The nodes, on a separate session that `connect` opens: a lease never waits for writes. */
export function nodesOn(connect: () => Promise<Connection>): NodesOnSession {
  let server = ''
  let answeredBy = ''
  let isAlone = false
  let isMixed: boolean | null = null
  let answered = { now: 0, at: 0 }
  /**
   * Whether the database's clock ran evenly since the last answer. Setting it ends the leases of living nodes, as
   * another server does.
   */
  const ranEvenly = (now: number, at: number): boolean => {
    const before = answered
    answered = { now, at }
    return Math.abs(now - before.now - (at - before.at)) < JUMP_MS
  }
  const pool = new Pool(
    async () => {
      const connection = await connect()
      server = await serverRun(connection)
      return connection
    },
    { size: 1, maxWaiting: 10 },
  )
  const use = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    try {
      return await pool.use(work)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  return {
    lease: ({ id, place, process, version }, { lengthMs, token, isStart }) =>
      use(async (connection) => {
        const begun = connection.begin()
        const forgotten = isStart ? connection.run(FORGET) : 0
        const asked = [id, place, process, version, lengthMs, token, isStart]
        const leased = connection.rows<Pick<Row, 'token' | 'draining'>>(LEASE, asked)
        const listed = connection.rows<Row>(NODES).then((rows) => ({ rows, at: performance.now() }))
        await connection.commitAfter([begun, forgotten, leased, listed])
        const [[granted], { rows, at }] = await Promise.all([leased, listed])
        const own = rows.find((row) => row.id === id)
        if (granted === undefined || own === undefined) {
          const why = await whyNoSite(connection)
          return why === null ? { refused: 'taken' } : { refused: 'left', why }
        }
        const isSameServer = ranEvenly(own.now, at) && server === answeredBy
        answeredBy = server
        const others = rows.filter((row) => row !== own)
        const living = others.filter(({ leaseUntil }) => leaseUntil > own.now)
        isAlone = living.length === 0
        isMixed = others.some((row) => row.version !== own.version && mayRun(recordOf(row), own.now))
        return {
          lease: { node: id, token: granted.token },
          now: own.now,
          others: others.map(recordOf),
          isDraining: granted.draining,
          isSameServer,
        }
      }),
    endLease: ({ node, token }) => use(async (connection) => void (await connection.run(END, [node, token]))),
    nodes: () =>
      use(async (connection) => {
        const rows = await connection.rows<Row>(NODES)
        return { now: rows[0]?.now ?? 0, nodes: rows.map(recordOf) }
      }),
    drain: (nodeId, isDraining, audit) =>
      use(async (connection) => {
        await connection.begin()
        try {
          const found = (await connection.run(DRAIN, [nodeId, isDraining])) === 1
          if (found) await recordAudit({ connection }, audit)
          await connection.commitAfter([])
          return found
        } catch (error) {
          await connection.rollback()
          throw error
        }
      }),
    isAlone: () => isAlone,
    isMixed: () => isMixed,
    close: () => pool.close(),
  }
}
