import type { AuditEntry } from '../../../../core/operator/audit.ts'
import type { AuditedName } from '../../../../ports/store.ts'
import { isRefused } from '../../shared/audited.ts'
import type { Write, WriteContext } from '../engine/write.ts'
import { auditing } from './record-audit.ts'

type Plain = { readonly [N in AuditedName]: Write<never, unknown> }
type Given = readonly [audit: AuditEntry, name: AuditedName, args: readonly unknown[]]

/** One write for all that the audit log knows: the change `name`, with its row in the same transaction. */
export const auditedWrites = (plain: Plain) => ({
  auditedChange: {
    moment: (...[audit, name, args]: Given): number => plain[name].moment?.(...(args as never)) ?? audit.at,
    prepare: (context: WriteContext) => ({
      record: auditing(context.db),
      partsOf: (name: AuditedName) => context.part(plain[name].prepare),
    }),
    run({ record, partsOf }: Prepared, ...[audit, name, args]: Given): unknown {
      const result = plain[name].run(partsOf(name) as never, ...(args as never))
      if (!isRefused(result)) record(audit)
      return result
    },
  },
})

type Prepared = { readonly record: (audit: AuditEntry) => void; readonly partsOf: (name: AuditedName) => unknown }
