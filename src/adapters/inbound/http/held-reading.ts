import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { afterReading, heldBackSince, type LoopWatch, type Moment } from '../../../lib/loop-watch.ts'
import { bothClocks } from '../../../lib/waited.ts'

/** When what is read from a connection can have been there at the earliest, however often reading was held back. */
export class HeldReading {
  readonly #socket: Socket
  readonly #watch: Pick<LoopWatch, 'earliest'>
  /** What is read may have been there since then. Null: nothing is left of what came while reading was held back. */
  #heldSince: Moment | null
  /** Requests whose bodies are not read to their ends. */
  #bodies = 0
  #isLooking = false
  /** Whether something was read since the last look. */
  #came = false

  /** Without a `watch` nothing is known of the loop. */
  constructor(socket: Socket, watch: Pick<LoopWatch, 'earliest'> = { earliest: bothClocks }) {
    this.#socket = socket
    this.#watch = watch
    this.#heldSince = heldBackSince(socket) ?? watch.earliest()
    socket.on('pause', this.#hold).on('resume', this.#look)
    this.#look()
  }

  /** Something is read now: the moment that counts. */
  came(): Moment {
    this.#came = true
    return this.#heldSince ?? this.#watch.earliest()
  }

  /** A body comes. While nobody reads it, Node reads nothing more from the connection, and tells nobody. */
  holdsFor(request: IncomingMessage): void {
    this.#hold()
    this.#bodies += 1
    request.once('close', () => {
      this.#bodies -= 1
      this.#look()
    })
  }

  readonly #hold = (): void => {
    this.#heldSince ??= this.#watch.earliest()
  }

  /** Once a whole turn of the loop has read nothing, nothing is left. */
  readonly #look = (): void => {
    if (this.#heldSince === null || this.#isLooking) return
    this.#isLooking = true
    this.#came = false
    afterReading(() => {
      this.#isLooking = false
      // Looks again once that is over.
      if (this.#socket.isPaused() || this.#bodies > 0) return
      if (this.#came) this.#look()
      else this.#heldSince = null
    })
  }
}
