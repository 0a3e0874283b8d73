import { LOG_SIZE_LIMIT, limitLogSize, type SqliteDatabase, writeAheadLogOf } from './database.ts'
import { failureOf, type StoreFailure } from './failure.ts'

/**
 * Why the log (WAL), which holds commits until they are copied into the database, has grown far beyond its normal size.
 * `in_use`: another process keeps reading pages that only the log has.
 */
export type LogTrouble = 'disk_full' | 'busy' | 'fault' | 'in_use'

/** The state of the log. `pages`: its 4 KiB pages since it was last restarted. `tried`: a checkpoint just failed. */
export type LogState = {
  readonly pages: number
  readonly trouble: LogTrouble | null
  readonly message: string
  readonly tried: boolean
}

export const PAGE_BYTES = 4096
/**
 * Pages that may wait in the log before they are copied into the database file. Trackers rewrite the same pages, so the
 * longer the log, the fewer pages are copied.
 */
const LOG_PAGES = 8000
/** While an alarm may need every page on the disk, the log is checkpointed sooner and its file is cut back. */
const SHORT_LOG_PAGES = 500
/** A log this long was not fully copied or not restarted: a reader is holding on to it, and for more than a moment. */
const HELD_LOG_PAGES = 2 * LOG_PAGES
/** A failed checkpoint is not retried with every commit: each try costs an fsync ahead of alarms. */
const RETRY_MS = 1000
/** Report the state again when the log has grown by this many pages. */
const TOLD_PAGES = 1000

/** Far beyond its normal size: `/readyz` reports it. */
export const MAX_LOG_BYTES = 3 * LOG_PAGES * PAGE_BYTES

type Parts = {
  readonly tell: (state: LogState) => void
  /** The disk can no longer be trusted. */
  readonly fatal: (failure: StoreFailure) => void
}

/**
 * Copies the log into the database file between two batches and reports how that goes. A failed copy does no harm at
 * first.
 */
export function logKeeper(db: SqliteDatabase, { tell, fatal }: Parts): { keep(isShort: boolean): void; empty(): void } {
  const log = writeAheadLogOf(db)
  let told: LogState = { pages: 0, trouble: null, message: '', tried: false }
  let tryAgainAt = 0
  let wasShort = false

  const copy = (): Pick<LogState, 'trouble' | 'message'> => {
    try {
      log.copy()
    } catch (error) {
      const failure = failureOf(error, db)
      if (failure.fatal) fatal(failure)
      const { kind, message } = failure
      return { trouble: kind === 'disk_full' || kind === 'busy' ? kind : 'fault', message }
    }
    const isHeld = log.state().pages > HELD_LOG_PAGES
    return { trouble: isHeld ? 'in_use' : null, message: isHeld ? 'another process is still reading it' : '' }
  }

  const say = (state: LogState): void => {
    told = state
    tell(state)
  }

  const look = (isShort: boolean): void => {
    if (isShort !== wasShort) limitLogSize(db, isShort ? SHORT_LOG_PAGES * PAGE_BYTES : LOG_SIZE_LIMIT)
    wasShort = isShort
    const { pages, uncopied } = log.state()
    if (uncopied <= (isShort ? SHORT_LOG_PAGES : LOG_PAGES) && pages <= HELD_LOG_PAGES) {
      if (told.trouble !== null) say({ pages, trouble: null, message: '', tried: false })
      return
    }
    const now = performance.now()
    if (now < tryAgainAt) {
      if (pages - told.pages >= TOLD_PAGES) say({ ...told, pages, tried: false })
      return
    }
    const came = copy()
    if (came.trouble !== null) tryAgainAt = now + RETRY_MS
    if (came.trouble !== null || told.trouble !== null) say({ pages, ...came, tried: came.trouble !== null })
  }

  return {
    keep(isShort) {
      try {
        look(isShort)
      } catch (error) {
        const failure = failureOf(error, db)
        if (failure.fatal) fatal(failure)
      }
    },
    empty() {
      copy()
    },
  }
}
