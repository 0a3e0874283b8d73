import { Bucket } from '../../../../core/pacing/bucket.ts'
import { LoopSlice, LoopTicks } from '../../../../lib/loop-slice.ts'
import type { LoopTurns } from '../../../../lib/loop-turns.ts'
import { USER_SLICE_MS, USER_TIME } from '../limits.ts'

/** Budgets that the connections of one user share. */
export type Share = {
  /** Main-thread time in ms, over seconds. */
  readonly time: Bucket
  /** The same within one turn of the event loop: a second's budget does not bound it. */
  readonly slice: LoopSlice
  /** Calls `piece` when it is the turn of this user and, among their connections, of the one that asked. */
  readonly inTurn: (piece: () => void) => void
}

/**
 * One thread reads the packets of all users. The cost of a packet depends on its contents, and a user may have many
 * connections. So this counts the time used by all connections of a user together, and a user who exceeds the budget is
 * read more slowly.
 */
export class Shares {
  readonly #loop: LoopTurns
  readonly #ticks = new LoopTicks()
  readonly #byPrincipal = new Map<string, Share & { connections: number }>()

  constructor(loop: LoopTurns) {
    this.#loop = loop
  }

  /** The share of this user or tracker; the connection has it until it calls `leaves`. */
  join(principal: string): Share & { leaves(): void } {
    const known = this.#byPrincipal.get(principal)
    const share = known ?? {
      time: new Bucket(USER_TIME.perSecond, performance.now(), USER_TIME.atOnce),
      slice: new LoopSlice(this.#ticks, USER_SLICE_MS),
      inTurn: (piece: () => void) => this.#loop.start({ kind: 'other', group: principal, member: '' }, piece),
      connections: 0,
    }
    if (known === undefined) this.#byPrincipal.set(principal, share)
    share.connections++
    const { time, slice, inTurn } = share
    return {
      time,
      slice,
      inTurn,
      leaves: () => {
        share.connections--
        if (share.connections === 0) this.#byPrincipal.delete(principal)
      },
    }
  }
}
