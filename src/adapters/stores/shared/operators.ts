import type { AuditEntry, AuditRow } from '../../../core/operator/audit.ts'
import { SESSION_IDLE_MS } from '../../../core/operator/session.ts'
import { columnsBut, selected } from './columns.ts'

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
const ofToken = columnsBut('api_tokens', 'hash')

export const OPERATORS = `SELECT ${selected('operators', ofOperator)} FROM operators`
/** Operators with their credentials. */
export const ACCOUNTS = `SELECT ${selected('operators')} FROM operators`
/** Operators who can sign in and manage operators. */
export const ADMINS = `SELECT id FROM operators
  WHERE role = 'admin' AND applications IS NULL AND NOT disabled AND password_hash IS NOT NULL ORDER BY id`
/** A session of an earlier version was proved when it began. */
export const SESSIONS = `SELECT ${selected('operator_sessions', ofSession)},
    coalesce(proved_at, created_at) AS "provedAt"
  FROM operator_sessions`
/** A session of `operators` that has begun by `now` and had not ended at `since`. `least`: SQL's lesser of two. */
export const SIGNED_IN = (
  now: string,
  since: string,
  least: 'min' | 'least',
): string => `SELECT 1 FROM operator_sessions
  WHERE operator_id = operators.id AND created_at <= ${now}
    AND ${least}(seen_at + ${SESSION_IDLE_MS}, expires_at) > ${since}`
export const PASSKEYS = `SELECT ${selected('passkeys')} FROM passkeys`
export const OPERATOR_PUSHES = `SELECT ${selected('operator_pushes')} FROM operator_pushes`
export const INVITATIONS = `SELECT ${selected('operator_invitations')} FROM operator_invitations`

/** The address for the first administrator, while there is no operator. Short-lived: it is in no copy of the site. */
export const SETUP_LINK = `SELECT hash, node, created_at AS "createdAt", expires_at AS "expiresAt" FROM setup_links`
export const UNTIL_OPERATORS = 'WHERE NOT EXISTS (SELECT 1 FROM operators)'

export const TOKENS = `SELECT ${selected('api_tokens', ofToken)} FROM api_tokens`

export const HAND_OVERS = `SELECT ${selected('hand_overs')} FROM hand_overs`
export const SHIFT_NOTES = `SELECT ${selected('shift_notes')} FROM shift_notes ORDER BY at, operator_id`
export const SESSION_SPANS = `SELECT ${selected('operator_sessions', ['operator_id', 'created_at', 'seen_at', 'expires_at'])}
  FROM operator_sessions`
/** Without what their incident is: its column has a name of its own in each database. */
export const INCIDENT_NOTES = 'SELECT id, author AS by, at, text FROM incident_notes'
export const CALLED_BACK = `SELECT nullif(contact_id, '') AS "contactId", author AS by, at FROM called_back`

export const AUDIT = `SELECT ${selected('operator_audit')} FROM operator_audit`
export const AUDITED = columnsBut('operator_audit', 'id')

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
