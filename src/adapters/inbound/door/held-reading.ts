import type { Socket } from 'node:net'
import { afterReading, type LoopWatch, type Moment } from '../../../lib/loop-watch.ts'
import { bothClocks } from '../../../lib/waited.ts'
import type { UnderTls } from './under-tls.ts'

/**
 * The earliest time at which bytes read from a connection can have come, however often its socket was paused. A
 * request that only takes long holds nothing back: bytes that its client sends on the answer count from then.
 */
export class HeldReading {
  readonly #socket: Socket
  readonly #below: UnderTls | null
  readonly #watch: Pick<LoopWatch, 'earliest'>
  /** Bytes read now may have been there since then. Null: all that came while reading was held back has been read. */
  #heldSince: Moment | null
  /** Over TLS, messages of the handshake wait for turns, with the bytes behind them. */
  #isHandshake: boolean
  #isLooking = false
  /** Whether something was read since the last look. */
  #came = false

  /** `since`: null if the first bytes cannot have been there before now. `below`: that of a TLS connection. */
  constructor(
    socket: Socket,
    { since, below }: { readonly since: Moment | null; readonly below: UnderTls | null },
    watch: Pick<LoopWatch, 'earliest'> = { earliest: bothClocks },
  ) {
    this.#socket = socket
    this.#below = below
    this.#watch = watch
    this.#heldSince = since ?? watch.earliest()
    this.#isHandshake = below !== null
    socket.on('pause', this.#hold).on('resume', this.#look)
    below?.on('wait', this.#hold).on('go', this.#look)
    if (this.#isHandshake) socket.once('secure', this.#secured)
    else this.#look()
  }

  /** Whether bytes have come that wait for their turn. */
  get isWaiting(): boolean {
    return this.#below?.isWaiting === true
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
    if (this.#heldSince === null || this.#isLooking || this.#isHandshake || this.isWaiting) return
    this.#isLooking = true
    this.#came = false
    afterReading(() => {
      this.#isLooking = false
      // Looks again once that is over.
      if (this.#socket.isPaused() || this.isWaiting) return
      if (this.#came) this.#look()
      else this.#heldSince = null
    })
  }
}
