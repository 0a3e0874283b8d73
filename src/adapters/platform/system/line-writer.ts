import { write, writeSync } from 'node:fs'

/** Unwritten lines are kept up to this size and dropped beyond it. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const RETRY_MS = 50
/** Limits how long the last lines may delay the end of the process. */
const LAST_TRIES = 10

const isBusy = (error: NodeJS.ErrnoException): boolean => error.code === 'EAGAIN' || error.code === 'EBUSY'

/**
 * Writes lines to a file descriptor in the background. A hung or vanished reader or a full disk costs lines and nothing
 * else: neither the event loop nor the exit of the process waits for them. (Pino's own destination does: on a full disk
 * it loops at exit.) Lines still waiting at exit are written then.
 */
export class LineWriter {
  readonly #fd: number
  #waiting: string[] = []
  #waitingBytes = 0
  /** The unwritten rest of the current write. */
  #rest: Buffer | null = null
  #scheduled = false
  #used = false

  constructor(fd: number) {
    this.#fd = fd
  }

  write(line: string): void {
    if (!this.#used) process.once('exit', () => this.#writeLast())
    this.#used = true
    if (this.#waitingBytes > MAX_WAITING_BYTES) return
    this.#waiting.push(line)
    this.#waitingBytes += line.length
    if (this.#scheduled) return
    this.#scheduled = true
    // Lines of one event-loop turn are written together.
    setImmediate(() => this.#writeNext())
  }

  #writeNext(): void {
    const rest = this.#rest ?? this.#take()
    this.#rest = rest
    this.#scheduled = rest.length > 0
    if (!this.#scheduled) {
      this.#rest = null
      return
    }
    write(this.#fd, rest, (error, written) => {
      if (error !== null && isBusy(error)) {
        setTimeout(() => this.#writeNext(), RETRY_MS)
        return
      }
      // Any other error loses these lines; later ones may succeed.
      const left = error === null ? rest.subarray(written) : rest.subarray(rest.length)
      this.#rest = left.length > 0 ? left : null
      this.#writeNext()
    })
  }

  #take(): Buffer {
    const lines = Buffer.from(this.#waiting.join(''))
    this.#waiting = []
    this.#waitingBytes = 0
    return lines
  }

  /** Node completes a write in progress, so only the waiting lines are left. */
  #writeLast(): void {
    let left = this.#take()
    for (let tries = 0; left.length > 0 && tries < LAST_TRIES; tries++) {
      try {
        left = left.subarray(writeSync(this.#fd, left))
      } catch (error) {
        if (!isBusy(error as NodeJS.ErrnoException)) return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      }
    }
  }
}
