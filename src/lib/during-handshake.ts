import type { Socket } from 'node:net'
import { peerOf } from './peer-of.ts'

type Entry<T> = { readonly connection: Socket; readonly value: T; readonly ends: () => void }

/**
 * A value for each TCP connection whose TLS handshake goes on, found again by the TLS socket that comes of it. Once the
 * handshake is over, nothing stays with the connection: it may last for days, and there may be thousands.
 */
export class DuringHandshake<T> {
  readonly #byPeer = new Map<string, Entry<T>>()
  readonly #over: (value: T) => void

  /** `over`: called with the value when its handshake is over or its connection has ended. */
  constructor(over: (value: T) => void = () => {}) {
    this.#over = over
  }

  /** Keeps `value` until the handshake is over or the connection has ended. */
  set(connection: Socket, value: T): void {
    const peer = peerOf(connection)
    const ends = (): void => {
      // The peer may have come back from the same port before the end of its former connection is known here.
      if (this.#byPeer.get(peer) === entry) this.#byPeer.delete(peer)
      this.#over(value)
    }
    const entry: Entry<T> = { connection, value, ends }
    this.#byPeer.set(peer, entry)
    connection.on('close', ends)
  }

  /** The handshake is over: the value of the connection below `secure`, if it has one. */
  take(secure: Socket): T | undefined {
    const entry = this.#byPeer.get(peerOf(secure))
    if (entry === undefined) return undefined
    entry.connection.off('close', entry.ends)
    entry.ends()
    return entry.value
  }
}
