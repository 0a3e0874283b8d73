import { SECOND } from '../../lib/durations.ts'
import type { Log } from '../../ports/log.ts'
import type { ClientMoments, Connected } from '../../ports/upkeep.ts'

/** Clients announced together, and the rests between announcements. */
const AT_ONCE = 2000
const RESTS = { afterOneMs: 200, afterFailureMs: SECOND }
/** When another node appears, clients that connected up to this long before it was known are announced. */
const NEWS_MS = 60 * SECOND

type Claim = {
  readonly key: string
  readonly lose: () => void
  /** Monotonic milliseconds. */
  readonly since: number
  /** When it connected, by the store's clock; null while that is unknown. */
  at: number | null
  /** When the same client last connected to another node. */
  rivalAt: number
}

type ClientClaimNeeds = {
  /** Tells the other nodes, and resolves with the connection times by the store's clock, in the same order. */
  readonly announce: ClientMoments
  /** Whether there are other nodes. */
  readonly hasOthers: () => boolean
  readonly rests?: typeof RESTS
  readonly log: Log
}

/**
 * The MQTT clients connected to this node. If a client id is connected to two nodes, the newer connection stays
 * (access.md#sessions); the store's clock decides. Nobody waits for that: clients are admitted at once and announced in
 * batches, each only with its newest connection.
 */
export class ClientClaims {
  readonly #needs: ClientClaimNeeds
  readonly #held = new Map<string, Claim>()
  readonly #waiting = new Map<string, Claim>()
  /** The claims that are being announced. */
  #told: ReadonlySet<Claim> = new Set()
  #isBusy = false
  #isFailing = false
  #isClosed = false

  constructor(needs: ClientClaimNeeds) {
    this.#needs = needs
  }

  /**
   * Registers a client that has connected here. `since`: when, in monotonic milliseconds. `lose`: called once if a
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

  /** Takes the announcement that these clients have connected to another node. */
  hear(clients: readonly Connected[]): void {
    for (const [key, at] of clients) {
      const claim = this.#held.get(key)
      if (claim === undefined) continue
      claim.rivalAt = Math.max(claim.rivalAt, at)
      if (claim.at === null) this.#announce(claim)
      else this.#judge(claim)
    }
  }

  /** Another node has started. Clients that connected here shortly before may have been connected there before. */
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
    // Clients that connect during this event-loop turn join the announcement.
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
      // A newer connection of the client takes its place.
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
