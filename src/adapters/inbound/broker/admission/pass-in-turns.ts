import type { Socket } from 'node:net'
import { watchPaused } from '../../../../lib/read-ahead.ts'
import { replaceListener } from '../../../../lib/replace-listener.ts'
import { Unread } from '../../../../lib/unread.ts'

/** The shortest frame has 6 bytes, so a piece holds hundreds of them: a fraction of a millisecond of work. */
const PIECE_BYTES = 4 * 1024
/** What may come ahead of its turn. */
const MAX_UNREAD_BYTES = 16 * 1024

export type Passing = {
  /** Starts a piece of work when its turn comes, which may be at once. */
  readonly start: (piece: () => void) => void
  /** Whether the reader wants nothing for now. It resumes the socket when it does. */
  readonly isPaused: () => boolean
  /** Called before each piece. False: nothing more is passed. */
  readonly mayPass: (bytes: number) => boolean
  /** What to pass on of a piece. */
  readonly rewrite: (piece: Buffer) => Buffer
}

/**
 * Passes what a socket receives to the listener that it has, in small pieces, each in its turn: ws parses all that it
 * gets in one go, which takes three milliseconds for 64 KiB of the shortest frames, and anyone can connect. Where the
 * connection breaks, its reader hears of that after everything that came before, unless it has paused or closed it.
 */
export function passInTurns(socket: Socket, { start, isPaused, mayPass, rewrite }: Passing): void {
  const unread = new Unread()
  let isInLine = false
  let hasEnded = false
  let hasClosed = false
  /** Whether the socket was paused here, as opposed to by its reader. */
  let holds = false

  /** An error is the network's; without one, the reader has closed the connection. */
  const isGivenUp = (): boolean => socket.destroyed && (socket.errored === null || isPaused())

  const look = (): void => {
    if (isGivenUp()) unread.clear()
    if (socket.isPaused()) watchPaused(socket)
    if (unread.length === 0) {
      const now = { hasEnded, hasClosed }
      hasEnded = false
      hasClosed = false
      if (now.hasEnded) end()
      if (now.hasClosed) close()
      return
    }
    if (!isInLine && !isPaused()) {
      isInLine = true
      start(passOn)
    }
    if (unread.length < MAX_UNREAD_BYTES || socket.isPaused() || socket.destroyed) return
    holds = true
    socket.pause()
    watchPaused(socket)
  }
  const passOn = (): void => {
    isInLine = false
    if (unread.length > 0 && !isGivenUp() && !isPaused()) {
      const piece = unread.take(PIECE_BYTES)
      if (mayPass(piece.length)) passAny(rewrite(piece))
      else unread.clear()
      if (holds && !isPaused()) {
        holds = false
        socket.resume()
      }
    }
    look()
  }
  const pass = replaceListener(socket, 'data', (bytes) => {
    unread.add(bytes)
    look()
  })
  const passAny = (piece: Buffer): void => {
    if (piece.length > 0) pass(piece)
  }
  const end = replaceListener(socket, 'end', () => {
    hasEnded = true
    look()
  })
  const close = replaceListener(socket, 'close', () => {
    hasClosed = true
    look()
  })
  socket.on('resume', look)
}
