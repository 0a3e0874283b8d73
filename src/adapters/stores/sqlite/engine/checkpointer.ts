import type { BackgroundCheckpoints } from './background-checkpoints.ts'
import { LOG_SIZE_LIMIT, limitLogSize, type SqliteDatabase, writeAheadLogOf } from './database.ts'
import { failureOf, type StoreFailure } from './failure.ts'

/**
 * Causes of a log (WAL) far beyond its normal size; it holds commits until they are copied into the database. `in_use`:
 * another process keeps reading pages that only the log has.
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
/**
 * The pages that a background checkpoint may leave: those committed meanwhile. The writer copies them itself, so that
 * the log starts again from its beginning. Beside a busy writer it would otherwise never do so.
 */
const REMAINDER_PAGES = LOG_PAGES / 4
/** While an alarm may need every page on the disk, the log is checkpointed sooner and its file is cut back. */
const SHORT_LOG_PAGES = 500
/** A log this long was not fully copied or not restarted: a reader is holding on to it, and for more than a moment. */
const HELD_LOG_PAGES = 2 * LOG_PAGES
/** A failed checkpoint is not retried with every commit: each try costs an fsync ahead of alarms. */
const RETRY_MS = 1000
/** Report the state again when the log has grown by this many pages. */
const REPORT_PAGES = 1000

/** Far beyond its normal size: `/readyz` reports it. */
export const MAX_LOG_BYTES = 3 * LOG_PAGES * PAGE_BYTES

type CheckpointerNeeds = {
  readonly report: (state: LogState) => void
  /** The disk can no longer be trusted. */
  readonly fatal: (failure: StoreFailure) => void
  /** Absent: every checkpoint is made between two batches. */
  readonly background?: BackgroundCheckpoints | null
}

/**
 * Copies the log into the database file and reports the outcome: in the background while the log is of normal size,
 * between two batches if it is long or disk space is short. A failed copy does no harm at first.
 */
export function createCheckpointer(
  db: SqliteDatabase,
  { report, fatal, background = null }: CheckpointerNeeds,
): { checkpointIfDue(isShort: boolean): void; checkpoint(): void } {
  const log = writeAheadLogOf(db)
  let reported: LogState = { pages: 0, trouble: null, message: '', tried: false }
  let retryAt = 0
  let wasShort = false

  /** `copying`: in the background. `copied`: there, and the remainder is left to the writer. */
  let phase: 'idle' | 'copying' | 'copied' = 'idle'

  const troubleOf = (failure: StoreFailure): Pick<LogState, 'trouble' | 'message'> => {
    if (failure.fatal) fatal(failure)
    const { kind, message } = failure
    return { trouble: kind === 'disk_full' || kind === 'busy' ? kind : 'fault', message }
  }

  /** The length of the log when it was last copied, in pages; 0 once it has started again from its beginning. */
  let copiedAt = 0
  /** Whether the log was copied before, and has only become longer: the next copy will not shorten it either. */
  const hasNotRestarted = (): boolean => {
    const { pages } = log.state()
    const isHeld = pages > HELD_LOG_PAGES && copiedAt > 0 && pages > copiedAt
    copiedAt = pages
    return isHeld
  }

  /** Null while the own thread makes one: until it is done, the log can only grow. */
  const checkpoint = (): Pick<LogState, 'trouble' | 'message'> | null => {
    if (phase === 'copied') phase = 'idle'
    try {
      const isBusy = !log.checkpoint()
      if (isBusy && phase === 'copying') return null
      if (isBusy) return { trouble: 'busy', message: 'another process is copying it into the database' }
    } catch (error) {
      return troubleOf(failureOf(error, db))
    }
    const isHeld = hasNotRestarted()
    return { trouble: isHeld ? 'in_use' : null, message: isHeld ? 'another process is still reading it' : '' }
  }

  const reportState = (state: LogState): void => {
    reported = state
    report(state)
  }

  const checkpointOrReport = (isShort: boolean): void => {
    if (isShort !== wasShort) limitLogSize(db, isShort ? SHORT_LOG_PAGES * PAGE_BYTES : LOG_SIZE_LIMIT)
    wasShort = isShort
    const { pages, uncopied } = log.state()
    if (pages < copiedAt) copiedAt = 0
    const hasRemainder = phase === 'copied' && uncopied <= REMAINDER_PAGES
    if (uncopied <= (isShort ? SHORT_LOG_PAGES : LOG_PAGES) && pages <= HELD_LOG_PAGES && !hasRemainder) {
      if (reported.trouble !== null) reportState({ pages, trouble: null, message: '', tried: false })
      return
    }
    const now = performance.now()
    if (now < retryAt) {
      if (pages - reported.pages >= REPORT_PAGES) reportState({ ...reported, pages, tried: false })
      return
    }
    if (background !== null && !isShort && !hasRemainder && pages <= HELD_LOG_PAGES) {
      if (phase === 'copying') return
      phase = 'copying'
      background.run((failed) => {
        phase = failed === null ? 'copied' : 'idle'
        if (failed !== null) reportResult(pages, troubleOf(failed))
      })
      return
    }
    const result = checkpoint()
    if (result !== null) reportResult(pages, result)
  }

  const reportResult = (pages: number, result: Pick<LogState, 'trouble' | 'message'>): void => {
    if (result.trouble !== null) retryAt = performance.now() + RETRY_MS
    if (result.trouble !== null || reported.trouble !== null) {
      reportState({ pages, ...result, tried: result.trouble !== null })
    }
  }

  return {
    checkpointIfDue(isShort) {
      try {
        checkpointOrReport(isShort)
      } catch (error) {
        const failure = failureOf(error, db)
        if (failure.fatal) fatal(failure)
      }
    },
    checkpoint() {
      checkpoint()
    },
  }
}
