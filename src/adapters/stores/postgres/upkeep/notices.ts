import type { Log } from '../../../../ports/log.ts'
import type { Notice, NoticeStore } from '../../../../ports/store.ts'
import type { Reader } from '../engine/reader.ts'
import { writesOf } from '../engine/write.ts'

/** How often the service checks for notices. */
const POLL_MS = 400
/** How long a notice is kept after it was left. */
const KEEP_MS = 60_000

type Purge = {
  /** Deletes notices that every reader has read by now. */
  purgeNotices(): Promise<void>
}

export const noticeWrites = writesOf<Purge>()({
  purgeNotices: {
    run: async ({ connection }) =>
      void (await connection.run('DELETE FROM notices WHERE left_at < $1', [Date.now() - KEEP_MS])),
  },
})

type Row = { readonly id: number; readonly leftAt: number; readonly notice: string }

/**
 * Ids become visible out of order: a transaction may take one early and commit late. Of the transactions that had ended
 * when the previous look began all notices are known; of the others, those that have been read are.
 */
const SINCE = 'SELECT id, left_at AS "leftAt", notice FROM notices WHERE xact >= $1 ORDER BY id'
const HORIZON = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xmin'

/** Reads every notice that is left from its making on, once, in order. */
class Follower {
  readonly #reading: Reader
  readonly #listener: (notice: Notice) => void
  readonly #began = Date.now()
  #xmin = 0
  #seen: ReadonlySet<number> | null = null

  constructor(reading: Reader, listener: (notice: Notice) => void) {
    this.#reading = reading
    this.#listener = listener
  }

  async look(): Promise<void> {
    // Before the notices: a transaction that ends in between is read again, and known by then.
    const { xmin } = (await this.#reading.row<{ xmin: number }>(HORIZON))!
    const found = await this.#reading.rows<Row>(SINCE, [this.#xmin])
    const seen = this.#seen
    const fresh = found.filter(({ id, leftAt }) => (seen === null ? leftAt > this.#began : !seen.has(id)))
    this.#xmin = xmin
    this.#seen = new Set(found.map(({ id }) => id))
    for (const { notice } of fresh) this.#listener(JSON.parse(notice))
  }
}

type Parts = { readonly purge: () => Promise<void>; readonly log: Log }

/** Follows the notices of other processes, by polling. */
export function noticesOn(reading: Reader, { purge, log }: Parts): NoticeStore & { stop(): void } {
  const stops = new Set<() => void>()

  const follow = (listener: (notice: Notice) => void): (() => void) => {
    let isStopped = false
    let timer: NodeJS.Timeout | undefined
    const follower = new Follower(reading, (notice) => {
      if (!isStopped) listener(notice)
    })
    let purgedAt = performance.now()
    const poll = async (): Promise<void> => {
      try {
        await follower.look()
        if (performance.now() - purgedAt > KEEP_MS) {
          purgedAt = performance.now()
          await purge()
        }
      } catch (error) {
        if (!isStopped) log.error({ err: error }, 'could not announce changes made by another process')
      }
      if (isStopped) return
      timer = setTimeout(poll, POLL_MS)
      timer.unref()
    }
    void poll()
    return () => {
      isStopped = true
      clearTimeout(timer)
    }
  }

  return {
    onNotice(listener) {
      const stop = follow(listener)
      stops.add(stop)
      return () => {
        stops.delete(stop)
        stop()
      }
    },
    stop() {
      for (const stop of stops) stop()
    },
  }
}
