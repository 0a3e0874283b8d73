import { Paces } from '../../core/operator/paces.ts'

/** Failed attempts without a wait: a password is mistyped, mistyped again, and tried on another keyboard. */
const FREE_OF_ACCOUNT = 5
/** A rescue centre signs in from one address. */
const FREE_OF_NETWORK = 20
const MAX_NETWORKS = 10_000
/** Passwords are hashed one at a time, 0.1 s each, so evicting a login takes hours of nothing else. */
const MAX_LOGINS = 100_000
/** 96 bits: no two logins share a counter. */
const KEY_CHARS = 24

/**
 * The login and origin of a sign-in attempt. `loginHash`: in hexadecimal. `isKnown`: the operator with this login has
 * signed in from this network before.
 */
type TryFrom = { readonly loginHash: string; readonly network: string; readonly isKnown: boolean }

/**
 * Slows down guessing, of one account from many addresses and of many accounts from one address. An operator on a
 * network from which they have signed in before is counted separately: attempts elsewhere do not keep the night shift
 * out. Unknown logins are counted like known ones, so waits do not reveal which exist. The counts are in memory, so
 * each node counts for itself, and a restart forgets them.
 */
export class SignInPaces {
  readonly #logins = new Paces(FREE_OF_ACCOUNT, MAX_LOGINS)
  readonly #networks = new Paces(FREE_OF_NETWORK, MAX_NETWORKS)

  /** Begins an attempt, which counts as failed until `succeeded` is called; or returns the wait until the next one. */
  begin(
    { loginHash, network, isKnown }: TryFrom,
    now: number,
  ): { readonly waitMs: number } | { readonly succeeded: () => void } {
    const hash = loginHash.slice(0, KEY_CHARS)
    const login = isKnown ? `${hash} ${network}` : hash
    const ofLogin = this.#logins.waitMs(login, now)
    const ofNetwork = isKnown ? 0 : this.#networks.waitMs(network, now)
    const wait = Math.max(ofLogin, ofNetwork)
    if (wait > 0) return { waitMs: wait }
    this.#logins.tried(login, now)
    if (!isKnown) this.#networks.tried(network, now)
    return {
      succeeded: () => {
        this.#logins.succeeded(login)
        if (!isKnown) this.#networks.succeeded(network)
      },
    }
  }
}
