import type { Socket } from 'node:net'
import { ignore } from '../../../lib/ignore.ts'
import type { LoopTurns } from '../../../lib/loop-turns.ts'
import { Accepts, type LoopWatch, type Moment } from '../../../lib/loop-watch.ts'
import { networkOf } from '../../../lib/network-of.ts'
import type { Places } from '../../../lib/places.ts'
import { type Balancers, readBehindBalancer } from './balancers.ts'
import { type Address, type Listening, listenWidely } from './listen-widely.ts'
import { READ_AHEAD_BYTES } from './over-socket.ts'
import { handshake, type Tls } from './secure.ts'
import { TlsTurns, type UnderTls } from './under-tls.ts'

/** The client of a connection: the one that the PROXY header of a load balancer names, otherwise the other end. */
export type Client = {
  /** Empty if it had reset the connection before it was accepted: an alarm may be in it all the same. */
  readonly address: string
  readonly port: number | undefined
}

/**
 * Takes over a connection: a plain socket, or a TLSSocket and the stream below it. `since`: when its first bytes may
 * have been there.
 */
export type Enter = (socket: Socket, since: Moment | null, below: UnderTls | null) => void

export type Door = {
  /** Handshakes take turns here, and what costs much after them. */
  readonly loop: LoopTurns
  /** Absent: nothing is known of stalls of the event loop. */
  readonly watch?: LoopWatch
  /** The load balancers whose connections begin with a PROXY header. Null: none. */
  readonly balancers?: Balancers | null
  /** Places for balancers' connections until their headers are complete. */
  readonly places?: Places | undefined
  /** Whether this process made the connection itself. It needs no place. */
  readonly isOwn?: (socket: Socket) => boolean
  /** Absent: plain. */
  readonly tls?: Tls
  /** Whether a client that has ended still gets answers. */
  readonly allowHalfOpen?: boolean
  /** A client has connected. Returns what takes the connection over, after any first record of TLS; null: refused. */
  readonly meet: (socket: Socket, client: Client) => Enter | null
}

/**
 * Listens at an address. Each connection is met once it is known whose it is, and taken over when its bytes may be
 * read: over TLS, when its handshake has begun. Rejects with Node's error if the address is unavailable.
 */
export async function listen(at: Address, door: Door): Promise<Listening> {
  const { loop, watch, balancers = null, places, isOwn = () => false, tls } = door
  const accepts = watch === undefined ? null : new Accepts(watch)
  const turns = new TlsTurns(loop)
  /** Connections of balancers whose header is not complete: nothing of the client has been read yet. */
  const unnamed = new Set<Socket>()

  const takeOver = (socket: Socket, client: Client, since: Moment | null): void => {
    const enter = door.meet(socket, client)
    if (enter === null) socket.destroy()
    else if (tls === undefined) enter(socket, since, null)
    // Over TLS nothing of a request can have come before the handshake.
    else {
      const group = networkOf(client.address)
      handshake(socket, { turns, group, tls }, (secured, below) => enter(secured, null, below))
    }
  }

  const accept = (socket: Socket): void => {
    const since = accepts?.came() ?? null
    socket.on('error', ignore)
    const { remoteAddress: address = '', remotePort: port } = socket
    if (balancers?.includes(address) !== true) takeOver(socket, { address, port }, since)
    else {
      unnamed.add(socket)
      socket.once('close', () => unnamed.delete(socket))
      readBehindBalancer(socket, balancers, isOwn(socket) ? undefined : places, (client) => {
        unnamed.delete(socket)
        takeOver(socket, client ?? { address, port }, since)
      })
    }
  }

  const { allowHalfOpen = false } = door
  const options = { noDelay: true, allowHalfOpen, highWaterMark: READ_AHEAD_BYTES }
  const listening = await listenWidely(at, options, accept)
  return {
    ...listening,
    close() {
      const closed = listening.close()
      for (const socket of unnamed) socket.destroy()
      return closed
    },
  }
}
