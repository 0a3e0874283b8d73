import { randomBytes } from 'node:crypto'
import type { Log } from '../../../../ports/log.ts'
import type { Committed, Notice, NoticeStore } from '../../../../ports/store.ts'
import type { Connection } from '../engine/connection.ts'
import { writesOf } from '../engine/write.ts'
import { Announced, markOf } from './announced.ts'
import { Bell } from './bell.ts'
import { Follower } from './follower.ts'

type Purge = {
  /** Deletes notices that every node has read by now. */
  purgeNotices(ids: readonly number[]): Promise<void>
}

/** Another node may be deleting the same. */
const PURGE = `DELETE FROM notices WHERE id IN (
    SELECT id FROM notices WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE SKIP LOCKED
  )`

export const noticeWrites = writesOf<Purge>()({
  purgeNotices: { run: async ({ connection }, ids) => void (await connection.run(PURGE, [ids])) },
})

type Parts = {
  readonly connect: () => Promise<Connection>
  readonly purge: (ids: readonly number[]) => Promise<void>
  /** Whether nodes wake each other with NOTIFY. */
  readonly notify: boolean
  readonly pollMs?: number
  readonly log: Log
}

/** How long after one look at the notices the next one comes by itself. */
const POLL_MS = 400

/**
 * What this process tells the others that share the database, and hears of them. Events of its own commits are
 * announced at once by whoever committed (`announcesNow`), those of others when their notice is read, and in both cases
 * once: each commit with events has a mark of its incident that is above all earlier ones.
 */
export class Notices implements NoticeStore {
  /** The name under which this process leaves notices. */
  readonly origin = randomBytes(6).toString('base64url')
  readonly #parts: Parts
  readonly #announced = new Announced()
  readonly #listeners = new Set<(notice: Notice) => void>()
  readonly #bell: Bell | null
  #follower: Promise<Follower> | null = null
  #isFollowing = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#bell = parts.notify ? new Bell(parts.connect, { origin: this.origin, log: parts.log }) : null
  }

  /** A commit has left notices. */
  readonly left = (): void => {
    if (this.#isFollowing) this.#bell?.ring()
  }

  readonly onNotice = async (listener: (notice: Notice) => void): Promise<() => void> => {
    this.#follower ??= this.#follow()
    await (await this.#follower).caughtUp()
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly announcesNow = (committed: Committed): boolean | Promise<boolean> => {
    const { previous = null, incident, events } = committed
    if (!this.#isFollowing || incident === null || events.length === 0) return true
    const mark = markOf(incident)
    const isNext = previous === null || this.#announced.has(incident.id, markOf(previous))
    if (isNext) return this.#announced.take(incident.id, mark)
    return this.#caughtUp().then(() => this.#announced.take(incident.id, mark))
  }

  async stop(): Promise<void> {
    const follower = await this.#follower?.catch(() => null)
    await follower?.stop()
    await this.#bell?.close()
  }

  async #caughtUp(): Promise<void> {
    await (await this.#follower)?.caughtUp()
  }

  async #follow(): Promise<Follower> {
    const { connect, purge, notify, pollMs = POLL_MS, log } = this.#parts
    const follower = new Follower({
      connect,
      origin: this.origin,
      announced: this.#announced,
      hear: (notice) => this.#hear(notice),
      purge: (ids) => purge(ids).catch((error) => log.warn({ err: error }, 'old notices could not be deleted')),
      listens: notify,
      pollMs,
      log,
    })
    try {
      await follower.start()
    } catch (error) {
      this.#follower = null
      throw error
    }
    this.#isFollowing = true
    return follower
  }

  #hear(notice: Notice): void {
    for (const listener of this.#listeners) {
      try {
        listener(notice)
      } catch (error) {
        this.#parts.log.error({ err: error }, 'could not announce a change made by another process')
      }
    }
  }
}
