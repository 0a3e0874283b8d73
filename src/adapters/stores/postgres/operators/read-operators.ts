import type { AuditRow } from '../../../../core/operator/audit.ts'
import type { Operator, OperatorCredentials } from '../../../../core/operator/operator.ts'
import type { ApiToken, OperatorSession } from '../../../../core/operator/session.ts'
import type { CalledBack, CaseStore, IncidentNote, Invitation, OperatorStore } from '../../../../ports/store.ts'
import { auditPage } from '../../shared/audit-page.ts'
import type { Reader } from '../engine/reader.ts'
import { AUDIT, CREDENTIALS, OPERATOR, SESSION, TOKEN } from './columns.ts'

const ENABLED = `SELECT ${OPERATOR} FROM operators WHERE id = $1 AND NOT disabled`
const INVITATION = `SELECT hash, operator_id AS "operatorId", totp_secret AS "totpSecret", created_at AS "createdAt",
    expires_at AS "expiresAt" FROM operator_invitations WHERE hash = $1`
const ROWS_BEFORE = `SELECT ${AUDIT} FROM operator_audit WHERE id < $1 ORDER BY id DESC LIMIT $2`
const LAST_DONE = `SELECT ${AUDIT} FROM operator_audit WHERE action = $1 AND action IN ('backup.made', 'test.accepted')
  ORDER BY id DESC LIMIT 1`
const CHANGED = `SELECT max(at) AS at FROM operator_audit WHERE user_id = $1 AND action = 'contacts.changed'`
const OF_INCIDENT = 'incident_number = (SELECT number FROM incidents WHERE id = $1)'

type Reads = Pick<
  OperatorStore & CaseStore,
  | 'operators'
  | 'operatorByLogin'
  | 'operatorInvitation'
  | 'operatorSession'
  | 'operatorSessions'
  | 'apiTokens'
  | 'apiToken'
  | 'auditRows'
  | 'lastAudited'
  | 'contactsChangedAt'
  | 'incidentNotes'
  | 'calledBackTicks'
>

export const operatorReads = ({ rows, row }: Reader): Reads => ({
  operators: () => rows<Operator>(`SELECT ${OPERATOR} FROM operators ORDER BY login`),
  operatorByLogin: (login) =>
    row<Operator & OperatorCredentials>(`SELECT ${OPERATOR}, ${CREDENTIALS} FROM operators WHERE login = $1`, [login]),
  async operatorInvitation(hash) {
    const found = await row<Invitation>(INVITATION, [hash])
    const operator = found && (await row<Operator>(ENABLED, [found.operatorId]))
    return found === null || operator === null ? null : { ...found, operator }
  },
  async operatorSession(hash) {
    const session = await row<OperatorSession>(`SELECT ${SESSION} FROM operator_sessions WHERE hash = $1`, [hash])
    const operator = session && (await row<Operator>(ENABLED, [session.operatorId]))
    return session === null || operator === null ? null : { session, operator }
  },
  operatorSessions: (operatorId) =>
    rows<OperatorSession>(
      `SELECT ${SESSION} FROM operator_sessions WHERE operator_id = $1 ORDER BY seen_at DESC, id DESC`,
      [operatorId],
    ),
  apiTokens: () => rows<ApiToken>(`SELECT ${TOKEN} FROM api_tokens ORDER BY created_at DESC, id DESC`),
  apiToken: (hash) => row<ApiToken>(`SELECT ${TOKEN} FROM api_tokens WHERE hash = $1`, [hash]),
  auditRows: (query, filter) =>
    auditPage(query, filter, (before, limit) => rows<AuditRow>(ROWS_BEFORE, [before, limit])),
  lastAudited: (action) => row<AuditRow>(LAST_DONE, [action]),
  contactsChangedAt: async (userId) => (await row<{ at: number | null }>(CHANGED, [userId]))?.at ?? null,
  incidentNotes: (incidentId) =>
    rows<IncidentNote>(`SELECT id, author AS by, at, text FROM incident_notes WHERE ${OF_INCIDENT} ORDER BY at, id`, [
      incidentId,
    ]),
  calledBackTicks: (incidentId) =>
    rows<CalledBack>(
      `SELECT nullif(contact_id, '') AS "contactId", author AS by, at FROM called_back
       WHERE ${OF_INCIDENT} ORDER BY contact_id`,
      [incidentId],
    ),
})
