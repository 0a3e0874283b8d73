import type { OperatorAccount } from '../../../../core/operator/decide-operator.ts'
import type { Operator } from '../../../../core/operator/operator.ts'
import type { Passkey } from '../../../../core/operator/passkey.ts'
import type { ApiToken, OperatorSession } from '../../../../core/operator/session.ts'
import type {
  CalledBack,
  CaseStore,
  IncidentNote,
  Invitation,
  OperatorStore,
  PasskeyStore,
} from '../../../../ports/store.ts'
import { auditPage } from '../../shared/audit-page.ts'
import {
  ACCOUNTS,
  AUDIT,
  type AuditColumns,
  auditOf,
  CALLED_BACK,
  INCIDENT_NOTES,
  INVITATIONS,
  OPERATORS,
  PASSKEYS,
  SESSIONS,
  SIGNED_IN,
  TOKENS,
} from '../../shared/operators.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'

const ENABLED = `${OPERATORS} WHERE id = $1 AND NOT disabled`
const NOW_SIGNED_IN = `${OPERATORS}
  WHERE NOT disabled AND EXISTS (${SIGNED_IN('$1::bigint', '$2::bigint', 'least')}) ORDER BY login`
const ROWS_BEFORE = `${AUDIT} WHERE id < $1 ORDER BY id DESC LIMIT $2`
const LAST_DONE = `${AUDIT} WHERE action = $1 AND action IN ('backup.made', 'test.accepted') ORDER BY id DESC LIMIT 1`
const CONTACTS_CHANGED = `SELECT max(at) AS at FROM operator_audit WHERE user_id = $1 AND action = 'contacts.changed'`
const ACCOUNT_CHANGED = `SELECT max(at) AS at FROM operator_audit WHERE user_id = $1 AND action = 'account.changed'`
const OF_INCIDENT = 'incident_number = (SELECT number FROM incidents WHERE id = $1)'

type At = { readonly at: number | null }
type Reads = ReadsOf<OperatorStore & CaseStore & PasskeyStore>

export const operatorReads = ({ rows, row }: Reader): Reads => ({
  operators: () => rows<Operator>(`${OPERATORS} ORDER BY login`),
  operatorByLogin: (login) => row<OperatorAccount>(`${ACCOUNTS} WHERE login = $1`, [login]),
  async operatorInvitation(hash) {
    const found = await row<Invitation>(`${INVITATIONS} WHERE hash = $1`, [hash])
    const operator = found && (await row<Operator>(ENABLED, [found.operatorId]))
    return found === null || operator === null ? null : { ...found, operator }
  },
  async operatorSession(hash) {
    const session = await row<OperatorSession>(`${SESSIONS} WHERE hash = $1`, [hash])
    const operator = session && (await row<Operator>(ENABLED, [session.operatorId]))
    return session === null || operator === null ? null : { session, operator }
  },
  operatorSessions: (operatorId) =>
    rows<OperatorSession>(`${SESSIONS} WHERE operator_id = $1 ORDER BY seen_at DESC, id DESC`, [operatorId]),
  operatorsSignedIn: (now, since) => rows<Operator>(NOW_SIGNED_IN, [now, since]),
  async passkey(id) {
    const passkey = await row<Passkey>(`${PASSKEYS} WHERE id = $1`, [id])
    const operator = passkey && (await row<OperatorAccount>(`${ACCOUNTS} WHERE id = $1`, [passkey.operatorId]))
    return passkey === null || operator === null ? null : { passkey, operator }
  },
  passkeys: (operatorId) =>
    operatorId === null
      ? rows<Passkey>(`${PASSKEYS} ORDER BY added_at, id`, [])
      : rows<Passkey>(`${PASSKEYS} WHERE operator_id = $1 ORDER BY added_at, id`, [operatorId]),
  apiTokens: () => rows<ApiToken>(`${TOKENS} ORDER BY created_at DESC, id DESC`),
  apiToken: (hash) => row<ApiToken>(`${TOKENS} WHERE hash = $1`, [hash]),
  auditRows: (query, filter) =>
    auditPage(query, filter, async (before, limit) =>
      (await rows<AuditColumns>(ROWS_BEFORE, [before, limit])).map(auditOf),
    ),
  async lastAudited(action) {
    const found = await row<AuditColumns>(LAST_DONE, [action])
    return found && auditOf(found)
  },
  contactsChangedAt: async (userId) => (await row<At>(CONTACTS_CHANGED, [userId]))?.at ?? null,
  accountChangedAt: async (userId) => (await row<At>(ACCOUNT_CHANGED, [userId]))?.at ?? null,
  incidentNotes: (incidentId) =>
    rows<IncidentNote>(`${INCIDENT_NOTES} WHERE ${OF_INCIDENT} ORDER BY at, id`, [incidentId]),
  calledBackTicks: (incidentId) =>
    rows<CalledBack>(`${CALLED_BACK} WHERE ${OF_INCIDENT} ORDER BY contact_id`, [incidentId]),
})
