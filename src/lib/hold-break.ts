import type { Socket } from 'node:net'

/** How long a connection is held at most, in ms: no handler takes that long. */
const MAX_HELD_MS = 30_000

type Swallowing = { _write(chunk: unknown, encoding: string, done: () => void): void; _writev: null }

export type HeldBreak = {
  /** Whether the connection is broken, and the news held back. */
  readonly isHeld: () => boolean
  /** Holds nothing any more: a broken connection ends now, with its error. */
  readonly release: () => void
}

/**
 * Holds back the news that the network has broken a connection (a reset, a time-out) while `isWanted` says that
 * something which came before has to be handled: Node drops all of that in the event that reports the break. Until then
 * the socket looks alive. What has been read can be passed on, and what is written goes nowhere. It keeps its place and
 * its descriptor, so that gone clients never add up to more than the connections allowed. To destroy it without an
 * error of the network ends it at once.
 */
export function holdBreak(socket: Socket, isWanted: () => boolean): HeldBreak {
  let broken: Error | null = null
  let deadline: NodeJS.Timeout | null = null
  const end = (error?: Error): Socket => {
    if (deadline !== null) clearTimeout(deadline)
    // From here on it is the prototype's.
    Reflect.deleteProperty(socket, 'destroy')
    return socket.destroy(error)
  }
  const release = (): void => {
    if (broken === null) Reflect.deleteProperty(socket, 'destroy')
    else end(broken)
  }
  socket.destroy = (error) => {
    // Node has tried to read on.
    if (broken !== null && isOfNetwork(error)) return socket
    // With an earlier answer that the client has not taken, nothing can be answered any more, not even into the void.
    if (!isOfNetwork(error) || socket.writableLength > 0 || !isWanted()) return end(error)
    broken = error
    deadline = setTimeout(release, MAX_HELD_MS).unref()
    const swallowing = socket as unknown as Swallowing
    swallowing._write = (_chunk, _encoding, done) => done()
    swallowing._writev = null
    return socket
  }
  return { isHeld: () => broken !== null, release }
}

/** Node's name for errors of the system: those of TLS and of HTTP have no call. */
const isOfNetwork = (error: Error | undefined): error is Error => error !== undefined && 'syscall' in error
