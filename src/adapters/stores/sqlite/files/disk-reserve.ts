import { randomFillSync } from 'node:crypto'
import { closeSync, constants, ftruncateSync, lstatSync, openSync, rmSync, type Stats, statfsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { flush } from './copy-file.ts'

/** Random bytes, so that a file system that compresses sets them aside too. */
const RESERVE_FILE = 'tocsin.reserve'
const OWN_FILE = 0o600
const LOOK_EVERY_MS = 1000
/** Beyond a quota there seems to be room: it must not be written full again and again. */
const TRY_AGAIN_MS = 60_000
const PIECE_BYTES = 1024 * 1024
/** While nobody waits for the disk yet, so much goes there at once. */
const HURRIED_BYTES = 8 * PIECE_BYTES
/** A start waits this long for the reserve. On a slow disk the rest of it is made beside the work. */
const START_PATIENCE_MS = 2000

/**
 * How much room there is. `scarce`: too little beside the reserve. `given_up`: the reserve is being
 * used, for alarms only.
 */
export type Room = 'enough' | 'scarce' | 'given_up'

export type ReserveNews = 'given_up' | 'kept' | 'lacks_room'

/** The file in the data directory that sets the space aside. */
export const reserveFileOf = (directory: string): string => join(directory, RESERVE_FILE)

type Options = {
  readonly directory: string
  /** Null: the file is somebody else's (the service's); it can be given up, but is not made. 0: none. */
  readonly bytes: number | null
  readonly tell: (news: ReserveNews) => void
}

/**
 * Space on the disk that only alarms may use: a file of really allocated bytes. It is given up when an alarm meets a
 * full disk, and made again when there is room. rules.md#reserve.
 */
export class DiskReserve {
  readonly #directory: string
  readonly #path: string
  readonly #bytes: number
  readonly #tell: Options['tell']
  #isGivenUp = false
  #lacks = false
  #making: { stopped: boolean } | null = null
  #room: Room = 'enough'
  #lookedAt = Number.NEGATIVE_INFINITY
  #tryAgainAt = 0
  #timer: NodeJS.Timeout | null = null

  private constructor({ directory, bytes, tell }: Options) {
    this.#directory = directory
    this.#path = reserveFileOf(directory)
    this.#bytes = bytes ?? 0
    this.#tell = tell
  }

  /** Resolves when the reserve is there, or cannot be, or takes its time. */
  static async open(options: Options): Promise<DiskReserve> {
    const reserve = new DiskReserve(options)
    if (options.bytes === 0) reserve.#remove()
    if (reserve.#bytes > 0) await reserve.#begin()
    return reserve
  }

  /** Looked at about once a second. */
  room(): Room {
    const now = performance.now()
    if (this.#isGivenUp) return 'given_up'
    if (this.#bytes === 0 || now - this.#lookedAt < LOOK_EVERY_MS) return this.#room
    this.#lookedAt = now
    const free = this.#free()
    // What cannot be told stays as it was: the write itself will show.
    if (free !== null) this.#room = this.#held() + free >= this.#needed() ? 'enough' : 'scarce'
    return this.#room
  }

  /**
   * Frees the space at once. The caller tries again in any case: without what is refused now, it may fit. Never throws.
   */
  giveUp(): void {
    if (this.#making !== null) this.#making.stopped = true
    if (this.#bytes > 0) this.#isGivenUp = true
    try {
      if (this.#held() === 0) return
      truncate(this.#path)
      rmSync(this.#path, { force: true })
      // Until then ext4 and others count freed blocks as taken.
      flush(this.#directory)
      this.#tell('given_up')
    } catch {
      // A disk that does not even take this: the second try says what is wrong with it.
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
      // Less than was asked for is better than nothing.
      const bytes = fits ? this.#bytes : Math.floor(((free + this.#held()) * 2) / 3)
      await Promise.race([
        this.#make(bytes, performance.now() + START_PATIENCE_MS),
        pause(START_PATIENCE_MS, undefined, { ref: false }),
      ])
    }
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
  }

  #look(): void {
    if (this.#making !== null || performance.now() < this.#tryAgainAt || this.#held() === this.#bytes) return
    const free = this.#free()
    if (free !== null && free + this.#held() >= this.#needed()) void this.#make(this.#bytes, 0)
  }

  /**
   * Never rejects. `hurryUntil`: until then it makes no pauses; afterwards it leaves every other moment of
   * the disk to the others.
   */
  async #make(bytes: number, hurryUntil: number): Promise<void> {
    const making = { stopped: false }
    this.#making = making
    let file: FileHandle | null = null
    let isMade = false
    try {
      rmSync(this.#path, { force: true })
      // `wx`: never through a link that somebody has put there.
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
      // No room after all, a quota for instance.
      this.#tryAgainAt = performance.now() + TRY_AGAIN_MS
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

  /** Bytes of the file. */
  #held(): number {
    return this.#file()?.size ?? 0
  }

  /** Whether the file of an earlier run is as large as it has to be, and no hollow copy. */
  #isWhole(): boolean {
    const file = this.#file()
    return file !== null && file.size === this.#bytes && file.blocks * 512 >= file.size * 0.9
  }

  #remove(): void {
    try {
      rmSync(this.#path, { force: true })
    } catch {
      // Not ours to remove, or the disk takes nothing: the next look counts what is there.
    }
  }

  /** Half as much has to be free beside it: the log and the database grow before they are looked at again. */
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
 * Whoever still has the file open, as its maker may, would hold on to the space after it is removed. Follows no link.
 */
function truncate(path: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW)
  try {
    ftruncateSync(file)
  } finally {
    closeSync(file)
  }
}
