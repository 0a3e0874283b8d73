import { afterWrongCode, WRONG_CODES, withoutTry } from '../../core/account/pairing-limit.ts'

/** Of further addresses, the one that has been quiet longest is forgotten. */
const MAX_ADDRESSES = 2000

/** Wrong pairing codes by address, in the memory of this node. rules.md#pairing. */
export class WrongCodes {
  readonly #times = new Map<string, readonly number[]>()

  /** Counts a try in advance. Returns how long to wait instead, or null. `now`: epoch ms. */
  tries(address: string, now: number): number | null {
    const counted = afterWrongCode(this.#times.get(address) ?? [], WRONG_CODES.ofAddress, now)
    if ('retryAfterMs' in counted) return counted.retryAfterMs
    this.#keep(address, counted.times)
    const [quietest] = this.#times.keys()
    if (this.#times.size > MAX_ADDRESSES && quietest !== undefined) this.#times.delete(quietest)
    return null
  }

  /** The code tried at `at` was right. */
  right(address: string, at: number): void {
    const times = this.#times.get(address)
    if (times !== undefined) this.#times.set(address, withoutTry(times, at))
  }

  #keep(address: string, times: readonly number[]): void {
    this.#times.delete(address)
    this.#times.set(address, times)
  }
}
