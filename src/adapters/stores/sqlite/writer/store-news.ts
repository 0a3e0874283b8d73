import type { Log } from '../../../../ports/log.ts'
import type { Meter } from '../../../../ports/meter.ts'
import { type LogState, type LogTrouble, MAX_LOG_BYTES, PAGE_BYTES } from '../engine/checkpointer.ts'
import type { ReserveNews } from '../files/disk-reserve.ts'

/**
 * The writer's reports for the operator, besides outcomes: logs a problem once when it begins, when it gets worse, and
 * when it is over.
 */
export class StoreNews {
  readonly #log: Log
  readonly #meter: Meter
  #state: LogState = { pages: 0, trouble: null, message: '', tried: false }
  #saidPages = 0

  constructor({ log, meter }: { readonly log: Log; readonly meter: Meter }) {
    this.#log = log
    this.#meter = meter
  }

  /** The reason why the log (WAL) is far beyond its normal size, in a sentence, or null. */
  get trouble(): string | null {
    const { pages, trouble } = this.#state
    const bytes = pages * PAGE_BYTES
    if (trouble === null || bytes < MAX_LOG_BYTES) return null
    return `the database log (WAL) has grown to ${Math.round(bytes / 1e6)} MB: ${HOLDS[trouble]}`
  }

  hearLog(state: LogState): void {
    const { trouble: kind, pages, message, tried } = state
    const before = this.#state.trouble
    this.#state = state
    const about = { logBytes: pages * PAGE_BYTES }
    if (kind === null) {
      this.#log.info(about, 'the database log (WAL) can be checkpointed again')
      return
    }
    if (tried) this.#meter.count('checkpoint_failures_total', { kind })
    if (kind === before && pages < 2 * this.#saidPages) return
    this.#saidPages = pages
    this.#log.error({ ...about, kind, error: message }, 'the database log (WAL) cannot be checkpointed and is growing')
  }

  hearReserve(news: ReserveNews): void {
    const log = this.#log
    switch (news) {
      case 'given_up':
        log.error({}, 'THE DISK IS FULL: an alarm needed the disk reserve, so it has been released; free up space now')
        return
      case 'kept':
        log.info({}, 'the disk has free space again: the reserve is restored')
        return
      case 'lacks_room':
        log.error(
          {},
          'the disk has too little free space for limits.diskReserveMb and half as much again: telemetry is refused',
        )
        return
      default:
        news satisfies never
    }
  }
}

const HOLDS = {
  disk_full: 'the disk is full',
  busy: 'another process has the database locked',
  fault: 'a disk or database fault; see the log',
  in_use: 'another process is still reading it',
} as const satisfies Record<LogTrouble, string>
