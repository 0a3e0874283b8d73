import type { AuditRow } from '../../../../core/operator/audit.ts'
import type { AuditFilter } from '../../../../core/operator/audit-query.ts'
import type { OperatorAccount } from '../../../../core/operator/decide-operator.ts'
import type { Operator } from '../../../../core/operator/operator.ts'
import type { Passkey } from '../../../../core/operator/passkey.ts'
import type { ApiToken, OperatorSession } from '../../../../core/operator/session.ts'
import type { CalledBack, IncidentNote, Invitation, Page, PageQuery } from '../../../../ports/store.ts'
import { auditPage } from '../../shared/audit-page.ts'
import {
  ACCOUNTS,
  AUDIT,
  CALLED_BACK,
  INCIDENT_NOTES,
  INVITATIONS,
  OPERATORS,
  PASSKEYS,
  SESSIONS,
  SIGNED_IN,
  TOKENS,
} from '../../shared/operators.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { fromRow, type Row } from '../engine/row.ts'
import { auditFrom } from './record-audit.ts'

const operatorOf = fromRow<Operator>('operators')
const accountOf = fromRow<OperatorAccount>('operators')
const passkeyOf = fromRow<Passkey>('passkeys')
const tokenOf = fromRow<ApiToken>('api_tokens')

export function operatorReads(db: SqliteDatabase) {
  const all = db.prepare<[], Row>(`${OPERATORS} ORDER BY login`)
  const enabled = db.prepare<[string], Row>(`${OPERATORS} WHERE id = ? AND disabled = 0`)
  const byLogin = db.prepare<[string], Row>(`${ACCOUNTS} WHERE login = ?`)
  const invitation = db.prepare<[string], Invitation>(`${INVITATIONS} WHERE hash = ?`)
  const session = db.prepare<[string], OperatorSession>(`${SESSIONS} WHERE hash = ?`)
  const sessions = db.prepare<[string], OperatorSession>(
    `${SESSIONS} WHERE operator_id = ? ORDER BY seen_at DESC, id DESC`,
  )
  const signedIn = db.prepare<{ now: number; since: number }, Row>(
    `${OPERATORS} WHERE disabled = 0 AND EXISTS (${SIGNED_IN('@now', '@since', 'min')}) ORDER BY login`,
  )
  const tokens = db.prepare<[], Row>(`${TOKENS} ORDER BY created_at DESC, id DESC`)
  const token = db.prepare<[string], Row>(`${TOKENS} WHERE hash = ?`)
  const audit = db.prepare<[number, number], Row>(`${AUDIT} WHERE id < ? ORDER BY id DESC LIMIT ?`)
  const lastDone = db.prepare<[string], Row>(
    `${AUDIT} WHERE action = ? AND action IN ('backup.made', 'test.accepted') ORDER BY id DESC LIMIT 1`,
  )
  // The action is not a parameter: the partial index serves only statements that name it.
  const lastChange = (action: 'contacts.changed' | 'account.changed') =>
    db
      .prepare<[string], number | null>(`SELECT max(at) FROM operator_audit WHERE user_id = ? AND action = '${action}'`)
      .pluck()
  const [contactsChanged, accountChanged] = [lastChange('contacts.changed'), lastChange('account.changed')]
  const passkey = db.prepare<[string], Row>(`${PASSKEYS} WHERE id = ?`)
  const passkeysOf = db.prepare<[string], Row>(`${PASSKEYS} WHERE operator_id = ? ORDER BY added_at, id`)
  const passkeys = db.prepare<[], Row>(`${PASSKEYS} ORDER BY added_at, id`)
  const byId = db.prepare<[string], Row>(`${ACCOUNTS} WHERE id = ?`)
  const notes = db.prepare<[string], IncidentNote>(
    `${INCIDENT_NOTES} WHERE incident = (SELECT number FROM incidents WHERE id = ?) ORDER BY at, id`,
  )
  const calledBack = db.prepare<[string], CalledBack>(
    `${CALLED_BACK} WHERE incident = (SELECT number FROM incidents WHERE id = ?) ORDER BY contact_id`,
  )
  return {
    operators: () => all.all().map(operatorOf),
    operatorByLogin(login: string) {
      const row = byLogin.get(login)
      return row === undefined ? null : accountOf(row)
    },
    operatorInvitation(hash: string) {
      const found = invitation.get(hash)
      const row = found && enabled.get(found.operatorId)
      return found === undefined || row === undefined ? null : { ...found, operator: operatorOf(row) }
    },
    operatorSession(hash: string) {
      const found = session.get(hash)
      const row = found && enabled.get(found.operatorId)
      return found === undefined || row === undefined ? null : { session: found, operator: operatorOf(row) }
    },
    operatorSessions: (operatorId: string) => sessions.all(operatorId),
    operatorsSignedIn: (now: number, since: number) => signedIn.all({ now, since }).map(operatorOf),
    passkey(id: string) {
      const row = passkey.get(id)
      if (row === undefined) return null
      const found = passkeyOf(row)
      return { passkey: found, operator: accountOf(byId.get(found.operatorId)!) }
    },
    passkeys: (operatorId: string | null) =>
      (operatorId === null ? passkeys.all() : passkeysOf.all(operatorId)).map(passkeyOf),
    apiTokens: () => tokens.all().map(tokenOf),
    apiToken(hash: string) {
      const row = token.get(hash)
      return row === undefined ? null : tokenOf(row)
    },
    auditRows: (query: PageQuery, filter?: AuditFilter): Promise<Page<AuditRow>> =>
      auditPage(query, filter, (before, limit) => audit.all(before, limit).map(auditFrom)),
    lastAudited(action: string): AuditRow | null {
      const row = lastDone.get(action)
      return row === undefined ? null : auditFrom(row)
    },
    contactsChangedAt: (userId: string): number | null => contactsChanged.get(userId) ?? null,
    accountChangedAt: (userId: string): number | null => accountChanged.get(userId) ?? null,
    incidentNotes: (incidentId: string) => notes.all(incidentId),
    calledBackTicks: (incidentId: string) => calledBack.all(incidentId),
  }
}
