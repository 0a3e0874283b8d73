import { randomBytes } from 'node:crypto'
import type { Log } from '../../../../ports/log.ts'
import type { ClientMoments, Committed, Notice, NoticeStore } from '../../../../ports/store.ts'
import type { Connection } from '../engine/connection.ts'
import { writesOf } from '../engine/write.ts'
import { Announced, markOf } from './announced.ts'
import { Bell } from './bell.ts'
import { Follower } from './follower.ts'

type NoticeWrites = {
  /** Deletes notices that every node has read by now. Resolves with those that another node is just deleting. */
  purgeNotices(ids: readonly number[]): Promise<readonly number[]>
}
type ClientWrites = { announceClients: ClientMoments }

/** Another node may be deleting the same. */
const PURGE = `DELETE FROM notices WHERE id IN (
    SELECT id FROM notices WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE SKIP LOCKED
  )`
const LEFT = 'SELECT id FROM notices WHERE id = ANY($1::bigint[])'

/** Ages in ms become moments of the server's clock. */
const CONNECTED = {
  name: 'clients-connected',
  text: `WITH moments AS (
      SELECT k, key, (extract(epoch FROM clock_timestamp()) * 1000)::double precision - ago AS at
      FROM json_to_recordset($2) AS row (k integer, key text, ago double precision)
    ), announced AS (
      INSERT INTO notices (xact, origin, notice)
      SELECT pg_current_xact_id()::text::bigint, $1,
        json_build_object('kind', 'connected', 'clients', json_agg(json_build_array(key, at)))::text
      FROM moments
    )
    SELECT at FROM moments ORDER BY k`,
}

export const noticeWrites = writesOf<NoticeWrites>()({
  purgeNotices: {
    // In a mass alert thousands of other upkeep calls may wait.
    sender: () => 'notices',
    async run({ connection }, ids) {
      await connection.run(PURGE, [ids])
      const left = await connection.rows<{ id: number }>(LEFT, [ids])
      return left.map(({ id }) => id)
    },
  },
})

/** Runs in the lane of writes with a waiting caller: a client must not be on two nodes for long. */
export const clientWrites = writesOf<ClientWrites>()({
  announceClients: {
    async run({ connection, notices, done }, clients) {
      const now = performance.now()
      const rows = clients.map(({ key, since }, k) => ({ k, key, ago: now - since }))
      const moments = await connection.rows<{ at: number }>(CONNECTED, [notices.origin, JSON.stringify(rows)])
      done.leavesNotice = true
      return moments.map(({ at }) => at)
    },
  },
})

type NoticesNeeds = {
  readonly connect: () => Promise<Connection>
  /** Calls the listener before the first session on a server that has replaced another one is used. */
  readonly onNewPrimary: (listener: () => void) => void
  readonly purge: (ids: readonly number[]) => Promise<readonly number[]>
  /** Whether nodes wake each other with NOTIFY. */
  readonly notify: boolean
  /** Whether no other node is known to live: there is nobody to wake. */
  readonly isAlone?: () => boolean
  readonly pollMs?: number
  readonly log: Log
}

/** Time between two reads of the notices without a bell. */
const POLL_MS = 400

/**
 * Notices to and from the other processes that share the database. Events of its own commits are announced at once by
 * the committer (`announcesNow`), those of others when their notice is read, and in both cases once: each commit with
 * events has a mark of its incident that is above all earlier ones.
 */
export class Notices implements NoticeStore {
  /** The name under which this process leaves notices. */
  readonly origin = randomBytes(6).toString('base64url')
  readonly #needs: NoticesNeeds
  readonly #announced = new Announced()
  readonly #listeners = new Set<(notice: Notice) => void>()
  readonly #bell: Bell | null
  #follower: Promise<Follower> | null = null
  /** Once it has begun. */
  #following: Follower | null = null

  constructor(needs: NoticesNeeds) {
    this.#needs = needs
    needs.onNewPrimary(() => this.#announced.forgetAll())
    this.#bell = needs.notify ? new Bell(needs.connect, { origin: this.origin, log: needs.log }) : null
  }

  /** A commit has left notices. */
  readonly left = (): void => {
    if (this.#following !== null && this.#needs.isAlone?.() !== true) this.#bell?.ring()
  }

  readonly onNotice = async (listener: (notice: Notice) => void): Promise<() => void> => {
    this.#follower ??= this.#follow()
    await (await this.#follower).caughtUp()
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly announcesNow = (committed: Committed): boolean | Promise<boolean> => {
    const { previous = null, incident, events } = committed
    if (this.#following === null || incident === null || events.length === 0) return true
    const mark = markOf(incident)
    const isNext = previous === null || this.#announced.has(incident.id, markOf(previous))
    if (isNext) return this.#announced.take(incident.id, mark)
    return this.#following.caughtUp().then(() => this.#announced.take(incident.id, mark))
  }

  readonly noticesAgeMs = (): number => this.#following?.ageMs ?? 0

  async stop(): Promise<void> {
    const follower = await this.#follower?.catch(() => null)
    await follower?.stop()
    await this.#bell?.close()
  }

  async #follow(): Promise<Follower> {
    const { notify, pollMs = POLL_MS, ...needs } = this.#needs
    const follower = new Follower({
      ...needs,
      origin: this.origin,
      announced: this.#announced,
      hear: (notice) => this.#hear(notice),
      listens: notify,
      pollMs,
    })
    try {
      await follower.start()
    } catch (error) {
      this.#follower = null
      throw error
    }
    this.#following = follower
    return follower
  }

  #hear(notice: Notice): void {
    for (const listener of this.#listeners) {
      try {
        listener(notice)
      } catch (error) {
        this.#needs.log.error({ err: error }, 'could not announce a change made by another process')
      }
    }
  }
}
