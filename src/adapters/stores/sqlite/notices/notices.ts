import type { Log } from '../../../../ports/log.ts'
import type { Notice } from '../../../../ports/store.ts'
import { isWorthTelling } from '../../shared/changes.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

/** Time between the service's checks for notices. */
const POLL_MS = 400
/** A notice is kept this long. */
const KEEP_MS = 60_000

/** `leaveNotices`: this process is not the service, so it has to notify the service. */
export function noticeWriter(db: SqliteDatabase, leaveNotices: boolean): WriteContext['leaveNotice'] {
  if (!leaveNotices) return () => {}
  const insert = db.prepare<[number, string]>('INSERT INTO notices (left_at, notice) VALUES (?, ?)')
  return (notice) => {
    if (isWorthTelling(notice)) insert.run(Date.now(), JSON.stringify(notice))
  }
}

type Purge = {
  /** Deletes notices that every reader has read by now. */
  purgeNotices(upTo: number): Promise<void>
}

const purge = ({ db }: WriteContext) =>
  db.prepare<[number, number]>('DELETE FROM notices WHERE id <= ? AND left_at < ?')

export const noticeWrites = writesOf<Purge>()(purge, {
  purgeNotices: {
    reserve: 'uses',
    run: (remove, upTo) => void remove.run(upTo, Date.now() - KEEP_MS),
  },
})

/**
 * Calls `listener` with every notice left from now on, in order, and `purge` when old ones can be deleted. Returns a
 * function that stops it.
 */
export function watchNotices(
  reader: SqliteDatabase,
  parts: { readonly listener: (notice: Notice) => void; readonly purge: (upTo: number) => void; readonly log: Log },
): () => void {
  const newest = reader.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'notices'").pluck()
  const since = reader.prepare<[number], { id: number; notice: string }>(
    'SELECT id, notice FROM notices WHERE id > ? ORDER BY id',
  )
  const old = reader.prepare<[number, number], number>('SELECT 1 FROM notices WHERE id <= ? AND left_at < ?').pluck()
  let seen = newest.get() ?? 0

  const look = (): void => {
    for (const { id, notice } of since.all(seen)) {
      seen = id
      parts.listener(JSON.parse(notice))
    }
    if (old.get(seen, Date.now() - KEEP_MS) !== undefined) parts.purge(seen)
  }
  const timer = setInterval(() => {
    try {
      look()
    } catch (error) {
      parts.log.error({ err: error }, 'could not announce changes made by another process')
    }
  }, POLL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
