import type { AuditEntry } from '../../../core/operator/audit.ts'
import type { AuditedChanges, AuditedName } from '../../../ports/store.ts'
import { byName } from './by-name.ts'
import { auditedNames } from './writes.ts'

/** A write of the store that runs the change `name` and, unless it is refused, records `audit` with it. */
export type AuditedCall = (audit: AuditEntry, name: AuditedName, args: readonly unknown[]) => Promise<unknown>

/** `AuditStore.audited`, on a write that takes any of the changes. */
export const auditedBy =
  (change: AuditedCall) =>
  (audit: AuditEntry): AuditedChanges =>
    byName<AuditedChanges, AuditedName>(
      auditedNames,
      (name) =>
        (...args: unknown[]) =>
          change(audit, name, args),
    )

/** Whether a write has changed nothing. */
export const isRefused = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'refused' in result
