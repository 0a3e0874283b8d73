import type { Socket } from 'node:net'
import type { Server } from 'node:tls'
import type { LoopTurns } from './loop-turns.ts'
import { networkOf } from './network-of.ts'
import { peerOf } from './peer-of.ts'

/** As many as an address can have ready for one moment, at up to two milliseconds each. */
const MAX_AT_ONCE = 64
/** The slowest networks take two seconds for a handshake. Longer ones make way. */
const SLOW_MS = 5000
/** The header of a TLS record, which ends with the number of bytes after it. */
const HEADER_BYTES = 5
/** RFC 8446, 5.1: the type of the client's first record, and the length that none exceeds. */
const HANDSHAKE = 22
const MAX_RECORD_BYTES = 16 * 1024

/** The handshakes of one address. */
type Line = {
  /** Those that go on, the oldest first, with the moment of their beginning in monotonic milliseconds. */
  readonly begun: Map<Socket, number>
  /** Those that wait for one of these to end. */
  readonly waiting: Set<Socket>
}

/**
 * Begins the handshakes of a TLS server in turns of their addresses, once the client's first record has come, and at
 * most 64 of an address at a time. A handshake costs the main thread up to two milliseconds, and Node makes all that
 * are ready in one go: an address with ten thousand silent connections that speak at once would stop it for seconds.
 * Nothing is refused: the rest of an address waits, and where one waits, those that take longer than five seconds are
 * closed. `helloMs`: until the first record is complete.
 *
 * Call this before any other listener for 'connection' is added.
 */
export function handshakesInTurns(server: Server, loop: LoopTurns, helloMs: number): void {
  const lines = new Map<string, Line>()
  const byPeer = new Map<string, () => void>()
  const [begin] = server.listeners('connection')
  if (begin === undefined) return
  server.removeListener('connection', begin as () => void)

  const start = (group: string, line: Line, socket: Socket): void => {
    line.begun.set(socket, performance.now())
    loop.start({ kind: 'connection', group, member: '' }, () => {
      if (!socket.destroyed) begin.call(server, socket)
    })
  }

  /** Returns what to call when the handshake is over, one way or the other. */
  const enter = (group: string, socket: Socket): (() => void) => {
    const line = lines.get(group) ?? { begun: new Map(), waiting: new Set() }
    lines.set(group, line)
    if (line.begun.size < MAX_AT_ONCE) start(group, line, socket)
    else {
      line.waiting.add(socket)
      const [[slowest, since]] = line.begun as unknown as [[Socket, number]]
      if (performance.now() - since > SLOW_MS) slowest.destroy()
    }
    return () => {
      if (line.waiting.delete(socket) || !line.begun.delete(socket)) return
      const [next] = line.waiting
      if (next !== undefined) {
        line.waiting.delete(next)
        start(group, line, next)
      } else if (line.begun.size === 0) lines.delete(group)
    }
  }

  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    let ends: (() => void) | null = null
    whenSpoken(socket, helloMs, () => {
      ends = enter(networkOf(socket.remoteAddress ?? ''), socket)
      byPeer.set(peer, ends)
    })
    socket.once('close', () => {
      ends?.()
      if (byPeer.get(peer) === ends) byPeer.delete(peer)
    })
  })
  server.on('secureConnection', (socket) => {
    const peer = peerOf(socket)
    byPeer.get(peer)?.()
    byPeer.delete(peer)
  })
}

/**
 * Calls `spoken` once the client's first record is complete, or cannot be one. The bytes are unread then, and Node's
 * TLS finds them in the socket.
 */
function whenSpoken(socket: Socket, maxMs: number, spoken: () => void): void {
  let bytes: Buffer = Buffer.alloc(0)
  const settle = (): void => {
    clearTimeout(deadline)
    socket.off('data', read).off('end', leave).off('close', settle)
  }
  const leave = (): void => void socket.destroy()
  const read = (chunk: Buffer): void => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    if (isIncomplete(bytes)) return
    settle()
    socket.pause()
    socket.unshift(bytes)
    spoken()
  }
  const deadline = setTimeout(leave, maxMs).unref()
  // Until Node's TLS takes over, nothing else hears of errors.
  socket.on('error', () => {})
  socket.on('data', read).on('end', leave).on('close', settle)
}

/** Whether these bytes begin a record of a handshake and more of it has to come. */
function isIncomplete(bytes: Buffer): boolean {
  if (bytes.length === 0) return true
  if (bytes[0] !== HANDSHAKE) return false
  if (bytes.length < HEADER_BYTES) return true
  const length = bytes.readUInt16BE(HEADER_BYTES - 2)
  return length <= MAX_RECORD_BYTES && bytes.length < HEADER_BYTES + length
}
