import type { AuditEntry, AuditRow } from '../../../../core/operator/audit.ts'
import { AUDITED, type AuditColumns, auditColumns, auditOf } from '../../shared/operators.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { fromRow, insertSql, type Row, toRow } from '../engine/row.ts'

const parsed = fromRow<AuditColumns>('operator_audit')
const stored = toRow<Omit<AuditColumns, 'id'>>('operator_audit')

export const auditFrom = (row: Row): AuditRow => auditOf(parsed(row))

/** Adds a row to the audit log, in the transaction of the change that it is about. */
export function auditing(db: SqliteDatabase): (entry: AuditEntry) => void {
  const insert = db.prepare<Row>(insertSql('operator_audit', AUDITED))
  return (entry) => void insert.run(stored(auditColumns(entry)))
}
