import type { Server, Socket } from 'node:net'
import { bothClocks, type TwoClocks, waitedSince } from './waited.ts'

/** `at`: by the clock of the service, epoch ms, where it was asked. */
export type Moment = TwoClocks & { readonly at?: number }

/** A stall longer than this counts. */
const STALL_MS = 250
const LOOK_MS = 100
/** Connections that the system may keep for all sockets of a listener until they are accepted. */
const MAX_QUEUED = 16 * 512

/**
 * Notices when the event loop stood still: the process was frozen, or its main thread was busy. What comes meanwhile is
 * read late.
 */
export class LoopWatch {
  readonly #now: () => number
  #turnedAt: Moment
  /** The beginning of a stall of which there may be something left to read. */
  #stalledSince: Moment | null = null
  readonly #timer = setInterval(() => this.#look(), LOOK_MS).unref()

  /** `now`: the clock of the service. */
  constructor(now: () => number = Date.now) {
    this.#now = now
    this.#turnedAt = this.#moment()
  }

  /** The earliest moment at which what is read now may have come, on a connection that nothing held back. */
  earliest(): Moment {
    return this.#stalledSince ?? (waitedSince(this.#turnedAt) > STALL_MS ? this.#turnedAt : this.#moment())
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    if (this.#stalledSince === null && waitedSince(this.#turnedAt) > STALL_MS) {
      this.#stalledSince = this.#turnedAt
      // Timers come first in a turn of the loop, immediates last, and in between everything is read that is there.
      setImmediate(() => {
        this.#stalledSince = null
      })
    }
    this.#turnedAt = this.#moment()
  }

  #moment(): Moment {
    return { ...bothClocks(), at: this.#now() }
  }
}

/** Calls `then` when everything has been read that is there now: two turns of the loop end one whole turn. */
export const afterReading = (then: () => void): void => void setImmediate(() => setImmediate(then))

/** What waits unread on these connections may have come at this moment or later. */
const unreadSince = new WeakMap<object, Moment>()

/** Bytes of `socket` are held back from now on, or since `since`. What holds it back further changes nothing. */
export function holdsBack(socket: object, since: Moment = bothClocks()): void {
  if (!unreadSince.has(socket)) unreadSince.set(socket, since)
}

/** Since when bytes of `socket` were held back before anyone read a request from it. Null: they were not. */
export const heldBackSince = (socket: object): Moment | null => unreadSince.get(socket) ?? null

/**
 * Notes of each connection of `server` since when its bytes may have been there. Node accepts about one connection per
 * turn of the loop, and the others wait with all that they have sent. Call this when all listeners for 'connection' are
 * there.
 */
export function watchAccepts(server: Server, watch: LoopWatch): void {
  /** The first of those connections that came one turn after another, or one so many before that it is as good. */
  let since: Moment | null = null
  let further = watch.earliest()
  let count = 0
  let hasAccepted = false
  const look = (): void => {
    if (hasAccepted) {
      hasAccepted = false
      setImmediate(look)
    } else since = null
  }
  server.prependListener('connection', (socket: Socket) => {
    hasAccepted = true
    if (since === null) {
      since = watch.earliest()
      further = since
      count = 0
      setImmediate(look)
    }
    count += 1
    if (count % MAX_QUEUED === 0) {
      since = further
      further = watch.earliest()
    }
    holdsBack(socket, since)
  })
}
