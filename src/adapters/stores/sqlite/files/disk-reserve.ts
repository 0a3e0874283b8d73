import { randomFillSync } from 'node:crypto'
import { closeSync, constants, ftruncateSync, lstatSync, openSync, rmSync, type Stats, statfsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { syncToDisk } from './copy-file.ts'

/** Filled with random bytes, so that a compressing file system allocates them too. */
const RESERVE_FILE = 'tocsin.reserve'
const OWN_FILE = 0o600
const POLL_INTERVAL_MS = 1000
/** Under a quota the disk looks freer than it is, so wait this long before trying to fill the file again. */
const RETRY_MS = 60_000
const PIECE_BYTES = 1024 * 1024
/** Bytes written between syncs while nothing else needs the disk. */
const HURRIED_BYTES = 8 * PIECE_BYTES
/** A start waits this long for the reserve. On a slow disk the rest is filled in the background. */
const START_TIMEOUT_MS = 2000

/**
 * Room on the disk. `scarce`: too little besides the reserve. `given_up`: the reserve is being used, for alarms only.
 */
export type Room = 'enough' | 'scarce' | 'given_up'

export type ReserveNews = 'given_up' | 'kept' | 'lacks_room'

/** The file in the data directory that sets the space aside. */
export const reserveFileOf = (directory: string): string => join(directory, RESERVE_FILE)

type Options = {
  readonly directory: string
  /** Null: the file belongs to the service, another process; it can be released but not created. 0: no reserve. */
  readonly bytes: number | null
  readonly report: (news: ReserveNews) => void
}

/**
 * Disk space that only alarms may use: a file of allocated bytes. It is released when an alarm meets a full disk, and
 * restored when there is room (keeping.md#reserve).
 */
export class DiskReserve {
  readonly #directory: string
  readonly #path: string
  readonly #bytes: number
  readonly #tell: Options['report']
  #isGivenUp = false
  #lacks = false
  #making: { stopped: boolean } | null = null
  #room: Room = 'enough'
  #lookedAt = Number.NEGATIVE_INFINITY
  #tryAgainAt = 0
  #timer: NodeJS.Timeout | null = null

  private constructor({ directory, bytes, report }: Options) {
    this.#directory = directory
    this.#path = reserveFileOf(directory)
    this.#bytes = bytes ?? 0
    this.#tell = report
  }

  /** Resolves when the reserve exists, cannot be created, or takes too long. */
  static async open(options: Options): Promise<DiskReserve> {
    const reserve = new DiskReserve(options)
    if (options.bytes === 0) reserve.#remove()
    if (reserve.#bytes > 0) await reserve.#begin()
    return reserve
  }

  /** Checked about once a second. */
  room(): Room {
    const now = performance.now()
    if (this.#isGivenUp) return 'given_up'
    if (this.#bytes === 0 || now - this.#lookedAt < POLL_INTERVAL_MS) return this.#room
    this.#lookedAt = now
    const free = this.#free()
    // If free space is unknown, keep the last answer: the write itself will show.
    if (free !== null) this.#room = this.#held() + free >= this.#needed() ? 'enough' : 'scarce'
    return this.#room
  }

  /**
   * Frees the space immediately. The caller retries in any case: without the writes that are refused now, it may fit.
   * Never throws.
   */
  giveUp(): void {
    if (this.#making !== null) this.#making.stopped = true
    if (this.#bytes > 0) this.#isGivenUp = true
    try {
      if (this.#held() === 0) return
      truncate(this.#path)
      rmSync(this.#path, { force: true })
      // Until then, ext4 and others count freed blocks as used.
      syncToDisk(this.#directory)
      this.#tell('given_up')
    } catch {
      // The disk refuses even this; the retry will report why.
    }
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    if (this.#making !== null) this.#making.stopped = true
  }

  async #begin(): Promise<void> {
    const free = this.#free() ?? 0
    if (!this.#isWhole()) {
      const fits = free + this.#held() >= this.#needed()
      if (!fits) {
        this.#lacks = true
        this.#tell('lacks_room')
      }
      // A smaller reserve is better than none.
      const bytes = fits ? this.#bytes : Math.floor(((free + this.#held()) * 2) / 3)
      await Promise.race([
        this.#make(bytes, performance.now() + START_TIMEOUT_MS),
        pause(START_TIMEOUT_MS, undefined, { ref: false }),
      ])
    }
    this.#timer = setInterval(() => this.#look(), POLL_INTERVAL_MS).unref()
  }

  #look(): void {
    if (this.#making !== null || performance.now() < this.#tryAgainAt || this.#held() === this.#bytes) return
    const free = this.#free()
    if (free !== null && free + this.#held() >= this.#needed()) void this.#make(this.#bytes, 0)
  }

  /**
   * Creates the file. Never rejects. Runs without pauses until `hurryUntil`; after that it leaves the disk to others
   * half of the time.
   */
  async #make(bytes: number, hurryUntil: number): Promise<void> {
    const making = { stopped: false }
    this.#making = making
    let file: FileHandle | null = null
    let isMade = false
    try {
      rmSync(this.#path, { force: true })
      // `wx`: never follow a link planted there.
      file = await open(this.#path, 'wx', OWN_FILE)
      const piece = randomFillSync(Buffer.allocUnsafe(PIECE_BYTES))
      for (let at = 0; at < bytes && !making.stopped; at += PIECE_BYTES) {
        const began = performance.now()
        await file.write(piece, 0, Math.min(PIECE_BYTES, bytes - at), at)
        const isHurried = performance.now() < hurryUntil
        if (!isHurried || at % HURRIED_BYTES === 0) await file.datasync()
        if (!isHurried) await pause(performance.now() - began)
      }
      await file.datasync()
      isMade = !making.stopped
    } catch {
      // No room after all, for example because of a quota.
      this.#tryAgainAt = performance.now() + RETRY_MS
    }
    await file?.close().catch(() => {})
    if (making.stopped || !isMade) this.#remove()
    if (this.#making === making) this.#making = null
    if (!isMade || bytes < this.#bytes) return
    this.#lookedAt = Number.NEGATIVE_INFINITY
    if (this.#isGivenUp || this.#lacks) this.#tell('kept')
    this.#isGivenUp = false
    this.#lacks = false
  }

  #file(): Stats | null {
    try {
      const file = lstatSync(this.#path, { throwIfNoEntry: false })
      return file?.isFile() ? file : null
    } catch {
      return null
    }
  }

  /** The size of the file in bytes. */
  #held(): number {
    return this.#file()?.size ?? 0
  }

  /** Whether the file of an earlier run has the right size and is not sparse. */
  #isWhole(): boolean {
    const file = this.#file()
    return file !== null && file.size === this.#bytes && file.blocks * 512 >= file.size * 0.9
  }

  #remove(): void {
    try {
      rmSync(this.#path, { force: true })
    } catch {
      // Not ours to remove, or the disk refuses; the next check counts the remaining files.
    }
  }

  /** Half as much again has to stay free: the log and the database grow between two checks. */
  #needed(): number {
    return this.#bytes * 1.5
  }

  #free(): number | null {
    try {
      const { bavail, bsize } = statfsSync(this.#directory)
      return bavail * bsize
    } catch {
      return null
    }
  }
}

/**
 * A process that still has the file open, such as its creator, would keep the space allocated after the removal.
 * Follows no link.
 */
function truncate(path: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW)
  try {
    ftruncateSync(file)
  } finally {
    closeSync(file)
  }
}
