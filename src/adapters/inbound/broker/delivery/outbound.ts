import type { Duplex } from 'node:stream'
import type { Bytes } from '../wire/frame.ts'

/**
 * The output to one client. Coalesces the writes of a tick, so that a WebSocket sends one frame and TLS one record. A
 * reader that falls too far behind, or reads nothing for too long, is reported stuck once and gets nothing more.
 */
export class Outbound {
  readonly #stream: Duplex
  readonly #maxBehind: number
  readonly #onStuck: () => void
  #parts: Buffer[] = []
  /** What follows the parts, Latin-1. */
  #text = ''
  #scheduled = false
  #writing = 0
  #progressAt = 0
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
    process.nextTick(this.flush)
  }

  readonly flush = (): void => {
    this.#scheduled = false
    const isText = this.#parts.length === 0
    if ((isText && this.#text === '') || this.#stream.destroyed || this.#stream.writableEnded) return
    if (this.#writing === 0) this.#progressAt = performance.now()
    this.#writing++
    if (isText) this.#stream.write(this.#text, 'latin1', this.#written)
    else {
      this.#endText()
      this.#stream.write(this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts), this.#written)
      this.#parts = []
    }
    this.#text = ''
    if (this.#stream.writableLength > this.#maxBehind) this.#giveUp()
  }

  #endText(): void {
    if (this.#text !== '') this.#parts.push(Buffer.from(this.#text, 'latin1'))
    this.#text = ''
  }

  readonly #written = (): void => {
    this.#writing--
    this.#progressAt = performance.now()
  }

  /** Some links are just slow, so what counts is any progress within `maxMs`, not how much. */
  giveUpIfStalled(now: number, maxMs: number): void {
    if (this.#writing > 0 && now - this.#progressAt > maxMs) this.#giveUp()
  }

  #giveUp(): void {
    if (this.#stuck) return
    this.#stuck = true
    this.#parts = []
    this.#text = ''
    this.#onStuck()
  }
}
