import type { TurnAnswer, TurnRequest } from '../core/pacing/shared-account.ts'

/** Turns at the providers, for nodes that share their accounts. A store for one node has none. */
export type TurnStore = {
  /**
   * Asks the account called `account` for turns in the name of this node, by the time of the store, and creates the
   * account if missing. Rejects with a StoreError; whether turns were taken is unknown then.
   */
  takeTurns(account: string, request: TurnRequest): Promise<TurnAnswer>
}
