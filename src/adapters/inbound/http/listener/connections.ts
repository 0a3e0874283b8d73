import type { IncomingMessage } from 'node:http'
import { checkEvery, inSteps } from '../../../../lib/in-steps.ts'
import type { Line } from './line.ts'

/**
 * Connections of one address on both listeners together. Behind a proxy all clients share one address, so this must be
 * at least 1,000.
 */
export const CONNECTIONS_PER_ADDRESS = 1_000

/** Milliseconds. */
export type ListenerTimes = {
  /** For a TLS handshake, from the start of the connection. */
  readonly handshakeMs: number
  /** For the complete headers, from the first byte or from the start of the connection. */
  readonly headersMs: number
  /** For the complete request, including the body. */
  readonly requestMs: number
  /** For the next request on an idle connection; longer than the minute for which most reverse proxies keep theirs. */
  readonly keepAliveMs: number
  /** Interval of the checks of headers and requests, and of peers that read nothing. */
  readonly checkMs: number
  /** For requests in progress when the listener closes. */
  readonly closeMs: number
  /** A peer that reads nothing of a pending response for so long is disconnected. */
  readonly stalledMs: number
}

export const listenerTimes: ListenerTimes = {
  handshakeMs: 10_000,
  headersMs: 15_000,
  requestMs: 60_000,
  keepAliveMs: 65_000,
  checkMs: 1_000,
  closeMs: 3_000,
  stalledMs: 30_000,
}

/** By their streams, which requests have as their socket. */
const lines = new WeakMap<object, Line>()

/** Lets another connection replace this request's before its answer, which is a delayed refusal. */
export const yieldPlace = ({ socket }: IncomingMessage): void => lines.get(socket)?.place.rests()

/** The open connections of a listener. */
export class Connections {
  readonly #open = new Set<Line>()
  readonly #times: ListenerTimes
  readonly #stop: () => void

  /** `late`: called with a connection whose request has not come in time. */
  constructor(times: ListenerTimes, late: (line: Line) => void) {
    this.#times = times
    this.#stop = checkEvery(times.checkMs, (now) => inSteps(this.#open, (line) => this.#check(line, now, late)))
  }

  add(line: Line): void {
    const { connection, place } = line
    lines.set(connection, line)
    this.#open.add(line)
    connection.once('close', () => {
      this.#open.delete(line)
      place.leaves()
    })
  }

  /** The requests of this connection; undefined for a stream that is none of ours. */
  lineOf(stream: object): Line | undefined {
    return lines.get(stream)
  }

  /** Something else takes over the connection. */
  leaves(stream: object): void {
    const line = this.lineOf(stream)
    if (line === undefined) return
    line.leave()
    this.#open.delete(line)
  }

  /** Ends those that wait for their next request. */
  endIdle(): void {
    for (const { isIdle, connection } of this.#open) if (isIdle) connection.destroy()
  }

  /** Ends all of them. */
  end(): void {
    for (const { connection } of this.#open) connection.destroy()
  }

  /** They are no longer checked. */
  close(): void {
    this.#stop()
  }

  #check(line: Line, now: number, late: (line: Line) => void): void {
    if (line.isLate(now, this.#times)) late(line)
    else if (line.stalledMs(now) >= this.#times.stalledMs) line.connection.destroy()
  }
}
