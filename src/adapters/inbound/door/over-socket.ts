import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/**
 * Bytes that a socket may read ahead of a reader that has paused it, as its high-water mark: each piece is an object of
 * some two hundred bytes, and a client may send one byte at a time. Readers take all that has come in one go, so more
 * would gain nothing.
 */
export const READ_AHEAD_BYTES = 128

type Done = (error?: Error | null) => void
type Chunk = { readonly chunk: Buffer | string; readonly encoding: BufferEncoding }

/**
 * A stream over a socket. What is written goes to the socket, and nowhere once the socket is broken. Its 'close' comes
 * after that of the socket.
 */
export abstract class OverSocket extends Duplex {
  protected readonly socket: Socket

  constructor(socket: Socket, { allowHalfOpen }: { readonly allowHalfOpen: boolean }) {
    // The mark of the socket; the body of a request has the same one.
    super({ allowHalfOpen, decodeStrings: false, highWaterMark: READ_AHEAD_BYTES })
    this.socket = socket
  }

  /** A push in here would reach the reader later, and not in its turn: 'resume' says that it wants more. */
  override _read(): void {}

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: Done): void {
    if (this.socket.writable) this.socket.write(chunk, encoding, () => done())
    else done()
  }

  /** In one go, as the socket itself would: a head and its body are one segment. */
  override _writev(chunks: Chunk[], done: Done): void {
    const { socket } = this
    if (!socket.writable) {
      done()
      return
    }
    socket.cork()
    for (const [n, { chunk, encoding }] of chunks.entries()) {
      if (n === chunks.length - 1) socket.write(chunk, encoding, () => done())
      else socket.write(chunk, encoding)
    }
    socket.uncork()
  }

  override _final(done: Done): void {
    if (this.socket.writable) this.socket.end(() => done())
    else done()
  }

  /** Lets go of what a subclass holds, when the stream is destroyed. */
  protected letGo(): void {}

  override _destroy(error: Error | null, done: Done): void {
    this.letGo()
    this.socket.destroy()
    if (this.socket.closed) done(error)
    else this.socket.once('close', () => done(error))
  }
}
