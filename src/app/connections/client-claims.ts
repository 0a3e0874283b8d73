import { SECOND } from '../../lib/durations.ts'
import type { Log } from '../../ports/log.ts'
import type { ClientMoments, Connected } from '../../ports/upkeep.ts'

/** Clients that are announced together, and how long after one announcement the next one comes. */
const AT_ONCE = 2000
const RESTS = { afterOneMs: 200, afterFailureMs: SECOND }
/** A client that came in before another node was known of is announced when one is, unless that is longer ago. */
const NEWS_MS = 60 * SECOND

type Claim = {
  readonly key: string
  readonly lose: () => void
  /** Monotonic milliseconds. */
  readonly since: number
  /** When it connected, by the clock of the store; null while that is not known. */
  at: number | null
  /** The newest connection of the same client on another node. */
  rivalAt: number
}

type ClientClaimNeeds = {
  /** Tells the other nodes, and resolves with the moments by the store's clock, in the same order. */
  readonly announce: ClientMoments
  /** Whether there are other nodes. */
  readonly hasOthers: () => boolean
  readonly rests?: typeof RESTS
  readonly log: Log
}

/**
 * Which MQTT clients are connected to this node, so that of two connections with the same client id on two nodes the
 * newer one stays (rules.md#sessions). The store's clock decides. Nobody waits for that: clients are admitted at once,
 * and announced together, each only with its newest connection.
 */
export class ClientClaims {
  readonly #needs: ClientClaimNeeds
  readonly #held = new Map<string, Claim>()
  readonly #waiting = new Map<string, Claim>()
  /** Being announced. */
  #told: ReadonlySet<Claim> = new Set()
  #isBusy = false
  #isFailing = false
  #isClosed = false

  constructor(needs: ClientClaimNeeds) {
    this.#needs = needs
  }

  /**
   * The client with this key has connected here. `since`: when, in monotonic milliseconds. `lose`: called once if a
   * newer connection of it is on another node. Returns a function for the end of the connection.
   */
  claim(key: string, since: number, lose: () => void): () => void {
    const claim: Claim = { key, lose, since, at: null, rivalAt: 0 }
    this.#held.set(key, claim)
    if (this.#needs.hasOthers()) this.#announce(claim)
    return () => {
      if (this.#held.get(key) === claim) this.#held.delete(key)
      if (this.#waiting.get(key) === claim) this.#waiting.delete(key)
    }
  }

  /** These clients have connected to another node. */
  hear(clients: readonly Connected[]): void {
    for (const [key, at] of clients) {
      const claim = this.#held.get(key)
      if (claim === undefined) continue
      claim.rivalAt = Math.max(claim.rivalAt, at)
      if (claim.at === null) this.#announce(claim)
      else this.#judge(claim)
    }
  }

  /** Another node has begun to live. What came in shortly before may have been there before. */
  meet(): void {
    const now = performance.now()
    for (const claim of this.#held.values()) {
      if (claim.at === null && now - claim.since < NEWS_MS) this.#announce(claim)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#waiting.clear()
  }

  #judge(claim: Claim): void {
    if (claim.at === null || claim.rivalAt <= claim.at || this.#held.get(claim.key) !== claim) return
    this.#held.delete(claim.key)
    claim.lose()
  }

  #announce(claim: Claim): void {
    if (this.#isClosed || this.#told.has(claim)) return
    this.#waiting.set(claim.key, claim)
    if (this.#isBusy) return
    this.#isBusy = true
    // What comes in during this turn of the event loop goes along.
    setImmediate(() => void this.#tell())
  }

  async #tell(): Promise<void> {
    const claims = [...this.#waiting.values()].slice(0, AT_ONCE)
    for (const { key } of claims) this.#waiting.delete(key)
    this.#told = new Set(claims)
    const { rests = RESTS } = this.#needs
    let restMs = rests.afterOneMs
    try {
      const moments = claims.length === 0 ? [] : await this.#needs.announce(claims)
      for (const [place, claim] of claims.entries()) {
        claim.at = moments[place]!
        this.#judge(claim)
      }
      this.#isFailing = false
    } catch (error) {
      restMs = rests.afterFailureMs
      if (!this.#isFailing && !this.#isClosed) {
        this.#needs.log.warn({ err: error }, 'could not tell other nodes which clients have connected here')
      }
      this.#isFailing = true
      // A newer connection of the client takes the place of this one.
      for (const claim of claims) {
        if (this.#held.get(claim.key) === claim) this.#waiting.set(claim.key, claim)
      }
    }
    this.#told = new Set()
    setTimeout(() => {
      this.#isBusy = false
      const [next] = this.#waiting.values()
      if (next !== undefined) this.#announce(next)
    }, restMs).unref()
  }
}
