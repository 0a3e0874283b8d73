import type { AuditEntry } from '../core/operator/audit.ts'
import type { OperatorAccount } from '../core/operator/decide-operator.ts'
import type { NewSession } from '../core/operator/session.ts'
import type { NoOffer, SetupLink } from '../core/operator/setup.ts'

/** The address for the first administrator (access.md#operators). At most one; only its hash is kept. */
export type SetupStore = {
  /** Replaces the link. `running`: the nodes that have a lease; the link of another one of them stays. */
  offerSetup(link: SetupLink, running: readonly string[]): Promise<NoOffer | { readonly offered: true }>
  /** Null: none was made, it was used, or there is an operator. The caller checks its expiry. */
  setupLink(): Promise<SetupLink | null>
  /** Adds the first administrator and opens a session. Refused where any operator exists by then. */
  useSetup(
    hash: string,
    account: OperatorAccount,
    session: NewSession,
    audit: AuditEntry,
  ): Promise<{ readonly used: true } | { readonly refused: 'setup_not_found' }>
}
