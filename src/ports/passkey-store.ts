import type { AuditEntry } from '../core/operator/audit.ts'
import type { Operator, OperatorCredentials } from '../core/operator/operator.ts'
import type { NewPasskey, Passkey } from '../core/operator/passkey.ts'

/** The passkeys of operators. They end with an invitation that is accepted. access.md#passkeys. */
export type PasskeyStore = {
  /** With its operator, disabled or not. */
  passkey(id: string): Promise<{ readonly passkey: Passkey; readonly operator: Operator & OperatorCredentials } | null>
  /** In the order in which they were added. `operatorId` null: of all operators. */
  passkeys(operatorId: string | null): Promise<readonly Passkey[]>
  addPasskey(
    passkey: NewPasskey,
    limit: number,
    audit: AuditEntry,
  ): Promise<{ readonly added: true } | { readonly refused: 'operator_not_found' | 'passkey_taken' | 'passkey_limit' }>
  renamePasskey(
    operatorId: string,
    passkeyId: string,
    name: string,
    audit: AuditEntry,
  ): Promise<{ readonly renamed: true } | { readonly refused: 'passkey_not_found' }>
  removePasskey(
    operatorId: string,
    passkeyId: string,
    audit: AuditEntry,
  ): Promise<{ readonly removed: Passkey } | { readonly refused: 'passkey_not_found' }>
  /** Removes all passkeys of an operator, and ends all sessions. */
  resetPasskeys(
    operatorId: string,
    audit: AuditEntry,
  ): Promise<{ readonly removed: number } | { readonly refused: 'operator_not_found' }>
}
