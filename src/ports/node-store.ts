import type { Lease } from '../core/incident/delivery.ts'
import type { AuditEntry } from '../core/operator/audit.ts'
import type { TurnAnswer, TurnRequest } from '../core/pacing/shared-account.ts'

/**
 * The node that asks for a lease. `place`: of the node's data directory, which one process holds at a time, so that two
 * machines with the same id are told apart from a restart. `process`: random for each start.
 */
export type NodeIdentity = {
  readonly id: string
  readonly place: string
  readonly process: string
  readonly version: string
}

/**
 * `token`: of the lease to go on with; null where there is none in force, by the node's own clocks. `isStart`: nothing
 * has been granted to this process yet.
 */
type LeaseRequest = { readonly lengthMs: number; readonly token: number | null; readonly isStart: boolean }

/** A node as the database knows it. Moments are epoch ms by the clock of the database. */
export type NodeRecord = {
  readonly lease: Lease
  readonly version: string
  readonly startedAt: number
  readonly leaseUntil: number
  /** Drained by the operator: it claims nothing more. */
  readonly isDraining: boolean
  /** It has given its lease back; otherwise the lease expires. */
  readonly isStopped: boolean
}

/** `now`: by the clock of the database. `others`: every other node, also those whose lease has ended. */
export type LeaseAnswer =
  | {
      readonly lease: Lease
      readonly now: number
      readonly others: readonly NodeRecord[]
      readonly isDraining: boolean
      /** The server that answered is the same run of the same one as before, and its clock has run evenly. */
      readonly isSameServer: boolean
    }
  /** Another machine holds a lease under this id. */
  | { readonly refused: 'taken' }
  /** The site was copied elsewhere. `why`: a sentence for the operator. */
  | { readonly refused: 'left'; readonly why: string }

/** The nodes that share a store. keeping.md#several-nodes. */
export type NodeStore = {
  /**
   * Grants a lease of `lengthMs` from now on, by the clock of the database: the one with `token`, if that is in force,
   * else one with a new token.
   */
  lease(node: NodeIdentity, asked: LeaseRequest): Promise<LeaseAnswer>
  /** Ends a lease before its time. */
  endLease(lease: Lease): Promise<void>
  /** Every node that had a lease in the last week, by id. `now`: by the clock of the database. */
  nodes(): Promise<{ readonly now: number; readonly nodes: readonly NodeRecord[] }>
  /** Drains a node, or lets it claim again, with a row in the audit log. False: there is no node with this id. */
  drain(nodeId: string, isDraining: boolean, audit: AuditEntry): Promise<boolean>
}

/** Turns at the providers, for nodes that share their accounts. A store for one node has none. */
export type TurnStore = {
  /**
   * Asks the account called `account` for turns in the name of this node, by the time of the store, and creates the
   * account if missing. Rejects with a StoreError; whether turns were taken is unknown then.
   */
  takeTurns(account: string, request: TurnRequest): Promise<TurnAnswer>
}
