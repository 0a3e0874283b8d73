import type { Socket } from 'node:net'
import { afterReading, type LoopWatch, type Moment } from '../../../lib/loop-watch.ts'
import { bothClocks } from '../../../lib/waited.ts'

/**
 * The earliest time at which bytes read from a connection can have come, however often its socket was paused. A
 * request that only takes long holds nothing back: bytes that its client sends on the answer count from then.
 */
export class HeldReading {
  readonly #socket: Socket
  readonly #watch: Pick<LoopWatch, 'earliest'>
  /** Bytes read now may have been there since then. Null: all that came while reading was held back has been read. */
  #heldSince: Moment | null
  /** Over TLS, messages of the handshake wait for turns, with the bytes behind them. */
  #isHandshake: boolean
  #isLooking = false
  /** Whether something was read since the last look. */
  #came = false

  /** `since`: null if the first bytes cannot have been there before now. `isSecure`: a handshake comes first. */
  constructor(
    socket: Socket,
    { since, isSecure }: { readonly since: Moment | null; readonly isSecure: boolean },
    watch: Pick<LoopWatch, 'earliest'> = { earliest: bothClocks },
  ) {
    this.#socket = socket
    this.#watch = watch
    this.#heldSince = since ?? watch.earliest()
    this.#isHandshake = isSecure
    socket.on('pause', this.#hold).on('resume', this.#look)
    if (isSecure) socket.once('secure', this.#secured)
    else this.#look()
  }

  /** Something is read now: the moment that counts. */
  came(): Moment {
    this.#came = true
    return this.#heldSince ?? this.#watch.earliest()
  }

  readonly #secured = (): void => {
    this.#isHandshake = false
    this.#look()
  }

  readonly #hold = (): void => {
    this.#heldSince ??= this.#watch.earliest()
  }

  /** Once a whole turn of the loop has read nothing, nothing is left. */
  readonly #look = (): void => {
    if (this.#heldSince === null || this.#isLooking || this.#isHandshake) return
    this.#isLooking = true
    this.#came = false
    afterReading(() => {
      this.#isLooking = false
      // Looks again once that is over.
      if (this.#socket.isPaused()) return
      if (this.#came) this.#look()
      else this.#heldSince = null
    })
  }
}
