import type { Log } from '../../../../ports/log.ts'
import type { Meter } from '../../../../ports/meter.ts'
import type { ReserveNews } from '../files/disk-reserve.ts'
import { type LogState, type LogTrouble, MAX_LOG_BYTES, PAGE_BYTES } from './log-keeper.ts'

type Parts = { readonly log: Log; readonly meter: Meter }

/** What the writer reports besides outcomes, for the operator: said once when it begins, when it gets worse, and when it is over. */
export class StoreNews {
  readonly #parts: Parts
  #state: LogState = { pages: 0, trouble: null, message: '', tried: false }
  #saidPages = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Why the log is far beyond its normal size, in a sentence, or null. */
  get trouble(): string | null {
    const { pages, trouble } = this.#state
    const bytes = pages * PAGE_BYTES
    if (trouble === null || bytes < MAX_LOG_BYTES) return null
    return `the log of the database has grown to ${Math.round(bytes / 1e6)} MB: ${HOLDS[trouble]}`
  }

  hearLog(state: LogState): void {
    const { log, meter } = this.#parts
    const { trouble: kind, pages, message, tried } = state
    const before = this.#state.trouble
    this.#state = state
    const about = { logBytes: pages * PAGE_BYTES }
    if (kind === null) {
      log.info(about, 'the log of the database is copied into it again')
      return
    }
    if (tried) meter.count('checkpoint_failures_total', { kind })
    if (kind === before && pages < 2 * this.#saidPages) return
    this.#saidPages = pages
    log.error({ ...about, kind, error: message }, 'the log of the database cannot be copied into it, and grows')
  }

  hearReserve(news: ReserveNews): void {
    const { log } = this.#parts
    switch (news) {
      case 'given_up':
        log.error(
          {},
          'THE DISK IS FULL: an alarm needed the reserve, which is given up until there is room; make room now',
        )
        return
      case 'kept':
        log.info({}, 'there is room on the disk again: the reserve is kept')
        return
      case 'lacks_room':
        log.error({}, 'the disk has no room for limits.diskReserveMb and half as much beside it: telemetry is refused')
        return
      default:
        news satisfies never
    }
  }
}

const HOLDS = {
  disk_full: 'the disk is full',
  busy: 'somebody else holds the database',
  fault: 'a fault of the disk or the database, which the log names',
  in_use: 'another process goes on reading it',
} as const satisfies Record<LogTrouble, string>
