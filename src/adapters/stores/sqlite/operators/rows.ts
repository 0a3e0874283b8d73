import type { AuditEntry, AuditRow } from '../../../../core/operator/audit.ts'
import type { Operator, OperatorCredentials } from '../../../../core/operator/operator.ts'
import type { ApiToken } from '../../../../core/operator/session.ts'
import type { SqliteDatabase } from '../engine/database.ts'

/** Columns under the names of the core's types. */
export const OPERATOR = `operators.id, login, operators.name, role, applications, disabled,
  operators.created_at AS createdAt, updated_at AS updatedAt, signed_in_at AS signedInAt`
export const CREDENTIALS = `password_hash AS passwordHash, totp_secret AS totpSecret, totp_step AS totpStep,
  recovery_hashes AS recoveryHashes, known_networks AS knownNetworks`
export const SESSION = `operator_sessions.id, operator_id AS operatorId, operator_sessions.created_at AS createdAt,
  seen_at AS seenAt, expires_at AS expiresAt, coalesce(proved_at, operator_sessions.created_at) AS provedAt, address,
  browser`
export const TOKEN = `id, name, role, applications, created_by AS createdBy, created_at AS createdAt,
  expires_at AS expiresAt, used_at AS usedAt`
export const AUDIT = `id, at, actor_kind AS actorKind, actor_id AS actorId, actor_name AS actorName, address, action,
  app_id AS appId, user_id AS userId, subject, details`

export type OperatorRow = Omit<Operator, 'applications' | 'disabled'> & {
  readonly applications: string | null
  readonly disabled: number
}
export type CredentialsRow = Omit<OperatorCredentials, 'recoveryHashes' | 'knownNetworks'> & {
  readonly recoveryHashes: string
  readonly knownNetworks: string
}
export type TokenRow = Omit<ApiToken, 'applications'> & { readonly applications: string | null }
export type AuditColumns = Omit<AuditRow, 'actor' | 'details'> & {
  readonly actorKind: AuditEntry['actor']['kind']
  readonly actorId: string | null
  readonly actorName: string
  readonly details: string
}

/** `applications` of a row, null for all. */
const scopeOf = (applications: string | null): readonly string[] | null =>
  applications === null ? null : JSON.parse(applications)

export const operatorOf = (row: OperatorRow): Operator => ({
  id: row.id,
  login: row.login,
  name: row.name,
  role: row.role,
  applications: scopeOf(row.applications),
  disabled: row.disabled === 1,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  signedInAt: row.signedInAt,
})

export const credentialsOf = (row: CredentialsRow): OperatorCredentials => ({
  passwordHash: row.passwordHash,
  totpSecret: row.totpSecret,
  totpStep: row.totpStep,
  recoveryHashes: JSON.parse(row.recoveryHashes),
  knownNetworks: JSON.parse(row.knownNetworks),
})

export const tokenOf = (row: TokenRow): ApiToken => ({ ...row, applications: scopeOf(row.applications) })

export const auditOf = ({ actorKind, actorId, actorName, details, ...row }: AuditColumns): AuditRow => ({
  ...row,
  actor: { kind: actorKind, id: actorId, name: actorName } as AuditRow['actor'],
  details: JSON.parse(details),
})

/** Adds a row to the audit log, in the transaction of the change that it is about. */
export function auditing(db: SqliteDatabase): (entry: AuditEntry) => void {
  const insert = db.prepare<(string | number | null)[]>(
    `INSERT INTO operator_audit (at, actor_kind, actor_id, actor_name, address, action, app_id, user_id, subject, details)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return ({ at, actor, address, action, appId, userId, subject, details }) => {
    const who = [actor.kind, actor.id, actor.name] as const
    insert.run(at, ...who, address, action, appId, userId, subject, JSON.stringify(details))
  }
}
