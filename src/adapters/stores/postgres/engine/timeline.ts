import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'

/** Of a primary: the first eight hexadecimal digits of the name of its log file. Every role may ask. */
const TIMELINE = 'SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline'

const STARTED = 'SELECT pg_postmaster_start_time()::text AS "startedAt"'

/** 0 where the server does not say: one that only speaks like PostgreSQL need not have timelines. */
export async function serverTimeline(connection: Connection): Promise<number> {
  try {
    const [row] = await connection.rows<{ timeline: string }>(TIMELINE)
    return Number.parseInt(row?.timeline ?? '', 16) || 0
  } catch (error) {
    if (connection.isUsable) return 0
    throw error
  }
}

/**
 * Identifies one run of a server: one that was promoted or restarted may have missed the latest writes. If the server
 * does not say, each session may lead to another run.
 */
export async function serverRun(connection: Connection): Promise<string> {
  const timeline = await serverTimeline(connection)
  try {
    const [row] = await connection.rows<{ startedAt: string }>(STARTED)
    return `${timeline} ${row?.startedAt}`
  } catch (error) {
    if (connection.isUsable) return randomUUID()
    throw error
  }
}

/**
 * The sessions of this process by their timeline: PostgreSQL begins a new one whenever a standby is promoted. What is
 * written to an old primary that comes back would be lost, so a lower timeline than the highest is refused.
 */
export class Timelines {
  #highest = 0
  readonly #sessions = new Map<Connection, number>()
  readonly #listeners: (() => void)[] = []

  /** Calls `listener` when a timeline replaces another one, before its first session is used. */
  onNew(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /**
   * Null if the session may be used, else why not: a sentence for the operator. The first session on a new timeline
   * ends those on older ones, whose server has been replaced.
   */
  admit(connection: Connection, timeline: number): string | null {
    if (timeline === 0) return null
    if (timeline < this.#highest) {
      return `it is an old primary, on timeline ${timeline}, and this process has used timeline ${this.#highest}; stop it or make it a standby (if it was restored on purpose, restart the service)`
    }
    const isNew = timeline > this.#highest && this.#highest > 0
    this.#highest = timeline
    for (const [session, its] of this.#sessions) {
      if (session.isUsable && its < timeline) session.destroy()
      if (!session.isUsable) this.#sessions.delete(session)
    }
    this.#sessions.set(connection, timeline)
    if (isNew) for (const listener of this.#listeners) listener()
    return null
  }
}
