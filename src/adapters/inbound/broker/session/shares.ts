import { USER_TIME } from '../limits.ts'
import { Budget } from './budget.ts'

/**
 * Everybody's packets are read on one thread. What a packet costs there depends on what is in it, and a user may have
 * many connections: so it is their time that is counted, of all connections of a user together, and who has used it up
 * is read on more slowly.
 */
export class Shares {
  readonly #byUser = new Map<string, { readonly time: Budget; connections: number }>()

  /** The time of this user; a connection takes part in it until `leaves` is called. */
  join(userId: string): { readonly time: Budget; leaves(): void } {
    const known = this.#byUser.get(userId)
    const share = known ?? {
      time: new Budget(USER_TIME.perSecond, performance.now(), USER_TIME.atOnce),
      connections: 0,
    }
    if (known === undefined) this.#byUser.set(userId, share)
    share.connections++
    return {
      time: share.time,
      leaves: () => {
        share.connections--
        if (share.connections === 0) this.#byUser.delete(userId)
      },
    }
  }
}
