import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionOf } from '../admission/session.ts'
import { RequestProblem } from '../problem.ts'

const MB = 1024 * 1024
const DEFAULT_BYTES = 64 * MB
/** One user's share, so that nobody takes all of it. */
const USER_SHARE = 1 / 8

/**
 * Memory for the bodies that may be longer than any alarm's, from their first byte until they are answered. A client
 * may take a minute to send one, on as many connections as it gets. One that finds no room is refused, not read.
 */
export class BodyRoom {
  readonly #maxBytes: number
  readonly #taken = new Map<string, number>()
  #total = 0

  constructor(maxBytes = DEFAULT_BYTES) {
    this.#maxBytes = maxBytes
  }

  /**
   * Sets `bytes` aside for a body of this user and returns what gives them back, once; null if there is no room. Any
   * user gets room for one body of any length while others have left that much.
   */
  take(userId: string, bytes: number): (() => void) | null {
    const own = this.#taken.get(userId) ?? 0
    const isTooMuch = own > 0 && own + bytes > this.#maxBytes * USER_SHARE
    if (isTooMuch || this.#total + bytes > this.#maxBytes) return null
    this.#add(userId, bytes)
    let isTaken = true
    return () => {
      if (isTaken) this.#add(userId, -bytes)
      isTaken = false
    }
  }

  #add(userId: string, bytes: number): void {
    this.#total += bytes
    const own = (this.#taken.get(userId) ?? 0) + bytes
    if (own === 0) this.#taken.delete(userId)
    else this.#taken.set(userId, own)
  }
}

const NO_ROOM = {
  kind: 'UNAVAILABLE',
  message: 'Too many large uploads at the same time. Please try again.',
  headers: { 'retry-after': '2' },
} as const

/**
 * A hook that refuses a body for which `room` has no space, before any of it is read. `limitBytes`: of the route; a
 * body that does not tell its length counts as that long. `freeBytes`: a body up to this length needs no room.
 */
export const inRoom =
  (room: BodyRoom, { limitBytes, freeBytes }: { readonly limitBytes: number; readonly freeBytes: number }) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const bytes = Number(request.headers['content-length'] ?? limitBytes)
    // A longer one is refused anyway.
    if (bytes <= freeBytes || bytes > limitBytes) return
    const leave = room.take(sessionOf(request).userId, bytes)
    if (leave === null) throw new RequestProblem(NO_ROOM)
    // Its client may have gone while it was identified. Then nobody hears of the end again.
    if (reply.raw.closed) leave()
    else reply.raw.once('close', leave)
  }
