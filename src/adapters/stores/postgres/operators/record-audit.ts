import type { AuditEntry } from '../../../../core/operator/audit.ts'
import { AUDITED, auditColumns } from '../../shared/operators.ts'
import { insertSql } from '../engine/row.ts'
import type { Transaction } from '../engine/write.ts'

const INSERT = insertSql('operator_audit', AUDITED)

/** Adds a row to the audit log, in the transaction of the change that it is about. */
export async function recordAudit({ connection }: Pick<Transaction, 'connection'>, entry: AuditEntry): Promise<void> {
  await connection.run(INSERT, [JSON.stringify([auditColumns(entry)])])
}
