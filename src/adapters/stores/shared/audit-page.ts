import type { AuditRow } from '../../../core/operator/audit.ts'
import { type AuditFilter, isLookedFor } from '../../../core/operator/audit-query.ts'
import type { Page, PageQuery } from '../../../ports/store.ts'
import { filteredPage } from './scoped-page.ts'

const auditList = {
  name: 'audit',
  keyTypes: ['number'],
  keyOf: ({ id }: AuditRow): readonly [number] => [id],
} as const

/** A page of the audit log. `read`: the newest rows with an id below `before`. */
export const auditPage = (
  query: PageQuery,
  filter: AuditFilter | undefined,
  read: (before: number, limit: number) => readonly AuditRow[] | Promise<readonly AuditRow[]>,
): Promise<Page<AuditRow>> =>
  filteredPage(auditList, query, {
    read: (key, limit) => read(Number(key?.[0] ?? Number.MAX_SAFE_INTEGER), limit),
    fits: (row) => filter === undefined || isLookedFor(row, filter),
  })
