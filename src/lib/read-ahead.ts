import type { Duplex } from 'node:stream'

/**
 * Bytes that a socket may read ahead of a reader that has paused it, as its high-water mark: each piece is an object of
 * some two hundred bytes, and a client may send one byte at a time. Readers take all that has come in one go, so more
 * would gain nothing.
 */
export const READ_AHEAD_BYTES = 128
/** Interval between checks of paused sockets: in between, no more can be read than the processor reads at all. */
const LOOK_MS = 100

const paused = new Set<Duplex>()
let timer: NodeJS.Timeout | null = null

/**
 * Watches a paused socket until it flows again: what it has read beyond its mark goes to its 'data' listeners although
 * it is paused. TLS decrypts all that the system gives it in one go, which may be thousands of records of
 * a byte.
 */
export function watchPaused(socket: Duplex): void {
  paused.add(socket)
  timer ??= setInterval(look, LOOK_MS).unref()
}

function look(): void {
  for (const socket of paused) {
    if (!socket.isPaused() || socket.destroyed) paused.delete(socket)
    else takeBeyond(socket)
  }
  if (paused.size > 0 || timer === null) return
  clearInterval(timer)
  timer = null
}

/** Leaving more than the mark stops the socket from reading on. Asking for more than the mark would raise it. */
function takeBeyond(socket: Duplex): void {
  const mark = socket.readableHighWaterMark
  if (mark === 0) return
  for (let beyond = socket.readableLength - mark - 1; beyond > 0; beyond -= mark) socket.read(Math.min(beyond, mark))
}
