import type { Duplex } from 'node:stream'
import { ReaderProgress } from '../../../../lib/reader-progress.ts'
import type { Bytes } from '../wire/frame.ts'

/** The outputs with something to write at the end of this tick: one call for all of them, however many there are. */
let due: Outbound[] = []

function flushDue(): void {
  const outputs = due
  due = []
  for (const output of outputs) output.flush()
}

/**
 * The output to one client. Coalesces the writes of a tick, so that a WebSocket sends one frame and TLS one record. A
 * reader that falls too far behind, or reads nothing for too long, is reported stuck once and gets nothing more.
 */
export class Outbound {
  readonly #stream: Duplex
  readonly #maxBehind: number
  readonly #onStuck: () => void
  #parts: Buffer[] = []
  /** The bytes after the parts, Latin-1. */
  #text = ''
  #scheduled = false
  /** Bytes handed to the stream. */
  #handedOver = 0
  readonly #progress = new ReaderProgress()
  #stuck = false

  constructor(stream: Duplex, maxBehind: number, onStuck: () => void) {
    this.#stream = stream
    this.#maxBehind = maxBehind
    this.#onStuck = onStuck
  }

  readonly send = (bytes: Bytes): void => {
    if (this.#stuck) return
    if (typeof bytes === 'string') this.#text += bytes
    else {
      this.#endText()
      this.#parts.push(bytes)
    }
    if (this.#scheduled) return
    this.#scheduled = true
    if (due.length === 0) process.nextTick(flushDue)
    due.push(this)
  }

  /** Writes everything sent so far. */
  flush(): void {
    this.#scheduled = false
    const isText = this.#parts.length === 0
    if ((isText && this.#text === '') || this.#stream.destroyed || this.#stream.writableEnded) return
    const isIdle = this.#stream.writableLength === 0
    if (isText) {
      this.#handedOver += this.#text.length
      this.#stream.write(this.#text, 'latin1')
    } else {
      this.#endText()
      const bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
      this.#handedOver += bytes.length
      this.#stream.write(bytes)
      this.#parts = []
    }
    this.#text = ''
    // Nearly every write is done by now.
    if (this.#stream.writableLength === 0) return
    if (isIdle) this.#stalledMs(performance.now())
    if (this.#stream.writableLength > this.#maxBehind) this.#giveUp()
  }

  #endText(): void {
    if (this.#text !== '') this.#parts.push(Buffer.from(this.#text, 'latin1'))
    this.#text = ''
  }

  /**
   * Any progress within `maxMs` counts, however little. To be called about every second: a look costs less than a
   * callback for every write.
   */
  giveUpIfStalled(now: number, maxMs: number): void {
    if (this.#stalledMs(now) > maxMs) this.#giveUp()
  }

  #stalledMs(now: number): number {
    const waiting = this.#stream.writableLength
    return this.#progress.stalledMs(now, { sent: this.#handedOver - waiting, waiting })
  }

  #giveUp(): void {
    if (this.#stuck) return
    this.#stuck = true
    this.#parts = []
    this.#text = ''
    this.#onStuck()
  }
}
