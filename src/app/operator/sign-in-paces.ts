import { afterSuccess, afterTry, type Pace, waitMs } from '../../core/operator/pace.ts'

/** Failed attempts without consequence: a password is mistyped, mistyped again, and tried on another keyboard. */
const FREE_OF_ACCOUNT = 5
/** A rescue centre signs in from one address. */
const FREE_OF_NETWORK = 20
const MAX_NETWORKS = 10_000
/** Logins that do not exist share so many paces: they are slowed like those that do. */
const STRANGERS = 256

/**
 * Who tries to sign in, and from where. `operatorId`: null for a login that does not exist. `loginHash`: in
 * hexadecimal, with a secret in it. `isKnown`: the operator has signed in from this network before.
 */
type TryFrom = {
  readonly operatorId: string | null
  readonly loginHash: string
  readonly network: string
  readonly isKnown: boolean
}

/**
 * Slows down guessing, of one account from many addresses and of many accounts from one address. An operator at an
 * address from which they have signed in before is counted separately: attempts elsewhere do not keep the night shift
 * out. In memory, so each node counts for itself, and a restart forgets it.
 */
export class SignInPaces {
  /** As many as there are operators, and places where they are known; no stranger can add to them. */
  readonly #accounts = new Map<string, Pace>()
  readonly #networks = new Map<string, Pace>()

  /** Begins a try: `succeeded` takes back that it counts as failed. Or says how long to wait until the next one. */
  begin(from: TryFrom, now: number): { readonly waitMs: number } | { readonly succeeded: () => void } {
    const account = accountOf(from)
    const ofAccount = waitMs(this.#accounts.get(account), FREE_OF_ACCOUNT, now)
    const ofNetwork = from.isKnown ? 0 : waitMs(this.#networks.get(from.network), FREE_OF_NETWORK, now)
    const wait = Math.max(ofAccount, ofNetwork)
    if (wait > 0) return { waitMs: wait }
    this.#accounts.set(account, afterTry(this.#accounts.get(account), now))
    if (!from.isKnown) this.#countNetwork(from.network, now)
    return {
      succeeded: () => {
        succeed(this.#accounts, account)
        if (!from.isKnown) succeed(this.#networks, from.network)
      },
    }
  }

  #countNetwork(network: string, now: number): void {
    const next = afterTry(this.#networks.get(network), now)
    this.#networks.delete(network)
    this.#networks.set(network, next)
    // A Map keeps insertion order: the first entry is the network whose last try is oldest.
    if (this.#networks.size > MAX_NETWORKS) this.#networks.delete(this.#networks.keys().next().value!)
  }
}

function accountOf({ operatorId, loginHash, network, isKnown }: TryFrom): string {
  if (operatorId === null) return `stranger ${Number.parseInt(loginHash.slice(0, 8), 16) % STRANGERS}`
  return isKnown ? `${operatorId} ${network}` : operatorId
}

function succeed(paces: Map<string, Pace>, key: string): void {
  const pace = paces.get(key)
  if (pace !== undefined) paces.set(key, afterSuccess(pace))
}
