import type { OnCallChange, OnCallRefusal, ToldOnCall } from '../core/account/decide-on-call.ts'
import type { OnCall } from '../core/account/on-call.ts'
import type { AuditEntry } from '../core/operator/audit.ts'

/** The on-call list, which alarm plans read as well. */
export type OnCallStore = {
  /** Null: there is none. */
  onCall(): Promise<OnCall | null>
  /** Stores the audit row in the same transaction. */
  changeOnCall(
    change: OnCallChange,
    audit: AuditEntry,
  ): Promise<{ readonly onCall: OnCall } | { readonly refused: OnCallRefusal }>
  /** A person was told by SMS that their number is on the list. No change if it no longer is. */
  noteToldOnCall(told: ToldOnCall): Promise<void>
  /** Operators have the boards of these applications open (`*`: of all) at this moment (epoch ms). */
  noteBoardWatched(scopes: readonly string[], at: number): Promise<void>
}
