import type { Socket } from 'node:net'

/** How long a connection is held at most, in ms: no handler takes that long. */
const MAX_HELD_MS = 30_000

type Done = (error?: Error | null) => void
/** What a stream calls to write, and Node's sockets have. */
type Writing = {
  _write(chunk: unknown, encoding: string, done: Done): void
  _writev: ((chunks: unknown, done: Done) => void) | null
}
const OVERRIDDEN = ['destroy', '_write', '_writev'] as const

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
 * its descriptor, so that gone clients never add up to more than the connections allowed. Destroying it without an
 * error of the network ends it at once. `held`: called once, when the news is held back.
 */
export function holdBreak(socket: Socket, isWanted: () => boolean, held: () => void = () => {}): HeldBreak {
  let broken: Error | null = null
  let isOver = false
  let deadline: NodeJS.Timeout | null = null
  const writing = socket as unknown as Writing
  const restore = (): void => {
    isOver = true
    if (deadline !== null) clearTimeout(deadline)
    // Uncovers the methods of the prototype.
    for (const name of OVERRIDDEN) Reflect.deleteProperty(socket, name)
  }
  const end = (error?: Error): Socket => {
    restore()
    return socket.destroy(error)
  }
  const release = (): void => {
    if (broken === null) restore()
    else end(broken)
  }
  const holds = (error: Error): boolean => {
    if (isOver) return false
    // Node has tried to read on.
    if (broken !== null) return true
    if (!isWanted()) return false
    broken = error
    deadline = setTimeout(release, MAX_HELD_MS).unref()
    writing._write = (_chunk, _encoding, done) => done()
    writing._writev = null
    held()
    return true
  }
  socket.destroy = (error) => {
    if (!isOfNetwork(error)) return end(error)
    // With an earlier answer that the client has not taken, nothing can be answered any more, not even into the void.
    if (broken === null && socket.writableLength > 0) return end(error)
    return holds(error) ? socket : end(error)
  }
  // A stream that hears of a failed write writes nothing more, not even into the void.
  const unlessHeld =
    (done: Done): Done =>
    (error) =>
      done(isOfNetwork(error) && holds(error) ? null : error)
  const { _write: write, _writev: writeAll } = writing
  writing._write = (chunk, encoding, done) => write.call(socket, chunk, encoding, unlessHeld(done))
  writing._writev = writeAll && ((chunks, done) => writeAll.call(socket, chunks, unlessHeld(done)))
  return { isHeld: () => broken !== null, release }
}

/** Node's name for errors of the system: those of TLS and of HTTP have no call. */
const isOfNetwork = (error: Error | null | undefined): error is Error => error != null && 'syscall' in error
