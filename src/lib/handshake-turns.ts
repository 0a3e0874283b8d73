import type { Socket } from 'node:net'
import type { Server } from 'node:tls'
import { DuringHandshake } from './during-handshake.ts'
import { ignore } from './ignore.ts'
import type { LoopTurns } from './loop-turns.ts'
import { heldBackSince, holdsBack } from './loop-watch.ts'
import { networkOf } from './network-of.ts'
import { ownPeerOf } from './peer-of.ts'
import { withReadAhead } from './read-ahead.ts'
import { Unread } from './unread.ts'

/** Handshakes that are read at a time: as many as may have a message ready, at up to two milliseconds each. */
const MAX_READ = 64
/** How long each of them is read while others are held. */
const READ_MS = 5
/** The header of a TLS record, which ends with the number of bytes after it. */
const HEADER_BYTES = 5
/** RFC 8446, 5.1: the type of the client's first record, and the length that none exceeds. */
const HANDSHAKE = 22
const MAX_RECORD_BYTES = 16 * 1024
/** Node's TLS begins with a buffer of 1 KiB. */
const PIECE_BYTES = 1000

/**
 * Begins the handshakes of a TLS server in turns of their addresses, once the client's first record has come. A
 * handshake costs the main thread up to two milliseconds, and Node makes all that are ready in one go: ten thousand
 * silent connections that speak at once would stop it for seconds. A client may have most of the work done for its
 * second message (RFC 8446, 4.1.4), so at most 64 of those that go on are read at a time, each part of them for five
 * milliseconds. Nothing is refused or closed, and nobody waits for a client that is slow or gone.
 * `helloMs`: until the first record is complete.
 *
 * Call this before any other listener for 'connection' is added.
 */
export function handshakesInTurns(server: Server, loop: LoopTurns, helloMs: number): void {
  const open = new OpenHandshakes()
  const begun = new DuringHandshake<Socket>((socket) => {
    open.delete(socket)
    forgetPeer(socket)
  })
  const [begin] = server.listeners('connection')
  if (begin === undefined) return
  server.removeListener('connection', begin as () => void)

  const start = (socket: Socket): void => {
    if (socket.destroyed) return
    begun.set(socket, socket)
    rememberPeer(socket)
    withReadAhead(() => begin.call(server, socket))
    // Node's TLS begins to read in the next tick. From a stream that flows it reads one piece after another.
    socket.resume()
    process.nextTick(() => {
      socket.pause()
      if (!socket.destroyed) open.add(socket)
    })
  }

  server.on('connection', (socket: Socket) => {
    loop.accepted()
    const group = networkOf(socket.remoteAddress ?? '')
    whenSpoken(socket, helloMs, () => loop.start({ kind: 'connection', group, member: '' }, () => start(socket)))
  })
  server.on('secureConnection', (secure) => {
    const connection = begun.take(secure)
    const since = connection && heldBackSince(connection)
    if (since) holdsBack(secure, since)
  })
}

/** Node's own names for what a socket reads from, and asks for its peer. */
type Handle = { readStart(): void; readStop(): void; getpeername(peer: object): number }
type Read = { readonly _handle: Handle | null }

/** The handshakes that go on. What clients send while they are held stays with the system. */
class OpenHandshakes {
  readonly #read = new Set<Socket>()
  readonly #held = new Set<Socket>()
  #timer: NodeJS.Timeout | null = null

  /** The newest is read first: most clients answer within milliseconds, and one that stalls has been read before. */
  add(socket: Socket): void {
    const [oldest] = this.#read
    if (this.#read.size >= MAX_READ && oldest !== undefined) this.#hold(oldest)
    this.#read.add(socket)
    this.#plan()
  }

  /** The handshake is over: the connection is never held again. */
  delete(socket: Socket): void {
    this.#read.delete(socket)
    if (this.#held.delete(socket)) handleOf(socket)?.readStart()
  }

  #plan(): void {
    if (this.#held.size > 0) this.#timer ??= setTimeout(this.#change, READ_MS)
  }

  readonly #change = (): void => {
    this.#timer = null
    const next = [...this.#held].slice(0, MAX_READ)
    const excess = Math.max(0, this.#read.size + next.length - MAX_READ)
    for (const socket of [...this.#read].slice(0, excess)) this.#hold(socket)
    for (const socket of next) {
      this.#held.delete(socket)
      this.#read.add(socket)
      handleOf(socket)?.readStart()
    }
    this.#plan()
  }

  #hold(socket: Socket): void {
    this.#read.delete(socket)
    this.#held.add(socket)
    // With its last message of the handshake a client sends its first request.
    holdsBack(socket)
    handleOf(socket)?.readStop()
  }
}

/** `pause` would not do: TLS reads below the stream of this socket. */
const handleOf = (socket: Socket): Read['_handle'] => (socket as unknown as Read)._handle

/**
 * Node asks the system whose connection a TLS socket is once the handshake is over. If the peer has reset it by then,
 * after its last byte, the system does not know any more, and a request without an address would not be handled.
 */
function rememberPeer(socket: Socket): void {
  const handle = handleOf(socket)
  const peer = ownPeerOf(socket)
  if (handle === null || peer.address === undefined) return
  handle.getpeername = (asked) => {
    Object.assign(asked, peer)
    return 0
  }
}

function forgetPeer(socket: Socket): void {
  const handle = handleOf(socket)
  if (handle !== null) Reflect.deleteProperty(handle, 'getpeername')
}

/**
 * Calls `spoken` once the client's first record is complete, or cannot be one. The bytes are unread then, and Node's
 * TLS finds them in the socket.
 */
function whenSpoken(socket: Socket, maxMs: number, spoken: () => void): void {
  const bytes = new Unread()
  const settle = (): void => {
    clearTimeout(deadline)
    socket.off('data', read).off('end', leave).off('close', settle)
  }
  const leave = (): void => void socket.destroy()
  const read = (chunk: Buffer): void => {
    bytes.add(chunk)
    if (isIncomplete(bytes.bytes)) return
    settle()
    socket.pause()
    giveBack(socket, bytes.bytes)
    spoken()
  }
  const deadline = setTimeout(leave, maxMs).unref()
  // Until Node's TLS takes over, nothing else hears of errors.
  socket.on('error', ignore)
  socket.on('data', read).on('end', leave).on('close', settle)
}

/**
 * Has Node's TLS find these bytes in the socket, in pieces that its first buffer has room for. What fills that buffer
 * makes it allocate another one, of 16 KiB, which it keeps as long as the connection lasts.
 */
function giveBack(socket: Socket, bytes: Buffer): void {
  for (let end = bytes.length; end > 0; end -= PIECE_BYTES) {
    socket.unshift(bytes.subarray(Math.max(0, end - PIECE_BYTES), end))
  }
}

/** Whether these bytes begin a record of a handshake and more of it has to come. */
function isIncomplete(bytes: Buffer): boolean {
  if (bytes.length === 0) return true
  if (bytes[0] !== HANDSHAKE) return false
  if (bytes.length < HEADER_BYTES) return true
  const length = bytes.readUInt16BE(HEADER_BYTES - 2)
  return length <= MAX_RECORD_BYTES && bytes.length < HEADER_BYTES + length
}
