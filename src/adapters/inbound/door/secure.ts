import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, type SecureContextOptions, TLSSocket } from 'node:tls'
import { ignore } from '../../../lib/ignore.ts'
import { Unread } from '../../../lib/unread.ts'
import { type TlsTurns, UnderTls } from './under-tls.ts'

/** The header of a TLS record, which ends with the number of bytes after it. */
const HEADER_BYTES = 5
/** RFC 8446, 5.1: the type of the client's first record, and the length that none exceeds. */
const HANDSHAKE = 22
const MAX_RECORD_BYTES = 16 * 1024

/** A certificate for clients that ask for one of these names (SNI). A name may begin with `*.`. */
export type NamedCertificate = { readonly names: readonly string[]; readonly options: SecureContextOptions }

/** The certificates for new TLS connections, and how they are secured. Open ones keep theirs. */
export class Certificate {
  #context: SecureContext
  #named: { readonly names: ReadonlySet<string>; readonly context: SecureContext } | null

  /** `named`: for clients that ask for its names; all others get the one of `options`. Throws Node's error. */
  constructor(options: SecureContextOptions, named: NamedCertificate | null = null) {
    this.#context = contextOf(options)
    this.#named = namedContextOf(named)
  }

  /** For clients that name no host, or none of the other certificate's. */
  get context(): SecureContext {
    return this.#context
  }

  /** The context for a client that asks for the host `name`. */
  contextFor(name: string): SecureContext {
    const host = name.toLowerCase()
    const { names, context } = this.#named ?? { names: NO_NAMES, context: this.#context }
    return names.has(host) || names.has(host.replace(/^[^.]+/, '*')) ? context : this.#context
  }

  replace(options: SecureContextOptions, named: NamedCertificate | null = null): void {
    const [all, other] = [contextOf(options), namedContextOf(named)]
    this.#context = all
    this.#named = other
  }
}

const NO_NAMES: ReadonlySet<string> = new Set()

const namedContextOf = (named: NamedCertificate | null) =>
  named === null ? null : { names: new Set(named.names), context: contextOf(named.options) }

/** TLS 1.2 lets a client begin a new handshake within the connection: it would cost as much, in no turn. */
const contextOf = (options: SecureContextOptions): SecureContext =>
  createSecureContext({ ...options, secureOptions: constants.SSL_OP_NO_RENEGOTIATION })

/** With TLS: the certificate, and how long a client may take for its handshake, in ms. */
export type Tls = {
  readonly certificate: Certificate
  readonly handshakeMs: number
}

/**
 * Begins the TLS handshake of a connection in a turn of its network, once the client's first record has come, and
 * carries it on in further turns: each message may cost the main thread milliseconds, and a thousand silent connections
 * may speak at once. Nobody waits for a client that is slow or gone. `begun`: called with the secure side, from which
 * nothing is read before the handshake is over; one that fails, or takes too long, closes it.
 */
export function handshake(
  socket: Socket,
  { turns, group, tls }: { readonly turns: TlsTurns; readonly group: string; readonly tls: Tls },
  begun: (secured: TLSSocket, below: UnderTls) => void,
): void {
  turns.loop.accepted()
  const settle = (): void => {
    clearTimeout(deadline)
    socket.off('close', settle)
  }
  const deadline = setTimeout(() => socket.destroy(), tls.handshakeMs).unref()
  socket.on('close', settle)
  whenSpoken(socket, () => {
    turns.loop.start({ kind: 'connection', group, member: '' }, () => {
      if (socket.destroyed) return
      const below = new UnderTls(socket, turns, group)
      begun(secure(below, tls).once('secure', settle), below)
    })
  })
}

/** Without a list for ALPN: Node would refuse every client whose own list has no protocol of it. ADR 0063. */
function secure(stream: UnderTls, { certificate }: Tls): TLSSocket {
  const secured = new TLSSocket(stream, {
    isServer: true,
    secureContext: certificate.context,
    SNICallback: (name, done) => done(null, certificate.contextFor(name)),
  })
  stream.carry(secured)
  return secured.on('error', ignore)
}

/**
 * Calls `spoken` once the client's first record is complete, or cannot be one. The bytes are unread then, and TLS finds
 * them in the socket. A client that leaves before is closed.
 */
function whenSpoken(socket: Socket, spoken: () => void): void {
  const bytes = new Unread()
  const settle = (): void => void socket.off('data', read).off('end', leave).off('close', settle)
  const leave = (): void => void socket.destroy()
  const read = (chunk: Buffer): void => {
    bytes.add(chunk)
    if (isIncomplete(bytes.bytes)) return
    settle()
    socket.pause()
    socket.unshift(bytes.bytes)
    spoken()
  }
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
