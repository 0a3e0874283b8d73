import type { AuditEntry } from '../../../../core/operator/audit.ts'
import type { AuditedName } from '../../../../ports/store.ts'
import { isRefused } from '../../shared/audited.ts'
import type { Transaction, Write } from '../engine/write.ts'
import { recordAudit } from './record-audit.ts'

type Plain = { readonly [N in AuditedName]: Write<never, unknown> }
type Given = [audit: AuditEntry, name: AuditedName, args: readonly unknown[]]

/** One write for all that the audit log knows: the change `name`, with its row in the same transaction. */
export const auditedWrites = (plain: Plain) => ({
  auditedChange: {
    moment: (...[audit, name, args]: Given): number => plain[name].moment?.(...(args as never)) ?? audit.at,
    async run(transaction: Transaction, ...[audit, name, args]: Given): Promise<unknown> {
      const result = await plain[name].run(transaction, ...(args as never))
      if (!isRefused(result)) await recordAudit(transaction, audit)
      return result
    },
  },
})
