import { Duplex } from 'node:stream'
import { WebSocket } from 'ws'

type Done = (error?: Error | null) => void

/**
 * A WebSocket as the stream of bytes that its binary messages carry, however they are cut. It reads only what its
 * reader wants, and pauses the WebSocket otherwise. Ends with the WebSocket, and it with the stream.
 */
export class WebSocketStream extends Duplex {
  readonly #webSocket: WebSocket
  #isWanted = true
  #isHeld = false
  /** Whether the WebSocket closes by itself, with a close frame that says why. */
  #isRefused = false

  /** `writableHighWaterMark`: bytes that may wait before `write` says so. */
  constructor(webSocket: WebSocket, writableHighWaterMark: number) {
    super({ readableHighWaterMark: 0, writableHighWaterMark })
    this.#webSocket = webSocket
    webSocket.on('message', this.#message)
    webSocket.once('error', (error) => {
      this.#isRefused = true
      this.destroy(error)
    })
    webSocket.once('close', () => {
      if (!this.destroyed) this.push(null)
    })
    this.on('pause', () => this.#want(false)).on('resume', () => this.#want(!this.isPaused()))
  }

  /** Whether to read nothing for now, whatever the reader wants. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    this.#steer()
  }

  #want(isWanted: boolean): void {
    this.#isWanted = isWanted
    this.#steer()
  }

  #steer(): void {
    if (this.#isWanted && !this.#isHeld) this.#webSocket.resume()
    else this.#webSocket.pause()
  }

  readonly #message = (message: Buffer, isBinary: boolean): void => {
    // Text is refused by its owner.
    if (!isBinary || this.destroyed) return
    if (!this.push(message) && this.isPaused()) this.#want(false)
  }

  /** Messages come by themselves; 'pause' and 'resume' say whether they are wanted. */
  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#webSocket.send(chunk, done)
  }

  /** Says goodbye; the stream has ended once the other side has too. */
  override _final(done: Done): void {
    if (this.#webSocket.readyState === WebSocket.CLOSED) done()
    else {
      this.#webSocket.once('close', () => done())
      this.#webSocket.close()
    }
  }

  override _destroy(error: Error | null, done: Done): void {
    if (this.#webSocket.readyState === WebSocket.CLOSED) done(error)
    else {
      this.#webSocket.once('close', () => done(error))
      if (!this.#isRefused) this.#webSocket.terminate()
    }
  }
}
