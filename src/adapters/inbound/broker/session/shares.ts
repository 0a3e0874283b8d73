import { USER_TIME } from '../limits.ts'
import { Budget } from './budget.ts'

/**
 * One thread reads the packets of all users. The cost of a packet depends on its contents, and a user may have many
 * connections. So this counts the time used by all connections of a user together, and a user who exceeds the budget is
 * read more slowly.
 */
export class Shares {
  readonly #byPrincipal = new Map<string, { readonly time: Budget; connections: number }>()

  /** The time budget of this user or tracker; the connection shares it until it calls `leaves`. */
  join(principal: string): { readonly time: Budget; leaves(): void } {
    const known = this.#byPrincipal.get(principal)
    const share = known ?? {
      time: new Budget(USER_TIME.perSecond, performance.now(), USER_TIME.atOnce),
      connections: 0,
    }
    if (known === undefined) this.#byPrincipal.set(principal, share)
    share.connections++
    return {
      time: share.time,
      leaves: () => {
        share.connections--
        if (share.connections === 0) this.#byPrincipal.delete(principal)
      },
    }
  }
}
