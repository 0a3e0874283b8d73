import type { Socket } from 'node:net'
import {
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  TLSSocket,
  type TLSSocketOptions,
} from 'node:tls'
import { ignore } from '../../../lib/ignore.ts'
import type { LoopTurns } from '../../../lib/loop-turns.ts'
import { READ_AHEAD_BYTES } from '../../../lib/read-ahead.ts'
import { Unread } from '../../../lib/unread.ts'

/** The header of a TLS record, which ends with the number of bytes after it. */
const HEADER_BYTES = 5
/** RFC 8446, 5.1: the type of the client's first record, and the length that none exceeds. */
const HANDSHAKE = 22
const MAX_RECORD_BYTES = 16 * 1024
/** Node's TLS begins with a buffer of 1 KiB. */
const PIECE_BYTES = 1000

/** The certificate for new TLS connections, and how they are secured. Open ones keep theirs. */
export class Certificate {
  #context: SecureContext

  /** Throws Node's error if the options are of no use. */
  constructor(options: SecureContextOptions) {
    this.#context = createSecureContext(options)
  }

  get context(): SecureContext {
    return this.#context
  }

  replace(options: SecureContextOptions): void {
    this.#context = createSecureContext(options)
  }
}

/** With TLS: the certificate, the protocols for ALPN, and how long a client may take for its first record, in ms. */
export type Tls = {
  readonly certificate: Certificate
  readonly protocols: readonly string[]
  readonly helloMs: number
}

/**
 * Begins the TLS handshake of a connection in a turn of its network, once the client's first record has come: it costs
 * the main thread up to two milliseconds, and a thousand silent connections may speak at once. Nobody waits for a
 * client that is slow or gone. `begun`: called with the secure side, from which nothing is read before the handshake is
 * over; one that fails closes it.
 */
export function handshake(
  socket: Socket,
  { loop, group, tls }: { readonly loop: LoopTurns; readonly group: string; readonly tls: Tls },
  begun: (secured: TLSSocket) => void,
): void {
  loop.accepted()
  whenSpoken(socket, tls.helloMs, () => {
    loop.start({ kind: 'connection', group, member: '' }, () => {
      if (!socket.destroyed) begun(secure(socket, tls))
    })
  })
}

function secure(socket: Socket, { certificate, protocols }: Tls): TLSSocket {
  const options: TLSSocketOptions & { readonly highWaterMark: number } = {
    isServer: true,
    secureContext: certificate.context,
    highWaterMark: READ_AHEAD_BYTES,
    ...(protocols.length > 0 && { ALPNProtocols: [...protocols] }),
  }
  const secured = new TLSSocket(socket, options)
  secured.on('error', ignore)
  // Node's TLS begins to read in the next tick. From a stream that flows it reads one piece after another.
  socket.resume()
  process.nextTick(() => socket.pause())
  return secured
}

/**
 * Calls `spoken` once the client's first record is complete, or cannot be one. The bytes are unread then, and Node's
 * TLS finds them in the socket. A client that leaves before is closed, and so is one that is silent for `maxMs`.
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
