import type { AuditRow } from '../../../../core/operator/audit.ts'
import type { AuditFilter } from '../../../../core/operator/audit-query.ts'
import type { OperatorSession } from '../../../../core/operator/session.ts'
import type { CalledBack, IncidentNote, Invitation, Page, PageQuery } from '../../../../ports/store.ts'
import { auditPage } from '../../shared/audit-page.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import {
  AUDIT,
  type AuditColumns,
  auditOf,
  CREDENTIALS,
  type CredentialsRow,
  credentialsOf,
  OPERATOR,
  type OperatorRow,
  operatorOf,
  SESSION,
  TOKEN,
  type TokenRow,
  tokenOf,
} from './rows.ts'

export function operatorReads(db: SqliteDatabase) {
  const all = db.prepare<[], OperatorRow>(`SELECT ${OPERATOR} FROM operators ORDER BY login`)
  const byId = db.prepare<[string], OperatorRow>(`SELECT ${OPERATOR} FROM operators WHERE id = ? AND disabled = 0`)
  const byLogin = db.prepare<[string], OperatorRow & CredentialsRow>(
    `SELECT ${OPERATOR}, ${CREDENTIALS} FROM operators WHERE login = ?`,
  )
  const invitation = db.prepare<[string], Invitation>(
    `SELECT hash, operator_id AS operatorId, totp_secret AS totpSecret, created_at AS createdAt, expires_at AS expiresAt
     FROM operator_invitations WHERE hash = ?`,
  )
  const session = db.prepare<[string], OperatorSession>(`SELECT ${SESSION} FROM operator_sessions WHERE hash = ?`)
  const sessions = db.prepare<[string], OperatorSession>(
    `SELECT ${SESSION} FROM operator_sessions WHERE operator_id = ? ORDER BY seen_at DESC, id DESC`,
  )
  const tokens = db.prepare<[], TokenRow>(`SELECT ${TOKEN} FROM api_tokens ORDER BY created_at DESC, id DESC`)
  const token = db.prepare<[string], TokenRow>(`SELECT ${TOKEN} FROM api_tokens WHERE hash = ?`)
  const audit = db.prepare<[number, number], AuditColumns>(
    `SELECT ${AUDIT} FROM operator_audit WHERE id < ? ORDER BY id DESC LIMIT ?`,
  )
  const lastDone = db.prepare<[string], AuditColumns>(
    `SELECT ${AUDIT} FROM operator_audit WHERE action = ? AND action IN ('backup.made', 'test.accepted') ORDER BY id DESC LIMIT 1`,
  )
  const changed = db
    .prepare<[string], number | null>(
      `SELECT max(at) FROM operator_audit WHERE user_id = ? AND action = 'contacts.changed'`,
    )
    .pluck()
  const notes = db.prepare<[string], IncidentNote>(
    `SELECT id, author AS by, at, text FROM incident_notes
     WHERE incident = (SELECT number FROM incidents WHERE id = ?) ORDER BY at, id`,
  )
  const calledBack = db.prepare<[string], CalledBack>(
    `SELECT nullif(contact_id, '') AS contactId, author AS by, at FROM called_back
     WHERE incident = (SELECT number FROM incidents WHERE id = ?) ORDER BY contact_id`,
  )
  return {
    operators: () => all.all().map(operatorOf),
    operatorByLogin(login: string) {
      const row = byLogin.get(login)
      return row === undefined ? null : { ...operatorOf(row), ...credentialsOf(row) }
    },
    operatorInvitation(hash: string) {
      const found = invitation.get(hash)
      const row = found && byId.get(found.operatorId)
      return found === undefined || row === undefined ? null : { ...found, operator: operatorOf(row) }
    },
    operatorSession(hash: string) {
      const found = session.get(hash)
      const row = found && byId.get(found.operatorId)
      return found === undefined || row === undefined ? null : { session: found, operator: operatorOf(row) }
    },
    operatorSessions: (operatorId: string) => sessions.all(operatorId),
    apiTokens: () => tokens.all().map(tokenOf),
    apiToken(hash: string) {
      const row = token.get(hash)
      return row === undefined ? null : tokenOf(row)
    },
    auditRows: (query: PageQuery, filter?: AuditFilter): Promise<Page<AuditRow>> =>
      auditPage(query, filter, (before, limit) => audit.all(before, limit).map(auditOf)),
    lastAudited(action: string): AuditRow | null {
      const row = lastDone.get(action)
      return row === undefined ? null : auditOf(row)
    },
    contactsChangedAt: (userId: string): number | null => changed.get(userId) ?? null,
    incidentNotes: (incidentId: string) => notes.all(incidentId),
    calledBackTicks: (incidentId: string) => calledBack.all(incidentId),
  }
}
