import { type Actor, type AuditEntry, entry } from '../../core/operator/audit.ts'

/** The author of a change, their address, and the time (epoch ms). */
export type By = { readonly actor: Actor; readonly address: string | null; readonly now: number }

/** The row of a change in the audit log. */
export const rowBy = (
  { now, actor, address }: By,
  done: Pick<AuditEntry, 'action'> & Partial<AuditEntry>,
): AuditEntry => entry({ at: now, actor, address, ...done })
