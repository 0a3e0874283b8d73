import { SECOND } from '../../../../lib/durations.ts'
import type { StoreError } from '../../../../ports/store.ts'

/**
 * The disk counts as full this long after a write that found it so. A full disk still has room for small writes, so one
 * that works, such as the test write of readiness, proves nothing.
 */
const FULL_FOR_MS = 15 * SECOND

/** Remembers whether the server's disk was full recently. */
export class DiskSpace {
  readonly #now: () => number
  #fullAt = Number.NEGATIVE_INFINITY

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** A write was refused. */
  refused({ kind }: Pick<StoreError, 'kind'>): void {
    if (kind === 'disk_full') this.#fullAt = this.#now()
  }

  /** As `Upkeep.trouble`. */
  get trouble(): string | null {
    return this.#now() - this.#fullAt < FULL_FOR_MS ? 'the store cannot write: the disk is full' : null
  }
}
