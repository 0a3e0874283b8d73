import type { AuditEntry, AuditRow } from '../../../core/operator/audit.ts'
import { columnsOf, selected } from './columns.ts'

const ofOperator = [
  'id',
  'login',
  'name',
  'role',
  'applications',
  'disabled',
  'created_at',
  'updated_at',
  'signed_in_at',
]
/** Behind an insert. */
export const UNLESS_LOGIN_TAKEN = 'ON CONFLICT (login) DO NOTHING'
const ofSession = ['id', 'operator_id', 'created_at', 'seen_at', 'expires_at', 'address', 'browser']
const ofToken = columnsOf('api_tokens').filter((column) => column !== 'hash')

export const OPERATORS = `SELECT ${selected('operators', ofOperator)} FROM operators`
/** With the credentials. */
export const ACCOUNTS = `SELECT ${selected('operators')} FROM operators`
/** Who can sign in and manage operators. */
export const ADMINS = `SELECT id FROM operators
  WHERE role = 'admin' AND applications IS NULL AND NOT disabled AND password_hash IS NOT NULL ORDER BY id`
/** A session of an earlier version was proved when it began. */
export const SESSIONS = `SELECT ${selected('operator_sessions', ofSession)},
    coalesce(proved_at, created_at) AS "provedAt"
  FROM operator_sessions`
export const INVITATIONS = `SELECT ${selected('operator_invitations')} FROM operator_invitations`
/** Behind an insert: a new invitation replaces the one before. */
export const REPLACING_INVITATION = `ON CONFLICT (operator_id) DO UPDATE SET hash = excluded.hash,
  totp_secret = excluded.totp_secret, created_at = excluded.created_at, expires_at = excluded.expires_at`
export const TOKENS = `SELECT ${selected('api_tokens', ofToken)} FROM api_tokens`

export const AUDIT = `SELECT ${selected('operator_audit')} FROM operator_audit`
export const AUDITED = columnsOf('operator_audit').filter((column) => column !== 'id')

/** A row of the audit log, with its details parsed. */
export type AuditColumns = Omit<AuditRow, 'actor'> & {
  readonly actorKind: AuditEntry['actor']['kind']
  readonly actorId: string | null
  readonly actorName: string
}

export const auditOf = ({ actorKind, actorId, actorName, ...row }: AuditColumns): AuditRow => ({
  ...row,
  actor: { kind: actorKind, id: actorId, name: actorName } as AuditRow['actor'],
})

/** The row of an entry, which must not fail the change that it is about: PostgreSQL refuses such characters. */
export const auditColumns = ({ actor, ...entry }: AuditEntry): Omit<AuditColumns, 'id'> =>
  withStorableTexts({ ...entry, actorKind: actor.kind, actorId: actor.id, actorName: actor.name })

/** Every text in `value` well-formed and without NUL. */
const withStorableTexts = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_key, part) =>
    typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '') : part,
  )
