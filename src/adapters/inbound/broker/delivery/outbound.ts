import type { Duplex } from 'node:stream'

/**
 * The output to one client. Coalesces the writes of a tick, so that a WebSocket sends one frame and TLS one record. A
 * reader that falls too far behind, or reads nothing for too long, is reported stuck once and gets nothing more.
 */
export class Outbound {
  readonly #stream: Duplex
  readonly #maxBehind: number
  readonly #onStuck: () => void
  #parts: Buffer[] = []
  #scheduled = false
  #writing = 0
  #progressAt = 0
  #stuck = false

  constructor(stream: Duplex, maxBehind: number, onStuck: () => void) {
    this.#stream = stream
    this.#maxBehind = maxBehind
    this.#onStuck = onStuck
  }

  readonly send = (bytes: Buffer): void => {
    if (this.#stuck) return
    this.#parts.push(bytes)
    if (this.#scheduled) return
    this.#scheduled = true
    process.nextTick(this.flush)
  }

  readonly flush = (): void => {
    this.#scheduled = false
    if (this.#parts.length === 0 || this.#stream.destroyed || this.#stream.writableEnded) return
    const bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    this.#parts = []
    if (this.#writing === 0) this.#progressAt = performance.now()
    this.#writing++
    this.#stream.write(bytes, this.#written)
    if (this.#stream.writableLength > this.#maxBehind) this.#giveUp()
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
    this.#onStuck()
  }
}
